/* Compressed sparse columns: every operation against plain loops on the written-out matrix. */
#include "support/views.h"

#include <math.h>
#include <stdlib.h>

#include "data/dataset.h"

static void run_kinds(rng *r, int64_t n, int64_t d, double density, double missing) {
    sample s = sample_sparse(r, n, d, density, missing);
    check_every_view(r, &s);
    sample_free(&s);
}

static void test_operations(void **state) {
    (void)state;
    rng r = rng_from(21);
    run_kinds(&r, 23, 50, 0.1, 0);
    run_kinds(&r, 23, 50, 0.1, 0.3);
    run_kinds(&r, 12, 30, 1, 0.1);
    run_kinds(&r, 1, 9, 0.5, 0);
    run_kinds(&r, 40, 1, 0.5, 0.2);
    run_kinds(&r, 9, 20, 0, 0);
    run_kinds(&r, 9, 0, 0, 0);
}

/* Sizes at which the work is divided: several parts, or a K too large for copies and several hands
 * full of chunks; and columns long enough to need a sort. */
static void test_divided(void **state) {
    (void)state;
    rng r = rng_from(22);
    int kinds[] = {0, VIEW_SHIFT | VIEW_SCALE, VIEW_ROWS | VIEW_SHIFT | VIEW_FILL, VIEW_SHIFT};
    for (int k = 0; k < 4; k++) {
        sample s = k < 3 ? sample_sparse(&r, 40, 40000, 0.03, 0.01)
                         : sample_sparse(&r, 1100, 400, 0.7, 0.01);
        drawn a = view_draw(&r, &s.x, kinds[k]);
        int64_t n = a.v.n, d = a.v.d;
        double *A = view_values(&s, &a.v), *z = random_weights(&r, d);
        double *K = calloc((size_t)(n * n), sizeof *K),
               *wanted = calloc((size_t)(n * n), sizeof *K);
        assert_non_null(K);
        assert_non_null(wanted);
        for (int64_t j = 0; j < d; j++)
            for (int64_t q = 0; q < n; q++)
                for (int64_t p = 0; p < n; p++)
                    wanted[p + q * n] += z[j] * A[p + j * n] * A[q + j * n];
        assert_int_equal(mat_gram(&a.v, NULL, z, K, NULL, NULL), PARE_OK);
        for (int64_t i = 0; i < n * n; i++) check_close(K[i], wanted[i], 1e-10);
        double *F = calloc((size_t)n, sizeof *F), *F_wanted = calloc((size_t)n, sizeof *F);
        assert_non_null(F);
        assert_non_null(F_wanted);
        for (int64_t j = 0; j < d; j++)
            for (int64_t p = 0; p < n; p++) F_wanted[p] += z[j] * A[p + j * n];
        assert_int_equal(mat_mul(&a.v, NULL, d, z, 1, F, NULL, NULL), PARE_OK);
        for (int64_t i = 0; i < n; i++) check_close(F[i], F_wanted[i], 1e-10);
        free(A);
        free(z);
        free(K);
        free(wanted);
        free(F);
        free(F_wanted);
        view_undraw(&a);
        sample_free(&s);
    }
    sample s = sample_sparse(&r, 500, 60, 0.9, 0.01);
    check_operations(&r, &s, VIEW_ROWS | VIEW_SHIFT, NULL);
    sample_free(&s);
    s = sample_sparse(&r, 1200, 40, 0.1, 0.01);
    check_operations(&r, &s, 0, NULL);
    check_operations(&r, &s, VIEW_COLS | VIEW_SHIFT, NULL);
    sample_free(&s);
}

/* A row seen many times makes a column longer than the matrix is tall. */
static void test_many_repeats(void **state) {
    (void)state;
    enum { SEEN = 1100 }; /* a large K, and below a small one of the first rows */
    int64_t col_ptr[] = {0, 1, 1, 3};
    int32_t row[] = {1, 0, 1}, rows[SEEN];
    double value[] = {2, 3, 4};
    csc_arrays of = {col_ptr, row, value};
    matrix x = mat_csc(2, 3, &of);
    view v = view_all(&x);
    for (int i = 0; i < SEEN; i++) rows[i] = i % 3 == 0;
    v.rows = rows;
    v.n = SEEN;
    double *K = calloc(SEEN * SEEN, sizeof *K);
    assert_non_null(K);
    assert_int_equal(mat_gram(&v, NULL, NULL, K, NULL, NULL), PARE_OK);
    const double base[2][2] = {{9, 12}, {12, 20}};
    for (int i = 0; i < SEEN; i++)
        for (int j = 0; j < SEEN; j++) assert_true(K[i + j * SEEN] == base[i % 3 == 0][j % 3 == 0]);
    v.n = 300;
    assert_int_equal(mat_gram(&v, NULL, NULL, K, NULL, NULL), PARE_OK);
    for (int i = 0; i < 300; i++)
        for (int j = 0; j < 300; j++) assert_true(K[i + j * 300] == base[i % 3 == 0][j % 3 == 0]);
    free(K);
}

/* A product has the same bits in any batch: the number of products computed together has no
 * effect. */
static void test_batches(void **state) {
    (void)state;
    enum { VIEWS = 3 };
    rng r = rng_from(23);
    for (int large = 0; large < 2; large++) {
        sample s = large ? sample_sparse(&r, 1300, 300, 0.2, 0.01)
                         : sample_sparse(&r, 300, 4000, 0.05, 0.01);
        drawn a[VIEWS];
        view v[VIEWS];
        double *K[VIEWS];
        for (int k = 0; k < VIEWS; k++) { /* of the large, one is small enough for copies */
            a[k] = view_draw(&r, &s.x, VIEW_ROWS | VIEW_SHIFT | VIEW_SCALE | VIEW_FILL);
            v[k] = a[k].v;
            v[k].n = large ? 1000 + 40 * k : 290 - 70 * k;
            a[k].rows = realloc(a[k].rows, (size_t)v[k].n * sizeof *a[k].rows);
            K[k] = calloc((size_t)(v[k].n * v[k].n), sizeof **K);
            assert_non_null(a[k].rows);
            assert_non_null(K[k]);
            for (int64_t i = 0; i < v[k].n; i++) a[k].rows[i] = (int32_t)rng_below(&r, s.x.n);
            v[k].rows = a[k].rows;
        }
        assert_int_equal(mat_gram_many(VIEWS, v, NULL, K, NULL, NULL), PARE_OK);
        for (int k = 0; k < VIEWS; k++) {
            size_t bytes = (size_t)(v[k].n * v[k].n) * sizeof **K;
            double *single = calloc(1, bytes);
            assert_non_null(single);
            assert_int_equal(mat_gram(&v[k], NULL, NULL, single, NULL, NULL), PARE_OK);
            assert_memory_equal(single, K[k], bytes);
            free(single);
            free(K[k]);
            view_undraw(&a[k]);
        }
        sample_free(&s);
    }
}

/* A view without fill, because the sample that lacks a value is not among its rows. */
static void test_missing_outside_the_view(void **state) {
    (void)state;
    static const int64_t col_ptr[] = {0, 2, 3};
    static const int32_t row[] = {0, 1, 0}, rows[] = {0};
    static const double x[] = {1, NAN, 5}, u = 2, w[] = {3, 4};
    pare_data *data, *part;
    pare_error err;
    double out[2], f;
    assert_int_equal(pare_data_sparse(&data, 2, 2, col_ptr, row, x, NULL, NULL, NULL, NULL, &err),
                     PARE_OK);
    assert_int_equal(pare_data_subset(&part, data, rows, 1, NULL, &err), PARE_OK);
    assert_false(part->x.missing);
    view v = view_all(&part->x);
    assert_int_equal(mat_tmul(&v, &u, 1, out, NULL, &err), PARE_OK);
    assert_true(out[0] == 2 && out[1] == 10);
    assert_int_equal(mat_tmul2(&v, &u, 1, out, NULL, &err), PARE_OK);
    assert_true(out[0] == 2 && out[1] == 50);
    assert_int_equal(mat_mul(&v, NULL, 2, w, 1, &f, NULL, &err), PARE_OK);
    assert_true(f == 23);
    pare_data_free(part);
    pare_data_free(data);
}

TEST_FILE(test_matrix_sparse) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_outside_the_view), cmocka_unit_test(test_operations),
        cmocka_unit_test(test_divided), cmocka_unit_test(test_many_repeats),
        cmocka_unit_test(test_batches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
