/* Operations on any kind that can load its columns. Each but the products (product.c) is a loop
 * over runs of columns that share nothing, so any division among threads gives the same bits. */
#include "la/product/tile.h"

#include <omp.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "la/kind/asinh_single.h"
#include "la/product/dot.h"
#include "la/pass/gather.h"

int64_t tile_width(int64_t n) { return max64(16, min64(MAX_TILE, ((int64_t)1 << 17) / n)); }

void failure_note(failure *f, pare_status status, const pare_error *error) {
    if (atomic_exchange(&f->noted, 1)) return;
    f->status = status;
    f->error = *error;
}

pare_status failure_end(const failure *f, pare_error *err) {
    if (f->status != PARE_OK && err) *err = f->error;
    return f->status;
}

/* ---- loading ---- */

const double *tile_direct(const view *v, int64_t *stride) {
    bool shown = !v->rows && view_is_raw(v) && v->x->ops->direct;
    return shown ? v->x->ops->direct(v->x, stride) : NULL;
}

/* to = the transformed column times factor; from may be to, unless rows are gathered. */
static void transform_column(const view *v, int64_t base, double factor, const int32_t *rows,
                             const double *from, double *to) {
    transform t = view_transform(v, base);
    double shift = t.shift, scale = t.scale * factor;
    if (rows && factor == 1 && view_is_raw(v))
        for (int64_t i = 0; i < v->n; i++) to[i] = from[rows[i]];
    else if (v->x->missing && v->fill)
        for (int64_t i = 0; i < v->n; i++) {
            double x = from[rows ? rows[i] : i];
            to[i] = ((x == x ? x : t.fill) - shift) * scale;
        }
    else if (rows)
        for (int64_t i = 0; i < v->n; i++) to[i] = (from[rows[i]] - shift) * scale;
    else
        for (int64_t i = 0; i < v->n; i++) to[i] = (from[i] - shift) * scale;
}

pare_status tile_load(const view *v, const int64_t *base, int64_t count, const double *factor,
                      double *out, pare_error *err) {
    int64_t n = v->n, stride = n;
    const double *x = v->x->ops->direct ? v->x->ops->direct(v->x, &stride) : NULL;
    if (!x) {
        pare_status status = v->x->ops->load(v->x, base, count, v->rows, n, out, err);
        if (status != PARE_OK || (view_is_raw(v) && !factor)) return status;
    }
    for (int64_t k = 0; k < count; k++) {
        if (x && k + 1 < count) prefetch_column(x + base[k + 1] * stride, v->x->n);
        transform_column(v, base[k], factor ? factor[k] : 1, x ? v->rows : NULL,
                         x ? x + base[k] * stride : out + k * n, out + k * n);
    }
    return PARE_OK;
}

/* Column `base` in memory as doubles, and the asinh it is seen through; spread 0: none. NULL: it is
 * not there. */
static const double *column_under(const matrix *x, int64_t base, double *median, double *spread) {
    int64_t stride;
    *median = *spread = 0;
    if (x->ops->under) return x->ops->under(x, base, median, spread);
    const double *first = x->ops->direct ? x->ops->direct(x, &stride) : NULL;
    return first ? first + base * stride : NULL;
}

/* false: values are too large for asinh in single precision. */
static bool load_single_column(const gather_list *rows, const double *from, double median,
                               double spread, transform t, float *out) {
    if (!(spread > 0)) {
        gather_single(rows, from, t.shift, t.scale, out);
        return true;
    }
    gather_single(rows, from, median, 1 / spread, out);
    return asinh_single(out, rows->n, (float)t.shift, (float)t.scale);
}

pare_status tile_load_single(const view *v, const int64_t *base, int64_t count,
                             const double *factor, double *scratch, float *out, pare_error *err) {
    int64_t n = v->n;
    double median, spread, next_median, next_spread;
    bool as_is = !(v->x->missing && v->fill) && count > 0;
    const double *x = as_is ? column_under(v->x, base[0], &median, &spread) : NULL, *next;
    if (!x) {
        pare_status status = tile_load(v, base, count, factor, scratch, err);
        for (int64_t e = 0; status == PARE_OK && e < n * count; e++) out[e] = (float)scratch[e];
        return status;
    }
    gather_list rows;
    gather_plan(&rows, v->rows, n, v->x->n);
    for (int64_t k = 0; k < count; k++, x = next, median = next_median, spread = next_spread) {
        transform t = view_transform(v, base[k]);
        if (factor) t.scale *= factor[k];
        next = column_under(v->x, base[k + 1 < count ? k + 1 : k], &next_median, &next_spread);
        if (k + 1 < count) prefetch_column(next, v->x->n);
        if (load_single_column(&rows, x, median, spread, t, out + k * n)) continue;
        PASS(tile_load(v, base + k, 1, factor ? factor + k : NULL, scratch, err));
        for (int64_t i = 0; i < n; i++) out[k * n + i] = (float)scratch[i];
    }
    return PARE_OK;
}

void load_run(const view *v, int64_t first, int64_t count, double *out, failure *failed) {
    int64_t base[MAX_TILE];
    pare_error error;
    for (int64_t k = 0; k < count; k++) base[k] = view_base(v, first + k);
    pare_status status = tile_load(v, base, count, NULL, out, &error);
    if (status == PARE_OK) return;
    failure_note(failed, status, &error);
    memset(out, 0, (size_t)(v->n * count) * sizeof *out);
}

/* ---- one column ---- */

pare_status tile_walk_open(walk *w, pare_error *err) {
    int64_t stride;
    if (tile_direct(w->v, &stride)) return PARE_OK;
    w->self = ARENA_NEW(&w->mem, double, w->v->n);
    return w->self ? PARE_OK : error_memory(err);
}

pare_status tile_column(walk *w, int64_t j, column *out, pare_error *err) {
    int64_t base = view_base(w->v, j), stride;
    const double *x = w->self ? NULL : tile_direct(w->v, &stride);
    *out = (column){0, w->v->n, NULL, x ? x + base * stride : w->self};
    return x ? PARE_OK : tile_load(w->v, &base, 1, NULL, w->self, err);
}

/* ---- compact ---- */

pare_status tile_compact(matrix *out, const view *v, const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    view raw = *v;
    raw.shift = raw.scale = raw.fill = NULL;
    failure failed = {0};
    pare_status status = PARE_OK;
    int threads = work_threads(ctx, (double)v->n * (double)v->d), missing = 0;
    double *buffer = mem_alloc(mem, threads * v->n, sizeof *buffer);
    TRY_MEM(buffer);
    TRY((v->x->ops->make ? v->x->ops->make : mat_dense_make)(out, v->n, v->d, mem, err));
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : missing)
    for (int64_t j = 0; j < v->d; j++) {
        double *own = buffer + omp_get_thread_num() * v->n;
        load_run(&raw, j, 1, own, &failed);
        missing |= v->x->missing && any_missing(own, v->n);
        out->ops->save(out, j, own);
    }
    out->missing = missing;
    status = failure_end(&failed, err);
done:
    if (status != PARE_OK) mat_free(out, mem);
    mem_free(mem, buffer);
    return status;
}
