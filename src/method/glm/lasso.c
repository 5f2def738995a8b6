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

#include "base/error.h"

static pare_status open_values(glm_loss *l, arena *mem, const fit_job *job, pare_error *err) {
    double *y = ARENA_NEW(mem, double, l->n);
    if (!y) return error_memory(err);
    for (int64_t i = 0; i < l->n; i++) y[i] = job->y->value[i];
    l->kind = &loss_squared;
    l->c = 1;
    l->y = y;
    l->offset = job->offset;
    return PARE_OK;
}

static bool flat_values(const glm_loss *l, bool intercept) {
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < l->n; i++) {
        if (l->share[i] == 0) continue;
        double y = l->y[i] - (l->offset ? l->offset[i] : 0);
        least = fmin(least, y);
        most = fmax(most, y);
    }
    return least == most && (intercept || least == 0);
}

static const glm_family values = {
    .group = GROUP_lasso, .open = open_values, .flat = flat_values, .curvature = 1};

pare_status lasso_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    return glm_fit(r, job, &values, ctx, err);
}

static pare_status run_path(along_points *points, const fit_job *job, const view *test,
                            const pare_ctx *ctx, pare_error *err) {
    return glm_along(points, job, &values, test, ctx, err);
}

const method_along lasso_along = {&along_shares, run_path, NULL};
