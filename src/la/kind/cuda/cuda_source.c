#include "la/kind/cuda/cuda_source.h"

#include <omp.h>
#include <string.h>

#include "base/error.h"
#include "la/product/tile.h"

static const double MAX_BUDGET = 256e6, BUDGET_SHARE = 0.2; /* of the free memory, for a lane */
enum { PLACE_BYTES = 1 << 26 };                             /* of X that are copied at a time */

void cuda_source_open(cuda_source *s, cuda_device *d, const view *v, const int64_t *S,
                      int64_t count, int arrays) {
    *s = (cuda_source){.d = d, .v = v, .S = S, .count = count};
    mat_chain(v->x, &s->by);
    const double *all[CUDA_ARRAYS] = {
        s->by.col, s->by.median, s->by.spread, v->x->missing ? v->fill : NULL, v->shift, v->scale};
    memcpy(s->array, all, sizeof *all * (size_t)arrays);
}

static int64_t base_column(const cuda_source *s, int64_t p) {
    return view_base(s->v, s->S ? s->S[p] : p);
}

int32_t cuda_source_row(const cuda_source *s, int64_t i) {
    int32_t row = s->v->rows ? s->v->rows[i] : (int32_t)i;
    return s->by.rows ? s->by.rows[row] : row;
}

double cuda_source_factor(const cuda_source *s, int64_t i) {
    return s->by.row ? s->by.row[s->v->rows ? s->v->rows[i] : i] : 1;
}

static bool has_list(const cuda_source *s) { return s->d->x && (s->S || s->v->cols); }
static bool has_rows(const cuda_source *s) { return s->v->rows || s->by.rows; }

int64_t cuda_source_chunk(const cuda_source *s, size_t bytes, int64_t unit) {
    size_t each = bytes + sizeof(double) * (CUDA_ARRAYS + 1);
    if (!s->d->x) each += 2 * sizeof(double) * (size_t)s->d->base.n;
    int64_t units = (int64_t)(s->d->budget / each) / unit;
    int64_t all = (s->count + unit - 1) / unit;
    return unit * max64(1, min64(units, all));
}

void cuda_source_plan(cuda_source *s, cuda_plan *p, int64_t chunk) {
    int64_t stored = (chunk + WARP - 1) / WARP * WARP, n = s->d->base.n;
    s->base = cuda_plan_input(p, has_list(s) ? chunk : 0, sizeof(int64_t));
    for (int k = 0; k < CUDA_ARRAYS; k++)
        s->of_array[k] = cuda_plan_input(p, s->array[k] ? chunk : 0, sizeof(double));
    s->rows = cuda_plan_input(p, has_rows(s) ? s->v->n : 0, sizeof(int32_t));
    s->factor = cuda_plan_input(p, s->by.row ? s->v->n : 0, sizeof(double));
    s->raw = cuda_plan_input(p, s->d->x ? 0 : chunk * n, sizeof(double));
    s->stored = cuda_plan_scratch(p, s->d->x ? 0 : stored * n, sizeof(double));
}

static void write_array(const cuda_source *s, cuda_lane *lane, cuda_array k, int threads) {
    double *to = cuda_host(lane, s->of_array[k]);
    const double *from = s->array[k];
    if (!from) return;
#pragma omp parallel for num_threads(threads)
    for (int64_t p = 0; p < s->now; p++) to[p] = from[base_column(s, s->from + p)];
}

/* The columns from `first` on as they are in X. */
static pare_status load(const cuda_source *s, int64_t first, int64_t count, double *to, int threads,
                        pare_error *err) {
    const matrix *x = &s->d->base;
    failure failed = {0};
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t p = 0; p < count; p++) {
        pare_error own;
        int64_t j = base_column(s, first + p);
        pare_status status = x->ops->load(x, &j, 1, NULL, x->n, to + p * x->n, &own);
        if (status != PARE_OK) failure_note(&failed, status, &own);
    }
    return failure_end(&failed, err);
}

pare_status cuda_source_write(cuda_source *s, cuda_lane *lane, int64_t from, int64_t count,
                              int threads, pare_error *err) {
    s->from = from;
    s->now = count;
    int64_t *base = cuda_host(lane, s->base);
    for (int64_t p = 0; has_list(s) && p < count; p++) base[p] = base_column(s, from + p);
    for (int k = 0; k < CUDA_ARRAYS; k++) write_array(s, lane, (cuda_array)k, threads);
    int32_t *rows = cuda_host(lane, s->rows);
    double *factor = cuda_host(lane, s->factor);
    for (int64_t i = 0; has_rows(s) && i < s->v->n; i++) rows[i] = cuda_source_row(s, i);
    for (int64_t i = 0; s->by.row && i < s->v->n; i++) factor[i] = cuda_source_factor(s, i);
    return s->d->x ? PARE_OK : load(s, from, count, cuda_host(lane, s->raw), threads, err);
}

static pare_status store(cuda_lane *lane, const void *from, void *to, int64_t count,
                         pare_error *err) {
    int64_t n = lane->of->base.n;
    cuda_store_args args = {from, to, n, count};
    return cuda_run(lane, CUDA_store, (count + WARP - 1) / WARP * WARP * n, &args, err);
}

pare_status cuda_source_store(const cuda_source *s, cuda_lane *lane, pare_error *err) {
    if (s->d->x) return PARE_OK;
    return store(lane, cuda_at(lane, s->raw), cuda_at(lane, s->stored), s->now, err);
}

cuda_columns cuda_source_columns(const cuda_source *s, const cuda_lane *lane) {
    return (cuda_columns){.x = s->d->x ? (void *)s->d->x : cuda_at(lane, s->stored),
                          .stored = s->d->base.n,
                          .base = cuda_at(lane, s->base),
                          .first = s->d->x ? s->from : 0,
                          .count = s->now,
                          .col = cuda_source_array(s, lane, CUDA_COL),
                          .median = cuda_source_array(s, lane, CUDA_MEDIAN),
                          .spread = cuda_source_array(s, lane, CUDA_SPREAD),
                          .fill = cuda_source_array(s, lane, CUDA_FILL)};
}

cuda_rows cuda_source_rows(const cuda_source *s, const cuda_lane *lane) {
    return (cuda_rows){cuda_at(lane, s->rows), cuda_at(lane, s->factor), s->v->n};
}

const double *cuda_source_array(const cuda_source *s, const cuda_lane *lane, cuda_array which) {
    return cuda_at(lane, s->of_array[which]);
}

/* ---- X ---- */

static pare_status copy(cuda_device *d, int threads, pare_error *err) {
    int64_t n = d->base.n, total = d->base.d;
    int64_t bytes = min64(PLACE_BYTES, (int64_t)d->budget);
    int64_t columns = max64(1, min64(bytes / 8 / n, total + WARP - 1) / WARP) * WARP;
    cuda_plan plan = {0};
    cuda_span raw = cuda_plan_input(&plan, columns * n, sizeof(double));
    cuda_lane *lane;
    view all = view_all(&d->base);
    cuda_source s;
    pare_status status = PARE_OK;
    cuda_source_open(&s, d, &all, NULL, total, 0);
    TRY(cuda_take(&lane, d, &plan, "the copy of X", err));
    for (int64_t first = 0; first < total; first += columns) {
        int64_t now = min64(columns, total - first);
        TRY(load(&s, first, now, cuda_host(lane, raw), threads, err));
        TRY(cuda_upload(lane, sizeof(double) * (size_t)(now * n), err));
        TRY(store(lane, cuda_at(lane, raw), (double *)(void *)d->x + first * n, now, err));
        TRY(cuda_wait(lane, err));
    }
done:
    cuda_give(lane);
    return status;
}

pare_status cuda_place(cuda_device *d, int threads, pare_error *err) {
    size_t room, groups = (size_t)((d->base.d + WARP - 1) / WARP), bytes;
    PASS(cuda_device_free_bytes(d, &room, err));
    d->budget = (size_t)fmin(MAX_BUDGET, BUDGET_SHARE / CUDA_LANES * (double)room);
    if (!size_mul((int64_t)groups, d->base.n * WARP * 8, &bytes)) return error_memory(err);
    bytes = bytes ? bytes : 1;
    bool whole = bytes + 2 * CUDA_LANES * d->budget <= room;
    if (!whole) { /* one at a time: blocks are large */
        d->lanes = 1;
        d->budget = (size_t)fmin(MAX_BUDGET, 0.5 * (double)room);
        return PARE_OK;
    }
    PASS(cuda_device_alloc(d, &d->x, bytes, "X", err));
    return copy(d, threads, err);
}
