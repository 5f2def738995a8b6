/* Statistics of all columns for several readers in one pass over X, some columns at a time: the
 * statistics of all columns would take more memory than what the readers make of them. */
#ifndef PARE_DATA_FEATURE_STATISTICS_H
#define PARE_DATA_FEATURE_STATISTICS_H

#include "la/matrix.h"

typedef struct stats_reader {
    int64_t count; /* sets of rows */
    const view *rows;
    const double *const *weight; /* of each set of rows, or NULL: ones; NULL: ones for all */
    /* s[i][j]: statistics of column first + j in rows[i]. */
    pare_status (*receive)(void *self, int64_t first, int64_t columns, const col_stats *const *s,
                           const pare_ctx *ctx, pare_error *err);
    void *self;
} stats_reader;

enum {
    MAX_STATS_COLUMNS = 1 << 14,
    MIN_STATS_COLUMNS = 1 << 8
}; /* columns that are passed on at a time */

/* All rows are of one matrix, with the same columns. For each block of columns the first reader
 * runs before the others, which run in parallel. */
PARE_NODISCARD pare_status stats_read(const stats_reader *reader, int64_t readers,
                                      const pare_ctx *ctx, pare_error *err);

#endif
