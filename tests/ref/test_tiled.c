/* Tiled products and factors against plain loops, on one thread and on several. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "la/product/tiled.h"

static const int64_t sizes[] = {1, 5, 95, 96, 97, 192, 301};
enum { N_SIZES = sizeof sizes / sizeof sizes[0], DEPTH = 40 };

static double row_product(const double *A, int64_t n, int64_t count, int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t k = 0; k < count; k++) sum += A[k * n + i] * A[k * n + j];
    return sum;
}

static void products_and_factors_are_right(void **state) {
    (void)state;
    rng r = rng_from(5);
    for (int s = 0; s < N_SIZES; s++) {
        int64_t n = sizes[s];
        size_t bytes = sizeof(double) * (size_t)(n * n);
        double *A = random_normal(&r, n, DEPTH), *C = calloc(1, bytes), *L = malloc(bytes);
        tiled_square(n, DEPTH, A, C, 1);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = j; i < n; i++)
                check_close(C[j * n + i], row_product(A, n, DEPTH, i, j), 1e-12);
        for (int64_t j = 0; j < n; j++) C[j * n + j] += 1;
        memcpy(L, C, bytes);
        assert_true(tiled_factor(n, L, 1));
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = j; i < n; i++)
                check_close(C[j * n + i], row_product(L, n, j + 1, i, j), 1e-11);
        C[(n / 2) * n + n / 2] = -1;
        assert_false(tiled_factor(n, C, 2));
        free(A);
        free(C);
        free(L);
    }
}

static void threads_do_not_change_a_byte(void **state) {
    (void)state;
    rng r = rng_from(6);
    int64_t n = 301;
    size_t bytes = sizeof(double) * (size_t)(n * n);
    double *A = random_normal(&r, n, DEPTH), *one = calloc(1, bytes), *four = calloc(1, bytes);
    tiled_square(n, DEPTH, A, one, 1);
    tiled_square(n, DEPTH, A, four, 4);
    assert_memory_equal(one, four, bytes);
    for (int64_t j = 0; j < n; j++) one[j * n + j] = four[j * n + j] += 1;
    assert_true(tiled_factor(n, one, 1) && tiled_factor(n, four, 4));
    assert_memory_equal(one, four, bytes);
    free(A);
    free(one);
    free(four);
}

TEST_FILE(test_tiled) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_and_factors_are_right),
                                       cmocka_unit_test(threads_do_not_change_a_byte)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
