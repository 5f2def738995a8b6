/* Indicators of missing values: for a column NAME with missing values, the column NAME=missing, 1
 * where the value is missing and 0 elsewhere. They follow all columns of the data, in the same
 * feature group. */
#ifndef PARE_DATA_FEATURE_INDICATORS_H
#define PARE_DATA_FEATURE_INDICATORS_H

#include "data/dataset.h"

#define INDICATOR_SUFFIX "=missing"

/* *out: the data with indicators of all columns with missing values, borrowing X from `data`, which
 * must outlive it; NULL if none is missing. PARE_E_DATA: a column already has such a name. */
PARE_NODISCARD pare_status indicators_make(pare_data **out, const pare_data *data,
                                           const pare_ctx *ctx, pare_error *err);

/* X, followed by the indicators of the columns `of`; X must outlive it. Free with mat_free. */
PARE_NODISCARD pare_status indicators_hstack(matrix *out, const matrix *x, const int64_t *of,
                                             int64_t count, const pare_ctx *ctx, pare_error *err);

#endif
