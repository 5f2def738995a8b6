/* Features that are chosen only as far apart as they are asked to be: one whose correlation with a chosen
 * one is too large is passed over, and could stand in for that. */
#ifndef PARE_SELECT_MAX_CORRELATION_H
#define PARE_SELECT_MAX_CORRELATION_H

#include "base/memory.h"
#include "la/matrix.h"

typedef struct passed_over {
    int64_t feature, chosen; /* the chosen one that it is closest to */
    double correlation;
} passed_over;

/* What is to be chosen from: units of one or more features that come together, in the order in which they
 * are to be tried; unit u has feature[end[u - 1]] up to before feature[end[u]]. */
typedef struct correlation_units {
    int64_t count;
    const int64_t *feature, *end;
    int64_t always; /* so many units are taken whatever they are */
} correlation_units;

/* taken[u]: whether unit u is: if what it needs still fits into the room (those that always are need
 * none), and it is far enough from those before it. limit: the largest |correlation| of two taken features of different units, over the rows of x under
 * the weights. x: all columns, about their means. passed: room for all features; *n_passed of them in the
 * order in which they came. Memory from the arena. */
PARE_NODISCARD pare_status max_correlation_choose(bool *taken, passed_over *passed,
                                                  int64_t *n_passed, const correlation_units *from,
                                                  const double *need, double room, double limit,
                                                  const view *x, const double *weight, arena *mem,
                                                  const pare_ctx *ctx, pare_error *err);

#endif
