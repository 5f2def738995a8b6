#include "data/feature/robust.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "data/feature/quantile.h"

static const double NORMAL = 1.35; /* the interquartile range of a normal variable of deviation 1 */

typedef struct robust_work {
    walk w;
    double *column; /* every row */
    ranked *order;  /* the same, sorted */
    double *x;      /* a set of rows */
    ranked *sorted;
} robust_work;

static bool two_valued(const double *x, int64_t n, const col_stats *s) {
    for (int64_t i = 0; i < n; i++)
        if (x[i] != s->min && x[i] != s->max) return false;
    return true;
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

/* The place of each row of X among ascending rows. */
static int32_t *places(const view *rows, int64_t n_all, arena *mem) {
    int32_t *place = ARENA_NEW(mem, int32_t, n_all);
    for (int64_t i = 0; place && i < n_all; i++) place[i] = rows->rows ? -1 : (int32_t)i;
    for (int64_t i = 0; place && rows->rows && i < rows->n; i++) place[rows->rows[i]] = (int32_t)i;
    return place;
}

static bool ascending(const view *rows) {
    for (int64_t i = 1; rows->rows && i < rows->n; i++)
        if (rows->rows[i - 1] >= rows->rows[i]) return false;
    return true;
}

pare_status robust_open(robust *out, arena *mem, int64_t count, const view *rows,
                        const double *const *weight, const pare_ctx *ctx, pare_error *err) {
    int64_t n = rows[0].x->n, most = n;
    *out = (robust){.all = rows[0], .count = count, .threads = ctx_threads(ctx)};
    out->all.rows = NULL;
    out->all.n = n;
    if (!(out->of = ARENA_ZERO(mem, robust_rows, count))) return error_memory(err);
    if (!(out->work = ARENA_ZERO(mem, robust_work, out->threads))) return error_memory(err);
    for (int64_t i = 0; i < count; i++) {
        robust_rows *of = &out->of[i];
        *of = (robust_rows){.rows = &rows[i], .weight = weight[i]};
        if (rows[i].n > most) most = rows[i].n;
        if (ascending(&rows[i]) && !(of->place = places(&rows[i], n, mem)))
            return error_memory(err);
    }
    for (int t = 0; t < out->threads; t++) {
        robust_work *w = &out->work[t];
        w->column = ARENA_NEW(mem, double, n);
        w->order = ARENA_NEW(mem, ranked, n);
        w->x = ARENA_NEW(mem, double, most);
        w->sorted = ARENA_NEW(mem, ranked, most);
        if (!w->column || !w->order || !w->x || !w->sorted) return error_memory(err);
    }
    return PARE_OK;
}

static void sort_values(ranked *to, const double *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) to[i] = (ranked){x[i], i};
    sort_least_first(to, n);
}

/* The order of a set of rows from that of all. */
static void take_order(ranked *to, const ranked *order, int64_t n, const int32_t *place) {
    for (int64_t i = 0, taken = 0; i < n; i++) {
        int32_t at = place[order[i].index];
        if (at >= 0) to[taken++] = (ranked){order[i].key, at};
    }
}

/* One column of one set of rows, whose values are in w->x and, sorted, in w->sorted. */
static void settle(robust_rows *of, int64_t j, robust_work *w, col_stats *s) {
    int64_t n = of->rows->n;
    double median = quantile_of(w->sorted, n, of->weight, 0.5);
    double range =
        quantile_of(w->sorted, n, of->weight, 0.75) - quantile_of(w->sorted, n, of->weight, 0.25);
    of->median[j] = median;
    of->spread[j] = range > 0 ? range / NORMAL : sqrt(s->var);
}

static void set_column(robust_rows *of, int64_t j, robust_work *w, int64_t n_all, bool *ordered,
                       col_stats *s) {
    int64_t n = of->rows->n;
    bool filled = false;
    for (int64_t i = 0; i < n; i++) {
        w->x[i] = w->column[of->rows->rows ? of->rows->rows[i] : i];
        if (!of->fill || !isnan(w->x[i])) continue;
        w->x[i] = of->fill[j];
        filled = true;
    }
    of->median[j] = of->spread[j] = 0;
    if (!two_valued(w->x, n, s)) {
        if (filled || !of->place) {
            sort_values(w->sorted, w->x, n);
        } else {
            if (!*ordered) sort_values(w->order, w->column, n_all);
            *ordered = true;
            take_order(w->sorted, w->order, n_all, of->place);
        }
        settle(of, j, w, s);
    }
    asinh_values(w->x, n, of->median[j], of->spread[j]);
    take_moments(s, w->x, n, of->weight);
}

static void set_range(robust *r, robust_work *w, int64_t first, int64_t from, int64_t to,
                      col_stats *stats, int64_t stride) {
    for (int64_t j = from; j < to; j++) {
        column col;
        if (!walk_at(&w->w, first + j, &col)) return;
        column_spread(&col, r->all.n, w->column);
        bool ordered = false;
        for (int64_t i = 0; i < r->count; i++)
            set_column(&r->of[i], first + j, w, r->all.n, &ordered, &stats[i * stride + j]);
    }
}

/* Whether the sets need no more than their values: no weights, nothing to impute. */
static bool plain(const robust *r) {
    for (int64_t i = 0; i < r->count; i++)
        if (r->of[i].weight || !mat_asinh_fits(r->of[i].rows)) return false;
    return true;
}

static pare_status set_plain(robust *r, int64_t first, int64_t columns, col_stats *stats,
                             int64_t stride, const pare_ctx *ctx, pare_error *err) {
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    view *v = ARENA_NEW(&mem, view, r->count);
    asinh_fit *out = ARENA_NEW(&mem, asinh_fit, r->count);
    int64_t *cols = ARENA_NEW(&mem, int64_t, columns);
    TRY_MEM(v && out && cols);
    for (int64_t j = 0; j < columns; j++) cols[j] = first + j;
    for (int64_t i = 0; i < r->count; i++) {
        const robust_rows *of = &r->of[i];
        v[i] = *of->rows;
        v[i].cols = cols;
        v[i].d = columns;
        out[i] =
            (asinh_fit){of->median + first, of->spread + first, stats + i * stride, of->classes};
        if (of->classes.count > 0) out[i].classes.separation += first;
    }
    TRY(mat_asinh_fit_many(r->count, v, NORMAL, out, ctx, err));
done:
    arena_free(&mem);
    return status;
}

pare_status robust_columns(robust *r, int64_t first, int64_t columns, col_stats *stats,
                           int64_t stride, const pare_ctx *ctx, pare_error *err) {
    if (plain(r)) return set_plain(r, first, columns, stats, stride, ctx, err);
    pare_status status = PARE_OK;
    int threads = r->threads;
    for (int t = 0; t < threads; t++)
        TRY(walk_open(&r->work[t].w, &r->all, NULL, r->all.d, ctx, err));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++)
        set_range(r, &r->work[t], first, columns * t / threads, columns * (t + 1) / threads, stats,
                  stride);
done:
    for (int t = 0; t < threads; t++) status = walk_end(&r->work[t].w, status, err);
    return status;
}
