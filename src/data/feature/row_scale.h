/* Rows scaled as wholes: to sum 1 (l1), to norm 1 (l2), or counts times idf and then to norm 1
 * (tfidf), idf_j = ln((1 + n) / (1 + df_j)) + 1, where n is the total weight of the training
 * samples and df_j that of the training samples in which feature j is not 0. */
#ifndef PARE_DATA_FEATURE_ROW_SCALE_H
#define PARE_DATA_FEATURE_ROW_SCALE_H

#include "base/memory.h"
#include "la/matrix.h"

/* Rejects missing values where rows are scaled. Samples of weight 0 are checked too, so that every
 * data set that can be fitted can be predicted. */
PARE_NODISCARD pare_status row_scale_check(const matrix *x, const char *kind, pare_error *err);

/* Turns *x into a view of the scaled matrix, in all rows of the matrix; the rows of *x, with these
 * weights (NULL: ones), give the idf. *idf: one for each column of the matrix, or NULL but for
 * tfidf. kind none: *x is unchanged. Rejects missing values. Memory from the arena. */
PARE_NODISCARD pare_status row_scale_fit(view *x, double **idf, const char *kind,
                                         const double *weight, arena *mem, const pare_ctx *ctx,
                                         pare_error *err);

/* The same with a fitted idf: cols are the columns of x->x (count) that correspond to the fitted
 * ones, idf is theirs, or NULL. Other columns are ignored. */
PARE_NODISCARD pare_status row_scale_apply(view *x, const char *kind, const int64_t *cols,
                                           int64_t count, const double *idf, arena *mem,
                                           const pare_ctx *ctx, pare_error *err);

#endif
