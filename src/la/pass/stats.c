/* Statistics of columns, for any kind that loads them. A block of columns is in the cache while all views of
 * a call look at it, each at its own rows, so that X is read once for all of them; what a view gets
 * does not depend on the others. */
#include <math.h>
#include <omp.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "la/pass/simd_columns.h"
#include "la/product/tile.h"

/* n values that all count alike, from their sums; false: something is missing. */
static bool look_done(col_stats *s, double sum, double low, double high, double some, int64_t n) {
    *s = (col_stats){.mean = sum / (double)n, .min = low, .max = high, .nonzeros = (int64_t)some};
    if (low == high) s->mean = low; /* exactly constant, whatever the mean rounds to */
    return sum == sum;
}

/* left: what the rounding of the mean left over. */
static void spread_done(col_stats *s, double left, double squares, double total) {
    if (s->min == s->max) return;
    double more = left / total, mean = s->mean + more;
    s->var = fmax(0, (squares - left * more) / total);
    s->beyond = more - (mean - s->mean);
    s->mean = mean;
}

/* With weights (NULL: ones), and with values that are missing. The sums run as in simd_columns.c, so that weights of
 * 1 give the bits of none. */
col_stats values_stats(const double *x, const double *weight, int64_t n) {
    col_stats s = {.min = INFINITY, .max = -INFINITY};
    double total = 0, sum = 0, squares = 0, left = 0;
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
        left += w * away;
        squares += w * (away * away);
    }
    spread_done(&s, left, squares, total);
    return s;
}

/* ---- many columns ---- */

/* The values at some rows; NULL: all of them, where they are. */
static const double *pick(const double *x, const int32_t *rows, int64_t n, double *to) {
    for (int64_t i = 0; rows && i < n; i++) to[i] = x[rows[i]];
    return rows ? to : x;
}

/* count <= SIMD_COLUMNS columns side by side, all rows of which count alike; false in fine[k]: column k must be
 * looked at by itself. */
static void block_stats(const double *block, const int32_t *rows, int64_t n, int64_t count,
                        col_stats *out, bool *fine) {
    double sum[SIMD_COLUMNS], low[SIMD_COLUMNS], high[SIMD_COLUMNS], some[SIMD_COLUMNS],
        mean[SIMD_COLUMNS];
    double left[SIMD_COLUMNS], squares[SIMD_COLUMNS];
    simd_range(block, rows, n, sum, low, high, some);
    for (int64_t k = 0; k < SIMD_COLUMNS; k++) mean[k] = sum[k] / (double)n;
    simd_deviations(block, rows, n, mean, left, squares);
    for (int64_t k = 0; k < count; k++) {
        fine[k] = look_done(&out[k], sum[k], low[k], high[k], some[k], n);
        spread_done(&out[k], left[k], squares[k], (double)n);
    }
}

static view raw_of(const view *v) {
    view raw = *v;
    raw.shift = raw.scale = raw.fill = NULL;
    return raw;
}

/* What a thread works with. */
typedef struct desk {
    double *buffer, *picked, *block; /* buffer: columns that are not in memory as they are */
    const double *where[SIMD_COLUMNS],
        *next[SIMD_COLUMNS]; /* the columns, and those after them, if in memory */
} desk;

/* The statistics of SIMD_COLUMNS columns at most, from view column `first` on. */
static void run_stats(int64_t count, const view *v, const double *const *weight,
                      col_stats *const *out, int64_t first, int64_t columns, desk *d) {
    int64_t n = v->x->n;
    bool side_by_side = n <= SIMD_BLOCK_ROWS;
    if (side_by_side) simd_interleave(d->block, d->where, n, d->next[0] ? d->next : NULL);
    for (int64_t q = 0; q < count; q++) {
        const double *own = weight ? weight[q] : NULL;
        bool fine[SIMD_COLUMNS] = {false};
        if (side_by_side && !own)
            block_stats(d->block, v[q].rows, v[q].n, columns, out[q] + first, fine);
        for (int64_t k = 0; k < columns; k++)
            if (!fine[k])
                out[q][first + k] =
                    values_stats(pick(d->where[k], v[q].rows, v[q].n, d->picked), own, v[q].n);
    }
}

pare_status tile_stats_many(int64_t count, const view *v, const double *const *weight,
                            col_stats *const *out, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    failure failed = {0};
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    view all = raw_of(&v[0]);
    all.rows = NULL;
    all.n = v->x->n;
    int64_t runs = (v->d + SIMD_COLUMNS - 1) / SIMD_COLUMNS, stride = all.n, most = 1;
    const double *direct = tile_direct(&all, &stride);
    int threads = work_threads(ctx, (double)all.n * (double)all.d * (double)count);
    for (int64_t q = 0; q < count; q++) most = max64(most, v[q].n);
    desk *desks;
    TRY_MEM(desks = ARENA_NEW(&scratch, desk, threads));
    for (int t = 0; t < threads; t++) {
        TRY_MEM(desks[t].buffer = ARENA_NEW(&scratch, double, direct ? 1 : all.n *SIMD_COLUMNS));
        TRY_MEM(desks[t].picked = ARENA_NEW(&scratch, double, most));
        TRY_MEM(desks[t].block =
                    ARENA_NEW(&scratch, double, min64(SIMD_BLOCK_ROWS, all.n) * SIMD_COLUMNS));
    }
    int together = count < 8 ? 8 : 1; /* runs that a thread takes: neighbours are sent for ahead */
#pragma omp parallel for num_threads(threads) schedule(dynamic, together)
    for (int64_t run = 0; run < runs; run++) {
        int64_t first = run * SIMD_COLUMNS, columns = min64(SIMD_COLUMNS, v->d - first);
        desk *own = &desks[omp_get_thread_num()];
        if (!direct) load_run(&all, first, columns, own->buffer, &failed);
        for (int64_t k = 0; k < SIMD_COLUMNS; k++) {
            int64_t j = min64(k, columns - 1), later = min64(first + SIMD_COLUMNS + k, v->d - 1);
            own->where[k] =
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
