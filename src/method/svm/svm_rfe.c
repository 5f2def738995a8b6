/* NAME       svm-rfe
 * PAPER      I. Guyon, J. Weston, S. Barnhill, V. Vapnik. Gene selection for cancer classification
 *            using support vector machines. Machine Learning 46:389-422, 2002; zero-norm
 *            section 4.3.
 * PROBLEM    the SVM  1/2 |w|^2 + C sum_i max(0, 1 - y_i f_i)  on fewer and fewer features:
 *            those of least contribution to |w|^2 (several classes: sum_k |w_k|^2, one
 *            against the rest) are removed.
 * SYMBOLS    U: alpha.y per output, n x c; w_p = X_p'U; K: Gram of the active features.
 * ALGORITHM  0. Constant features are removed, unless fewer than k others exist.
 *            1. Solve the SVM on K, warm from the last.
 *            2. The features of smallest |w_p| (with costs: of smallest w_p^2 / cost_p) are
 *               removed: `step` of them, or that share of the active features, or by themselves
 *               a tenth while over 1,000 are active, then one (method/svm/rfe_weakest.h finds
 *               them without weighing all).
 *               With groups the group of the least sum of w_p^2 is removed as a whole.
 *            3. K <- K - sum x_p x_p' over those removed; K is computed again where
 *               fewer are active than were removed, or an eighth of its trace is left:
 *               so much of it may be rounding.
 *            While very many standardised features are active, K is in single precision:
 *            far closer than weights must be to decide. The last SVM has it exact,
 *            unless it was stopped before.
 *            4. Until k features are active (1, if k is not given), which rank by |w|.
 *            Kernels: method/svm/rfe_kernel.c.
 * COST       gram passes over the removed features, 1 over all d in sum, and over the active
 *            features, 1/7 in sum; the weights of all once, and then, where X is over 32 MB, of
 *            the few that a copy in one byte a number leaves in doubt, else of two thirds of the
 *            active features at each step, 7 passes over all d in sum (in order, for a full
 *            ranking: also of those removed, 1 pass); per elimination O(n^2) and an SVM of one or
 *            two Newton steps. Memory a few n^2, n times 4 sqrt(d), and 41 bytes a feature, the
 *            result's 16 among them (rfe_weakest.h: 8 more for each of several outputs), and n + 16
 *            with the copy, if there is room for it.
 * DEVIATIONS the paper eliminates one at a time throughout: `step` 1. At 1,000,000 features that is
 *            a million machines; what leaves by tenths is far from the last thousand
 *            (tests/ref/test_rfe_steps.c).
 * GUARANTEE  the SVM on the survivors has a certified gap (certify/certify_rfe.c). */
#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "method/svm/rfe.h"
#include "method/svm/rfe_groups.h"
#include "method/svm/rfe_weakest.h"
#include "solve/svm/svm_track.h"

static const double SOLVE_TOL = 1e-11; /* the weights are accurate to its root */

enum {
    MAX_DOWNDATES = 8,  /* rank-one downdates at a time */
    SMALL_X = 16 << 20, /* bytes of dense data that are scaled in a copy */
};

typedef struct rfe {
    matrix scaled; /* the scaled features, if they are small */
    gram_svm svm;
    rfe_weakest features;
    double *K, *part;      /* part: n x n scratch, or the removed columns */
    double built;          /* the trace of K when it was last computed from all active features */
    bool single_precision; /* the precision of fit_gram */
    bool rounded;          /* the precision of K */
    int64_t *gone;         /* d: view columns in the order of removal; uses the memory of the
                              result's ranking */
    int64_t n_gone;
    svm_track *track;           /* c: one per output */
    bool *tracking;             /* c: track follows that output's solution */
    double *sign, *cost, *soft; /* n x c: the outputs' problems */
    rfe_groups groups;
} rfe;

/* One rank-one downdate, with the solution followed exactly if possible; returns false if the SVMs
 * must be solved again. */
static bool follow(rfe *s, const double *x) {
    gram_svm *g = &s->svm;
    for (int64_t o = 0; o < g->c; o++)
        if (!s->tracking[o]) return false;
    for (int64_t o = 0; o < g->c; o++) {
        s->tracking[o] = svm_track_downdate(&s->track[o], x, g->dual + o * g->n, &g->b[o]);
        if (!s->tracking[o]) return false;
        memcpy(g->U + o * g->n, s->track[o].beta, sizeof(double) * (size_t)g->n);
    }
    return true;
}

static void start_tracks(rfe *s) {
    gram_svm *g = &s->svm;
    int64_t n = g->n;
    for (int64_t o = 0; o < g->c; o++) {
        gram_svm_costs(g, o, s->sign + o * n, s->cost + o * n, s->soft + o * n);
        svm_problem p = {.n = n,
                         .K = s->K,
                         .y = s->sign + o * n,
                         .C = s->cost + o * n,
                         .ridge = s->soft + o * n,
                         .intercept = g->intercept};
        s->tracking[o] = svm_track_start(&s->track[o], &p, g->dual + o * n, &g->b[o]);
        if (s->tracking[o]) memcpy(g->U + o * n, s->track[o].beta, sizeof(double) * (size_t)n);
    }
}

static double trace_of(const double *K, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += K[i * (n + 1)];
    return sum;
}

static pare_status build(rfe *s, bool single_precision, const pare_ctx *ctx, pare_error *err) {
    view v = rfe_weakest_view(&s->features, rfe_weakest_active(&s->features), s->features.n_active);
    s->rounded = v.single_precision =
        single_precision && s->features.n_active >= MIN_SINGLE_COLUMNS;
    pare_status status = mat_gram(&v, NULL, NULL, s->K, ctx, err);
    s->built = trace_of(s->K, s->svm.n);
    return status;
}

/* Subtracts `count` columns from K; *followed: the solution was updated with it. */
static pare_status downdate(rfe *s, const int64_t *left, int64_t count, bool *followed,
                            const pare_ctx *ctx, pare_error *err) {
    int64_t n = s->svm.n;
    pare_status status;
    if (count > MAX_DOWNDATES) {
        view v = rfe_weakest_view(&s->features, left, count);
        v.single_precision = s->single_precision && s->features.n_active >= MIN_SINGLE_COLUMNS;
        s->rounded |= v.single_precision;
        status = mat_gram(&v, NULL, NULL, s->part, ctx, err);
        for (int64_t i = 0; i < n * n; i++) s->K[i] -= s->part[i];
        return status;
    }
    status = mat_columns(&s->features.x, left, count, s->part, ctx, err);
    for (int64_t k = 0; status == PARE_OK && k < count; k++) {
        const double *x = s->part + k * n;
        cblas_dger(CblasColMajor, (int)n, (int)n, -1, x, 1, x, 1, s->K, (int)n);
        *followed = (k == 0 || *followed) && follow(s, x);
    }
    return status;
}

/* Step 3, for the last `count` removed. */
static pare_status take_out(rfe *s, int64_t count, bool *followed, const pare_ctx *ctx,
                            pare_error *err) {
    *followed = false;
    if (s->features.n_active <= count) return build(s, s->single_precision, ctx, err);
    pare_status status = downdate(s, s->gone + s->n_gone - count, count, followed, ctx, err);
    if (status != PARE_OK || trace_of(s->K, s->svm.n) > s->built / 8) return status;
    *followed = false;
    return build(s, s->single_precision, ctx, err);
}

/* Step 1, unless the last downdate was `followed`. */
static pare_status solve(rfe *s, fit_result *r, bool followed, const pare_ctx *ctx,
                         pare_error *err) {
    r->iterations++;
    if (followed) return PARE_OK;
    pare_status status = gram_svm_solve_anyhow(&s->svm, r, s->K, ctx, err);
    if (status != PARE_OK) return status;
    s->svm.warm = true;
    start_tracks(s);
    return PARE_OK;
}

/* The contributions of the active groups, the least first, into `order`. Uses the scratch of the
 * features, which is free while none of them is removed by itself. */
static pare_status weigh_groups(rfe *s, ranked *order, const pare_ctx *ctx, pare_error *err) {
    rfe_weakest *w = &s->features;
    int64_t n_active = w->n_active;
    const int64_t *active = rfe_weakest_active(w);
    view v = rfe_weakest_view(w, active, n_active);
    pare_status status = mat_tmul(&v, s->svm.U, w->c, w->W, ctx, err);
    for (int64_t i = 0; status == PARE_OK && i < n_active; i++) {
        double sum = 0, factor = w->factor ? w->factor[active[i]] : 1;
        for (int64_t o = 0; o < w->c; o++) sum += w->W[o * n_active + i] * w->W[o * n_active + i];
        order[i] = (ranked){sum * factor * factor, active[i]};
    }
    if (status == PARE_OK) sort_worst_first(order, n_active);
    if (status == PARE_OK) rfe_groups_order(&s->groups, order, n_active);
    return status;
}

/* Removes the weakest groups, or all remaining ones. *count: the number of their features. */
static pare_status leave_groups(rfe *s, int64_t groups, int64_t *count, const pare_ctx *ctx,
                                pare_error *err) {
    rfe_weakest *w = &s->features;
    ranked *order = w->scratch;
    pare_status status = weigh_groups(s, order, ctx, err);
    if (status != PARE_OK) return status;
    *count = rfe_groups_first(&s->groups, order, w->n_active, groups);
    for (int64_t i = 0; i < *count; i++) s->gone[s->n_gone++] = order[i].index;
    rfe_weakest_leave(w, order, *count);
    return PARE_OK;
}

/* Active groups, or features. */
static int64_t count_units(rfe *s) {
    rfe_weakest *w = &s->features;
    return s->groups.of ? rfe_groups_among(&s->groups, rfe_weakest_active(w), w->n_active)
                        : w->n_active;
}

/* Removes the weakest `count`, in the order of X; in_order: sort_last follows. */
static pare_status leave(rfe *s, int64_t count, bool in_order, const pare_ctx *ctx,
                         pare_error *err) {
    int64_t *out = s->gone + s->n_gone;
    s->n_gone += count;
    return rfe_weakest_take(&s->features, s->svm.U, count, in_order, out, ctx, err);
}

/* Sorts the last `count` by weight. */
static void sort_last(rfe *s, int64_t count) {
    rfe_weakest_sort(&s->features, count, s->gone + s->n_gone - count);
}

/* Scales small dense data once: else every weight would scale its column again. */
static pare_status scale_small(rfe *s, view *x, arena *mem, const pare_ctx *ctx, pare_error *err) {
    if (mat_is_sparse(x->x) || 8 * (double)x->n * (double)x->d > SMALL_X) return PARE_OK;
    double *value = ARENA_NEW(mem, double, x->n * x->d);
    int64_t *all = ARENA_NEW(mem, int64_t, x->d);
    if (!value || !all) return error_memory(err);
    for (int64_t p = 0; p < x->d; p++) all[p] = p;
    pare_status status = mat_columns(x, all, x->d, value, ctx, err);
    s->scaled = mat_dense(x->n, x->d, value);
    *x = view_all(&s->scaled);
    return status;
}

static pare_status prepare(rfe *s, fit_result *r, arena *mem, const fit_job *job, int64_t least,
                           const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    const svm_rfe_settings *set = &job->set->svm_rfe;
    pare_status status = PARE_OK;
    TRY(ctx_check_memory(ctx, 8 * (double)n * (double)n, "the Gram matrix of the samples", err));
    TRY(gram_svm_init(&s->svm, mem, job, "ovr", err));
    view x = fit_centred(job);
    TRY_MEM(s->K = ARENA_NEW(mem, double, n *n));
    TRY(fit_gram(job, true, s->K, ctx, err));
    TRY(scale_small(s, &x, mem, ctx, err));
    int64_t c = s->svm.c;
    s->svm.C = set->C;
    s->svm.ridge = set->ridge;
    s->svm.tol_rel = fmin(set->tol, SOLVE_TOL);
    double *factor = NULL;
    if (job->terms.cost) TRY_MEM(factor = fit_cost_factors(mem, job, -0.5));
    double norm2 = job->standard && !job->weight && !s->scaled.ops ? (double)n : 0;
    s->single_precision = s->rounded = job->of_gram == GRAM_SINGLE;
    TRY(rfe_start(r, d, err));
    s->gone = r->ranking;
    TRY(rfe_weakest_init(&s->features, mem, &x, c, factor, r->score, norm2, ctx, err));
    TRY_MEM(s->part = ARENA_NEW(mem, double, n *(n > MAX_DOWNDATES ? n : MAX_DOWNDATES)));
    TRY_MEM(s->track = ARENA_NEW(mem, svm_track, c));
    TRY_MEM(s->tracking = ARENA_ZERO(mem, bool, c));
    TRY_MEM(s->sign = ARENA_NEW(mem, double, n *c));
    TRY_MEM(s->cost = ARENA_NEW(mem, double, n *c));
    TRY_MEM(s->soft = ARENA_NEW(mem, double, n *c));
    for (int64_t o = 0; o < c; o++) TRY_MEM(svm_track_init(&s->track[o], mem, n));
    TRY(rfe_groups_init(&s->groups, mem, job, err));
    s->n_gone = rfe_weakest_constant(&s->features, s->groups.of ? d - 1 : d - least, s->gone);
    s->built = trace_of(s->K, n);
done:
    return status;
}

/* The SVM on the remaining features as the selection problem, and the ranking. */
static pare_status finish(rfe *s, fit_result *r, const pare_ctx *ctx, pare_error *err) {
    int64_t survivors = s->features.n_active;
    pare_status status = PARE_OK;
    TRY_MEM(r->cols = ARENA_NEW(&r->mem, int64_t, survivors));
    r->n_cols = survivors;
    memcpy(r->cols, rfe_weakest_active(&s->features), sizeof(int64_t) * (size_t)survivors);
    if (s->groups.of)
        TRY(leave_groups(s, s->groups.count, &survivors, ctx, err));
    else
        TRY(leave(s, survivors, true, ctx, err));
    if (!s->groups.of) sort_last(s, survivors);
    TRY(rfe_finish(r, &s->svm, s->features.x.d, err));
done:
    return status;
}

pare_status svm_rfe_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    svm_rfe_settings *set = &fit_settings(r, job)->svm_rfe;
    pare_status status = rfe_check_step(set->step, err);
    if (status != PARE_OK) return status;
    if (!choice_is(set->kernel, "linear")) return rfe_kernel_fit(r, job, ctx, err);
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    rfe s = {0};
    int64_t least = job->k > 0 ? job->k : 1, d = job->x->d;
    TRY(prepare(&s, r, &mem, job, least, ctx, err));
    r->outcome = PARE_OPTIMAL;
    TRY(solve(&s, r, false, ctx, err));
    for (int64_t units; (units = count_units(&s)) > least && r->outcome == PARE_OPTIMAL;) {
        int64_t count = rfe_step(set->step, units, least);
        bool in_order = !s.groups.of && !(r->first > 0 && s.features.n_active - count >= r->first);
        if (s.groups.of)
            TRY(leave_groups(&s, count, &count, ctx, err));
        else
            TRY(leave(&s, count, in_order, ctx, err));
        bool followed;
        TRY(take_out(&s, count, &followed, ctx, err)); /* in the order of X */
        if (in_order) sort_last(&s, count);
        TRY(solve(&s, r, followed, ctx, err));
        r->outcome = rfe_poll(&s.svm, (double)s.n_gone / (double)d, ctx);
    }
    if (s.rounded && r->outcome == PARE_OPTIMAL) { /* the final SVM is certified in double
                                                      precision */
        TRY(build(&s, false, ctx, err));
        TRY(solve(&s, r, false, ctx, err));
        r->outcome = rfe_poll(&s.svm, 1, ctx);
    }
    TRY(finish(&s, r, ctx, err));
    set->ridge = s.svm.ridge;

done:
    rfe_weakest_end(&s.features, ctx);
    arena_free(&mem);
    return status;
}

/* Linear: the Gram passes and, one at a time, n^2 for each removed feature. Kernels: every active
 * feature in every round. */
effort_estimate svm_rfe_effort(const effort_job *job) {
    const svm_rfe_settings *set = &job->set->svm_rfe;
    double rounds, n2 = job->n * job->n, c = job->outputs;
    double visits =
        effort_visits(&rounds, (int64_t)job->d, job->k > 0 ? job->k : 1, set->step, rfe_step);
    if (!choice_is(set->kernel, "linear"))
        return (effort_estimate){visits * (15e-6 + 5e-10 * n2 * c),
                                 "`step 0.5` is many times as fast"};
    double seconds = 2e-10 * job->n * job->stored + 6e-9 * n2 * c * rounds + 5e-10 * visits;
    bool alone = rounds > 20 * MAX_SINGLE_STEPS;
    return (effort_estimate){seconds, alone ? "`step auto` is many times as fast" : NULL};
}
