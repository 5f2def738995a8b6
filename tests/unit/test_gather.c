/* Rows of a column in single precision against the formula, to the bit; nothing is written beyond them, and
 * nothing read beyond the column. */
#include "la/pass/gather.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/support.h"

enum { MAX_HEIGHT = 1100, BEYOND = 8 };

/* Ascending, each with this chance; or any, some twice. */
static int64_t draw(rng *r, int32_t *rows, int64_t height, double chance, bool ascending) {
    int64_t n = 0;
    for (int64_t i = 0; i < height; i++)
        if (rng_uniform(r) < chance)
            rows[n++] = (int32_t)(ascending ? (double)i : rng_uniform(r) * (double)height);
    return n;
}

static void check(const double *values, int64_t height, const int32_t *rows, int64_t n) {
    static float out[MAX_HEIGHT + BEYOND];
    static gather_list p;
    const double shift = 0.3, scale = -1.7;
    double *x = malloc(sizeof *x * (size_t)height); /* ends where the column does */
    assert_non_null(x);
    memcpy(x, values, sizeof *x * (size_t)height);
    for (int64_t i = 0; i < MAX_HEIGHT + BEYOND; i++) out[i] = -77;
    gather_plan(&p, rows, n, height);
    gather_single(&p, x, shift, scale, out);
    for (int64_t i = 0; i < n; i++)
        assert_true(out[i] == (float)((x[rows ? rows[i] : i] - shift) * scale));
    for (int64_t i = n; i < n + BEYOND; i++) assert_true(out[i] == -77);
    free(x);
}

static void rows_are_those_of_the_formula(void **state) {
    (void)state;
    static const int64_t heights[] = {1, 7, 8, 9, 16, 23, 64, 200, 1023, 1024, MAX_HEIGHT};
    static const double chances[] = {0.05, 0.5, 0.8, 1};
    static int32_t rows[MAX_HEIGHT];
    rng r = rng_from(3);
    double *values = random_normal(&r, MAX_HEIGHT, 1);
    for (size_t h = 0; h < sizeof heights / sizeof *heights; h++) {
        check(values, heights[h], NULL, heights[h]);
        for (size_t c = 0; c < sizeof chances / sizeof *chances; c++)
            for (int ascending = 0; ascending < 2; ascending++)
                check(values, heights[h], rows, draw(&r, rows, heights[h], chances[c], ascending));
    }
    free(values);
}

TEST_FILE(test_gather) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_those_of_the_formula)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
