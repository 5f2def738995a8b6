/* asinh of rows against libm's in extended precision, for every instruction set that is there. */
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "la/kind/asinh_row.h"

enum { COUNT = 1024, ROUNDS = 400 };

/* Numbers of all sizes, the ranges in turn. */
static double draw(rng *r, int range) {
    double u = rng_uniform(r), size = range == 0   ? 8 * u
                                      : range == 1 ? exp(80 * u - 40)
                                      : range == 2 ? ldexp(u, (int)rng_below(r, 2000) - 1000)
                                                   : 1e-3 * u;
    return rng_below(r, 2) ? -size : size;
}

/* |a - x| in units in the last place of x. */
static double units(double a, long double x) {
    double size = fabs((double)x);
    return (double)(fabsl(a - x) / (nextafter(size, INFINITY) - size));
}

static void within_three_units(void **state) {
    (void)state;
    rng r = rng_from(302);
    double most =
        LDBL_MANT_DIG > DBL_MANT_DIG ? 3 : 4; /* libm's own error, where it has no more digits */
    for (int t = 0; t < ROUNDS; t++) {
        double x[COUNT], y[COUNT];
        for (int64_t i = 0; i < COUNT; i++) x[i] = y[i] = draw(&r, t % 4);
        asinh_row(y, COUNT, 0, 1);
        for (int64_t i = 0; i < COUNT; i++) assert_true(units(y[i], asinhl(x[i])) <= most);
    }
}

static void every_instruction_set_has_the_same_bits(void **state) {
    (void)state;
    rng r = rng_from(303);
    int64_t tried = 0;
    for (int t = 0; t < ROUNDS; t++) {
        int64_t count = rng_below(&r, 40);
        double x[COUNT], first[COUNT], median = rng_normal(&r), spread = exp(rng_normal(&r));
        for (int64_t i = 0; i < COUNT; i++) x[i] = first[i] = draw(&r, t % 4);
        asinh_row(first, count, median, spread);
        for (int64_t i = count; i < COUNT; i++) assert_true(first[i] == x[i]);
        for (int64_t i = 0; i < count; i++) { /* whatever its neighbours are */
            double one = x[i];
            asinh_row(&one, 1, median, spread);
            assert_memory_equal(&one, &first[i], sizeof one);
        }
        for (const asinh_variant *v = asinh_variants(); v->row; v++) {
            double y[COUNT];
            if (!asinh_supported(v)) continue;
            memcpy(y, x, sizeof x);
            v->row(y, count, median, spread);
            assert_memory_equal(y, first, sizeof y);
            tried++;
        }
    }
    assert_true(tried >= ROUNDS);
}

/* Also beside columns that stay as they are. */
static void blocks_have_the_bits_of_rows(void **state) {
    (void)state;
    enum { ROWS = 37 };
    rng r = rng_from(304);
    for (int t = 0; t < ROUNDS; t++) {
        double x[ROWS * ASINH_LANES], of[ASINH_LANES][ROWS], median[ASINH_LANES],
            spread[ASINH_LANES];
        for (int k = 0; k < ASINH_LANES; k++) {
            median[k] = rng_normal(&r);
            spread[k] = rng_below(&r, 4) ? exp(rng_normal(&r)) : 0;
            for (int i = 0; i < ROWS; i++) x[i * ASINH_LANES + k] = of[k][i] = draw(&r, t % 4);
            if (spread[k] > 0) asinh_row(of[k], ROWS, median[k], spread[k]);
        }
        for (const asinh_variant *v = asinh_variants(); v->row; v++) {
            double y[ROWS * ASINH_LANES];
            if (!asinh_supported(v)) continue;
            memcpy(y, x, sizeof x);
            v->block(y, ROWS, median, spread);
            for (int k = 0; k < ASINH_LANES; k++)
                for (int i = 0; i < ROWS; i++)
                    assert_memory_equal(&y[i * ASINH_LANES + k], &of[k][i], sizeof *y);
        }
    }
}

static void limits_stay(void **state) {
    (void)state;
    double x[] = {0, -0.0, INFINITY, -INFINITY, NAN, 5e-324, -5e-324, 1e-200, DBL_MAX, -DBL_MAX};
    double y[sizeof x / sizeof *x];
    memcpy(y, x, sizeof x);
    asinh_row(y, sizeof x / sizeof *x, 0, 1);
    for (int i = 0; i < 8; i++) assert_true(y[i] == x[i] || (isnan(x[i]) && isnan(y[i])));
    assert_true(!signbit(y[0]) && signbit(y[1]));
    assert_true(units(y[8], asinhl(DBL_MAX)) <= 3 && y[9] == -y[8]);
}

TEST_FILE(test_asinh_row) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_three_units),
        cmocka_unit_test(every_instruction_set_has_the_same_bits),
        cmocka_unit_test(blocks_have_the_bits_of_rows),
        cmocka_unit_test(limits_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
