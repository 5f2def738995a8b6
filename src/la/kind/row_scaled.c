/* Another matrix with each row times a factor and each column times another: text rows of norm 1,
 * counts times idf. Nothing is copied: entry (i, j) is row_i col_j x_ij, which a view shows as
 *     row_i (x_ij col_j scale_j) + rest_j,   rest_j = (0 - shift_j) scale_j,
 * so that every product is one of the other matrix, with the column factors in its scale and the
 * rows taken in before or after. Sparse stays sparse. Where the other matrix is dense the factors
 * go into the tile instead, before the shift: nothing cancels. No missing values. */
#include <string.h>

#include "base/error.h"
#include "la/storage.h"

static const row_scaling *by_of(const matrix *x) { return x->self; }

static double row_factor(const view *v, int64_t i) {
    return by_of(v->x)->row[v->rows ? v->rows[i] : i];
}

static double col_factor(const row_scaling *by, int64_t base) {
    return by->col ? by->col[base] : 1;
}

static double rest_of(const view *v, int64_t j) {
    return transform_value(view_transform(v, view_base(v, j)), 0);
}

/* A view of the other matrix with the same rows and columns, scaled by both, not shifted. */
static pare_status inner_view(view *out, const view *v, arena *mem, pare_error *err) {
    const row_scaling *by = by_of(v->x);
    *out = *v;
    out->x = by->of;
    out->shift = out->fill = NULL;
    out->single_precision =
        false; /* its Gram is of the order of 1 only after the shifts are subtracted */
    if (!by->col) return PARE_OK;
    double *scale = ARENA_NEW(mem, double, v->x->d);
    if (!scale) return error_memory(err);
    for (int64_t j = 0; j < v->d; j++) {
        int64_t base = view_base(v, j);
        scale[base] = by->col[base] * (v->scale ? v->scale[base] : 1);
    }
    out->scale = scale;
    return PARE_OK;
}

/* ---- X'U ---- */

/* out (n x c) = U with row i times its factor to that power. */
static void scale_rows(double *out, const view *v, const double *U, int64_t c, int power) {
    for (int64_t i = 0; i < v->n; i++) {
        double r = row_factor(v, i), by = power == 2 ? r * r : r;
        for (int64_t k = 0; k < c; k++) out[k * v->n + i] = by * U[k * v->n + i];
    }
}

static pare_status scaled_tmul(const view *v, const double *U, int64_t c, bool squared, double *out,
                               const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    view in;
    double *own, *plain = out, *sum;
    TRY(inner_view(&in, v, &mem, err));
    TRY_MEM(own = ARENA_NEW(&mem, double, v->n *c));
    TRY_MEM(sum = ARENA_ZERO(&mem, double, c));
    if (squared) {
        scale_rows(own, v, U, c, 2);
        TRY(mat_tmul2(&in, own, c, out, ctx, err));
        if (!v->shift) goto done;
        TRY_MEM(plain = ARENA_NEW(&mem, double, v->d *c));
    }
    scale_rows(own, v, U, c, 1);
    TRY(mat_tmul(&in, own, c, plain, ctx, err));
    for (int64_t k = 0; v->shift && k < c; k++)
        for (int64_t i = 0; i < v->n; i++) sum[k] += U[k * v->n + i];
    for (int64_t k = 0; v->shift && k < c; k++)
        for (int64_t j = 0; j < v->d; j++) {
            double rest = rest_of(v, j), *to = &out[k * v->d + j];
            *to += squared ? rest * (2 * plain[k * v->d + j] + rest * sum[k]) : rest * sum[k];
        }
done:
    arena_free(&mem);
    return status;
}

/* ---- X_S W ---- */

static pare_status scaled_mul(const view *v, const int64_t *S, int64_t s, const double *W,
                              int64_t c, double *F, const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    view in;
    TRY(inner_view(&in, v, &mem, err));
    TRY(mat_mul(&in, S, s, W, c, F, ctx, err));
    for (int64_t k = 0; k < c; k++) {
        double rest = 0;
        for (int64_t p = 0; v->shift && p < s; p++) rest += rest_of(v, S ? S[p] : p) * W[k * s + p];
        for (int64_t i = 0; i < v->n; i++)
            F[k * v->n + i] = row_factor(v, i) * F[k * v->n + i] + rest;
    }
done:
    arena_free(&mem);
    return status;
}

/* ---- A diag(z) B' ---- */

/* out (n) = G diag(z) rest of the other view, G: the inner view. */
static pare_status against_rest(double *out, const view *in, const view *other, const double *z,
                                arena *mem, const pare_ctx *ctx, pare_error *err) {
    double *w = ARENA_NEW(mem, double, in->d);
    if (!w) return error_memory(err);
    for (int64_t j = 0; j < in->d; j++) w[j] = (z ? z[j] : 1) * rest_of(other, j);
    return mat_mul(in, NULL, in->d, w, 1, out, ctx, err);
}

/* Turns the Gram of the inner views into that of these. */
static pare_status finish_gram(double *K, const view *a, const view *b, const view *in_a,
                               const view *in_b, const double *z, arena *mem, const pare_ctx *ctx,
                               pare_error *err) {
    double *left = NULL, *right = NULL, both = 0;
    bool shifted = a->shift || b->shift;
    PASS_MEM(left = ARENA_ZERO(mem, double, a->n));
    PASS_MEM(right = a == b ? left : ARENA_ZERO(mem, double, b->n));
    if (shifted) PASS(against_rest(left, in_a, b, z, mem, ctx, err));
    if (shifted && a != b) PASS(against_rest(right, in_b, a, z, mem, ctx, err));
    for (int64_t j = 0; shifted && j < a->d; j++)
        both += (z ? z[j] : 1) * rest_of(a, j) * rest_of(b, j);
    for (int64_t i = 0; i < a->n; i++) left[i] *= row_factor(a, i);
    for (int64_t i = 0; a != b && i < b->n; i++) right[i] *= row_factor(b, i);
    for (int64_t k = 0; k < b->n; k++) {
        double r = row_factor(b, k);
        for (int64_t i = 0; i < a->n; i++) {
            double *to = &K[k * a->n + i];
            *to = *to * (row_factor(a, i) * r) + (left[i] + right[k] + both);
        }
    }
    return PARE_OK;
}

static pare_status scaled_gram(const view *a, const view *b, const double *z, double *K,
                               const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    view in_a, in_b;
    TRY(inner_view(&in_a, a, &mem, err));
    if (b) TRY(inner_view(&in_b, b, &mem, err));
    TRY(mat_gram(&in_a, b ? &in_b : NULL, z, K, ctx, err));
    TRY(finish_gram(K, a, b ? b : a, &in_a, b ? &in_b : &in_a, z, &mem, ctx, err));
done:
    arena_free(&mem);
    return status;
}

static pare_status scaled_gram_many(int64_t count, const view *v, const double *const *z,
                                    double *const *K, const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    view *in = ARENA_NEW(&mem, view, count);
    TRY_MEM(in);
    for (int64_t i = 0; i < count; i++) TRY(inner_view(&in[i], &v[i], &mem, err));
    TRY(mat_gram_many(count, in, z, K, ctx, err));
    for (int64_t i = 0; i < count; i++)
        TRY(finish_gram(K[i], &v[i], &v[i], &in[i], &in[i], z ? z[i] : NULL, &mem, ctx, err));
done:
    arena_free(&mem);
    return status;
}

/* ---- columns ---- */

typedef struct scaled_walk {
    walk in;
    view v;
    double *row, *value; /* n: factors of the view's rows, and a column's values */
} scaled_walk;

static pare_status scaled_walk_open(walk *w, pare_error *err) {
    const view *v = w->v;
    pare_status status = PARE_OK;
    scaled_walk *s = w->self = ARENA_ZERO(&w->mem, scaled_walk, 1);
    TRY_MEM(s);
    TRY_MEM(ARENA_NEWS(&w->mem, double, v->n, &s->row, &s->value));
    for (int64_t i = 0; i < v->n; i++) s->row[i] = row_factor(v, i);
    s->v = *v;
    s->v.x = by_of(v->x)->of;
    s->v.shift = s->v.scale = s->v.fill = NULL;
    s->in = (walk){.v = &s->v, .stop = v->d, .mem = w->mem};
    status = walk_begin(&s->in, err);
    w->mem = s->in.mem; /* its memory is freed with the walk */
done:
    return status;
}

static pare_status scaled_column(walk *w, int64_t j, column *out, pare_error *err) {
    scaled_walk *s = w->self;
    int64_t base = view_base(w->v, j);
    transform t = view_transform(w->v, base);
    double factor = col_factor(by_of(w->v->x), base);
    if (!walk_at(&s->in, j, out)) {
        if (err) *err = s->in.error;
        return s->in.status;
    }
    for (int64_t e = 0; e < out->count; e++) {
        double x = out->value[e] * factor * s->row[out->index ? out->index[e] : e];
        s->value[e] = transform_value(t, x);
    }
    out->rest = transform_value(t, 0);
    out->value = s->value;
    return PARE_OK;
}

/* ---- statistics ---- */

typedef struct sums {
    double total; /* total weight of the rows, and the number of positive weight */
    int64_t count;
} sums;

/* A sparse column: its entries, and zeros elsewhere. Two passes over it. */
static col_stats column_stats(const column *c, const double *weight, sums all) {
    col_stats s = {.min = INFINITY, .max = -INFINITY};
    double sum = 0, listed = 0, left, squares;
    int64_t seen = 0;
    for (int64_t e = 0; e < c->count; e++) {
        double w = weight ? weight[c->index ? c->index[e] : e] : 1, x = c->value[e];
        if (!(w > 0)) continue;
        sum += w * x;
        listed += w;
        seen++;
        s.min = fmin(s.min, x);
        s.max = fmax(s.max, x);
        s.nonzeros += x != 0;
    }
    double zeros = seen < all.count && all.total > listed ? all.total - listed : 0;
    if (seen < all.count) {
        s.min = fmin(s.min, 0);
        s.max = fmax(s.max, 0);
    }
    if (!(listed + zeros > 0)) return (col_stats){0};
    if (s.min == s.max) {
        s.mean = s.min;
        return s;
    }
    double total = listed + zeros;
    s.mean = sum / total;
    left = zeros * (0 - s.mean);
    squares = zeros * s.mean * s.mean;
    for (int64_t e = 0; e < c->count; e++) {
        double w = weight ? weight[c->index ? c->index[e] : e] : 1, away = c->value[e] - s.mean;
        if (!(w > 0)) continue;
        left += w * away;
        squares += w * away * away;
    }
    s.var = fmax(0, (squares - left * (left / total)) / total);
    s.mean += left / total;
    return s;
}

static pare_status scaled_stats(const view *v, const double *weight, col_stats *out,
                                const pare_ctx *ctx, pare_error *err) {
    view raw = *v;
    walk w;
    column c;
    int64_t j;
    sums all = {0, 0};
    raw.shift = raw.scale = raw.fill = NULL;
    for (int64_t i = 0; i < v->n; i++) {
        double own = weight ? weight[i] : 1;
        all.total += own;
        all.count += own > 0;
    }
    pare_status status = walk_open(&w, &raw, NULL, raw.d, ctx, err);
    while (status == PARE_OK && walk_next(&w, &j, &c)) out[j] = column_stats(&c, weight, all);
    return walk_end(&w, status, err);
}

/* ---- compact ---- */

/* Two walks: how many entries each column has, and the entries. */
pare_status mat_compact_sparse(matrix *out, const view *v, const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    view raw = *v;
    walk w = {0};
    column c;
    int64_t j, *col_ptr;
    int32_t *row = NULL;
    double *value = NULL;
    pare_status status = PARE_OK;
    raw.shift = raw.scale = raw.fill = NULL;
    TRY_MEM(col_ptr = mem_zero(mem, v->d + 1, sizeof *col_ptr));
    TRY(walk_open(&w, &raw, NULL, raw.d, ctx, err));
    while (walk_next(&w, &j, &c)) col_ptr[j + 1] = col_ptr[j] + c.count;
    TRY(walk_close(&w, err));
    TRY_MEM(row = mem_alloc(mem, col_ptr[v->d], sizeof *row));
    TRY_MEM(value = mem_alloc(mem, col_ptr[v->d], sizeof *value));
    TRY(walk_open(&w, &raw, NULL, raw.d, ctx, err));
    while (walk_next(&w, &j, &c)) {
        if (c.count == 0) continue;
        memcpy(row + col_ptr[j], c.index, (size_t)c.count * sizeof *row);
        memcpy(value + col_ptr[j], c.value, (size_t)c.count * sizeof *value);
    }
    TRY(walk_close(&w, err));
    TRY(mat_csc_own(out, v->n, v->d, (csc_arrays){col_ptr, row, value}, mem, err));
done:
    if (status != PARE_OK) {
        mem_free(mem, col_ptr);
        mem_free(mem, row);
        mem_free(mem, value);
    }
    return status;
}

/* ---- the kind ---- */

static pare_status scaled_load(const matrix *x, const int64_t *base, int64_t count,
                               const int32_t *rows, int64_t n, double *out, pare_error *err) {
    const row_scaling *by = by_of(x);
    pare_status status = by->of->ops->load(by->of, base, count, rows, n, out, err);
    for (int64_t k = 0; k < count && status == PARE_OK; k++, out += n)
        for (int64_t i = 0; i < n; i++)
            out[i] = out[i] * col_factor(by, base[k]) * by->row[rows ? rows[i] : i];
    return status;
}

static const matrix *scaled_of(const matrix *x) { return by_of(x)->of; }
static bool scaled_chain(const matrix *x, entry_chain *by) {
    if (by->row || by->rows) return false;
    by->row = by_of(x)->row;
    by->col = by_of(x)->col;
    return true;
}
static double scaled_stored(const matrix *x) { return mat_stored(by_of(x)->of); }

#define SCALED                                                                                     \
    .kind = "row-scaled", .of = scaled_of, .over = scaled_of, .chain = scaled_chain,               \
    .stored = scaled_stored, .load = scaled_load
static const mat_ops sparse_ops = {SCALED,
                                   .gram = scaled_gram,
                                   .gram_many = scaled_gram_many,
                                   .tmul = scaled_tmul,
                                   .mul = scaled_mul,
                                   .stats = scaled_stats,
                                   .compact = mat_compact_sparse,
                                   .walk_open = scaled_walk_open,
                                   .column = scaled_column};
static const mat_ops dense_ops = {SCALED};

matrix mat_row_scaled(const row_scaling *by) {
    const mat_ops *own = by->of->ops->row_scaled;
    const mat_ops *ops = mat_is_sparse(by->of) ? &sparse_ops : &dense_ops;
    return (matrix){own ? own : ops, by->of->n, by->of->d, false, (void *)by};
}
