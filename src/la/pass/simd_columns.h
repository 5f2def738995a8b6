/* Columns side by side. A block has LANES columns row by row, so that a sum over rows runs in all of them at
 * once, each in the order of the rows that are asked for: what a column gets depends neither on its
 * neighbours nor on how many look at the block, and a list of rows gives the bits of a table of them. */
#ifndef PARE_LA_LANES_H
#define PARE_LA_LANES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LANES = 16,
    LANE_LINE = 8,   /* doubles of a line of a cache */
    LANE_ROWS = 1024 /* of a block at most: it is to stay in a core's own cache */
};

/* block (n x LANES, aligned to 64 bytes) = entries 0 .. n-1 of the columns. next: those that will be asked for
 * after these, or NULL. */
void lanes_set(double *block, const double *const *column, int64_t n, const double *const *next);

/* Memory that will be asked for next: sums send for it, a line a row, while they have no need of memory
 * themselves. */
typedef struct lane_ahead {
    const double *at, *end;
} lane_ahead;

/* sum[k] += sum over i of (x - shift[k]) u[i], or of its square times u[i], where x is lane k of row rows[i]
 * (NULL: i). */
void lanes_dot(const double *block, const int32_t *rows, int64_t n, const double *shift,
               const double *u, bool squared, double *sum, lane_ahead *ahead);

/* Of the rows: their sum, least, largest and how many are not 0. */
void lanes_look(const double *block, const int32_t *rows, int64_t n, double *sum, double *low,
                double *high, double *some);
/* Of the rows: the sums of x - mean[k] and of its square. */
void lanes_spread(const double *block, const int32_t *rows, int64_t n, const double *mean,
                  double *left, double *squares);

#endif
