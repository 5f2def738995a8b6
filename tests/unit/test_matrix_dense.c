/* Dense storage: every operation against plain loops, and the refusals. */
#include "support/views.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void run_kinds(rng *r, int64_t n, int64_t d, double missing) {
    sample s = sample_dense(r, n, d, missing);
    check_every_view(r, &s);
    sample_free(&s);
}

static void test_operations(void **state) {
    (void)state;
    rng r = rng_from(11);
    run_kinds(&r, 17, 40, 0);
    run_kinds(&r, 17, 40, 0.2);
    run_kinds(&r, 1, 9, 0.5);
    run_kinds(&r, 30, 1, 0.1);
    run_kinds(&r, 1, 1, 0);
    run_kinds(&r, 9, 0, 0);
}

/* Sizes at which the work is divided: several tiles and ranges, and a result too large for copies. */
static void test_divided(void **state) {
    (void)state;
    rng r = rng_from(12);
    int64_t sizes[][2] = {{6, 3000}, {520, 530}};
    for (int k = 0; k < 2; k++) {
        sample s = sample_dense(&r, sizes[k][0], sizes[k][1], 0.01);
        check_operations(&r, &s, VIEW_ROWS | VIEW_SHIFT | VIEW_SCALE, NULL);
        sample_free(&s);
        s = sample_dense(&r, sizes[k][0], sizes[k][1], 0);
        check_operations(&r, &s, 0, NULL);
        sample_free(&s);
    }
}

/* Raw intensities around 1e8 with deviations around 1: centring must come before the product. */
static void test_no_cancellation(void **state) {
    (void)state;
    enum { N = 10, D = 50 };
    rng r = rng_from(13);
    double *x = random_normal(&r, N, D), shift[D], K[N * N], wanted[N * N] = {0};
    col_stats stats[D];
    for (int i = 0; i < N * D; i++) x[i] = 1e8 + floor(x[i] * 64) / 64;
    matrix m = mat_dense(N, D, x);
    view v = view_all(&m);
    for (int j = 0; j < D; j++) shift[j] = 1e8;
    for (int j = 0; j < D; j++)
        for (int a = 0; a < N; a++)
            for (int b = 0; b < N; b++)
                wanted[a + b * N] += (x[a + j * N] - 1e8) * (x[b + j * N] - 1e8);
    v.shift = shift;
    assert_int_equal(mat_gram(&v, NULL, NULL, K, NULL, NULL), PARE_OK);
    for (int i = 0; i < N * N; i++) check_close(K[i], wanted[i], 1e-13);
    assert_int_equal(mat_stats(&v, NULL, stats, NULL, NULL), PARE_OK);
    for (int j = 0; j < D; j++) {
        double mean = 0, var = 0;
        for (int i = 0; i < N; i++) mean += (x[i + j * N] - 1e8) / N;
        for (int i = 0; i < N; i++) var += pow(x[i + j * N] - 1e8 - mean, 2) / N;
        check_close(stats[j].mean - 1e8, mean, 1e-7);
        check_close(stats[j].var, var, 1e-7);
    }
    free(x);
}

/* A column of weight 0 is not read: what it holds cannot matter. */
static void test_zero_weight_is_not_read(void **state) {
    (void)state;
    double x[] = {1, 2, INFINITY, -INFINITY, 3, 4}, z[] = {1, 0, 2}, K[4];
    matrix m = mat_dense(2, 3, x);
    view v = view_all(&m);
    assert_int_equal(mat_gram(&v, NULL, z, K, NULL, NULL), PARE_OK);
    check_close(K[0], 1 + 2 * 9, 1e-15);
    check_close(K[1], 2 + 2 * 12, 1e-15);
    check_close(K[3], 4 + 2 * 16, 1e-15);
}

static void refused(pare_status status, const pare_error *err, const char *word) {
    assert_int_equal(status, PARE_E_ARGUMENT);
    if (!strstr(err->message, word)) fail_msg("\"%s\" does not say \"%s\"", err->message, word);
}

static void test_refusals(void **state) {
    (void)state;
    double x[6] = {1, 2, 3, 4, 5, 6}, gaps[6] = {1, NAN, 3, 4, 5, 6}, out[64], bad[3] = {1, -1, 0};
    matrix m = mat_dense(2, 3, x), other = mat_dense(2, 3, x), holes = mat_dense(2, 3, gaps);
    assert_true(holes.missing && !m.missing);
    view v = view_all(&m), w = view_all(&other), h = view_all(&holes), e = v;
    pare_error err;
    walk along;
    refused(mat_gram(&v, &w, NULL, out, NULL, &err), &err, "different matrices");
    int64_t cols[] = {0, 2, 3}, swapped[] = {2, 0};
    int32_t rows[] = {0, 2};
    w = v;
    w.cols = cols;
    w.d = 2;
    refused(mat_gram(&v, &w, NULL, out, NULL, &err), &err, "different columns");
    e = w;
    e.cols = swapped;
    refused(mat_gram(&w, &e, NULL, out, NULL, &err), &err, "different columns");
    w.d = 3;
    refused(mat_tmul(&w, x, 1, out, NULL, &err), &err, "column 3 of a matrix of 3");
    e = v;
    e.rows = rows;
    refused(mat_tmul(&e, x, 1, out, NULL, &err), &err, "row 2 of a matrix of 2");
    e.n = 0;
    refused(mat_tmul(&e, x, 1, out, NULL, &err), &err, "rows must be 1");
    e = v;
    e.n = 1;
    refused(mat_tmul(&e, x, 1, out, NULL, &err), &err, "all rows");
    e = v;
    e.d = 2;
    refused(mat_tmul(&e, x, 1, out, NULL, &err), &err, "all columns");
    refused(mat_tmul(&v, x, 0, out, NULL, &err), &err, "0 columns");
    refused(mat_mul(&v, NULL, 2, x, 1, out, NULL, &err), &err, "2 columns of a view of 3");
    refused(mat_mul(&v, cols, 3, x, 1, out, NULL, &err), &err, "column 3 of a view of 3");
    refused(mat_columns(&v, cols, 3, out, NULL, &err), &err, "column 3 of a view of 3");
    refused(mat_gram(&v, NULL, bad, out, NULL, &err), &err, "the weight of column 1 is -1");
    bad[1] = NAN;
    refused(mat_gram(&v, NULL, bad, out, NULL, &err), &err, "the weight of column 1 is");
    refused(mat_gram(&h, NULL, NULL, out, NULL, &err), &err, "missing");
    refused(mat_gram_many(-1, &v, NULL, NULL, NULL, &err), &err, "-1 views");
    e = v;
    e.rows = rows;
    refused(walk_open(&along, &e, NULL, 3, NULL, &err), &err, "row 2");
    matrix nothing = mat_dense(0, 3, x);
    e = view_all(&nothing);
    refused(mat_tmul(&e, x, 1, out, NULL, &err), &err, "0 rows");
    col_stats stats[3];
    refused(mat_stats(&v, (double[]){1, -2}, stats, NULL, &err), &err, "weight of row 1 is -2");
}

TEST_FILE(test_matrix_dense) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations), cmocka_unit_test(test_divided),
        cmocka_unit_test(test_no_cancellation), cmocka_unit_test(test_zero_weight_is_not_read),
        cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
