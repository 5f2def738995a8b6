#include "data/statistics.h"

#include "base/context.h"
#include "base/error.h"

static const double ROOM = 4e6; /* bytes of statistics that are about at once, */
enum { LEAST = 1 << 8 };        /* and the columns that they are of */

/* All sets of rows as one list. */
typedef struct audience {
    int64_t count;
    view *rows;
    const double **weight;
    col_stats **s;
} audience;

static pare_status gather(audience *a, const stats_reader *reader, int64_t readers, int64_t wide,
                          arena *mem, pare_error *err) {
    pare_status status = PARE_OK;
    int64_t at = 0;
    TRY_MEM(a->rows = ARENA_NEW(mem, view, a->count));
    TRY_MEM(a->weight = ARENA_NEW(mem, const double *, a->count));
    TRY_MEM(a->s = ARENA_NEW(mem, col_stats *, a->count));
    for (int64_t r = 0; r < readers; r++)
        for (int64_t i = 0; i < reader[r].count; i++, at++) {
            a->rows[at] = reader[r].rows[i];
            a->weight[at] = reader[r].weight ? reader[r].weight[i] : NULL;
            TRY_MEM(a->s[at] = ARENA_NEW(mem, col_stats, wide));
        }
done:
    return status;
}

pare_status stats_read(const stats_reader *reader, int64_t readers, const pare_ctx *ctx,
                       pare_error *err) {
    audience a = {0};
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    for (int64_t r = 0; r < readers; r++) a.count += reader[r].count;
    if (a.count == 0) goto done;
    const view of = *reader[0].rows;
    double room = ROOM / (double)sizeof(col_stats) / (double)a.count;
    int64_t wide = room > STATS_COLUMNS ? STATS_COLUMNS : room < LEAST ? LEAST : (int64_t)room;
    if (wide > of.d) wide = of.d;
    int64_t *cols = ARENA_NEW(&mem, int64_t, wide);
    TRY_MEM(cols);
    TRY(gather(&a, reader, readers, wide, &mem, err));
    for (int64_t first = 0; first < of.d; first += wide) {
        int64_t now = of.d - first < wide ? of.d - first : wide;
        for (int64_t j = 0; j < now; j++) cols[j] = of.cols ? of.cols[first + j] : first + j;
        for (int64_t i = 0; i < a.count; i++) {
            a.rows[i].cols = cols;
            a.rows[i].d = now;
        }
        TRY(mat_stats_many(a.count, a.rows, a.weight, a.s, ctx, err));
        const col_stats *const *s = (const col_stats *const *)a.s;
        for (int64_t r = 0; r < readers; s += reader[r++].count)
            TRY(reader[r].see(reader[r].self, first, now, s, ctx, err));
    }
done:
    arena_free(&mem);
    return status;
}
