/* Working sets over very many features: those that were dearest in a pass over all are priced again and
 * again between two passes. */
#ifndef PARE_SOLVE_WORKING_SET_H
#define PARE_SOLVE_WORKING_SET_H

#include <stdint.h>

#include "base/order.h"

enum {
    WORKING_SET_LEAST = 4096,
    WORKING_SET_FROM = 16 * WORKING_SET_LEAST,
    WORKING_SET_SHARE = 64
};

/* How many of d; 0: d are so few that passes cost little. */
static inline int64_t working_set_size(int64_t d) {
    return d < WORKING_SET_FROM                        ? 0
           : d / WORKING_SET_SHARE > WORKING_SET_LEAST ? d / WORKING_SET_SHARE
                                                       : WORKING_SET_LEAST;
}

/* By index, in which X is read; the keys are void. spare: n. */
static inline void working_set_sort(ranked *near, int64_t n, int64_t *spare) {
    for (int64_t i = 0; i < n; i++) spare[i] = near[i].index;
    sort_index(spare, n);
    for (int64_t i = 0; i < n; i++) near[i].index = spare[i];
}

#endif
