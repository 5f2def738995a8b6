/* NAME       the refit of lasso, logistic and the methods for survival with `refit` relaxed, on the
 *            features with a coefficient
 * PAPER      N. Meinshausen. Relaxed lasso. Computational Statistics & Data Analysis
 *            52:374-393, 2007.
 * PROBLEM    lasso: least squares of minimum norm (lstsq) on target - offset
 *            (with signs: least squares under them); logistic:
 *            mean log loss + 1e-3/2 |b|^2, as the features that are chosen usually
 *            separate the classes; survival: -(1/n) log partial likelihood + 0.3/2 |b|^2, the
 *            forced-in features unpenalised (docs/methods/cox.md has what other weights gave).
 * GUARANTEE  those of lstsq, logistic and cox (certify_relaxed_lasso, ..._logistic, ..._cox). */
#include <string.h>

#include "base/error.h"
#include "method/method.h"

static const double ZERO = 1e-9; /* singular values up to this count as 0 */
static const double RIDGE = 1e-3;
static const double RIDGE_OF_COX = 0.3;

/* Every feature unpenalised, so that the solver's constraints are all that is left. */
static pare_status least_squares_with_signs(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                                            pare_error *err) {
    all_settings set = *job->set;
    fit_job own = *job;
    int64_t base = job->x->x->d;
    bool *all = ARENA_NEW(&r->mem, bool, base);
    if (!all) return error_memory(err);
    for (int64_t j = 0; j < base; j++) all[j] = true;
    set.lasso.alpha = set.lasso.lambda = 1; /* of no effect */
    set.lasso.adaptive = false;
    own.set = &set;
    own.selected = NULL;
    own.terms = (feature_terms){.sign = job->terms.sign, .kept = all, .n_kept = job->x->d};
    PASS(lasso_fit(r, &own, ctx, err));
    r->n_dual = 0;
    r->set = *job->set;
    return PARE_OK;
}

pare_status relaxed_lasso_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                              pare_error *err) {
    all_settings set = *job->set;
    fit_job own = *job;
    target y = *job->y;
    if (job->terms.sign) return least_squares_with_signs(r, job, ctx, err);
    set.lstsq.tol = ZERO;
    own.set = &set;
    own.selected = NULL;
    own.y = &y;
    if (job->offset) {
        double *rest = ARENA_NEW(&r->mem, double, job->x->n);
        if (!rest) return error_memory(err);
        for (int64_t i = 0; i < job->x->n; i++) rest[i] = y.value[i] - job->offset[i];
        y.value = rest;
    }
    return lstsq_fit(r, &own, ctx, err);
}

pare_status relaxed_logistic_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                                 pare_error *err) {
    all_settings set = *job->set;
    fit_job own = *job;
    set.logistic.alpha = 0;
    set.logistic.adaptive = false;
    set.logistic.lambda = RIDGE;
    own.set = &set;
    own.selected = NULL;
    own.terms = (feature_terms){.sign = job->terms.sign};
    return logistic_fit(r, &own, ctx, err);
}

pare_status relaxed_cox_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    all_settings set = *job->set;
    fit_job own = *job;
    set.cox.alpha = 0;
    set.cox.lambda = RIDGE_OF_COX;
    own.set = &set;
    own.selected = NULL;
    return cox_fit(r, &own, ctx, err);
}
