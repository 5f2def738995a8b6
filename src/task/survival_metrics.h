/* Metrics of risks against times to an event. */
#ifndef PARE_TASK_SURVIVAL_METRICS_H
#define PARE_TASK_SURVIVAL_METRICS_H

#include "task/task.h"

/* The c-index; Uno's, with weights 1 / G(t-)^2 of events before the last of the training samples, G
 * being their curve of censoring; the integrated Brier score by inverse censoring weights, of the
 * survival curves that the risks and the training samples' baseline hazard give. NaN where no pair
 * is comparable, or where the training samples (for the last also their scores) are not known. */
PARE_NODISCARD pare_status metric_c_index(double *out, const predictions *p, const pare_ctx *ctx,
                                          pare_error *err);
PARE_NODISCARD pare_status metric_uno_c(double *out, const predictions *p, const pare_ctx *ctx,
                                        pare_error *err);
PARE_NODISCARD pare_status metric_integrated_brier(double *out, const predictions *p,
                                                   const pare_ctx *ctx, pare_error *err);

/* The samples `rows` of the predictions' target, and their weights. Memory from the arena. */
typedef struct judged {
    target y;
    double *weight; /* or NULL */
} judged;
PARE_NODISCARD pare_status judged_take(judged *out, arena *mem, const predictions *p,
                                       const int32_t *rows, int64_t n, pare_error *err);

/* The part of each judged sample in the integrated Brier score, which is their weighted mean; NaN
 * where that is. */
PARE_NODISCARD pare_status brier_losses(double *loss, const predictions *p, const pare_ctx *ctx,
                                        pare_error *err);

#endif
