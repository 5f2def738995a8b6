/* Dense column-major storage. Each operation but the products (dense_product.c) is a loop over
 * columns that share nothing, so any division among threads gives the same bits. */
#include "la/dense.h"

#include <cblas.h>
#include <omp.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "la/dot.h"

int64_t dense_tile_width(int64_t n) { return max64(16, min64(512, ((int64_t)1 << 17) / n)); }

bool dense_is_direct(const view *v) { return !v->rows && view_is_raw(v); }

static const double *base_column(const view *v, int64_t base) {
    return v->x->value + base * v->x->n;
}

void dense_load(const view *v, int64_t base, double factor, double *out) {
    const double *x = base_column(v, base);
    transform t = view_transform(v, base);
    double shift = t.shift, scale = t.scale * factor;
    if (v->rows) {
        for (int64_t i = 0; i < v->n; i++) out[i] = x[v->rows[i]];
        x = out;
    }
    if (v->x->missing && v->fill)
        for (int64_t i = 0; i < v->n; i++)
            out[i] = ((x[i] == x[i] ? x[i] : t.fill) - shift) * scale;
    else
        for (int64_t i = 0; i < v->n; i++) out[i] = (x[i] - shift) * scale;
}

/* The view's column: in X itself if it is there as it is, else loaded into buffer. */
static const double *dense_column_at(const view *v, int64_t base, double *buffer) {
    if (dense_is_direct(v)) return base_column(v, base);
    dense_load(v, base, 1, buffer);
    return buffer;
}

static pare_status dense_column_open(column_reader *r, const pare_ctx *ctx, pare_error *err) {
    (void)ctx;
    if (dense_is_direct(r->v)) return PARE_OK;
    r->value = mem_alloc(r->mem, r->v->n, sizeof *r->value);
    return r->value ? PARE_OK : error_memory(err);
}

static void dense_column(column_reader *r, int64_t j, column *out) {
    const double *value = dense_column_at(r->v, view_base(r->v, j), r->value);
    *out = (column){0, r->v->n, NULL, value};
}

/* ---- X'U ---- */

static void square(double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) x[i] *= x[i];
}

/* Few right-hand sides: a column is in the first cache while all of them meet it. */
static void tmul_dots(const view *v, const double *U, int64_t c, bool squared, double *out,
                      double *buffer, int threads) {
    bool direct = dense_is_direct(v) && !squared;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64)
    for (int64_t j = 0; j < v->d; j++) {
        double *own = buffer + omp_get_thread_num() * v->n;
        const double *x = own;
        if (direct)
            x = base_column(v, view_base(v, j));
        else
            dense_load(v, view_base(v, j), 1, own);
        if (squared) square(own, v->n);
        for (int64_t k = 0; k < c; k++) out[j + k * v->d] = la_dot(x, U + k * v->n, v->n);
    }
}

/* Many: tiles of columns against blocks of U. The block of results goes through a small buffer, so
 * that BLAS never sees d as a leading dimension. */
enum { C_BLOCK = 128, DOTS_UP_TO = 4 };

static void tmul_tiles(const view *v, const double *U, int64_t c, bool squared, double *out,
                       double *tile, double *block, int64_t width, int threads) {
    bool direct = dense_is_direct(v) && !v->cols && !squared;
    int64_t tiles = (v->d + width - 1) / width, n = v->n;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t t = 0; t < tiles; t++) {
        int64_t first = t * width, w = min64(width, v->d - first);
        double *own = tile + omp_get_thread_num() * n * width;
        double *result = block + omp_get_thread_num() * C_BLOCK * width;
        if (!direct)
            for (int64_t j = 0; j < w; j++) dense_load(v, view_base(v, first + j), 1, own + j * n);
        if (squared) square(own, n * w);
        const double *x = direct ? base_column(v, first) : own;
        for (int64_t k = 0; k < c; k += C_BLOCK) {
            int64_t wide = min64(C_BLOCK, c - k);
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)w, (int)wide, (int)n, 1, x,
                        (int)n, U + k * n, (int)n, 0, result, (int)w);
            for (int64_t q = 0; q < wide; q++)
                memcpy(out + first + (k + q) * v->d, result + q * w, (size_t)w * sizeof *out);
        }
    }
}

static pare_status dense_tmul(const view *v, const double *U, int64_t c, bool squared, double *out,
                              const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    int threads = work_threads(ctx, (double)v->n * (double)v->d * (double)c);
    int64_t width = c <= DOTS_UP_TO ? 1 : dense_tile_width(v->n);
    double *tile, *block;
    TRY_MEM(tile = ARENA_NEW(&scratch, double, threads * v->n * width));
    if (c <= DOTS_UP_TO) {
        tmul_dots(v, U, c, squared, out, tile, threads);
    } else {
        TRY_MEM(block = ARENA_NEW(&scratch, double, threads *C_BLOCK *width));
        tmul_tiles(v, U, c, squared, out, tile, block, width, threads);
    }
done:
    arena_free(&scratch);
    return status;
}

/* ---- statistics ---- */

/* Two passes over one column of n values that sits in cache. */
static col_stats column_stats(const double *x, const double *weight, int64_t n) {
    col_stats s = {0, 0, INFINITY, -INFINITY, 0, 0};
    double total = 0, sum = 0, squares = 0, left = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!(weight[i] > 0)) continue;
        if (x[i] != x[i]) {
            s.missing++;
            continue;
        }
        total += weight[i];
        sum += weight[i] * x[i];
        s.min = x[i] < s.min ? x[i] : s.min;
        s.max = x[i] > s.max ? x[i] : s.max;
        s.nonzeros += x[i] != 0;
    }
    if (!(total > 0)) return (col_stats){.missing = s.missing};
    if (s.min == s.max) { /* exactly constant, whatever the mean rounds to */
        s.mean = s.min;
        return s;
    }
    s.mean = sum / total;
    for (int64_t i = 0; i < n; i++) {
        if (!(weight[i] > 0) || x[i] != x[i]) continue;
        double away = x[i] - s.mean;
        left += weight[i] * away; /* what the rounding of the mean left over */
        squares += weight[i] * away * away;
    }
    s.var = fmax(0, (squares - left * (left / total)) / total);
    s.mean += left / total;
    return s;
}

static pare_status dense_stats(const view *v, const double *weight, col_stats *out,
                               const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    view raw = *v;
    raw.shift = raw.scale = raw.fill = NULL;
    int threads = work_threads(ctx, (double)v->n * (double)v->d);
    double *buffer, *ones;
    TRY_MEM(buffer = ARENA_NEW(&scratch, double, v->rows ? threads * v->n : 1));
    if (!weight) {
        TRY_MEM(ones = ARENA_NEW(&scratch, double, v->n));
        for (int64_t i = 0; i < v->n; i++) ones[i] = 1;
        weight = ones;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64)
    for (int64_t j = 0; j < v->d; j++) {
        double *own = buffer + (v->rows ? omp_get_thread_num() * v->n : 0);
        out[j] = column_stats(dense_column_at(&raw, view_base(v, j), own), weight, v->n);
    }
done:
    arena_free(&scratch);
    return status;
}

static pare_status dense_compact(matrix *out, const view *v, const pare_ctx *ctx, pare_error *err) {
    view raw = *v;
    raw.shift = raw.scale = raw.fill = NULL;
    double *value = NULL;
    size_t bytes;
    if (size_mul(v->n, v->d, &bytes))
        value = mem_alloc(ctx_allocator(ctx), (int64_t)bytes, sizeof *value);
    if (!value) return error_memory(err);
    int threads = work_threads(ctx, (double)v->n * (double)v->d);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t j = 0; j < v->d; j++) dense_load(&raw, view_base(v, j), 1, value + j * v->n);
    *out = mat_dense(v->n, v->d, value);
    return PARE_OK;
}

const mat_ops dense_ops = {
    .kind = "dense",
    .sparse = false,
    .gram = dense_gram,
    .gram_many = dense_gram_many,
    .tmul = dense_tmul,
    .mul = dense_mul,
    .stats = dense_stats,
    .compact = dense_compact,
    .column_open = dense_column_open,
    .column = dense_column,
};
