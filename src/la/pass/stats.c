/* Statistics of columns, for any kind that loads them. While a block of columns is in the cache,
 * each view of the call reads its own rows of it, so that X is read once for all views; the result
 * of a view does not depend on the others. */
#include <math.h>
#include <omp.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "la/pass/simd_columns.h"
#include "la/product/tile.h"

/* Mean and range of n values of equal weight, from their sums; false: some value is missing. */
static bool range_stats(col_stats *s, double sum, double low, double high, double nonzeros,
                        int64_t n) {
    *s = (col_stats){
        .mean = sum / (double)n, .min = low, .max = high, .nonzeros = (int64_t)nonzeros};
    if (low == high) s->mean = low; /* exactly constant, whatever the mean rounds to */
    return sum == sum;
}

/* Variance and corrected mean. remainder: the sum of deviations, 0 but for the rounding of the
 * mean. */
static void deviation_stats(col_stats *s, double remainder, double squares, double total) {
    if (s->min == s->max) return;
    double correction = remainder / total, mean = s->mean + correction;
    s->var = fmax(0, (squares - remainder * correction) / total);
    s->beyond = correction - (mean - s->mean);
    s->mean = mean;
}

/* With weights (NULL: ones) and missing values. The sums run in the order of simd_columns.c, so
 * that weights of 1 give the same bits as no weights. */
col_stats values_stats(const double *x, const double *weight, int64_t n) {
    col_stats s = {.min = INFINITY, .max = -INFINITY};
    double total = 0, sum = 0, squares = 0, remainder = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = weight ? weight[i] : 1;
        if (!(w > 0)) continue;
        if (x[i] != x[i]) {
            s.missing++;
            continue;
        }
        total += w;
        sum += w * x[i];
        s.min = x[i] < s.min ? x[i] : s.min;
        s.max = x[i] > s.max ? x[i] : s.max;
        s.nonzeros += x[i] != 0;
    }
    if (!(total > 0)) return (col_stats){.missing = s.missing};
    s.mean = s.min == s.max ? s.min : sum / total;
    for (int64_t i = 0; s.min < s.max && i < n; i++) {
        double w = weight ? weight[i] : 1;
        if (!(w > 0) || x[i] != x[i]) continue;
        double away = x[i] - s.mean;
        remainder += w * away;
        squares += w * (away * away);
    }
    deviation_stats(&s, remainder, squares, total);
    return s;
}

/* ---- many columns ---- */

/* Returns the values at these rows, copied to `to`; rows NULL: x itself. */
static const double *gather_rows(const double *x, const int32_t *rows, int64_t n, double *to) {
    for (int64_t i = 0; rows && i < n; i++) to[i] = x[rows[i]];
    return rows ? to : x;
}

/* count <= SIMD_COLUMNS interleaved columns, rows of equal weight. false in complete[k]: column k
 * has missing values, and needs values_stats. */
static void block_stats(const double *block, const int32_t *rows, int64_t n, int64_t count,
                        col_stats *out, bool *complete) {
    double sum[SIMD_COLUMNS], low[SIMD_COLUMNS], high[SIMD_COLUMNS], nonzeros[SIMD_COLUMNS],
        mean[SIMD_COLUMNS];
    double remainder[SIMD_COLUMNS], squares[SIMD_COLUMNS];
    simd_range(block, rows, n, sum, low, high, nonzeros);
    for (int64_t k = 0; k < SIMD_COLUMNS; k++) mean[k] = sum[k] / (double)n;
    simd_deviations(block, rows, n, mean, remainder, squares);
    for (int64_t k = 0; k < count; k++) {
        complete[k] = range_stats(&out[k], sum[k], low[k], high[k], nonzeros[k], n);
        deviation_stats(&out[k], remainder[k], squares[k], (double)n);
    }
}

static view raw_of(const view *v) {
    view raw = *v;
    raw.shift = raw.scale = raw.fill = NULL;
    return raw;
}

/* The buffers of one thread. */
typedef struct workspace {
    double *buffer, *gathered,
        *block; /* buffer: loaded columns, where X is not in memory as doubles */
    const double *column[SIMD_COLUMNS],
        *next[SIMD_COLUMNS]; /* the columns, and the next ones if in memory */
} workspace;

/* The statistics of SIMD_COLUMNS columns at most, from view column `first` on. */
static void run_stats(int64_t count, const view *v, const double *const *weight,
                      col_stats *const *out, int64_t first, int64_t columns, workspace *d) {
    int64_t n = v->x->n;
    bool interleaved = n <= SIMD_BLOCK_ROWS;
    if (interleaved) simd_interleave(d->block, d->column, n, d->next[0] ? d->next : NULL);
    for (int64_t q = 0; q < count; q++) {
        const double *own = weight ? weight[q] : NULL;
        bool complete[SIMD_COLUMNS] = {false};
        if (interleaved && !own)
            block_stats(d->block, v[q].rows, v[q].n, columns, out[q] + first, complete);
        for (int64_t k = 0; k < columns; k++)
            if (!complete[k])
                out[q][first + k] = values_stats(
                    gather_rows(d->column[k], v[q].rows, v[q].n, d->gathered), own, v[q].n);
    }
}

pare_status tile_stats_many(int64_t count, const view *v, const double *const *weight,
                            col_stats *const *out, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    failure failed = {0};
    arena scratch = arena_of(ctx);
    view all = raw_of(&v[0]);
    all.rows = NULL;
    all.n = v->x->n;
    int64_t runs = (v->d + SIMD_COLUMNS - 1) / SIMD_COLUMNS, stride = all.n, most = 1;
    const double *direct = tile_direct(&all, &stride);
    int threads = work_threads(ctx, (double)all.n * (double)all.d * (double)count);
    for (int64_t q = 0; q < count; q++) most = max64(most, v[q].n);
    workspace *workspaces;
    TRY_MEM(workspaces = ARENA_NEW(&scratch, workspace, threads));
    for (int t = 0; t < threads; t++) {
        TRY_MEM(workspaces[t].buffer =
                    ARENA_NEW(&scratch, double, direct ? 1 : all.n *SIMD_COLUMNS));
        TRY_MEM(workspaces[t].gathered = ARENA_NEW(&scratch, double, most));
        TRY_MEM(workspaces[t].block =
                    ARENA_NEW(&scratch, double, min64(SIMD_BLOCK_ROWS, all.n) * SIMD_COLUMNS));
    }
    int runs_each = count < 8 ? 8 : 1; /* runs that a thread takes: the next one is prefetched */
#pragma omp parallel for num_threads(threads) schedule(dynamic, runs_each)
    for (int64_t run = 0; run < runs; run++) {
        int64_t first = run * SIMD_COLUMNS, columns = min64(SIMD_COLUMNS, v->d - first);
        workspace *own = &workspaces[omp_get_thread_num()];
        if (!direct) load_run(&all, first, columns, own->buffer, &failed);
        for (int64_t k = 0; k < SIMD_COLUMNS; k++) {
            int64_t j = min64(k, columns - 1), later = min64(first + SIMD_COLUMNS + k, v->d - 1);
            own->column[k] =
                direct ? direct + view_base(v, first + j) * stride : own->buffer + j * all.n;
            own->next[k] = direct ? direct + view_base(v, later) * stride : NULL;
        }
        run_stats(count, v, weight, out, first, columns, own);
    }
    status = failure_end(&failed, err);
done:
    arena_free(&scratch);
    return status;
}
