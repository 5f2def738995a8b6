/* Interleaved SIMD columns: a block holds SIMD_COLUMNS columns row by row, so that a sum over rows
 * runs in all of them at once. Each column is summed in the order of the row list: its bits depend
 * neither on its neighbours nor on the number of views that read the block, and a row list gives
 * the same bits as a copy of those rows. */
#ifndef PARE_LA_PASS_SIMD_COLUMNS_H
#define PARE_LA_PASS_SIMD_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SIMD_COLUMNS = 16,
    CACHE_LINE_DOUBLES = 8, /* doubles of a cache line */
    SIMD_BLOCK_ROWS = 1024  /* most rows of a block, which is to stay in a core's own cache */
};

/* block (n x SIMD_COLUMNS, aligned to 64 bytes) = entries 0 .. n-1 of the columns. next: the
 * columns of the next block, to be prefetched, or NULL. */
void simd_interleave(double *block, const double *const *column, int64_t n,
                     const double *const *next);

/* Memory of the next block. Sums prefetch it, one cache line for each row, because they read only
 * cached memory themselves. */
typedef struct prefetch_range {
    const double *at, *end;
} prefetch_range;

/* sum[k] += sum over i of (x - shift[k]) u[i], or of its square times u[i], where x is the entry of
 * column k in row rows[i] (NULL: i). */
void simd_dot(const double *block, const int32_t *rows, int64_t n, const double *shift,
              const double *u, bool squared, double *sum, prefetch_range *ahead);

/* Of the rows, for each column: sum, minimum, maximum and number of nonzeros. */
void simd_range(const double *block, const int32_t *rows, int64_t n, double *sum, double *low,
                double *high, double *nonzeros);
/* Of the rows, for each column: the sums of x - mean[k] and of its square. */
void simd_deviations(const double *block, const int32_t *rows, int64_t n, const double *mean,
                     double *remainder, double *squares);

#endif
