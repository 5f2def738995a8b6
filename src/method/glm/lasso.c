/* NAME       lasso
 * PAPER      R. Tibshirani. Regression shrinkage and selection via the lasso. JRSS B 58:267-288,
 *            1996; H. Zou, T. Hastie. Regularization and variable selection via the elastic net.
 *            JRSS B 67:301-320, 2005; groups: M. Yuan, Y. Lin. JRSS B 68:49-67, 2006; adaptive: H.
 *            Zou. The adaptive lasso and its oracle properties. JASA 101:1418-1429, 2006.
 * PROBLEM    minimise over b, b0   1/2 sum_i s_i (y_i - x_i'b - b0)^2
 *                                  + lambda sum_g [alpha sqrt(m_g) |b_g|_2 + (1 - alpha)/2 |b_g|^2]
 *            with s_i = weight_i / sum of weights; g: each feature by itself (|b|_1), or the groups
 *            of --groups, m_g features in group g. adaptive: each g times a cost (glm_adaptive.c).
 * SYMBOLS    U: n, the dual point s.(y - f); lambda_max: where b = 0 becomes optimal.
 * ALGORITHM  1. lambda_max from the residuals of the intercept by itself.
 *            2. lambda: as given; lambda_ratio lambda_max; with k the smallest before feature k + 1
 *               enters, by bisection between points of the path (where the path skips k: the first
 *               point with more, cut to k and solved again on those by the caller).
 *            3. the path down to it with warm starts (solve/glm/glm.h).
 * COST       3 passes to begin with, about one for ten lambdas, one for the ranking; memory X + the
 *            working set's columns.
 * GUARANTEE  duality gap from raw data and the stored U (certify_glm.c).
 * STOPPING   relative gap `tol` over all features, at every point.
 * DEVIATIONS a lambda below 1e-7 lambda_max is raised to that. */
#include "method/glm/glm.h"

#include <math.h>

static glm_choice choice_of(const lasso_settings *s) {
    return (glm_choice){.family = &glm_values,
                        .alpha = s->alpha,
                        .adaptive = s->adaptive,
                        .gamma = s->adaptive_gamma,
                        .ridge = s->adaptive_ridge,
                        .lambda_ratio = s->lambda_ratio,
                        .lambda_least = s->lambda_least,
                        .lambda_count = s->lambda_count,
                        .sweep = s->sweep,
                        .tol = s->tol};
}

pare_status lasso_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    lasso_settings *set = &fit_settings(r, job)->lasso;
    glm_choice how = choice_of(set);
    how.ridge = job->set->lasso.adaptive_ridge; /* from a selection on other features */
    pare_status status = glm_fit(r, job, &how, &set->lambda, ctx, err);
    if (how.adaptive) set->adaptive_ridge = how.ridge;
    return status;
}

static int64_t path_values(double *out, const all_settings *set) {
    const lasso_settings *s = &set->lasso;
    for (int64_t i = 0; out && i < s->lambda_count; i++)
        out[i] = fit_path_lambda(1, s->lambda_least, i, s->lambda_count);
    return s->lambda_count;
}

static void set_value(all_settings *set, double share) {
    set->lasso.lambda = NAN;
    set->lasso.lambda_ratio = share;
    set->common.k = -1;
}

static pare_status run_along(along_points *points, int64_t paths, const fit_job *job,
                             const view *test, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    for (int64_t g = 0; g < paths && status == PARE_OK; g++) {
        glm_choice how = choice_of(&points[g].set->lasso);
        status = glm_along(&points[g], job, &how, test, ctx, err);
    }
    return status;
}

const method_along lasso_along = {"lambda_ratio", path_values, set_value, run_along};
