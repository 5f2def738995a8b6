/* Working sets over very many features: the most violated features of a pass over all are priced
 * repeatedly between two passes. */
#ifndef PARE_SOLVE_WORKING_SET_H
#define PARE_SOLVE_WORKING_SET_H

#include <stdint.h>

#include "base/order.h"

enum { MIN_WORKING_SET = 4096, MIN_FEATURES = 16 * MIN_WORKING_SET, WORKING_SET_SHARE = 64 };

/* The size for d features; 0: d is so small that passes are cheap. */
static inline int64_t working_set_size(int64_t d) {
    return d < MIN_FEATURES                          ? 0
           : d / WORKING_SET_SHARE > MIN_WORKING_SET ? d / WORKING_SET_SHARE
                                                     : MIN_WORKING_SET;
}

/* Sorts by index, the order in which X is read; the keys become invalid. spare: n. */
static inline void working_set_sort(ranked *set, int64_t n, int64_t *spare) {
    for (int64_t i = 0; i < n; i++) spare[i] = set[i].index;
    sort_index(spare, n);
    for (int64_t i = 0; i < n; i++) set[i].index = spare[i];
}

#endif
