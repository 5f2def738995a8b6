/* Factors of small matrices against products from the entries; what is not positive definite is told. */
#include "la/factor.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "support/support.h"

enum { N = 12, APART = 15, COLUMNS = 3 };

typedef struct system_case {
    double A[N * APART], factor[N * APART], B[N * COLUMNS], X[N * COLUMNS];
    int pivot[N];
} system_case;

/* A = Z'Z + I / 10, symmetric, or any matrix; B any. */
static void make(system_case *s, rng *r, bool symmetric) {
    double Z[N * N];
    for (int i = 0; i < N * N; i++) Z[i] = rng_normal(r);
    for (int i = 0; i < N * COLUMNS; i++) s->B[i] = s->X[i] = rng_normal(r);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double sum = symmetric && i == j ? 0.1 : 0;
            for (int k = 0; k < N; k++) sum += Z[i * N + k] * Z[j * N + k];
            s->A[j * APART + i] = symmetric ? sum : Z[j * N + i];
        }
    memcpy(s->factor, s->A, sizeof s->A);
}

/* A X = B, or A' X = B? */
static void check_solution(const system_case *s, bool transposed) {
    for (int c = 0; c < COLUMNS; c++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++)
                sum += s->A[transposed ? i * APART + j : j * APART + i] * s->X[c * N + j];
            check_close(sum, s->B[c * N + i], 1e-9);
        }
}

static void test_cholesky(void **state) {
    (void)state;
    rng r = rng_from(1);
    for (int t = 0; t < 20; t++) {
        system_case s;
        char triangle = t % 2 ? 'U' : 'L';
        make(&s, &r, true);
        for (int j = 0; j < N; j++) /* the other triangle is not read */
            for (int i = 0; i < N; i++)
                if (triangle == 'L' ? i < j : i > j) s.factor[j * APART + i] = NAN;
        assert_true(chol_factor_solve(triangle, N, s.factor, APART, s.X, COLUMNS));
        check_solution(&s, false);
    }
}

static void test_not_definite(void **state) {
    (void)state;
    rng r = rng_from(2);
    for (int bad = 0; bad < N; bad++) {
        system_case s;
        make(&s, &r, true);
        s.factor[bad * APART + bad] = -1;
        assert_int_equal(chol_columns('L', N, s.factor, APART), bad);
        for (int at = 0; at <= bad; at++) { /* a NaN anywhere in the triangle */
            memcpy(s.factor, s.A, sizeof s.A);
            s.factor[at * APART + bad] = NAN;
            assert_false(chol_factor('L', N, s.factor, APART));
            memcpy(s.factor, s.A, sizeof s.A);
            s.factor[bad * APART + at] = NAN;
            assert_false(chol_factor('U', N, s.factor, APART));
        }
    }
    assert_true(chol_factor('L', 0, NULL, 1));
}

static void test_lu(void **state) {
    (void)state;
    rng r = rng_from(3);
    for (int t = 0; t < 20; t++) {
        system_case s;
        bool transposed = t % 2;
        make(&s, &r, false);
        assert_true(lu_factor(N, N, s.factor, APART, s.pivot));
        lu_solve(transposed, N, s.factor, APART, s.pivot, s.X, N, COLUMNS);
        check_solution(&s, transposed);
        memset(s.factor, 0, sizeof s.factor);
        assert_false(lu_factor(N, N, s.factor, APART, s.pivot));
    }
}

TEST_FILE(test_factor) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cholesky),
                                       cmocka_unit_test(test_not_definite),
                                       cmocka_unit_test(test_lu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
