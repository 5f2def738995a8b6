/* Data that are left with some of their columns. */
#ifndef PARE_DATA_FEATURE_DROP_COLUMNS_H
#define PARE_DATA_FEATURE_DROP_COLUMNS_H

#include "data/dataset.h"

/* stays: d, not all false. Names, groups, costs and what is kept go along; features without names get
 * those that they had, and data->left_out has the names of those that went. Arrays that a reader has filled are moved up in place; a matrix that is made
 * already is copied, and the old one freed. */
PARE_NODISCARD pare_status data_drop_columns(pare_data *data, const bool *stays, const char *where,
                                             const pare_ctx *ctx, pare_error *err);

#endif
