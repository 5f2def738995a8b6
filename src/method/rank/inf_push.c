/* NAME       inf-push
 * PAPER      S. Agarwal. The infinite push: a new support vector ranking algorithm that directly
 *            optimizes accuracy at the absolute top of the list. SDM 2011, the limit of C. Rudin.
 *            The p-norm push. JMLR 10:2233-2271, 2009; sparse penalties: infinite push, problem (2).
 * PROBLEM    minimise over w   sum_i c_i max(0, 1 - w'x_i + max_j w'x_j) + lambda Omega(w)
 *            i over the positives with their shares c_i of the weight (1/m without weights), j over
 *            the negatives of weight above 0. Omega: |w|_1 (l1), 1/2 |w|^2 (l2),
 *            sum over groups |w_g|_2 (group), alpha |w|_1 + (1 - alpha)/2 |w|^2 (l1l2).
 * SYMBOLS    dual: alpha_i of positives, beta_j of negatives, in the order of the samples.
 * ALGORITHM  1. positives first, then negatives; 2. lambda, where it is auto, from lambda_max;
 *            3. the solver of the penalty and size (solve/push_*.c).
 * COST       interior: about 30 passes over X and a factor of size min(n, d) in each.
 * GUARANTEE  duality gap from raw data and the stored dual (certify/certify_push.c).
 * STOPPING   relative gap <= tol; the interior point method continues to 1e-8, which is cheap.
 * DEVIATIONS m + n variables instead of the paper's m n: the hinge grows with w'x_j, so the largest
 *            mean hinge is the one at the largest negative (tests/ref/test_push.c). The paper's own
 *            algorithm is --algorithm pairwise, with its errors corrected
 *            (solve/rank/push_pairwise.c). */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/rank/ranking_job.h"

enum { MAX_ROWS = 6000, MAX_COLS = 1000 }; /* above, rows or columns are generated */
static const double NO_GAIN = 1 - 1e-6;    /* an objective above this: the empty model may be
                                              optimal */

static pare_status solve(push_solution *s, const push_problem *p, const char *algorithm,
                         const pare_ctx *ctx, pare_error *err) {
    bool chosen = strcmp(algorithm, "auto") != 0, group = p->penalty == PUSH_GROUP;
    bool many_rows = p->m + p->n > MAX_ROWS;
    bool many_cols = p->x->d > MAX_COLS && p->penalty != PUSH_L2;
    if (strcmp(algorithm, "admm") == 0) return push_admm(s, p, ctx, err);
    if (group && strcmp(algorithm, "pairwise") == 0)
        return error_set(
            err, PARE_E_ARGUMENT,
            "`algorithm`: \"pairwise\" does not do penalty group; expected one of: auto "
            "interior cutting admm");
    if (strcmp(algorithm, "pairwise") == 0) {
        for (int64_t i = 1; i < p->m; i++)
            if (p->cost[i] != p->cost[0])
                return error_set(
                    err, PARE_E_ARGUMENT,
                    "`algorithm`: \"pairwise\" needs equal sample weights; expected one "
                    "of: auto interior cutting admm");
        return push_pairwise(s, p, ctx, err);
    }
    bool generate = chosen ? strcmp(algorithm, "cutting") == 0 : many_rows || many_cols;
    return push_interior(s, p, generate, ctx, err);
}

static pare_status solve_point(push_solution *s, const push_problem *p, const void *unused,
                               const pare_ctx *ctx, pare_error *err) {
    (void)unused;
    return push_interior(s, p, true, ctx, err);
}

/* Lambda in effect; if lambda_max is 0, a share of its bound, or of 1. */
static void choose_lambda(inf_push_settings *set, const push_limit *limit) {
    double base = limit->lambda_max > 0 ? limit->lambda_max : limit->bound > 0 ? limit->bound : 1;
    set->lambda = set->lambda_ratio * base;
}

static pare_status note_limit(fit_result *r, const push_limit *limit, double lambda, bool empty,
                              pare_error *err) {
    if (limit->outcome != PARE_OPTIMAL)
        return fit_note(r, err, "lambda_max was not finished: it is at most %.9g",
                        limit->lambda_max);
    if (limit->lambda_max == 0)
        return fit_note(r, err,
                        "lambda_max is 0: the mean of the positive samples lies in the convex hull "
                        "of the negative ones, so the empty model is optimal for every lambda");
    if (empty)
        return fit_note(r, err,
                        "the empty model is optimal: lambda %.9g is not below lambda_max %.9g",
                        lambda, limit->lambda_max);
    return fit_note(r, err, "lambda_max is %.9g", limit->lambda_max);
}

pare_status inf_push_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    inf_push_settings *set = &fit_settings(r, job)->inf_push;
    int64_t d = job->x->d;
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    ranking_rows rows;
    TRY(ranking_split(&rows, &scratch, job, err)); /* 1 */
    push_problem p = {
        .x = &rows.x, .m = rows.m, .n = rows.n, .cost = rows.cost, .tol_rel = set->tol};
    TRY(ranking_penalty(&p, &scratch, job, set->penalty, set->alpha, err));
    push_solution s = {.w = ARENA_ZERO(&scratch, double, d),
                       .dual = ARENA_ZERO(&scratch, double, p.m + p.n)};
    push_limit limit = {.dual = ARENA_ZERO(&scratch, double, p.m + p.n)};
    double *g = ARENA_NEW(&scratch, double, d),
           *signed_dual = ARENA_NEW(&scratch, double, p.m + p.n);
    TRY_MEM(s.w && s.dual && limit.dual && g && signed_dual);

    bool known = isnan(set->lambda) || set->sweep; /* 2 */
    if (d == 0) known = true; /* all columns are constant: nothing to solve for */
    if (known) {
        TRY(push_lambda_max(&limit, &p, ctx, err));
        if (isnan(set->lambda)) choose_lambda(set, &limit);
    }
    p.lambda = set->lambda;
    bool hopeless = known && limit.lambda_max == 0;
    if (!hopeless) TRY(solve(&s, &p, set->algorithm, ctx, err)); /* 3 */
    if (!known && s.objective >= NO_GAIN) {
        TRY(push_lambda_max(&limit, &p, ctx, err));
        known = true;
        hopeless = limit.lambda_max == 0;
    }
    if (hopeless) { /* w = 0; the limit's beta certifies it */
        memset(s.w, 0, sizeof *s.w * (size_t)d);
        memcpy(s.dual, limit.dual, sizeof *s.dual * (size_t)(p.m + p.n));
        s.objective = 1;
        s.outcome = PARE_OPTIMAL;
    }
    TRY(push_gather(&p, s.dual, signed_dual, g, ctx, err));
    TRY(ranking_result(r, &rows, job, s.w, s.dual, g, err));
    if (known) TRY(note_limit(r, &limit, p.lambda, r->n_support == 0, err));
    r->objective = s.objective;
    r->outcome = s.outcome;
    r->iterations = s.iterations;
    if (set->sweep && limit.lambda_max > 0 && !job->refit) /* last, as it may be interrupted */
        TRY(ranking_sweep(r, &p, limit.lambda_max, set->lambda_count, set->lambda_least,
                          solve_point, NULL, ctx, err));

done:
    arena_free(&scratch);
    return status;
}
