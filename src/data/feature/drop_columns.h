/* Dropped columns: data reduced to some of their columns. */
#ifndef PARE_DATA_FEATURE_DROP_COLUMNS_H
#define PARE_DATA_FEATURE_DROP_COLUMNS_H

#include "data/builder.h"

/* stays: d, not all false. Names, groups, costs and kept flags are reduced with the columns.
 * Unnamed features are named by their old numbers, and data->dropped gets the names of the dropped
 * ones. Arrays that a reader has filled are moved in place; a matrix is copied, and the old one
 * freed. */
PARE_NODISCARD pare_status data_drop_columns(data_builder *b, const bool *stays, const char *where,
                                             const pare_ctx *ctx, pare_error *err);

#endif
