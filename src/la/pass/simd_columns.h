/* Columns side by side. A block has SIMD_COLUMNS columns row by row, so that a sum over rows runs in all of them at
 * once, each in the order of the rows that are asked for: what a column gets depends neither on its
 * neighbours nor on how many look at the block, and a list of rows gives the bits of a table of them. */
#ifndef PARE_LA_PASS_SIMD_COLUMNS_H
#define PARE_LA_PASS_SIMD_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SIMD_COLUMNS = 16,
    CACHE_LINE_DOUBLES = 8, /* doubles of a line of a cache */
    SIMD_BLOCK_ROWS = 1024  /* of a block at most: it is to stay in a core's own cache */
};

/* block (n x SIMD_COLUMNS, aligned to 64 bytes) = entries 0 .. n-1 of the columns. next: those that will be asked for
 * after these, or NULL. */
void simd_interleave(double *block, const double *const *column, int64_t n,
                     const double *const *next);

/* Memory that will be asked for next: sums send for it, a line a row, while they have no need of memory
 * themselves. */
typedef struct prefetch_range {
    const double *at, *end;
} prefetch_range;

/* sum[k] += sum over i of (x - shift[k]) u[i], or of its square times u[i], where x is lane k of row rows[i]
 * (NULL: i). */
void simd_dot(const double *block, const int32_t *rows, int64_t n, const double *shift,
              const double *u, bool squared, double *sum, prefetch_range *ahead);

/* Of the rows: their sum, least, largest and how many are not 0. */
void simd_range(const double *block, const int32_t *rows, int64_t n, double *sum, double *low,
                double *high, double *some);
/* Of the rows: the sums of x - mean[k] and of its square. */
void simd_deviations(const double *block, const int32_t *rows, int64_t n, const double *mean,
                     double *left, double *squares);

#endif
