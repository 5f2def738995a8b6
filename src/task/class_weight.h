/* Weights of classes, multiplied into those of the samples before any use: scaling, methods,
 * certificates and calibration see sample weights only. */
#ifndef PARE_TASK_CLASS_WEIGHT_H
#define PARE_TASK_CLASS_WEIGHT_H

#include "base/memory.h"
#include "task/task.h"

/* The weights of n training samples with target y and sample weights `weight` (or NULL). what:
 * "none"; "balanced": n / (classes * n_c) for class c, where n and n_c are sums of weights over
 * these samples; or LABEL=W,... with W > 0, 1 for the classes that it does not name. *out is
 * `weight` itself where no class weighs more than another, else from the arena. PARE_E_ARGUMENT: an
 * unknown label, a weight that is not above 0, or a target without classes. */
PARE_NODISCARD pare_status class_weight_apply(const double **out, arena *mem, const target *y,
                                              const double *weight, int64_t n, const char *what,
                                              pare_error *err);

/* The checks of class_weight_apply, without samples. */
PARE_NODISCARD pare_status class_weight_check(const target *y, const char *what,
                                              const pare_ctx *ctx, pare_error *err);

#endif
