/* Medians, spreads and moments of many row lists in one pass, to the bit against a sort of each list. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/rng.h"
#include "la/matrix.h"

enum { N = 150, D = 45, SETS = 5, MOST = 200, CLASSES = 3 };
static const double UNIT = 1.35;

static int up(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int64_t n, double p) {
    double before = floor((double)(n - 1) * p), part = (double)(n - 1) * p - before;
    int64_t at = (int64_t)before;
    return part == 0 ? sorted[at] : (1 - part) * sorted[at] + part * sorted[at + 1];
}

/* Columns of all sorts: constant, of two values, mostly 0, of few values, of all sizes. */
static double draw(rng *r, int64_t j) {
    double z = rng_normal(r);
    switch (j % 7) {
    case 0: return 3;
    case 1: return z > 0 ? 7 : -0.5;
    case 2: return z > 1 ? z : 0;
    case 3: return floor(2 * z);
    case 4: return exp(10 * z);
    default: return 100 + z;
    }
}

/* The variance of class means over that within classes, of standardised values. */
static double separation(const double *x, int64_t n, const int32_t *cls, const col_stats *s) {
    double mean[CLASSES] = {0}, height[CLASSES] = {0}, all = 0, inside = 0, sum = 0, squares = 0;
    double scale = 1 / sqrt(s->var);
    for (int64_t i = 0; i < n; i++) {
        mean[cls[i]] += (x[i] - s->mean) * scale;
        height[cls[i]]++;
    }
    for (int k = 0; k < CLASSES; k++) {
        all += mean[k] / (double)n;
        mean[k] /= height[k];
    }
    for (int64_t i = 0; i < n; i++) inside += pow((x[i] - s->mean) * scale - mean[cls[i]], 2);
    for (int k = 0; k < CLASSES; k++) sum += mean[k] - all;
    for (int k = 0; k < CLASSES; k++) squares += pow(mean[k] - all - sum / CLASSES, 2);
    return squares / CLASSES / (inside / (double)(n - CLASSES));
}

static void check(const double *x, const view *v, const asinh_fit *of, const double *var,
                  int64_t j) {
    double own[MOST], sorted[MOST], mean = 0, squares = 0, median = 0, spread = 0;
    int64_t n = v->n, others = 0, base = v->cols ? v->cols[j] : j;
    for (int64_t i = 0; i < n; i++) own[i] = sorted[i] = x[base * N + (v->rows ? v->rows[i] : i)];
    qsort(sorted, (size_t)n, sizeof *sorted, up);
    for (int64_t i = 0; i < n; i++) others += own[i] != sorted[0] && own[i] != sorted[n - 1];
    if (others > 0) {
        double range = quantile(sorted, n, 0.75) - quantile(sorted, n, 0.25);
        median = quantile(sorted, n, 0.5);
        spread = range > 0 ? range / UNIT : sqrt(var[j]);
    }
    assert_true(of->median[j] == median && of->spread[j] == spread);
    asinh_values(own, n, median, spread);
    for (int64_t i = 0; i < n; i++) mean += own[i];
    mean /= (double)n;
    for (int64_t i = 0; i < n; i++) squares += (own[i] - mean) * (own[i] - mean);
    assert_true(of->s[j].mean == mean && of->s[j].var == squares / (double)n);
    if (of->classes.count == 0 || !(of->s[j].var > 1e-20)) return;
    double exact = separation(own, n, of->classes.cls, &of->s[j]);
    assert_true(fabs(of->classes.separation[j] - exact) <= 1e-12 * exact);
}

/* Rows of one set: all, some ascending, some with repeats, one, two. */
static int64_t draw_rows(rng *r, int32_t *rows, int set) {
    int64_t n = 0;
    if (set == 1)
        for (int32_t i = 0; i < N; i++)
            if (rng_below(r, 3)) rows[n++] = i;
    if (set == 1) return n;
    for (n = 0; n < (set == 2 ? MOST : set - 2); n++) rows[n] = (int32_t)rng_below(r, N);
    return n;
}

static void every_set_has_its_own_sort(void **state) {
    (void)state;
    rng r = rng_from(61);
    float *narrow = malloc(sizeof *narrow * N * D);
    double *x = malloc(sizeof *x * N * D), *results = malloc(sizeof *results * SETS * D * 4);
    col_stats *s = calloc(SETS * D, sizeof *s);
    int64_t height[SETS] = {N};
    assert_non_null(x && results && s && narrow);
    for (int64_t e = 0; e < N * D; e++) x[e] = narrow[e] = (float)draw(&r, e / N);
    for (int64_t e = 0; e < SETS * D; e++) results[e] = exp(rng_normal(&r));
    int64_t cols[D], own = 0;
    for (int64_t j = D - 1; j >= 0; j--)
        if (j % 4) cols[own++] = j;
    int32_t rows[SETS][MOST], cls[MOST];
    for (int32_t i = 0; i < MOST; i++) cls[i] = i % CLASSES;
    matrix m = mat_dense(N, D, x), floats;
    mat_release nothing = {0};
    pare_error err;
    assert_int_equal(
        mat_strided_float(&floats, N, D, narrow, 1, N, nothing, ctx_allocator(NULL), &err),
        PARE_OK);
    for (int t = 0; t < 8; t++) {
        view v[SETS];
        asinh_fit of[SETS];
        pare_ctx ctx = {.threads = t & 1 ? 3 : 1};
        for (int q = 0; q < SETS; q++) {
            v[q] = view_all(t & 2 ? &floats : &m);
            if (q > 0 && t == 0) height[q] = draw_rows(&r, rows[q], q);
            v[q].n = height[q];
            v[q].rows = q > 0 ? rows[q] : NULL;
            if (t & 4) v[q].cols = cols;
            if (t & 4) v[q].d = own;
            of[q] =
                (asinh_fit){results + (SETS + q) * D, results + (2 * SETS + q) * D, s + q * D, {0}};
            if (q < 3 && t != 3)
                of[q].classes = (asinh_classes){cls, CLASSES, results + (3 * SETS + q) * D};
            for (int64_t j = 0; j < D; j++) s[q * D + j].var = results[q * D + j];
            assert_true(mat_asinh_fits(&v[q]));
        }
        assert_int_equal(mat_asinh_fit_many(SETS, v, UNIT, of, &ctx, &err), PARE_OK);
        for (int q = 0; q < SETS; q++)
            for (int64_t j = 0; j < v[q].d; j++) check(x, &v[q], &of[q], results + q * D, j);
    }
    mat_free(&floats, NULL);
    free(narrow);
    free(x);
    free(results);
    free(s);
}

static int64_t fits_of_kind;

static pare_status fit_of_kind(int64_t count, const view *v, double unit, const asinh_fit *out,
                               const pare_ctx *ctx, pare_error *err) {
    (void)unit, (void)ctx, (void)err;
    for (int64_t q = 0; q < count; q++, fits_of_kind++)
        for (int64_t j = 0; j < v->d; j++) out[q].median[j] = out[q].spread[j] = (double)j;
    return PARE_OK;
}

/* A kind may have its own medians and spreads, and its own operations on what they transform. */
static void a_kind_may_have_its_own_ways(void **state) {
    (void)state;
    static const mat_ops transformed = {.kind = "transformed"}, scaled = {.kind = "scaled"};
    double x[6] = {1, 2, 3, 4, 5, 6}, median[2], spread[2];
    col_stats s[2] = {{0}};
    matrix m = mat_dense(3, 2, x);
    mat_ops own = *m.ops;
    own.asinh_fit_many = fit_of_kind;
    own.asinh = &transformed;
    own.row_scaled = &scaled;
    m.ops = &own;
    view v = view_all(&m);
    asinh_fit of = {median, spread, s, {0}};
    pare_error err;
    assert_int_equal(mat_asinh_fit_many(1, &v, UNIT, &of, NULL, &err), PARE_OK);
    assert_int_equal(fits_of_kind, 1);
    assert_false(mat_asinh_separates(&v, NULL));
    own.separates = true;
    assert_true(mat_asinh_separates(&v, NULL));
    assert_true(median[1] == 1 && spread[1] == 1);
    asinh_view by = {&m, median, spread};
    row_scaling rows = {&m, x, NULL};
    assert_string_equal(mat_kind(&(matrix[]){mat_asinh(&by)}[0]), "transformed");
    assert_string_equal(mat_kind(&(matrix[]){mat_row_scaled(&rows)}[0]), "scaled");
}

TEST_FILE(test_asinh_fit) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_set_has_its_own_sort),
                                       cmocka_unit_test(a_kind_may_have_its_own_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
