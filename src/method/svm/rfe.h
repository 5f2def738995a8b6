/* Shared by linear and kernel recursive elimination. */
#ifndef PARE_METHOD_SVM_RFE_H
#define PARE_METHOD_SVM_RFE_H

#include "method/svm/gram_svm.h"

/* How many of n_active features are removed now: a count, or below 1 a share of them, at least one;
 * NaN: a tenth of them down to MAX_SINGLE_STEPS, then one at a time. Never below `least`. */
enum { MAX_SINGLE_STEPS = 1000 };
int64_t rfe_step(double step, int64_t n_active, int64_t least);
/* An error where it is neither. */
PARE_NODISCARD pare_status rfe_check_step(double step, pare_error *err);

/* Returns PARE_OPTIMAL to continue, or the limit that was reached. */
pare_outcome rfe_poll(const gram_svm *g, double fraction, const pare_ctx *ctx);

/* Allocates the ranking and the scores of d features, as scratch until rfe_finish. */
PARE_NODISCARD pare_status rfe_start(fit_result *r, int64_t d, pare_error *err);

/* r->ranking: all d features in the order of their removal, which is reversed; r->score becomes the
 * number of features that each outlasted. Keeps the duals of g, whose columns the caller has
 * set. */
PARE_NODISCARD pare_status rfe_finish(fit_result *r, const gram_svm *g, int64_t d, pare_error *err);

PARE_NODISCARD pare_status rfe_kernel_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                                          pare_error *err);

#endif
