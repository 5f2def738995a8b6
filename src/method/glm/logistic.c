/* NAME       logistic
 * PAPER      J. Friedman, T. Hastie, R. Tibshirani. Regularization paths for generalized linear
 *            models via coordinate descent. Journal of Statistical Software 33(1), 2010.
 * PROBLEM    minimise over B, b   sum_i s_i loss(y_i, x_i'B + b) + lambda Omega(B),
 *            two classes: loss = ln(1 + exp(-+f)), one output, for the last class;
 *            several:     loss = ln sum_k exp f_k - f_y, one output per class, none left out;
 *            s_i = weight_i / sum of weights.
 *            Omega = sum over units u of alpha sqrt(m_u) |B_u|_2 + (1 - alpha)/2 |B_u|^2: a unit is
 *            a coefficient (l1), a feature's coefficients over all classes (rows), or the m_u
 *            features of a group (--groups), for each class or, with rows, for all.
 * SYMBOLS    U: n x c, the dual point s.(indicator - probability).
 * ALGORITHM, COST, STOPPING, DEVIATIONS   those of lasso (lasso.c).
 * GUARANTEE  duality gap from raw data and the stored U (certify_glm.c). */
#include "method/glm/glm.h"

#include <math.h>

static glm_choice choice_of(const logistic_settings *s) {
    return (glm_choice){.family = &glm_classes,
                        .rows = choice_is(s->penalty, "rows"),
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

pare_status logistic_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    logistic_settings *set = &fit_settings(r, job)->logistic;
    glm_choice how = choice_of(set);
    how.ridge = job->set->logistic.adaptive_ridge; /* from a selection on other features */
    pare_status status = glm_fit(r, job, &how, &set->lambda, ctx, err);
    if (how.adaptive) set->adaptive_ridge = how.ridge;
    return status;
}

static int64_t path_values(double *out, const all_settings *set) {
    const logistic_settings *s = &set->logistic;
    for (int64_t i = 0; out && i < s->lambda_count; i++)
        out[i] = fit_path_lambda(1, s->lambda_least, i, s->lambda_count);
    return s->lambda_count;
}

static void set_value(all_settings *set, double share) {
    set->logistic.lambda = NAN;
    set->logistic.lambda_ratio = share;
    set->common.k = -1;
}

static pare_status run_along(along_points *points, int64_t paths, const fit_job *job,
                             const view *test, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    for (int64_t g = 0; g < paths && status == PARE_OK; g++) {
        glm_choice how = choice_of(&points[g].set->logistic);
        status = glm_along(&points[g], job, &how, test, ctx, err);
    }
    return status;
}

const method_along logistic_along = {"lambda_ratio", path_values, set_value, run_along};
