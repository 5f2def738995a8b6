/* How far a step of an interior point method may go, and whether there is progress. */
#ifndef PARE_SOLVE_INTERIOR_STEPS_H
#define PARE_SOLVE_INTERIOR_STEPS_H

#include <math.h>
#include <stdbool.h>

/* The shorter of `step` and the way along dx after which x > 0 is 0. */
static inline double step_within(double step, double x, double dx) {
    return dx * step < -x ? -x / dx : step;
}

/* The smallest gap so far, and the number of steps without a markedly smaller one. */
typedef struct progress {
    double best;
    int waited;
} progress;

static inline progress progress_start(void) { return (progress){INFINITY, 0}; }

/* true: this is the best point so far. */
static inline bool progress_note(progress *p, double gap) {
    bool best = gap < p->best;
    p->waited = gap < 0.9 * p->best ? 0 : p->waited + 1;
    if (best) p->best = gap;
    return best;
}

#endif
