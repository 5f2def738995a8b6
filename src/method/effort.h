/* How long a fit will take, said before it starts: a method whose cost can outgrow a few passes over X
 * names in its row of the registry a function that estimates it. */
#ifndef PARE_METHOD_EFFORT_H
#define PARE_METHOD_EFFORT_H

#include <stdint.h>

#include "base/settings.h"

typedef struct effort_job {
    const all_settings *set;
    double n, d;    /* samples and features */
    double stored;  /* numbers that a pass over X reads */
    double outputs; /* 1, or the classes where they are several */
    int64_t k;      /* features asked for, or below 1 */
} effort_job;

typedef struct effort_estimate {
    double seconds;     /* of one processor, within a factor of three or so */
    const char *faster; /* the option that makes it fast, as in "`step` 0.5"; NULL: none does */
} effort_estimate;

typedef effort_estimate method_effort(const effort_job *job);

/* Features that an elimination looks at over all its rounds; *rounds: how many there are. next: how many
 * of `live` leave, as `step` says. */
double effort_visits(double *rounds, int64_t d, int64_t least, double step,
                     int64_t (*next)(double step, int64_t live, int64_t least));

#endif
