#include "data/feature/statistics.h"

#include "base/context.h"
#include "base/error.h"

static const double MAX_BYTES = 8e6; /* bytes of statistics held at a time */

/* The row sets of all readers as one list. */
typedef struct row_sets {
    int64_t count;
    view *rows;
    const double **weight;
    col_stats **s;
    int64_t *start;      /* of each reader: its first row set, */
    pare_status *status; /* and its status */
    pare_error *error;
} row_sets;

static pare_status gather(row_sets *a, const stats_reader *reader, int64_t readers, int64_t wide,
                          arena *mem, pare_error *err) {
    pare_status status = PARE_OK;
    int64_t at = 0;
    TRY_MEM(a->rows = ARENA_NEW(mem, view, a->count));
    TRY_MEM(a->weight = ARENA_NEW(mem, const double *, a->count));
    TRY_MEM(a->s = ARENA_NEW(mem, col_stats *, a->count));
    TRY_MEM(a->start = ARENA_NEW(mem, int64_t, readers));
    TRY_MEM(a->status = ARENA_NEW(mem, pare_status, readers));
    TRY_MEM(a->error = ARENA_NEW(mem, pare_error, readers));
    for (int64_t r = 0; r < readers; r++) {
        a->start[r] = at;
        for (int64_t i = 0; i < reader[r].count; i++, at++) {
            a->rows[at] = reader[r].rows[i];
            a->weight[at] = reader[r].weight ? reader[r].weight[i] : NULL;
            TRY_MEM(a->s[at] = ARENA_NEW(mem, col_stats, wide));
        }
    }
done:
    return status;
}

/* Passes statistics on to all readers, in one parallel region for all but the first: on a busy
 * machine every parallel region may have to wait. */
static pare_status pass_on(const stats_reader *reader, int64_t readers, int64_t first,
                           int64_t columns, const row_sets *a, const pare_ctx *ctx,
                           pare_error *err) {
    pare_status status =
        reader->receive(reader->self, first, columns, (const col_stats *const *)a->s, ctx, err);
    if (status != PARE_OK) return status;
    int64_t failed = readers;
#pragma omp parallel for num_threads(ctx_threads(ctx)) schedule(dynamic) reduction(min : failed)
    for (int64_t r = 1; r < readers; r++) {
        const col_stats *const *s = (const col_stats *const *)a->s + a->start[r];
        a->status[r] = reader[r].receive(reader[r].self, first, columns, s, ctx, &a->error[r]);
        if (a->status[r] != PARE_OK) failed = r < failed ? r : failed;
    }
    if (failed == readers) return PARE_OK;
    if (err) *err = a->error[failed];
    return a->status[failed];
}

pare_status stats_read(const stats_reader *reader, int64_t readers, const pare_ctx *ctx,
                       pare_error *err) {
    row_sets a = {0};
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    for (int64_t r = 0; r < readers; r++) a.count += reader[r].count;
    if (a.count == 0) goto done;
    const view of = *reader[0].rows;
    double columns_that_fit = MAX_BYTES / (double)sizeof(col_stats) / (double)a.count;
    int64_t wide = columns_that_fit > MAX_STATS_COLUMNS   ? MAX_STATS_COLUMNS
                   : columns_that_fit < MIN_STATS_COLUMNS ? MIN_STATS_COLUMNS
                                                          : (int64_t)columns_that_fit;
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
        TRY(pass_on(reader, readers, first, now, &a, ctx, err));
    }
done:
    arena_free(&mem);
    return status;
}
