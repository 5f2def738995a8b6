/* A choice of features that limits the correlation between any two of them: a feature whose
 * correlation with a chosen one exceeds the limit is passed over, and listed as an alternative to
 * that one. */
#ifndef PARE_SELECT_MAX_CORRELATION_H
#define PARE_SELECT_MAX_CORRELATION_H

#include "base/memory.h"
#include "la/matrix.h"

typedef struct passed_over {
    int64_t feature, chosen; /* the chosen one that it correlates with most */
    double correlation;
} passed_over;

/* The candidates: units of one or more features that are chosen together, in the order in which
 * they are tried; unit u has feature[end[u - 1]] up to before feature[end[u]]. */
typedef struct correlation_units {
    int64_t count;
    const int64_t *feature, *end;
    int64_t always; /* the first units, which are always chosen */
} correlation_units;

/* taken[u]: whether unit u is chosen: its need still fits the remaining capacity (the `always`
 * units need none), and its correlation with the units before it is within the limit. limit: the
 * largest |correlation| of two chosen features of different units, over the rows of x under the
 * weights. x: all columns, centred. passed: capacity for all features; receives *n_passed of them
 * in the order in which they came. Memory from the arena. */
PARE_NODISCARD pare_status max_correlation_choose(bool *taken, passed_over *passed,
                                                  int64_t *n_passed, const correlation_units *from,
                                                  const double *need, double capacity, double limit,
                                                  const view *x, const double *weight, arena *mem,
                                                  const pare_ctx *ctx, pare_error *err);

#endif
