/* The metrics of a task (task/task.h) from decision values, probabilities included. */
#ifndef PARE_SELECT_MEASURE_H
#define PARE_SELECT_MEASURE_H

#include "model/probability.h"
#include "task/task.h"

/* All metrics from the scores F (n x outputs, column-major) of the samples `rows` of y. how: what
 * probabilities the scores stand for, or NULL. NaN where the samples do not define one. */
PARE_NODISCARD pare_status measure_all(double *out, const target *y, const int32_t *rows, int64_t n,
                                       const double *F, int64_t outputs, const probability *how,
                                       const pare_ctx *ctx, pare_error *err);

#endif
