/* Concordance of predicted risks with times to an event: the share of comparable pairs in which the
 * sample with the earlier event has the higher risk. */
#ifndef PARE_TASK_CONCORDANCE_H
#define PARE_TASK_CONCORDANCE_H

#include <stdint.h>

#include <pare/context.h>
#include <pare/status.h>

/* A pair (i, j) is comparable if i has an event, both are in one stratum, and time_i < time_j, or the
 * times are equal and j is censored. It counts weight_i weight_j of_event_i, half of that if the risks
 * are equal. */
typedef struct concordance_job {
    int64_t n;
    const double *time, *risk;
    const int32_t *event;
    const int32_t *stratum; /* or NULL: one */
    const double *weight;   /* or NULL: ones */
    const double *of_event; /* a factor >= 0 of each event's pairs, or NULL: ones */
} concordance_job;

/* NaN where no pair is comparable. O(n log n). */
PARE_NODISCARD pare_status concordance(double *out, const concordance_job *job, const pare_ctx *ctx,
                                       pare_error *err);

#endif
