/* Working sets over very many features: those that were dearest in a pass over all are priced again and
 * again between two passes. */
#ifndef PARE_SOLVE_NEAR_H
#define PARE_SOLVE_NEAR_H

#include <stdint.h>

#include "base/order.h"

enum { NEAR_LEAST = 4096, NEAR_OF = 16 * NEAR_LEAST, NEAR_SHARE = 64 };

/* How many of d; 0: d are so few that passes cost little. */
static inline int64_t near_most(int64_t d) {
    return d < NEAR_OF ? 0 : d / NEAR_SHARE > NEAR_LEAST ? d / NEAR_SHARE : NEAR_LEAST;
}

/* By index, in which X is read; the keys are void. spare: n. */
static inline void near_sort(ranked *near, int64_t n, int64_t *spare) {
    for (int64_t i = 0; i < n; i++) spare[i] = near[i].index;
    sort_index(spare, n);
    for (int64_t i = 0; i < n; i++) near[i].index = spare[i];
}

#endif
