/* Exponentials of rows against libm's, one by one. */
#include "support/support.h"

#include <math.h>

#include "solve/kernel/gauss_row.h"

enum { MOST = 40 };

static void rows_are_the_definition(void **state) {
    (void)state;
    rng r = rng_from(301);
    for (int t = 0; t < 20000; t++) {
        int64_t count = rng_below(&r, MOST + 1);
        double x[MOST], gauss[MOST + 1], raised[MOST + 1], at = rng_normal(&r);
        double gamma = pow(10, 14 * rng_uniform(&r) - 12) * (t % 2 ? 1 : -1);
        for (int64_t i = 0; i < count; i++) x[i] = rng_below(&r, 9) ? 3 * rng_normal(&r) : at;
        gauss[count] = raised[count] = 7; /* not to be touched */
        gauss_row(gauss, x, count, at, gamma);
        exp_row(raised, x, count, gamma);
        assert_true(gauss[count] == 7 && raised[count] == 7);
        double m[MOST], sum[MOST + 1], dot = 0, size = 0;
        for (int64_t i = 0; i < count; i++) {
            m[i] = rng_normal(&r);
            sum[i] = gauss[i] < 1e30 ? m[i] : 0;
            dot += m[i] * gauss[i];
            size += fabs(m[i] * gauss[i]);
        }
        sum[count] = 7;
        gauss_row_add(sum, 0.5, x, count, at, gamma);
        assert_true(fabs(gauss_row_dot(m, x, count, at, gamma) - dot) <= 1e-14 * size);
        for (int64_t i = 0; i < count; i++)
            assert_true(sum[i] == (gauss[i] < 1e30 ? m[i] : 0) + 0.5 * gauss[i]);
        assert_true(sum[count] == 7);
        for (int64_t i = 0; i < count; i++) {
            double power = gamma * (x[i] - at) * (x[i] - at), linear = gamma * x[i];
            if (fabs(power) < 700)
                assert_true(fabs(gauss[i] - expm1(power)) <= 5e-16 * fabs(expm1(power)));
            else
                assert_true(power > 0 ? gauss[i] > 1e300 && isfinite(gauss[i]) : gauss[i] == -1);
            if (fabs(linear) < 700)
                assert_true(fabs(raised[i] - exp(linear)) <= 5e-16 * exp(linear));
        }
        kernel_row(gauss, x, count, at, KERNEL_DELTA, 0);
        for (int64_t i = 0; i < count; i++) assert_true(gauss[i] == (x[i] == at ? 0 : -1));
    }
}

static void rows_pass_nan_on(void **state) {
    (void)state;
    double x[3] = {1, NAN, 2}, out[3];
    gauss_row(out, x, 3, 1, -1);
    assert_true(out[0] == 0 && isnan(out[1]) && out[2] < 0);
    exp_row(out, x, 3, 1);
    assert_true(isnan(out[1]));
}

TEST_FILE(test_gauss_row) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_definition),
        cmocka_unit_test(rows_pass_nan_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
