/* NAME       auto, on classes
 * PROBLEM    the choice that did best on many wide data sets (docs/choosing.md): lda-forward for few
 *            features, svm-rfe for many. A fit is one of them from the start; a path has sizes of
 *            both sides, and asks here for those of one side at a time (method.turns_at). */
#include "method/method.h"

pare_status auto_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    return (job->k > AUTO_FEW ? svm_rfe_fit : lda_forward_fit)(r, job, ctx, err);
}
