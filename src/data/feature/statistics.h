/* Statistics of all columns for whoever wants to see them, in one pass over X: some columns at a time, since those
 * of all columns would take more room than what is made of them. */
#ifndef PARE_DATA_FEATURE_STATISTICS_H
#define PARE_DATA_FEATURE_STATISTICS_H

#include "la/matrix.h"

typedef struct stats_reader {
    int64_t count; /* sets of rows */
    const view *rows;
    const double *const *weight; /* of each set of rows, or NULL; NULL: of none */
    /* s[i][j]: those of column first + j in rows[i]. */
    pare_status (*see)(void *self, int64_t first, int64_t columns, const col_stats *const *s,
                       const pare_ctx *ctx, pare_error *err);
    void *self;
} stats_reader;

enum {
    STATS_COLUMNS = 1 << 14,
    STATS_LEAST = 1 << 8
}; /* that are seen at once: at most, at least */

/* All rows are of one matrix, and of the same columns of it. The first reader sees them before the others, who may do so
 * at the same time. */
PARE_NODISCARD pare_status stats_read(const stats_reader *reader, int64_t readers,
                                      const pare_ctx *ctx, pare_error *err);

#endif
