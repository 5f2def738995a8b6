/* asinh in single precision: near the library's, the same bits for every instruction set, and where
 * it cannot serve. */
#include "support/support.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "la/kind/asinh_single.h"

enum { N = 1000 };

static void draw(float *x, rng *r, int64_t n, double size) {
    for (int64_t i = 0; i < n; i++) x[i] = (float)(rng_normal(r) * exp(size * rng_normal(r)));
}

static void near_the_true_one(void **state) {
    (void)state;
    rng r = rng_from(71);
    float x[N], y[N];
    for (int t = 0; t < 200; t++) {
        int64_t n = 1 + (int64_t)rng_below(&r, N);
        float shift = t % 2 ? 0.25f : 0, scale = t % 3 ? 1.5f : 1;
        draw(x, &r, n, t % 8);
        if (t == 5) x[0] = 0x1.ffp59f;
        memcpy(y, x, sizeof y);
        assert_true(asinh_single(y, n, shift, scale));
        for (int64_t i = 0; i < n; i++) {
            double exact = asinh((double)x[i]), own = (exact - (double)shift) * (double)scale;
            double off = fabs((double)y[i] - own);
            assert_true(off <= 3e-7 * (double)scale * fmax(1, fabs(exact)));
        }
    }
}

static void same_bits_on_every_processor(void **state) {
    (void)state;
    rng r = rng_from(72);
    float x[N], plain[N], own[N];
    const asinh_single_variant *all = asinh_single_variants(), *last = all;
    while (last[1].row) last++;
    for (int t = 0; t < 60; t++) {
        int64_t n = 1 + (int64_t)rng_below(&r, N);
        draw(x, &r, n, t % 6);
        memcpy(plain, x, sizeof x);
        assert_true(last->row(plain, n, 0.1f, 0.7f));
        for (const asinh_single_variant *v = all; v < last; v++) {
            if (!asinh_single_supported(v)) continue;
            memcpy(own, x, sizeof x);
            assert_true(v->row(own, n, 0.1f, 0.7f));
            assert_memory_equal(own, plain, sizeof *own * (size_t)n);
        }
    }
}

static void numbers_without_a_square_are_left_to_doubles(void **state) {
    (void)state;
    const float bad[] = {0x1p60f, -0x1p100f, INFINITY, NAN};
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++)
        for (int64_t at = 0; at < 40; at += 13)
            for (const asinh_single_variant *v = asinh_single_variants(); v->row; v++) {
                float x[40] = {0};
                x[at] = bad[b];
                if (asinh_single_supported(v)) assert_false(v->row(x, 40, 0, 1));
            }
}

TEST_FILE(test_asinh_single) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_the_true_one), cmocka_unit_test(same_bits_on_every_processor),
        cmocka_unit_test(numbers_without_a_square_are_left_to_doubles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
