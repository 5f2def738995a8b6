/* The line that every method has to be above: the class that is most frequent in the training part, with
 * the classes' shares there for probabilities; the mean for a regression; no order for a ranking. */
#ifndef PARE_SELECT_BASELINE_H
#define PARE_SELECT_BASELINE_H

#include "select/measure.h"
#include "select/plan.h"

/* out: the mean of each metric of the task over the parts of the plan. weight: of all samples, or NULL. */
PARE_NODISCARD pare_status baseline_of(double *out, const target *y, const double *weight,
                                       const cv_plan *plan, const pare_ctx *ctx, pare_error *err);

#endif
