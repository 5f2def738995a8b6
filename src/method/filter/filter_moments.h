/* Weight, mean and squares of each class in a column, and filters that need no more of it. */
#ifndef PARE_METHOD_FILTER_FILTER_MOMENTS_H
#define PARE_METHOD_FILTER_FILTER_MOMENTS_H

#include "data/feature/statistics.h"
#include "method/filter/filter.h"

/* What a thread works with. */
typedef struct moments_room {
    class_moments *m;
    col_stats *s; /* c, and where they are */
    const col_stats **at;
    double *value, *spare; /* n; 4 c + 4 */
} moments_room;

PARE_NODISCARD pare_status moments_open(moments_room *room, arena *mem, const filter *f,
                                        pare_error *err);
/* Of view column j, as moments_seen shows it. Live until the next one. */
const class_moments *moments_of_column(moments_room *room, const filter *f, int64_t j,
                                       const column *x);
/* f->x, but with gaps where values are missing and weigh alike: what is filled in is then a matter of how many. */
view moments_seen(const filter *f);

/* Filters of the same samples as one reader of statistics: it writes the scores of all columns, and their p-values if
 * there is room for them. Only where moments_read; the same numbers as of the columns one by one. */
typedef struct moments_score {
    const filter_kind *kind;
    double *score, *p; /* of column `from` on */
} moments_score;

typedef struct moments_scores {
    const filter *f;
    const moments_score *to;
    int64_t count, from;
    int threads;
    moments_room *
        room; /* of each thread; of it the moments alone: a reader has its statistics from elsewhere */
} moments_scores;

bool moments_read(const filter *f);
PARE_NODISCARD pare_status moments_reader(stats_reader *out, moments_scores *self, arena *mem,
                                          const pare_ctx *ctx, pare_error *err);

#endif
