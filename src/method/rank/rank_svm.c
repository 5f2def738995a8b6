/* NAME       rank-svm
 * PAPER      T. Joachims. Optimizing search engines using clickthrough data. KDD 2002; O. Chapelle,
 *            S. S. Keerthi. Efficient algorithms for ranking with SVMs. Information Retrieval
 *            13:201-215, 2010; the baseline of infinite push section 4.
 * PROBLEM    minimise over w   sum_ij c_i c_j loss(1 - w'x_i + w'x_j) + lambda Omega(w)
 *            i over positives, j over negatives, c their shares of the weight of their class (1/m
 *            and 1/n without weights); loss(h) = max(0, h)^2 (squared) or max(0, h) (hinge); Omega
 *            as in inf-push.
 * SYMBOLS    dual: squared, the scores f that stand for gamma_ij = 2 c_i c_j max(0, 1 - f_i + f_j);
 *            hinge, the sums a_i and b_j of gamma over pairs. In the order of the samples.
 * ALGORITHM  1. lambda_max is the dual norm of the slope at w = 0: the difference of the class
 *            means, twice for the squared loss; 2. solve/rank/pair_losses.c.
 * COST       about 30 Newton steps: a matrix of size min(N, generated features) and O(N log N)
 *            each; the N^2 pairs are never formed.
 * GUARANTEE  duality gap from raw data and the stored dual (certify/certify_rank.c).
 * STOPPING   relative gap <= tol.
 * DEVIATIONS the paper's baseline is the squared hinge (its text does not say); the
 *            hinge is ours. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/rank/ranking_job.h"
#include "solve/rank/pair_losses.h"

static pare_status solve_point(push_solution *s, const push_problem *p, const void *squared,
                               const pare_ctx *ctx, pare_error *err) {
    return rank_svm_solve(s, p, *(const bool *)squared, ctx, err);
}

pare_status rank_svm_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    rank_svm_settings *set = &fit_settings(r, job)->rank_svm;
    bool squared = strcmp(set->loss, "squared") == 0;
    int64_t d = job->x->d;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    ranking_rows rows;
    TRY(ranking_split(&rows, &scratch, job, err));
    push_problem p = {
        .x = &rows.x, .m = rows.m, .n = rows.n, .cost = rows.cost, .tol_rel = set->tol};
    TRY(ranking_penalty(&p, &scratch, job, set->penalty, set->alpha, err));
    push_solution s = {.w = ARENA_ZERO(&scratch, double, d),
                       .dual = ARENA_ZERO(&scratch, double, p.m + p.n)};
    double *g = ARENA_NEW(&scratch, double, d), *u = ARENA_NEW(&scratch, double, p.m + p.n);
    double *norms = ARENA_NEW(&scratch, double, p.n_groups);
    TRY_MEM(s.w && s.dual && g && u && norms);

    double rounding;
    TRY(push_mean_scale(&rounding, &p, u, g, norms, ctx, err));
    TRY(push_gather(&p, rows.cost, u, g, ctx, err)); /* 1 */
    double lambda_max = (squared ? 2 : 1) * push_dual_norm(&p, g, norms);
    if (lambda_max <= rounding) lambda_max = 0;
    if (isnan(set->lambda)) set->lambda = set->lambda_ratio * (lambda_max > 0 ? lambda_max : 1);
    p.lambda = set->lambda;
    if (lambda_max == 0) { /* w = 0, whose duals are known: scores 0, or all pairs at their limit */
        s.objective = 1;
        if (!squared) memcpy(s.dual, rows.cost, sizeof(double) * (size_t)(p.m + p.n));
        TRY(fit_note(r, err,
                     "lambda_max is 0: both classes have the same mean, so the empty model is "
                     "optimal for every lambda"));
    } else { /* 2 */
        TRY(rank_svm_solve(&s, &p, squared, ctx, err));
        TRY(fit_note(r, err, "lambda_max is %.9g", lambda_max));
    }
    TRY(ranking_result(r, &rows, job, s.w, s.dual, g, err));
    r->objective = s.objective;
    r->outcome = s.outcome;
    r->iterations = s.iterations;
    if (set->sweep && lambda_max > 0 && !job->refit) /* last, as it may be interrupted */
        TRY(ranking_sweep(r, &p, lambda_max, set->lambda_count, set->lambda_least, solve_point,
                          &squared, ctx, err));

done:
    arena_free(&scratch);
    return status;
}
