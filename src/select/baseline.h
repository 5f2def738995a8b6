/* The majority-class (or mean) baseline that every method should exceed: the most frequent class of
 * the training fold, with the proportions of the classes there as probabilities; the mean for a
 * regression; equal scores for a ranking. */
#ifndef PARE_SELECT_BASELINE_H
#define PARE_SELECT_BASELINE_H

#include "select/measure.h"
#include "select/plan.h"

/* Writes to out the mean of each metric of the task over the splits of the plan. weight: of all
 * samples, or NULL. */
PARE_NODISCARD pare_status baseline_of(double *out, const target *y, const double *weight,
                                       const cv_plan *plan, const pare_ctx *ctx, pare_error *err);

#endif
