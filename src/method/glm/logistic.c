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
#include "base/error.h"
#include "method/glm/glm.h"

static pare_status open_classes(glm_loss *l, arena *mem, const fit_job *job, pare_error *err) {
    int64_t c = job->y->n_classes > 2 ? job->y->n_classes : 1;
    double *y = ARENA_NEW(mem, double, l->n *c);
    if (!y) return error_memory(err);
    for (int64_t i = 0; i < l->n; i++)
        for (int64_t o = 0; o < c; o++) y[i * c + o] = job->y->cls[i] == (c == 1 ? 1 : o);
    l->kind = c == 1 ? &loss_logistic : &loss_softmax;
    l->c = c;
    l->y = y;
    l->offset = c == 1 ? job->offset : NULL;
    return PARE_OK;
}

const glm_family glm_classes = {.group = GROUP_logistic, .open = open_classes, .curvature = 0.25};

pare_status logistic_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    return glm_fit(r, job, &glm_classes, ctx, err);
}

static pare_status run_path(along_points *points, const fit_job *job, const view *test,
                            const pare_ctx *ctx, pare_error *err) {
    return glm_along(points, job, &glm_classes, test, ctx, err);
}

const method_along logistic_along = {&along_shares, run_path, NULL};
