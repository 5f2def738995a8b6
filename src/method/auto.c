/* NAME       auto, on classes
 * PROBLEM    the method that did best on many wide data sets (docs/choosing.md): lda-forward for
 *            few
 *            features, svm-rfe for many. A fit is one of the two; a path has sizes on both sides,
 *            and runs the method once for each side (method.turns_at). */
#include "method/method.h"

pare_status auto_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    return (job->k > MAX_AUTO_FORWARD ? svm_rfe_fit : lda_forward_fit)(r, job, ctx, err);
}
