/* The metrics of a task (task/task.h) from decision values, probabilities included. */
#ifndef PARE_SELECT_MEASURE_H
#define PARE_SELECT_MEASURE_H

#include "model/probability.h"
#include "select/plan.h"

/* Scores F (test samples x outputs) of a predictor that was fitted to the training samples of a split;
 * weight: of all samples, or NULL. */
predictions measure_of(const target *y, const double *weight, const cv_part *part, const double *F,
                       int64_t outputs);

/* All metrics. how: what probabilities the scores stand for, or NULL; p->P is of no importance. NaN
 * where the samples do not define one. */
PARE_NODISCARD pare_status measure_all(double *out, const predictions *p, const probability *how,
                                       const pare_ctx *ctx, pare_error *err);

#endif
