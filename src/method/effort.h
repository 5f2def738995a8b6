/* The duration of a fit, estimated before it starts: the registry row of a method whose cost can
 * exceed a few passes over X names a function that estimates it. */
#ifndef PARE_METHOD_EFFORT_H
#define PARE_METHOD_EFFORT_H

#include <stdint.h>

#include "base/settings.h"

typedef struct effort_job {
    const all_settings *set;
    double n, d;    /* samples and features */
    double stored;  /* numbers that a pass over X reads */
    double outputs; /* 1, or the classes where they are several */
    int64_t k;      /* number of features, or below 1 */
} effort_job;

typedef struct effort_estimate {
    double seconds;     /* on one processor, within a factor of about three */
    const char *faster; /* the option that makes it fast, as in "`step` 0.5"; NULL: none */
} effort_estimate;

typedef effort_estimate method_effort(const effort_job *job);

/* Features that an elimination weighs over all its rounds; *rounds: how many rounds. next: how many
 * of n_active features one round removes. */
double effort_visits(double *rounds, int64_t d, int64_t least, double step,
                     int64_t (*next)(double step, int64_t n_active, int64_t least));

#endif
