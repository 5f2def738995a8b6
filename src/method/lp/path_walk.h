/* The target of a walk down an exact path over lambda: the first range, from large lambda on, that
 * leaves k features; or the nearest to it. mu is the path's own parameter, falling. */
#ifndef PARE_METHOD_LP_PATH_WALK_H
#define PARE_METHOD_LP_PATH_WALK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct path_walk {
    int64_t k;
    bool found;
    double mu;     /* inside the range found, or the best substitute */
    int64_t count; /* features at mu */
    int64_t most;  /* the most features seen */
} path_walk;

/* A step: `count` features for mu in [mu_low, mu_high]; ranges under `floor` are skipped. Returns
 * false when the target is found. */
bool path_walk_see(path_walk *w, double mu_high, double mu_low, int64_t count, double floor);

#endif
