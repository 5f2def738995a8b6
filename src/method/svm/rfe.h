/* What linear and kernel recursive elimination share. */
#ifndef PARE_METHOD_SVM_RFE_H
#define PARE_METHOD_SVM_RFE_H

#include "method/svm/gram_svm.h"

/* How many of `live` features leave now: a count, or below 1 a share of them, at least one; NaN: a
 * tenth of them down to RFE_ALONE, then one at a time. Never below `least`. */
enum { RFE_ALONE = 1000 };
int64_t rfe_step(double step, int64_t live, int64_t least);

/* Whether to go on: PARE_OPTIMAL, or the limit that was reached. */
pare_outcome rfe_poll(const gram_svm *g, double fraction, const pare_ctx *ctx);

/* Room for the ranking and the scores of d features, to work in until rfe_finish. */
PARE_NODISCARD pare_status rfe_start(fit_result *r, int64_t d, pare_error *err);

/* r->ranking: all d features in the order they left, which is reversed; r->score, whatever it holds,
 * becomes how many each outlasted. Keeps the duals of g, whose columns the caller has set. */
PARE_NODISCARD pare_status rfe_finish(fit_result *r, const gram_svm *g, int64_t d, pare_error *err);

PARE_NODISCARD pare_status rfe_kernel_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                                          pare_error *err);

#endif
