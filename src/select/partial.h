/* Residuals after projection on the covariates: the columns, and the values of a regression, less
 * their projection on the forced-in features (and the intercept), in the inner product of the
 * weights. A method without support for forced-in features then chooses conditionally on them. */
#ifndef PARE_SELECT_PARTIAL_H
#define PARE_SELECT_PARTIAL_H

#include "method/method.h"

typedef struct partial {
    residual_view by[2]; /* of the scaled columns, and of the raw ones */
    matrix x[2];
    view seen, raw;
    target y;
    fit_left left;
} partial;

/* Changes the job to residuals: x, raw and, in regressions, the values. Forced-in columns read as
 * 0. p must outlive the job; memory from the arena. */
PARE_NODISCARD pare_status partial_see(partial *p, fit_job *job, bool intercept, arena *mem,
                                       const pare_ctx *ctx, pare_error *err);

#endif
