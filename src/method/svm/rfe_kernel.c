/* svm-rfe with a kernel (zero-norm section 4.3): those features are removed whose removal changes
 * W^2 = sum_ij alpha_i alpha_j y_i y_j k(x_i, x_j) least, alpha held. An automatic gamma is that of
 * the active features. COST: per round a gram pass over the active and n^2 flops for each. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "method/kernel/kernel.h"
#include "method/svm/rfe.h"
#include "method/svm/rfe_groups.h"

typedef struct rounds {
    const fit_job *job;
    view x; /* centred for rbf */
    bool centred;
    gram_svm svm;
    double *K, *sums, *value;
    int64_t n_active, *own, *cols;
    ranked *order;
    rfe_groups groups;
} rounds;

static pare_status prepare(rounds *s, arena *mem, const pare_ctx *ctx, pare_error *err) {
    int64_t n = s->job->x->n, d = s->job->x->d;
    const svm_rfe_settings *set = &s->job->set->svm_rfe;
    PASS(ctx_check_memory(ctx, 16 * (double)n * (double)n, "the kernel matrices of the samples",
                          err));
    PASS(gram_svm_init(&s->svm, mem, s->job, "ovr", err));
    s->centred = !choice_is(set->kernel, "poly");
    s->x = s->centred ? fit_centred(s->job) : *s->job->x;
    s->svm.C = set->C;
    s->svm.ridge = set->ridge;
    s->svm.tol_rel = fmin(set->tol, 1e-9);
    PASS_MEM(ARENA_NEWS(mem, double, n *n, &s->K, &s->sums));
    PASS_MEM(s->value = ARENA_NEW(mem, double, d));
    PASS_MEM(ARENA_NEWS(mem, int64_t, d, &s->own, &s->cols));
    PASS_MEM(s->order = ARENA_NEW(mem, ranked, d));
    s->n_active = d;
    for (int64_t j = 0; j < d; j++) s->own[j] = j;
    return PARE_OK;
}

/* The SVM on the active features, and these in the order of their removal. */
static pare_status solve(rounds *s, fit_result *r, const pare_ctx *ctx, pare_error *err) {
    const svm_rfe_settings *set = &s->job->set->svm_rfe;
    const view *x = s->job->x;
    int64_t n = x->n;
    fit_kernel k;
    view v = *x, centred = s->x;
    for (int64_t i = 0; i < s->n_active; i++) s->cols[i] = x->cols ? x->cols[s->own[i]] : s->own[i];
    v.cols = centred.cols = s->cols;
    v.d = centred.d = s->n_active;
    PASS(kernel_make(&k, set->kernel, set->gamma, set->degree, set->coef0, &v, s->job->weight, ctx,
                     err));
    if (s->n_active == x->d)
        PASS(fit_gram(s->job, s->centred, s->sums, ctx, err));
    else
        PASS(mat_gram(&centred, NULL, NULL, s->sums, ctx, err));
    kernel_sums(&k, s->sums, n);
    kernel_gram(&k, s->sums, n, s->K);
    PASS(gram_svm_solve_anyhow(&s->svm, r, s->K, ctx, err));
    s->svm.warm = true;
    r->iterations++;
    PASS(kernel_contributions(&k, x, s->own, s->n_active, s->sums, s->svm.U, s->svm.c, s->value,
                              ctx, err));
    for (int64_t i = 0; i < s->n_active; i++) {
        double cost = terms_cost(&s->job->terms, s->cols[i]);
        double value = s->value[i] < 0 ? s->value[i] * cost : s->value[i] / cost;
        s->order[i] = (ranked){value, s->own[i]};
    }
    sort_worst_first(s->order, s->n_active);
    rfe_groups_order(&s->groups, s->order, s->n_active);
    return PARE_OK;
}

pare_status rfe_kernel_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                           pare_error *err) {
    arena mem = arena_of(ctx);
    rounds s = {.job = job};
    pare_status status = PARE_OK;
    int64_t d = job->x->d, least = job->k > 0 ? job->k : 1, n_gone = 0;
    TRY(rfe_start(r, d, err));
    int64_t *gone = r->ranking;
    TRY(prepare(&s, &mem, ctx, err));
    TRY(rfe_groups_init(&s.groups, &mem, job, err));
    r->outcome = PARE_OPTIMAL;
    TRY(solve(&s, r, ctx, err));
    for (int64_t units; (units = rfe_groups_among(&s.groups, s.own, s.n_active)) > least &&
                        r->outcome == PARE_OPTIMAL;) {
        int64_t count = rfe_step(job->set->svm_rfe.step, units, least);
        count = rfe_groups_first(&s.groups, s.order, s.n_active, count);
        for (int64_t i = 0; i < count; i++) gone[n_gone++] = s.order[i].index;
        for (int64_t i = count; i < s.n_active; i++) s.own[i - count] = s.order[i].index;
        s.n_active -= count;
        sort_index(s.own, s.n_active);
        TRY(solve(&s, r, ctx, err));
        r->outcome = rfe_poll(&s.svm, (double)n_gone / (double)d, ctx);
    }
    TRY_MEM(r->cols = ARENA_NEW(&r->mem, int64_t, s.n_active));
    memcpy(r->cols, s.own, sizeof(int64_t) * (size_t)s.n_active);
    r->n_cols = s.n_active;
    for (int64_t i = 0; i < s.n_active; i++) gone[n_gone++] = s.order[i].index;
    TRY(rfe_finish(r, &s.svm, d, err));
    fit_settings(r, job)->svm_rfe.ridge = s.svm.ridge;

done:
    arena_free(&mem);
    return status;
}
