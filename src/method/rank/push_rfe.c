/* NAME       push-rfe
 * PAPER      infinite push section 4.1: recursive elimination as in SVM-RFE (I. Guyon, J. Weston,
 *            S. Barnhill, V. Vapnik. Machine Learning 46:389-422, 2002), with the infinite push.
 * PROBLEM    minimise over w   sum_i c_i max(0, 1 - w'x_i + max_j w'x_j) + lambda/2 |w|^2
 *            on the features that remain; those of least |w_j| are removed, with costs those
 *            of least w_j^2 / cost_j.
 * SYMBOLS    left: the features that remain, as view columns; K: X X' over them.
 * ALGORITHM  1. lambda once, on all features; 2. solve; 3. remove `step` features; until one is
 *            left. Features that are removed together rank by |w_j|.
 * COST       one interior point run per step; where features outnumber samples K is kept up to date
 *            by the removed columns, and each run costs a few N^3.
 * GUARANTEE  every solve is to a duality gap; the final model is an inf-push on the chosen features
 *            and carries its certificate.
 * STOPPING   no feature left to compare.
 * DEVIATIONS the paper does not say how many features are removed at once: a tenth. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "method/rank/ranking_job.h"
#include "method/svm/rfe_groups.h"

static pare_status check_step(double step, pare_error *err) {
    if (step < 1 || step == floor(step)) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT,
                     "`step`: %.9g is not allowed; expected a whole number, or a share below 1",
                     step);
}

static int64_t how_many(double step, int64_t left) {
    double count = step < 1 ? ceil(step * (double)left) : step;
    return count < (double)left ? (int64_t)count : left - 1;
}

static int64_t leave(double step, int64_t n_active, int64_t least) {
    return n_active == 1 ? 1 - least : how_many(step, n_active);
}

/* Subtracts the columns of `gone` from K = X X'. */
static pare_status downdate(double *K, const view *x, const int64_t *gone, int64_t count,
                            double *part, const pare_ctx *ctx, pare_error *err) {
    view removed = *x;
    removed.cols = gone;
    removed.d = count;
    pare_status status = mat_gram(&removed, NULL, NULL, part, ctx, err);
    for (int64_t i = 0; status == PARE_OK && i < x->n * x->n; i++) K[i] -= part[i];
    return status;
}

/* Groups by the sum of their squared weights, the largest first. */
static void best_groups_first(const rfe_groups *g, ranked *list, int64_t count) {
    for (int64_t i = 0; i < count; i++) list[i].key *= -list[i].key;
    rfe_groups_order(g, list, count);
}

pare_status push_rfe_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    push_rfe_settings *set = &fit_settings(r, job)->push_rfe;
    int64_t d = job->x->d, left = d;
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    ranking_rows rows;
    rfe_groups groups;
    TRY(check_step(set->step, err));
    TRY(rfe_groups_init(&groups, &scratch, job, err));
    TRY(ranking_split(&rows, &scratch, job, err));
    view part = rows.x;
    push_problem p = {.x = &part,
                      .m = rows.m,
                      .n = rows.n,
                      .cost = rows.cost,
                      .penalty = PUSH_L2,
                      .tol_rel = set->tol};
    int64_t N = p.m + p.n, *own = ARENA_NEW(&scratch, int64_t, d),
            *col = ARENA_NEW(&scratch, int64_t, d), *gone = ARENA_NEW(&scratch, int64_t, d);
    ranked *list = ARENA_NEW(&scratch, ranked, d);
    push_solution s = {.w = ARENA_NEW(&scratch, double, d), .dual = ARENA_NEW(&scratch, double, N)};
    push_limit limit = {.dual = s.dual};
    TRY_MEM(own && col && gone && list && s.w && s.dual);
    TRY_MEM(r->ranking = ARENA_NEW(&r->mem, int64_t, d));
    TRY_MEM(r->score = ARENA_NEW(&r->mem, double, d));
    double *K = NULL, *removed = NULL;
    bool wide = d > N;
    if (wide) {
        TRY(ctx_check_memory(ctx, 16 * (double)N * (double)N, "the Gram matrix of the samples",
                             err));
        TRY_MEM(K = ARENA_NEW(&scratch, double, N *N));
        TRY_MEM(removed = ARENA_NEW(&scratch, double, N *N));
        TRY(mat_gram(&rows.x, NULL, NULL, K, ctx, err));
    }
    if (isnan(set->lambda)) { /* 1 */
        TRY(push_lambda_max(&limit, &p, ctx, err));
        double base = limit.lambda_max > 0 ? limit.lambda_max : limit.bound > 0 ? limit.bound : 1;
        set->lambda = set->lambda_ratio * base;
        TRY(fit_note(r, err, "lambda_max is %.9g", limit.lambda_max));
    }
    p.lambda = set->lambda;
    for (int64_t j = 0; j < d; j++) own[j] = j;
    r->outcome = PARE_OPTIMAL;
    for (;;) {
        for (int64_t k = 0; k < left; k++) col[k] = job->x->cols ? job->x->cols[own[k]] : own[k];
        part.cols = col;
        part.d = left;
        p.K = wide && left > N ? K : NULL;
        TRY(push_interior(&s, &p, false, ctx, err)); /* 2 */
        r->iterations += s.iterations;
        if (s.outcome > r->outcome) r->outcome = s.outcome;
        for (int64_t k = 0; k < left; k++)
            list[k] = (ranked){fabs(s.w[k]) / sqrt(terms_cost(&job->terms, col[k])), own[k]};
        sort_best_first(list, left);
        if (groups.of) best_groups_first(&groups, list, left);
        bool stopped = s.outcome == PARE_TIME_LIMIT || s.outcome == PARE_CANCELLED;
        int64_t units = rfe_groups_among(&groups, own, left);
        int64_t keep = units == 1 || stopped ? 0 : units - how_many(set->step, units); /* 3 */
        keep = rfe_groups_first(&groups, list, left, keep);
        for (int64_t k = keep; k < left; k++) {
            int64_t j = r->ranking[k] = list[k].index;
            gone[k - keep] = job->x->cols ? job->x->cols[j] : j;
        }
        if (keep > N && wide) TRY(downdate(K, &rows.x, gone, left - keep, removed, ctx, err));
        left = keep;
        if (left == 0) break;
        for (int64_t k = 0; k < left; k++) own[k] = list[k].index;
        sort_index(own, left);
    }
    for (int64_t k = 0; k < d; k++) r->score[r->ranking[k]] = (double)(d - k);

done:
    arena_free(&scratch);
    return status;
}

/* Every round solves on all remaining features. */
effort_estimate push_rfe_effort(const effort_job *job) {
    double rounds,
        visits = effort_visits(&rounds, (int64_t)job->d, 0, job->set->push_rfe.step, leave);
    return (effort_estimate){1.4e-7 * job->n * visits, "`step 0.5` is about five times as fast"};
}
