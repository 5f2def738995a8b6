/* Kaplan and Meier's curve of times to an event: how many are without one after t. And groups of
 * predicted probabilities of that against it. */
#ifndef PARE_TASK_KAPLAN_MEIER_H
#define PARE_TASK_KAPLAN_MEIER_H

#include <pare/status.h>

#include "base/memory.h"

/* n samples, perhaps one several times with parts of its weight. A sample that is censored at t is at
 * risk at t. */
typedef struct survival_times {
    int64_t n;
    const double *time;
    const int32_t *event;
    const double *weight; /* or NULL: ones */
} survival_times;

typedef struct survival_curve {
    int64_t count;
    double *time;         /* count: of the events, ascending */
    double *survival;     /* S from that time on */
    double *variance;     /* Greenwood's sum of d / (r (r - d)) up to that time; inf where S is 0 */
    double total, events; /* weights of the samples and of their events */
    int64_t n_left;       /* times at which samples leave, */
    double *leaves, *left; /* ascending, and the weight that is at risk after each */
} survival_curve;

/* Memory from the arena. No samples: S = 1. */
PARE_NODISCARD pare_status survival_curve_make(survival_curve *out, arena *mem,
                                               const survival_times *of, pare_error *err);
/* S(t). */
double survival_curve_at(const survival_curve *c, double t);
/* The 95% interval of S(t), symmetric on the scale of ln(-ln S); NaN where S is 0 or 1. */
void survival_curve_interval(double *low, double *high, const survival_curve *c, double t);
/* The weight at risk at t, those that leave at t included. */
double survival_curve_at_risk(const survival_curve *c, double t);
/* The first time with S <= 1/2; NaN: there is none. */
double survival_curve_median(const survival_curve *c);

/* Samples of similar predicted probability, against what became of them. */
typedef struct survival_group {
    double n, events;           /* weights; events up to T */
    double predicted;           /* the mean S(T) */
    double observed, low, high; /* Kaplan-Meier's S(T) and its interval */
} survival_group;

/* Deals the samples into `groups` of equal weight by their predicted S(T), equal predictions into one.
 * out: room for `groups`; *made: how many have samples. */
PARE_NODISCARD pare_status survival_groups_at(survival_group *out, int64_t *made, int64_t groups,
                                              const survival_times *of, const double *predicted,
                                              double T, const pare_ctx *ctx, pare_error *err);

#endif
