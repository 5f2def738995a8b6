/* Rows scaled as wholes: to sum 1 (l1), to norm 1 (l2), or counts times idf and then to norm 1
 * (tfidf), idf_j = ln((1 + n) / (1 + df_j)) + 1 with n and df, the samples that have feature j, as sums
 * of weights over the samples that are trained on. */
#ifndef PARE_DATA_FEATURE_ROW_SCALE_H
#define PARE_DATA_FEATURE_ROW_SCALE_H

#include "base/memory.h"
#include "la/matrix.h"

/* Refuses missing values where rows are scaled. Data are asked as they are given, samples of weight 0
 * and all: what can be fitted can be predicted. */
PARE_NODISCARD pare_status row_scale_check(const matrix *x, const char *kind, pare_error *err);

/* *x is seen scaled from here on, in all rows of its matrix: its own rows, of these weights (NULL:
 * ones), give the idf. *idf: one for each column of the matrix, or NULL but for tfidf. kind none:
 * nothing happens. Refuses missing values. Memory from the arena. */
PARE_NODISCARD pare_status row_scale_fit(view *x, double **idf, const char *kind,
                                         const double *weight, arena *mem, const pare_ctx *ctx,
                                         pare_error *err);

/* The same by what was fitted before: cols are those columns of x->x (count, one each) that stand for
 * the fitted ones, idf is of these, or NULL. Other columns have no part in it. */
PARE_NODISCARD pare_status row_scale_apply(view *x, const char *kind, const int64_t *cols,
                                           int64_t count, const double *idf, arena *mem,
                                           const pare_ctx *ctx, pare_error *err);

#endif
