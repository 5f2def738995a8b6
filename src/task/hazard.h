/* The baseline hazard of a model of times to an event, and from it the probability of no event.
 *
 * risk = coef'x + offset - center, center the weighted mean of coef'x + offset over the training samples.
 * Of each stratum H(t) = sum over its event times s <= t of
 *     (weights of the events at s) / (sum of weight exp(risk) over those at risk at s)
 * (Breslow), held after the last of them; S(t) = exp(-H(t) exp(risk)). */
#ifndef PARE_TASK_HAZARD_H
#define PARE_TASK_HAZARD_H

#include "base/memory.h"
#include "task/target.h"

typedef struct baseline_curve {
    const char *name; /* of the stratum; NULL: there is only one, without a name */
    int64_t count;
    double *time;   /* count: the times of events, ascending */
    double *hazard; /* count: H from that time on */
} baseline_curve;

typedef struct baseline {
    double center;
    int64_t n_strata;
    baseline_curve *stratum; /* in the order of the target's strata */
} baseline;

/* From n samples with decision values f = coef'x + offset. weight NULL: ones. Memory from the arena. */
PARE_NODISCARD pare_status baseline_make(baseline *out, arena *mem, const target *y, int64_t n,
                                         const double *weight, const double *f, pare_error *err);

/* The stratum of that name (NULL: where strata have no names); NULL: there is none. */
const baseline_curve *baseline_find(const baseline *b, const char *name);
/* How many of the times are up to t. */
int64_t baseline_place(const baseline_curve *c, double t);
/* H(t). */
double baseline_hazard(const baseline_curve *c, double t);
/* S(t) of a sample with that risk. */
double baseline_survival(const baseline_curve *c, double risk, double t);
/* The first time with S <= 1/2; NaN: there is none. */
double baseline_median(const baseline_curve *c, double risk);

#endif
