/* Robust scaling: asinh((x - median) / spread), the spread being the interquartile range over 1.35,
 * or the deviation where that is 0; features of at most two values are left as they are (spread
 * 0). */
#ifndef PARE_DATA_FEATURE_ROBUST_H
#define PARE_DATA_FEATURE_ROBUST_H

#include "base/memory.h"
#include "la/matrix.h"

/* One set of rows. The arrays are over the columns of X. */
typedef struct robust_rows {
    const view *rows;
    const double *weight; /* NULL: ones */
    const double *fill;   /* for missing values; NULL: there are none */
    double *median, *spread;
    asinh_classes classes; /* see la/matrix.h */
    int32_t *place; /* of each row of X: its position among `rows`, or -1; NULL: the rows do not
                       ascend */
} robust_rows;

/* Sets of rows of one matrix, which share each column's order; all memory is from the arena. */
typedef struct robust {
    view all; /* every row */
    int64_t count;
    robust_rows *of;
    int threads;
    struct robust_work *work; /* of each thread */
} robust;

/* weight[i] may be NULL. The members fill, median and spread of out->of[i] are then to be set. */
PARE_NODISCARD pare_status robust_open(robust *out, arena *mem, int64_t count, const view *rows,
                                       const double *const *weight, const pare_ctx *ctx,
                                       pare_error *err);
/* Medians and spreads of some columns. stats[i * stride + j]: the statistics of column first + j of
 * the imputed values of set i; gets mean and variance of the transformed values. Reads the columns
 * once. */
PARE_NODISCARD pare_status robust_columns(robust *r, int64_t first, int64_t columns,
                                          col_stats *stats, int64_t stride, const pare_ctx *ctx,
                                          pare_error *err);

#endif
