/* NAME       cox
 * PAPER      D. R. Cox. Regression models and life-tables. JRSS B 34:187-220, 1972; path: N. Simon, J.
 *            Friedman, T. Hastie, R. Tibshirani. Regularization paths for Cox's proportional hazards
 *            model via coordinate descent. Journal of Statistical Software 39(5), 2011; ties: N. E.
 *            Breslow. Biometrics 30:89-99, 1974; B. Efron. JASA 72:557-565, 1977.
 * PROBLEM    minimise over b   -(1/n) log partial likelihood of f = x'b + offset
 *                              + lambda sum_g [alpha sqrt(m_g) |b_g|_2 + (1 - alpha)/2 |b_g|^2]
 *            n the sum of the weights; g: each feature by itself, or the m_g features of a group. Risk
 *            sets are within strata. Censored at t counts as at risk at t.
 * SYMBOLS    U: n, minus the gradient in f; risk sets: solve/glm/risk_sets.h.
 * ALGORITHM  that of lasso (lasso.c), and so are its cost, stopping and deviations; products with the
 *            curvature are running sums over the risk sets, O(n).
 * GUARANTEE  duality gap from raw data and the coefficients (certify_glm.c, cert_loss_cox.c): no dual is
 *            stored, since that of the loss does not follow from U. */
#include "base/error.h"
#include "method/glm/glm.h"
#include "solve/glm/risk_sets.h"

static pare_status open_times(glm_loss *l, arena *mem, const fit_job *job, pare_error *err) {
    const target *y = job->y;
    bool efron = choice_is(job->set->cox.ties, "efron");
    risk_sets *risk = ARENA_NEW(mem, risk_sets, 1);
    if (!risk) return error_memory(err);
    l->kind = &loss_cox;
    l->c = 1;
    l->offset = job->offset;
    l->risk = risk;
    return risk_sets_open(risk, mem, l->n, y->time, y->event, y->stratum, y->n_strata, job->weight,
                          efron, err);
}

static const glm_family times = {.group = GROUP_cox, .open = open_times, .by_point = true};

pare_status cox_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    return glm_fit(r, job, &times, ctx, err);
}

static pare_status run_path(along_points *points, const fit_job *job, const view *test,
                            const pare_ctx *ctx, pare_error *err) {
    return glm_along(points, job, &times, test, ctx, err);
}

const method_along cox_along = {&along_shares, run_path, NULL};
