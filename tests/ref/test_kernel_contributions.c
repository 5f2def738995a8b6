/* What |w|^2 loses with each feature of a kernel machine, against the definition. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

#include "method/kernel/kernel.h"

enum { N = 90, D = 12, OUTPUTS = 2 };

static double kernel_of(const fit_kernel *k, const double *x, int64_t a, int64_t b,
                        int64_t left_out) {
    double sum = 0;
    for (int64_t j = 0; j < D; j++) {
        double u = x[j * N + a], v = x[j * N + b];
        if (j == left_out) continue;
        sum += k->type[0] == 'r' ? (u - v) * (u - v) : u * v;
    }
    return k->type[0] == 'r' ? exp(-k->gamma * sum) : pow(k->gamma * sum + k->coef0, k->degree);
}

static void contributions_are_the_definition(void **state) {
    (void)state;
    const double gammas[] = {1e-4, 0.01, 0.3, 100}; /* the last: kernels that underflow */
    rng r = rng_from(302);
    double *gram = malloc(sizeof *gram * N * N);
    assert_non_null(gram);
    for (int look = 0; look < 8; look++) {
        matrix sparse = random_sparse(&r, N, D, look % 2 ? 0.3 : 1);
        double *x = dense_of(&sparse), U[N * OUTPUTS], out[D];
        view v = view_all(&sparse);
        fit_kernel k;
        pare_error err;
        int64_t own[D];
        for (int64_t j = 0; j < D; j++) own[j] = j;
        for (int i = 0; i < N * OUTPUTS; i++) U[i] = i % 3 ? rng_normal(&r) : 0;
        assert_int_equal(kernel_make(&k, look == 7 ? "poly" : "rbf", gammas[look / 2], 2, 1, &v,
                                     NULL, NULL, &err),
                         PARE_OK);
        assert_int_equal(mat_gram(&v, NULL, NULL, gram, NULL, &err), PARE_OK);
        kernel_sums(&k, gram, N);
        assert_int_equal(kernel_contributions(&k, &v, own, D, gram, U, OUTPUTS, out, NULL, &err),
                         PARE_OK);
        for (int64_t j = 0; j < D; j++) {
            double total = 0, size = 0;
            for (int o = 0; o < OUTPUTS; o++) {
                double change = 0;
                for (int64_t a = 0; a < N; a++)
                    for (int64_t b = 0; b < N; b++) {
                        double both = U[o * N + a] * U[o * N + b];
                        double with = kernel_of(&k, x, a, b, -1),
                               without = kernel_of(&k, x, a, b, j);
                        change += both * (with - without);
                        size += fabs(both * with);
                    }
                total += fabs(change);
            }
            if (!(fabs(out[j] - total) <= 1e-12 * size))
                fail_msg("look %d feature %d: %.15g, not %.15g", look, (int)j, out[j], total);
        }
        free(x);
        mat_free(&sparse, NULL);
    }
    free(gram);
}

TEST_FILE(test_kernel_contributions) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(contributions_are_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
