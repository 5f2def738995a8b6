/* Batches adjusted by training statistics: each feature of each batch is shifted, and by ComBat scaled,
 * without a look at the target. */
#ifndef PARE_DATA_FEATURE_BATCH_ADJUST_H
#define PARE_DATA_FEATURE_BATCH_ADJUST_H

#include "data/sample/batches.h"

/* x of batch b becomes (x - shift) * scale, each with a block of d numbers for each batch. A feature
 * that is constant within a training batch stays as it is in all, and has deviation 0. */
typedef struct batch_adjustment {
    batch_list batches;
    int64_t d;
    double *shift, *scale;
    double *mean, *deviation; /* d: over the training samples, and pooled within their batches */
    double *fill;             /* d: of missing values, before the adjustment; NULL: none */
} batch_adjustment;

/* Rejects batches that cannot be adjusted on these data, and missing values under a treatment that does
 * not fill them. */
PARE_NODISCARD pare_status batch_check(const pare_data *data, const char *missing,
                                       const pare_ctx *ctx, pare_error *err);

/* Estimates the adjustment on the rows of *x with the data's weights, and turns *x into a view of the
 * adjusted matrix, in all its rows. Batches without training samples stay as they are or are estimated
 * from all samples that they have, as the data's `batch_unseen` says. Rejected: a batch with one
 * training sample. Memory from the arena. */
PARE_NODISCARD pare_status batch_adjust(batch_adjustment **out, view *x, const pare_data *data,
                                        const char *missing, arena *mem, const pare_ctx *ctx,
                                        pare_error *err);

/* *x after the adjustment of the batches `of` (one for each row of the matrix; below 0: as they are), by
 * blocks over its base columns. Memory from the arena. */
PARE_NODISCARD pare_status batch_show(view *x, const int32_t *of, const double *shift,
                                      const double *scale, const double *fill, arena *mem,
                                      pare_error *err);

/* A batch estimated from its own samples, rows of the matrix x: for each of the columns (NULL: all) the
 * shift and scale that give it mean and deviation. fill: of every column, or NULL. */
typedef struct batch_rows {
    const matrix *x;
    const double *fill;
    const int64_t *cols;
    int64_t d;
    const int32_t *of; /* the batch of each row of x */
    int32_t batch;
} batch_rows;
PARE_NODISCARD pare_status batch_adapt(double *shift, double *scale, const batch_rows *of,
                                       const double *mean, const double *deviation,
                                       const pare_ctx *ctx, pare_error *err);

#endif
