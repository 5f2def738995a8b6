#include "support/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *get(int64_t count, size_t size) {
    void *p = calloc((size_t)count + 1, size);
    assert_non_null(p);
    return p;
}

sample sample_dense(rng *r, int64_t n, int64_t d, double missing) {
    sample s = {.dense = random_normal(r, n, d)};
    for (int64_t i = 0; i < n * d; i++)
        if (rng_uniform(r) < missing) s.dense[i] = NAN;
    for (int64_t j = 3; j < d; j += 7)
        for (int64_t i = 0; i < n; i++) s.dense[i + j * n] = j % 2 ? 0 : 0.1;
    s.x = mat_dense(n, d, s.dense);
    return s;
}

sample sample_sparse(rng *r, int64_t n, int64_t d, double density, double missing) {
    matrix x = random_sparse(r, n, d, density);
    double *value = (double *)arrays_of(&x)->value;
    for (int64_t e = 0; e < arrays_of(&x)->col_ptr[d]; e++) {
        if (rng_uniform(r) < missing) value[e] = NAN;
        if (rng_uniform(r) < 0.02) value[e] = 0;
        x.missing = x.missing || isnan(value[e]);
    }
    sample s = {x, NULL, true};
    s.dense = dense_of(&s.x);
    return s;
}

void sample_free(sample *s) {
    if (s->owned) mat_free(&s->x, NULL);
    free(s->dense);
}

drawn view_draw(rng *r, const matrix *x, int what) {
    drawn w = {.v = view_all(x)};
    if (what & VIEW_ROWS) {
        w.v.n = 1 + rng_below(r, x->n + 3);
        w.rows = get(w.v.n, sizeof *w.rows);
        bool ascending = rng_below(r, 2);
        for (int64_t i = 0; i < w.v.n; i++)
            w.rows[i] = (int32_t)(ascending ? i * x->n / w.v.n : rng_below(r, x->n));
        w.v.rows = w.rows;
    }
    if (what & VIEW_COLS) {
        w.v.d = x->d ? rng_below(r, x->d + 3) : 0;
        w.cols = get(w.v.d, sizeof *w.cols);
        for (int64_t j = 0; j < w.v.d; j++) w.cols[j] = rng_below(r, x->d);
        w.v.cols = w.cols;
    }
    w.shift = random_normal(r, 1, x->d);
    w.scale = random_normal(r, 1, x->d);
    w.fill = random_normal(r, 1, x->d);
    if (what & VIEW_SHIFT) w.v.shift = w.shift;
    if (what & VIEW_SCALE) w.v.scale = w.scale;
    if (what & VIEW_FILL || x->missing) w.v.fill = w.fill;
    return w;
}

void view_undraw(drawn *w) {
    free(w->rows);
    free(w->cols);
    free(w->shift);
    free(w->scale);
    free(w->fill);
}

double *view_values(const sample *s, const view *v) {
    double *out = get(v->n * v->d, sizeof *out);
    for (int64_t j = 0; j < v->d; j++)
        for (int64_t i = 0; i < v->n; i++) {
            int64_t base = v->cols ? v->cols[j] : j, row = v->rows ? v->rows[i] : i;
            double x = s->dense[row + base * s->x.n];
            if (isnan(x) && v->fill) x = v->fill[base];
            if (v->shift) x -= v->shift[base];
            if (v->scale) x *= v->scale[base];
            out[i + j * v->n] = x;
        }
    return out;
}

double *random_weights(rng *r, int64_t count) {
    double *w = get(count, sizeof *w);
    for (int64_t i = 0; i < count; i++) w[i] = rng_below(r, 3) ? rng_uniform(r) : 0;
    return w;
}

/* Sums of a few hundred terms of size about 1 to 10. */
static const double tol = 1e-11;

static void check_block(const double *got, const double *wanted, int64_t count) {
    for (int64_t i = 0; i < count; i++) check_close(got[i], wanted[i], tol);
}

/* out = A diag(z) B' for A n x d, B m x d. */
static double *slow_gram(const double *A, int64_t n, const double *B, int64_t m, int64_t d,
                         const double *z) {
    double *K = get(n * m, sizeof *K);
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = 0; k < m; k++)
            for (int64_t i = 0; i < n; i++)
                K[i + k * n] += A[i + j * n] * B[k + j * m] * (z ? z[j] : 1);
    return K;
}

static void check_gram(rng *r, const sample *s, int what, const pare_ctx *ctx) {
    drawn a = view_draw(r, &s->x, what), b = view_draw(r, &s->x, what);
    b.v.cols = a.v.cols;
    b.v.d = a.v.d;
    double *A = view_values(s, &a.v), *B = view_values(s, &b.v), *w = random_weights(r, a.v.d);
    const double *zs[] = {NULL, w};
    for (int k = 0; k < 2; k++) {
        double *K = get(a.v.n * b.v.n, sizeof *K), *Ka = get(a.v.n * a.v.n, sizeof *K);
        double *Kb = get(b.v.n * b.v.n, sizeof *K);
        double *wanted = slow_gram(A, a.v.n, B, b.v.n, a.v.d, zs[k]);
        double *wanted_a = slow_gram(A, a.v.n, A, a.v.n, a.v.d, zs[k]);
        double *wanted_b = slow_gram(B, b.v.n, B, b.v.n, a.v.d, NULL);
        assert_int_equal(mat_gram(&a.v, &b.v, zs[k], K, ctx, NULL), PARE_OK);
        check_block(K, wanted, a.v.n * b.v.n);
        assert_int_equal(mat_gram(&a.v, NULL, zs[k], Ka, ctx, NULL), PARE_OK);
        check_block(Ka, wanted_a, a.v.n * a.v.n);
        memset(Ka, 0, (size_t)(a.v.n * a.v.n) * sizeof *Ka);
        view both[2] = {a.v, b.v};
        const double *z_many[2] = {zs[k], NULL};
        double *K_many[2] = {Ka, Kb};
        assert_int_equal(mat_gram_many(2, both, k ? z_many : NULL, K_many, ctx, NULL), PARE_OK);
        check_block(Ka, wanted_a, a.v.n * a.v.n);
        check_block(Kb, wanted_b, b.v.n * b.v.n);
        for (int64_t i = 0; i < a.v.n; i++)
            for (int64_t j = 0; j < i; j++) assert_true(Ka[i + j * a.v.n] == Ka[j + i * a.v.n]);
        free(K);
        free(Ka);
        free(Kb);
        free(wanted);
        free(wanted_a);
        free(wanted_b);
    }
    free(A);
    free(B);
    free(w);
    view_undraw(&a);
    view_undraw(&b);
}

static void check_products(rng *r, const sample *s, int what, int64_t c, const pare_ctx *ctx) {
    drawn a = view_draw(r, &s->x, what);
    int64_t n = a.v.n, d = a.v.d, subset = d ? rng_below(r, d + 2) : 0;
    double *A = view_values(s, &a.v), *U = random_normal(r, n, c);
    double *out = get(d * c, sizeof *out), *out2 = get(d * c, sizeof *out);
    double *wanted = get(d * c, sizeof *out), *wanted2 = get(d * c, sizeof *out);
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = 0; k < c; k++)
            for (int64_t i = 0; i < n; i++) {
                wanted[j + k * d] += A[i + j * n] * U[i + k * n];
                wanted2[j + k * d] += A[i + j * n] * A[i + j * n] * U[i + k * n];
            }
    assert_int_equal(mat_tmul(&a.v, U, c, out, ctx, NULL), PARE_OK);
    assert_int_equal(mat_tmul2(&a.v, U, c, out2, ctx, NULL), PARE_OK);
    check_block(out, wanted, d * c);
    check_block(out2, wanted2, d * c);

    int64_t *S = get(subset, sizeof *S);
    for (int64_t k = 0; k < subset; k++) S[k] = rng_below(r, d);
    const int64_t *lists[] = {NULL, S};
    for (int k = 0; k < 2; k++) {
        int64_t count = lists[k] ? subset : d;
        double *W = random_normal(r, count, c), *F = get(n * c, sizeof *F);
        double *F_wanted = get(n * c, sizeof *F), *block = get(n * count, sizeof *block);
        for (int64_t p = 0; p < count; p += 3)
            for (int64_t q = 0; q < c; q++) W[p + q * count] = 0;
        for (int64_t q = 0; q < c; q++)
            for (int64_t p = 0; p < count; p++)
                for (int64_t i = 0; i < n; i++)
                    F_wanted[i + q * n] += A[i + (lists[k] ? S[p] : p) * n] * W[p + q * count];
        assert_int_equal(mat_mul(&a.v, lists[k], count, W, c, F, ctx, NULL), PARE_OK);
        check_block(F, F_wanted, n * c);
        assert_int_equal(mat_columns(&a.v, lists[k], count, block, ctx, NULL), PARE_OK);
        for (int64_t p = 0; p < count; p++)
            check_block(block + p * n, A + (lists[k] ? S[p] : p) * n, n);
        free(W);
        free(F);
        free(F_wanted);
        free(block);
    }
    free(S);
    free(A);
    free(U);
    free(out);
    free(out2);
    free(wanted);
    free(wanted2);
    view_undraw(&a);
}

static void check_same(double got, double wanted) {
    if (isnan(wanted))
        assert_true(isnan(got));
    else
        check_close(got, wanted, tol);
}

/* Column by column, with and without a fill for what is missing. */
static void check_columns(rng *r, const sample *s, int what, const pare_ctx *ctx) {
    drawn a = view_draw(r, &s->x, what);
    for (int filled = 0; filled < 2; filled++) {
        a.v.fill = filled ? a.fill : NULL;
        double *A = view_values(s, &a.v);
        walk w;
        column c;
        int64_t j = -1, seen = 0;
        assert_int_equal(walk_open(&w, &a.v, NULL, a.v.d, ctx, NULL), PARE_OK);
        for (; walk_next(&w, &j, &c); seen++) {
            assert_int_equal(j, seen);
            const double *x = A + j * a.v.n;
            int64_t at = 0;
            if (!c.index) assert_int_equal(c.count, a.v.n);
            for (int64_t i = 0; i < a.v.n; i++) {
                bool listed = !c.index || (at < c.count && c.index[at] == i);
                check_same(listed ? c.value[at] : c.rest, x[i]);
                at += listed;
            }
            assert_int_equal(at, c.count); /* else an index was out of order */
        }
        assert_int_equal(seen, a.v.d);
        assert_int_equal(walk_close(&w, NULL), PARE_OK);
        free(A);
    }
    view_undraw(&a);
}

static void check_stats_of(const sample *s, const view *v, const double *weight,
                           const pare_ctx *ctx) {
    col_stats *got = get(v->d, sizeof *got);
    assert_int_equal(mat_stats(v, weight, got, ctx, NULL), PARE_OK);
    view raw = *v;
    raw.shift = raw.scale = raw.fill = NULL;
    double *A = view_values(s, &raw);
    for (int64_t j = 0; j < v->d; j++) {
        const double *x = A + j * v->n;
        col_stats t = {0};
        double total = 0;
        bool any = false;
        for (int64_t i = 0; i < v->n; i++) {
            double w = weight ? weight[i] : 1;
            if (w == 0) continue;
            if (isnan(x[i])) {
                t.missing++;
                continue;
            }
            total += w;
            t.mean += w * x[i];
            t.min = any ? fmin(t.min, x[i]) : x[i];
            t.max = any ? fmax(t.max, x[i]) : x[i];
            any = true;
            t.nonzeros += x[i] != 0;
        }
        if (any) t.mean /= total;
        for (int64_t i = 0; any && i < v->n; i++)
            if (!isnan(x[i])) t.var += (weight ? weight[i] : 1) * pow(x[i] - t.mean, 2) / total;
        check_close(got[j].mean, t.mean, tol);
        check_close(got[j].var, t.var, tol);
        assert_true(got[j].var >= 0);
        assert_true(got[j].min == t.min && got[j].max == t.max);
        if (t.min == t.max) assert_true(got[j].var == 0);
        assert_int_equal(got[j].nonzeros, t.nonzeros);
        assert_int_equal(got[j].missing, t.missing);
    }
    free(got);
    free(A);
}

/* Several views at once: each gets the bits of a call for it only. */
static void check_stats_many(const sample *s, const view *v, const double *weight,
                             const pare_ctx *ctx) {
    enum { MANY = 3 };
    view of[MANY] = {*v, *v, *v};
    const double *weights[MANY] = {weight, NULL, NULL};
    col_stats *alone = get(v->d, sizeof *alone), *out[MANY];
    int32_t *some = get(v->n, sizeof *some);
    for (int64_t i = 0; i < v->n; i++)
        some[i] = v->rows ? v->rows[v->n - 1 - i] : (int32_t)(v->n - 1 - i);
    of[2].rows = some;
    of[2].n = v->n > 1 ? v->n / 2 : 1;
    for (int q = 0; q < MANY; q++) out[q] = get(v->d, sizeof *alone);
    assert_int_equal(mat_stats_many(MANY, of, weights, out, ctx, NULL), PARE_OK);
    for (int q = 0; q < MANY; q++) {
        assert_int_equal(mat_stats(&of[q], weights[q], alone, ctx, NULL), PARE_OK);
        assert_memory_equal(alone, out[q], sizeof *alone * (size_t)v->d);
        free(out[q]);
    }
    check_stats_of(s, &of[2], NULL, ctx);
    free(some);
    free(alone);
}

static void check_compact(rng *r, const sample *s, int what, const pare_ctx *ctx) {
    drawn a = view_draw(r, &s->x, what);
    matrix out;
    assert_int_equal(mat_compact(&out, &a.v, ctx, NULL), PARE_OK);
    assert_int_equal(out.n, a.v.n);
    assert_int_equal(out.d, a.v.d);
    assert_true(mat_is_sparse(&out) == mat_is_sparse(&s->x));
    view raw = a.v;
    raw.shift = raw.scale = raw.fill = NULL;
    double *A = view_values(s, &raw), *B = dense_of(&out);
    if (mat_is_sparse(&out))
        assert_int_equal(mat_csc_check(out.n, out.d, arrays_of(&out), "it", NULL), PARE_OK);
    bool missing = false;
    for (int64_t i = 0; i < out.n * out.d; i++) {
        check_same(B[i], A[i]);
        missing = missing || isnan(A[i]);
    }
    assert_true(out.missing == missing);
    free(A);
    free(B);
    mat_free(&out, ctx_allocator(ctx));
    view_undraw(&a);
}

void check_operations(rng *r, const sample *s, int what, const pare_ctx *ctx) {
    check_gram(r, s, what, ctx);
    check_products(r, s, what, 1, ctx);
    check_products(r, s, what, 3 + rng_below(r, 80), ctx);
    check_columns(r, s, what, ctx);
    drawn a = view_draw(r, &s->x, what);
    double *w = random_weights(r, a.v.n);
    check_stats_of(s, &a.v, NULL, ctx);
    check_stats_of(s, &a.v, w, ctx);
    check_stats_many(s, &a.v, w, ctx);
    free(w);
    view_undraw(&a);
    check_compact(r, s, what, ctx);
}
