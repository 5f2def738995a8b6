#include "method/kernel/kernel_predictor.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "la/factor.h"
#include "method/svm/gram_svm.h"
#include "solve/kernel/kernel_apply.h"
#include "solve/kernel/kernel_sum.h"

pare_status weighted_kernels_check(const fit_job *job, const char *name, pare_error *err) {
    if (job->set->common.intercept) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT,
                     "`intercept`: %s centres its kernels, which needs the intercept", name);
}

static pare_status solve_classes(kernel_solution *s, fit_result *r, const fit_job *job,
                                 const double *K, double C, double tol, arena *mem,
                                 const pare_ctx *ctx, pare_error *err) {
    gram_svm g;
    PASS(gram_svm_init(&g, mem, job, "ovr", err));
    g.C = C;
    g.tol_rel = tol;
    PASS(gram_svm_solve(&g, K, ctx, err));
    *s = (kernel_solution){g.U, g.b, g.dual, g.c};
    r->objective = g.objective;
    r->outcome = g.outcome;
    r->iterations = g.iterations;
    return PARE_OK;
}

/* (I + D^1/2 K D^1/2) beta = D^1/2 (y - b), alpha = D^1/2 beta, D = C s; the b that makes alpha sum
 * to 0. */
pare_status kernel_ridge_solve(double *U, double *b, const fit_job *job, const double *K, double C,
                               arena *mem, pare_error *err) {
    int64_t n = job->x->n;
    double *A = ARENA_NEW(mem, double, n *n), *root = ARENA_NEW(mem, double, n),
           *side = ARENA_NEW(mem, double, 2 * n);
    if (!A || !root || !side) return error_memory(err);
    for (int64_t i = 0; i < n; i++) {
        root[i] = sqrt(C * (job->weight ? job->weight[i] : 1));
        side[i] = root[i] * job->y->value[i];
        side[n + i] = root[i];
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            A[i * n + j] = root[i] * K[i * n + j] * root[j] + (i == j ? 1 : 0);
    if (!chol_factor('U', n, A, n))
        return error_set(err, PARE_E_ARGUMENT,
                         "`C`: kernel ridge regression with C %g is beyond double precision", C);
    chol_solve('U', n, A, n, side, 2);
    double top = 0, bottom = 0;
    for (int64_t i = 0; i < n; i++) {
        top += root[i] * side[i];
        bottom += root[i] * side[n + i];
    }
    *b = top / bottom;
    for (int64_t i = 0; i < n; i++) U[i] = root[i] * (side[i] - *b * side[n + i]);
    return PARE_OK;
}

static pare_status solve_ridge(kernel_solution *s, fit_result *r, const fit_job *job,
                               const double *K, double C, arena *mem, pare_error *err) {
    double *U = ARENA_NEW(mem, double, job->x->n), *b = ARENA_NEW(mem, double, 1);
    if (!U || !b) return error_memory(err);
    *s = (kernel_solution){U, b, U, 1};
    r->objective = NAN; /* certify computes it */
    r->outcome = PARE_OPTIMAL;
    return kernel_ridge_solve(U, b, job, K, C, mem, err);
}

static view first_sample(const view *x, int32_t *row) {
    view one = *x;
    *row = x->rows ? x->rows[0] : 0;
    one.rows = row;
    one.n = 1;
    return one;
}

/* Stores the kernels. The duals sum to 0, so that centring only shifted the intercept: the shift is
 * computed from one sample. */
static pare_status give_kernel(fit_result *r, const fit_job *job, const weighted_kernels *w,
                               const kernel_solution *s, const double *K, arena *mem,
                               const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    double *own = ARENA_NEW(mem, double, s->c);
    fit_kernel *out = r->kernel = ARENA_ZERO(&r->mem, fit_kernel, 1);
    if (!out || !own) return error_memory(err);
    strcpy(out->type, w->kind == KERNEL_DELTA ? "delta" : "rbf");
    out->gammas = ARENA_NEW(&r->mem, double, d);
    out->weights = ARENA_NEW(&r->mem, double, d);
    out->U = ARENA_NEW(&r->mem, double, n * s->c);
    if (!out->gammas || !out->weights || !out->U) return error_memory(err);
    memcpy(out->gammas, w->gamma, sizeof(double) * (size_t)d);
    memcpy(out->weights, w->weight, sizeof(double) * (size_t)d);
    memcpy(out->U, s->U, sizeof(double) * (size_t)(n * s->c));
    int32_t row;
    view first = first_sample(job->x, &row);
    kernel_sum sum = {w->kind, w->gamma, 1, w->weight};
    pare_ctx through; /* one sample takes no time, and without a shift the predictor is wrong: no
                         interruption here */
    if (ctx) through = *ctx;
    through.progress = NULL;
    pare_status status =
        kernel_apply(own, job->x, &first, &sum, s->U, s->c, ctx ? &through : NULL, err);
    for (int64_t o = 0; o < s->c && status == PARE_OK; o++) {
        r->b[o] = s->b[o] - own[o];
        for (int64_t i = 0; i < n; i++) r->b[o] += s->U[o * n + i] * K[i];
    }
    return status;
}

static pare_status give_linear(fit_result *r, const fit_job *job, const weighted_kernels *w,
                               const kernel_solution *s, const double *K, arena *mem,
                               const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d, c = s->c;
    double *W = ARENA_NEW(mem, double, d *c), *first = ARENA_NEW(mem, double, c);
    r->W = ARENA_NEW(&r->mem, double, r->n_support *c);
    if (!W || !first || !r->W) return error_memory(err);
    PASS(mat_tmul(job->x, s->U, c, W, ctx, err));
    for (int64_t o = 0; o < c; o++)
        for (int64_t i = 0; i < r->n_support; i++)
            r->W[o * r->n_support + i] = w->weight[r->support[i]] * W[o * d + r->support[i]];
    int32_t row;
    view one = first_sample(job->x, &row);
    pare_status status = mat_mul(&one, r->support, r->n_support, r->W, c, first, ctx, err);
    for (int64_t o = 0; o < c && status == PARE_OK; o++) {
        r->b[o] = s->b[o] - first[o];
        for (int64_t i = 0; i < n; i++) r->b[o] += s->U[o * n + i] * K[i];
    }
    return status;
}

/* Scores are the weights themselves: the order of the job's columns is the caller's. */
static pare_status give_support(fit_result *r, const fit_job *job, const weighted_kernels *w,
                                pare_error *err) {
    int64_t d = job->x->d;
    r->support = ARENA_NEW(&r->mem, int64_t, d);
    r->score = ARENA_NEW(&r->mem, double, d);
    if (!r->support || !r->score) return error_memory(err);
    r->n_support = 0;
    for (int64_t j = 0; j < d; j++) {
        r->score[j] = w->weight[j];
        if (w->weight[j] > 0) r->support[r->n_support++] = j;
    }
    return fit_rank(r, d, err);
}

pare_status weighted_kernels_give(fit_result *r, const fit_job *job, const weighted_kernels *w,
                                  const kernel_solution *s, const double *K, const pare_ctx *ctx,
                                  pare_error *err) {
    int64_t n = job->x->n;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    r->n_outputs = r->n_dual = s->c;
    TRY_MEM(r->b = ARENA_NEW(&r->mem, double, s->c));
    TRY_MEM(r->dual = ARENA_NEW(&r->mem, double, n * s->c));
    memcpy(r->dual, s->dual, sizeof(double) * (size_t)(n * s->c));
    if (w->kind == KERNEL_LINEAR)
        TRY(give_linear(r, job, w, s, K, &scratch, ctx, err));
    else
        TRY(give_kernel(r, job, w, s, K, &scratch, ctx, err));

done:
    arena_free(&scratch);
    return status;
}

pare_status weighted_kernels_fit(fit_result *r, const fit_job *job, const weighted_kernels *w,
                                 double *C, const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;

    TRY(ctx_check_memory(ctx, 8 * (double)n * (double)n, "the Gram matrix of the samples", err));
    double *K = ARENA_NEW(&scratch, double, n *n), *s = ARENA_NEW(&scratch, double, n);
    TRY_MEM(K && s);
    kernel_sum sum = {w->kind, w->gamma, 1, w->weight};
    TRY(kernel_sum_gram(&K, job->x, &sum, ctx, err));
    double trace = 0, total = 0;
    for (int64_t i = 0; i < n; i++) total += s[i] = job->weight ? job->weight[i] : 1;
    TRY(kernel_sum_centre(K, s, n, ctx, err));
    for (int64_t i = 0; i < n; i++) trace += s[i] * K[i * n + i];
    if (isnan(*C)) *C = w->C_ratio * (trace > 0 ? total / trace : 1);

    kernel_solution found;
    if (job->y->cls)
        TRY(solve_classes(&found, r, job, K, *C, w->tol, &scratch, ctx, err));
    else
        TRY(solve_ridge(&found, r, job, K, *C, &scratch, err));
    TRY(give_support(r, job, w, err));
    TRY(weighted_kernels_give(r, job, w, &found, K, ctx, err));

done:
    arena_free(&scratch);
    return status;
}
