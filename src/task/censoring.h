/* The Kaplan-Meier curve of censoring, over all strata: the probability G(t) that a sample is still
 * observed after t. At equal times events come before censoring. */
#ifndef PARE_TASK_CENSORING_H
#define PARE_TASK_CENSORING_H

#include "base/memory.h"
#include "task/target.h"

typedef struct censoring {
    int64_t count;
    double *time;       /* count: at which samples are censored, ascending */
    double *left;       /* count: G from that time on */
    double first, last; /* times of events; NaN: there are none */
} censoring;

/* From the samples `rows`; weight: of all samples, or NULL. Memory from the arena. */
PARE_NODISCARD pare_status censoring_make(censoring *out, arena *mem, const target *y,
                                          const double *weight, const int32_t *rows, int64_t n,
                                          pare_error *err);
/* G(t), and G just before t. */
double censoring_at(const censoring *c, double t);
double censoring_before(const censoring *c, double t);

#endif
