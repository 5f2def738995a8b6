/* Weight, mean and squares of each class in a column, and filters that need only those. */
#ifndef PARE_METHOD_FILTER_FILTER_MOMENTS_H
#define PARE_METHOD_FILTER_FILTER_MOMENTS_H

#include "data/feature/statistics.h"
#include "method/filter/filter.h"

/* Buffers of a thread. */
typedef struct moments_buffer {
    class_moments *m;
    col_stats *s; /* c, and pointers to them */
    const col_stats **at;
    double *value, *spare; /* n; 4 c + 4 */
} moments_buffer;

PARE_NODISCARD pare_status moments_open(moments_buffer *buffer, arena *mem, const filter *f,
                                        pare_error *err);
/* Of view column j, as moments_seen shows it. Valid until the next call. */
const class_moments *moments_of_column(moments_buffer *buffer, const filter *f, int64_t j,
                                       const column *x);
/* Returns f->x, but with missing values left missing if all weights are equal: the fill then
 * depends only on their number. */
view moments_seen(const filter *f);

/* Filters of the same samples as one reader of statistics: it writes the scores of all columns, and
 * their p-values if p is not NULL. Only where moments_read; the same numbers as of the columns one
 * by one. */
typedef struct moments_score {
    const filter_kind *kind;
    double *score, *p; /* of column `from` on */
} moments_score;

typedef struct moments_scores {
    const filter *f;
    const moments_score *to;
    int64_t count, from;
    int threads;
    moments_buffer
        *buffer; /* of each thread; only the moments are used: a reader gets its statistics from the
                    pass */
} moments_scores;

bool moments_read(const filter *f);
PARE_NODISCARD pare_status moments_reader(stats_reader *out, moments_scores *self, arena *mem,
                                          const pare_ctx *ctx, pare_error *err);

#endif
