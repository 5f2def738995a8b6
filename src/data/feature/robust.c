#include "data/feature/robust.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "data/feature/quantile.h"

static const double NORMAL = 1.35; /* the interquartile range of a normal variable of deviation 1 */

typedef struct bench {
    walk w;
    double *x;      /* n */
    ranked *sorted; /* n */
} bench;

static bool two_valued(const double *x, int64_t n, const col_stats *s) {
    for (int64_t i = 0; i < n; i++)
        if (x[i] != s->min && x[i] != s->max) return false;
    return true;
}

static void set_spread(double *median, double *spread, const bench *b, int64_t n,
                       const double *weight, const col_stats *s) {
    *median = *spread = 0;
    if (two_valued(b->x, n, s)) return;
    for (int64_t i = 0; i < n; i++) b->sorted[i] = (ranked){b->x[i], i};
    sort_least_first(b->sorted, n);
    *median = quantile_of(b->sorted, n, weight, 0.5);
    double range =
        quantile_of(b->sorted, n, weight, 0.75) - quantile_of(b->sorted, n, weight, 0.25);
    *spread = range > 0 ? range / NORMAL : sqrt(s->var);
}

/* Mean and population variance of the transformed values. */
static void take_moments(col_stats *s, const double *x, int64_t n, const double *weight) {
    double total = 0, mean = 0, var = 0;
    for (int64_t i = 0; i < n; i++) {
        total += weight ? weight[i] : 1;
        mean += (weight ? weight[i] : 1) * x[i];
    }
    mean /= total;
    for (int64_t i = 0; i < n; i++) var += (weight ? weight[i] : 1) * (x[i] - mean) * (x[i] - mean);
    s->mean = mean;
    s->var = var / total;
}

static pare_status open(bench *b, int threads, arena *mem, const view *rows, const pare_ctx *ctx,
                        pare_error *err) {
    for (int t = 0; t < threads; t++) {
        b[t].x = ARENA_NEW(mem, double, rows->n);
        b[t].sorted = ARENA_NEW(mem, ranked, rows->n);
        if (!b[t].x || !b[t].sorted) return error_memory(err);
    }
    for (int t = 0; t < threads; t++) {
        pare_status status = walk_open(&b[t].w, rows, NULL, rows->d, ctx, err);
        if (status != PARE_OK) return status;
    }
    return PARE_OK;
}

pare_status robust_fit(double *median, double *spread, col_stats *stats, const view *rows,
                       const double *weight, const double *fill, const pare_ctx *ctx,
                       pare_error *err) {
    int64_t n = rows->n;
    int threads = ctx_threads(ctx);
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    bench *b = ARENA_ZERO(&mem, bench, threads);
    TRY_MEM(b);
    TRY(open(b, threads, &mem, rows, ctx, err));
    span own = mat_share(rows, 1, ctx);
    int64_t mine = own.to - own.from;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++)
        for (int64_t j = own.from + mine * t / threads, end = own.from + mine * (t + 1) / threads;
             j < end; j++) {
            column col;
            if (!walk_at(&b[t].w, j, &col)) break;
            column_spread(&col, n, b[t].x);
            for (int64_t i = 0; fill && i < n; i++)
                if (isnan(b[t].x[i])) b[t].x[i] = fill[j];
            set_spread(&median[j], &spread[j], &b[t], n, weight, &stats[j]);
            asinh_values(b[t].x, n, median[j], spread[j]);
            take_moments(&stats[j], b[t].x, n, weight);
        }
done:
    for (int t = 0; b && t < threads; t++) status = walk_end(&b[t].w, status, err);
    if (status == PARE_OK) status = mat_join(rows, 1, median, sizeof *median, ctx, err);
    if (status == PARE_OK) status = mat_join(rows, 1, spread, sizeof *spread, ctx, err);
    if (status == PARE_OK) status = mat_join(rows, 1, stats, sizeof *stats, ctx, err);
    arena_free(&mem);
    return status;
}
