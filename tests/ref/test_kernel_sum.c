/* Sums of kernels against the definition, after centring. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

#include "solve/kernel/kernel_apply.h"
#include "solve/kernel/kernel_sum.h"

enum { N = 130, D = 40, SUMS = 2 };

static double kernel(kernel_kind kind, double gamma, double a, double b) {
    if (kind == KERNEL_LINEAR) return a * b;
    return kind == KERNEL_DELTA ? a == b : exp(-gamma * (a - b) * (a - b));
}

static void sums_are_the_definition(void **state) {
    (void)state;
    rng r = rng_from(75);
    for (int look = 0; look < 3; look++) {
        matrix sparse = random_sparse(&r, N, D, look == 0 ? 0.7 : 0.1);
        double *x = dense_of(&sparse);
        for (int64_t e = 0; look == 2 && e < N * D; e++)
            x[e] = (double)rng_below(&r, 3); /* counts */
        matrix dense = mat_dense(N, D, x);
        view v = view_all(look == 2 ? &dense : &sparse);
        double gamma[D], weight[D * SUMS], s[N];
        for (int64_t i = 0; i < N; i++) s[i] = i % 4 ? 0.5 + rng_uniform(&r) : 1;
        for (int64_t j = 0; j < D; j++) {
            gamma[j] = pow(10, 2 * rng_uniform(&r) - 1);
            for (int64_t q = 0; q < SUMS; q++) weight[q * D + j] = j % 5 == q ? 0 : rng_uniform(&r);
        }
        for (int kind = 0; kind < 3; kind++) {
            double *K[SUMS], *plain = malloc(sizeof *plain * N * N);
            for (int q = 0; q < SUMS; q++) assert_non_null(K[q] = malloc(sizeof **K * N * N));
            assert_non_null(plain);
            kernel_sum sum = {(kernel_kind)kind, gamma, SUMS, weight};
            pare_error err;
            assert_int_equal(kernel_sum_gram(K, &v, &sum, NULL, &err), PARE_OK);
            for (int q = 0; q < SUMS; q++) {
                for (int64_t a = 0; a < N; a++)
                    for (int64_t b = 0; b < N; b++) {
                        plain[a * N + b] = 0;
                        for (int64_t j = 0; j < D; j++)
                            plain[a * N + b] +=
                                weight[q * D + j] *
                                kernel((kernel_kind)kind, gamma[j], x[j * N + a], x[j * N + b]);
                    }
                assert_int_equal(kernel_sum_centre(K[q], s, N, NULL, &err), PARE_OK);
                assert_int_equal(kernel_sum_centre(plain, s, N, NULL, &err), PARE_OK);
                for (int64_t e = 0; e < N * N; e++) check_close(K[q][e], plain[e], 1e-12);
                for (int64_t a = 0; a < N; a += 9) {
                    double row = 0;
                    for (int64_t b = 0; b < N; b++) row += s[b] * K[q][a * N + b];
                    check_close(row, 0, 1e-10);
                }
                free(K[q]);
            }
            free(plain);
        }
        free(x);
        mat_free(&sparse, NULL);
    }
}

/* Rows of the matrix in turn as samples of the fit and as others. */
static void applied_sums_are_the_definition(void **state) {
    (void)state;
    enum { FIT = 100, OTHERS = N - FIT, OUTPUTS = 2 };
    rng r = rng_from(76);
    for (int look = 0; look < 8; look++) {
        matrix sparse = random_sparse(&r, N, D, look % 4 == 0 ? 1 : look % 4 == 1 ? 0.9 : 0.1);
        double *x = dense_of(&sparse), gamma[D], weight[D], U[FIT * OUTPUTS], F[OTHERS * OUTPUTS];
        for (int64_t e = 0; look % 4 == 3 && e < N * D; e++) x[e] = (double)rng_below(&r, 3);
        matrix dense = mat_dense(N, D, x);
        view v = view_all(look % 4 == 0 || look % 4 == 3 ? &dense : &sparse), others = v;
        kernel_kind kind = look < 4 ? KERNEL_RBF : KERNEL_DELTA;
        int32_t rows[N];
        for (int i = 0; i < N; i++) rows[i] = (int32_t)((i * 7) % N);
        v.rows = rows;
        v.n = FIT;
        others.rows = rows + FIT;
        others.n = OTHERS;
        for (int64_t j = 0; j < D; j++) {
            gamma[j] = pow(10, 4 * rng_uniform(&r) - 3);
            weight[j] = j % 5 ? rng_uniform(&r) : 0;
        }
        for (int e = 0; e < FIT * OUTPUTS; e++) U[e] = rng_normal(&r);
        kernel_sum sum = {kind, gamma, 1, weight};
        pare_error err;
        assert_int_equal(kernel_apply(F, &v, &others, &sum, U, OUTPUTS, NULL, &err), PARE_OK);
        for (int o = 0; o < OUTPUTS; o++)
            for (int t = 0; t < OTHERS; t++) {
                double plain = 0;
                for (int64_t j = 0; j < D; j++)
                    for (int i = 0; i < FIT; i++)
                        plain +=
                            weight[j] * U[o * FIT + i] *
                            kernel(kind, gamma[j], x[j * N + rows[i]], x[j * N + rows[FIT + t]]);
                check_close(F[o * OTHERS + t], plain, 1e-12);
            }
        free(x);
        mat_free(&sparse, NULL);
    }
}

TEST_FILE(test_kernel_sum) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_the_definition),
                                       cmocka_unit_test(applied_sums_are_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
