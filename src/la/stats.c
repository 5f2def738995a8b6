/* Statistics of columns, for any kind that loads them. A column is in the first cache while all views of
 * a call look at it, each at its own rows, so that X is read once for all of them; what a view gets
 * does not depend on the others. */
#include <math.h>
#include <omp.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "la/tile.h"

enum { LANES = 4 }; /* running sums, so that the adders do not wait for each other */

static double sum_lanes(const double *s) { return (s[0] + s[2]) + (s[1] + s[3]); }

/* Mean, range and nonzeros; false: something is missing. */
static bool look_plainly(const double *x, int64_t n, col_stats *s) {
    double sum[LANES] = {0}, some[LANES] = {0}, low[LANES], high[LANES];
    int64_t i = 0;
    for (int k = 0; k < LANES; k++) low[k] = high[k] = x[0];
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) {
            double v = x[i + k];
            sum[k] += v;
            low[k] = v < low[k] ? v : low[k];
            high[k] = v > high[k] ? v : high[k];
            some[k] += v != 0 ? 1.0 : 0.0;
        }
    for (int k = 0; i < n; i++, k++) {
        sum[k] += x[i];
        low[k] = x[i] < low[k] ? x[i] : low[k];
        high[k] = x[i] > high[k] ? x[i] : high[k];
        some[k] += x[i] != 0 ? 1.0 : 0.0;
    }
    s->min = fmin(fmin(low[0], low[1]), fmin(low[2], low[3]));
    s->max = fmax(fmax(high[0], high[1]), fmax(high[2], high[3]));
    s->nonzeros = (int64_t)sum_lanes(some);
    s->mean = sum_lanes(sum) / (double)n;
    return s->mean == s->mean;
}

/* Two passes over n values in cache that all count alike; false: something is missing. */
static bool plain_stats(const double *x, int64_t n, col_stats *s) {
    double left[LANES] = {0}, squares[LANES] = {0}, mean;
    int64_t i = 0;
    *s = (col_stats){0};
    if (n < 1 || !look_plainly(x, n, s)) return false;
    mean = s->mean;
    if (s->min == s->max) { /* exactly constant, whatever the mean rounds to */
        s->mean = s->min;
        return true;
    }
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) {
            double away = x[i + k] - mean;
            left[k] += away; /* what the rounding of the mean left over */
            squares[k] += away * away;
        }
    for (int k = 0; i < n; i++, k++) {
        double away = x[i] - mean;
        left[k] += away;
        squares[k] += away * away;
    }
    double over = sum_lanes(left), total = (double)n;
    s->var = fmax(0, (sum_lanes(squares) - over * (over / total)) / total);
    s->mean += over / total;
    return true;
}

/* The same with weights (NULL: ones), and with values that are missing: those that count take the lanes in
 * turn, so that weights of 1 give the bits of none. */
static col_stats column_stats(const double *x, const double *weight, int64_t n) {
    col_stats s = {0, 0, INFINITY, -INFINITY, 0, 0};
    double total = 0, sum[LANES] = {0}, squares[LANES] = {0}, left[LANES] = {0};
    int64_t used = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = weight ? weight[i] : 1;
        if (!(w > 0)) continue;
        if (x[i] != x[i]) {
            s.missing++;
            continue;
        }
        total += w;
        sum[used++ % LANES] += w * x[i];
        s.min = x[i] < s.min ? x[i] : s.min;
        s.max = x[i] > s.max ? x[i] : s.max;
        s.nonzeros += x[i] != 0;
    }
    if (!(total > 0)) return (col_stats){.missing = s.missing};
    if (s.min == s.max) {
        s.mean = s.min;
        return s;
    }
    s.mean = sum_lanes(sum) / total;
    used = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = weight ? weight[i] : 1;
        if (!(w > 0) || x[i] != x[i]) continue;
        double away = x[i] - s.mean;
        left[used % LANES] += w * away;
        squares[used++ % LANES] += w * (away * away);
    }
    double over = sum_lanes(left);
    s.var = fmax(0, (sum_lanes(squares) - over * (over / total)) / total);
    s.mean += over / total;
    return s;
}

col_stats values_stats(const double *x, const double *weight, int64_t n) {
    col_stats s;
    return !weight && plain_stats(x, n, &s) ? s : column_stats(x, weight, n);
}

/* The values at some rows; NULL: all of them, where they are. */
static const double *pick(const double *x, const int32_t *rows, int64_t n, double *to) {
    for (int64_t i = 0; rows && i < n; i++) to[i] = x[rows[i]];
    return rows ? to : x;
}

static view raw_of(const view *v) {
    view raw = *v;
    raw.shift = raw.scale = raw.fill = NULL;
    return raw;
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
    int64_t width = run_width(&all), runs = (v->d + width - 1) / width, stride = all.n, most = 1;
    const double *direct = tile_direct(&all, &stride);
    int threads = work_threads(ctx, (double)all.n * (double)all.d * (double)count);
    for (int64_t q = 0; q < count; q++) most = max64(most, v[q].n);
    double *buffer, *picked;
    TRY_MEM(buffer = ARENA_NEW(&scratch, double, direct ? 1 : threads *all.n *width));
    TRY_MEM(picked = ARENA_NEW(&scratch, double, threads *most));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8)
    for (int64_t run = 0; run < runs; run++) {
        int64_t first = run * width, last = min64(v->d, first + width);
        double *own = buffer + (direct ? 0 : omp_get_thread_num() * all.n * width);
        double *to = picked + omp_get_thread_num() * most;
        if (!direct) load_run(&all, first, last - first, own, &failed);
        for (int64_t j = first; j < last; j++) {
            const double *x =
                direct ? direct + view_base(v, j) * stride : own + (j - first) * all.n;
            for (int64_t q = 0; q < count; q++)
                out[q][j] =
                    values_stats(pick(x, v[q].rows, v[q].n, to), weight ? weight[q] : NULL, v[q].n);
        }
    }
    status = failure_end(&failed, err);
done:
    arena_free(&scratch);
    return status;
}

pare_status tile_stats(const view *v, const double *weight, col_stats *out, const pare_ctx *ctx,
                       pare_error *err) {
    return tile_stats_many(1, v, &weight, &out, ctx, err);
}
