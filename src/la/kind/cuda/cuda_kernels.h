/* The arguments of the kernels (cuda_kernels.cu), which the host fills in. Pointers are the
 * device's. A kernel runs once for each number from 0 to the number of its threads: warps of WARP
 * neighbours read neighbouring columns. */
#ifndef PARE_LA_CUDA_KERNELS_H
#define PARE_LA_CUDA_KERNELS_H

#include <stdint.h>

enum {
    WARP = 32,
    TILE_ROWS = 32,      /* of a result of cuda_gram that one warp sums */
    TILE_SLICE = 4,      /* columns that the device's matrix instruction takes at a time */
    GRAM_LEAF = 512,     /* columns of a partial Gram */
    PRODUCT_LEAF = 4096, /* columns of a partial X W */
    MAX_OUTPUTS = 8      /* columns of W whose sums are made together */
};

/* Columns of X. Stored by WARP columns: entry (i, j) is
 * x[((j / WARP) * stored + i) * WARP + j % WARP].
 * What is NULL does nothing. */
typedef struct cuda_columns {
    const double *x;
    int64_t stored;      /* rows of X */
    const int64_t *base; /* the stored column of each; NULL: first, first + 1, ... */
    int64_t first, count;
    const double *col, *median, *spread,
        *fill; /* per column: asinh((x col row - median) / spread) */
} cuda_columns;

/* Samples: row i is stored row rows[i] (NULL: i), times factor[i]. */
typedef struct cuda_rows {
    const int32_t *rows;
    const double *factor;
    int64_t n;
} cuda_rows;

/* to = columns of n numbers, one after the other, as they are stored; 0 behind the last. */
typedef struct cuda_store_args {
    const double *from;
    double *to;
    int64_t n, count;
} cuda_store_args;

/* out (count x c) = (X - shift)'U, or the squares' product; not scaled. */
typedef struct cuda_tmul_args {
    cuda_columns x;
    cuda_rows by;
    const double *shift, *U;
    double *out;
    int64_t c;
    int32_t squared;
} cuda_tmul_args;

/* out (rows x count, in slices) = the columns, imputed, shifted and scaled, times factor. Rows and
 * columns beyond those of X are 0. Slice s is TILE_SLICE columns: entry (i, j) is
 * out[((j / TILE_SLICE) * rows + i) * TILE_SLICE + j % TILE_SLICE]. */
typedef struct cuda_tile_args {
    cuda_columns x;
    cuda_rows by;
    const double *shift, *scale, *factor;
    double *out;
    int64_t rows, columns; /* multiples of TILE_ROWS and GRAM_LEAF */
} cuda_tile_args;

/* out[leaf][pair] (TILE_ROWS x TILE_ROWS, row-major) = the product of rows of a and b over a leaf's
 * columns. Pairs: the lower triangle where b is a, else all, by rows of a. */
typedef struct cuda_gram_args {
    const double *a, *b; /* tiles */
    double *out;
    int64_t rows_a, rows_b, pairs, warps; /* warps: leaves x pairs */
    int32_t symmetric;
} cuda_gram_args;

/* out[leaf][output] (n x WARP) = (X - shift) scale W, summed over the columns of a leaf with the same
 * remainder modulo WARP. W: count x c. */
typedef struct cuda_mul_args {
    cuda_columns x;
    cuda_rows by;
    const double *shift, *scale, *W;
    double *out;
    int64_t c, threads;
} cuda_mul_args;

/* sum (size) = its parts, `count` of them one after the other, added in order to what it holds. */
typedef struct cuda_sum_args {
    const double *part;
    double *sum;
    int64_t size, count;
    int32_t fresh; /* it holds nothing */
} cuda_sum_args;

/* As col_stats (la/matrix.h). */
typedef struct cuda_stats {
    double mean, var, min, max;
    int64_t nonzeros, missing;
    double beyond;
} cuda_stats;

/* Sets of rows: set q is entries start[q] .. start[q+1]-1 of the lists. */
typedef struct cuda_sets {
    const int32_t *rows;
    const double *weight, *factor; /* or NULL */
    const int64_t *start;
    int64_t count, most; /* most rows of a set */
} cuda_sets;

/* out: sets x columns. */
typedef struct cuda_stats_args {
    cuda_columns x;
    cuda_sets sets;
    cuda_stats *out;
} cuda_stats_args;

/* Median, spread, and mean and variance of the transformed values (mat_asinh_fit_many). */
typedef struct cuda_fit {
    double median, spread, mean, var;
} cuda_fit;

typedef struct cuda_fit_args {
    cuda_columns x;
    cuda_sets sets;
    const double *var; /* sets x columns: of the values */
    double unit;
    double *scratch; /* warps x most x WARP */
    cuda_fit *out;
    int64_t warps;
} cuda_fit_args;

/* X(kernel, arguments) */
#define CUDA_KERNELS(X)                                                                            \
    X(store, cuda_store_args)                                                                      \
    X(tmul, cuda_tmul_args)                                                                        \
    X(tile, cuda_tile_args)                                                                        \
    X(gram, cuda_gram_args)                                                                        \
    X(mul, cuda_mul_args)                                                                          \
    X(add, cuda_sum_args)                                                                          \
    X(stats, cuda_stats_args)                                                                      \
    X(fit, cuda_fit_args)

#endif
