/* NAME       l2-arom
 * PAPER      zero-norm sections 3.1 to 3.3 and 4.1: approximation of the zero-norm minimisation.
 * PROBLEM    minimise |w|_0 subject to y_i (w'x_i + b) >= 1 (Problem 5), through sum_j ln|w_j|
 *            (Problem 6) and SVMs on rescaled features (Problem 8). Where the data are not
 *            separable a ridge, squared slack over 2 ridge; with zero_slack lambda0 the number of
 *            errors is traded against the number of features (p = 0, q = 0). Several classes: the
 *            number of features that any class uses, with one-against-the-rest (Problem 11) or
 *            all-together constraints (Problem 10).
 * ALGORITHM  method/svm/arom.c; then the final classifier on the chosen features on their original
 *            scale (footnote 7), in the same multiclass form.
 * COST, GUARANTEE, STOPPING  see method/svm/arom.c. Certificate: certify/certify_arom.c.
 * DEVIATIONS infeasible hard margins get the ridge 1e-6 tr(K)/n, with a note; Problem
 *            10's 1-norm is replaced by the 2-norm, as the paper allows. */
#include <string.h>

#include "method/svm/arom.h"

pare_status l2_arom_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    l2_arom_settings *s = &fit_settings(r, job)->l2_arom;
    arom_options o = {.name = "l2-arom",
                      .multiclass = s->multiclass,
                      .ridge = s->ridge,
                      .zero_slack = s->zero_slack,
                      .tol = s->tol};
    pare_status status = arom_run(r, job, &o, ctx, err);
    s->ridge = o.ridge;
    return status;
}
