/* Sorting: total orders with NaN last, the same list however it was shuffled, and the best of many. */
#include "base/order.h"

#include <float.h>
#include <math.h>

#include "base/rng.h"
#include "support/support.h"

enum { COUNT = 3000, KEPT = 17 };

/* Few different keys, so that most are equal, infinities, both zeros and NaN among them; and, for half of the
 * lists, many of all sizes between. */
static void make(ranked *v, rng *random) {
    static const double key[] = {NAN, -INFINITY, -2.5, -0.0, 0.0, 1e-300, 7, INFINITY};
    bool spread = rng_below(random, 2);
    for (int64_t i = 0; i < COUNT; i++) {
        int few = spread ? 16 : 8;
        int64_t which = rng_below(random, few);
        v[i] =
            (ranked){which < 8 ? key[which] : rng_normal(random) * pow(10, rng_normal(random)), i};
    }
    for (int64_t i = COUNT - 1; i > 0; i--) {
        int64_t j = rng_below(random, i + 1);
        ranked swapped = v[i];
        v[i] = v[j];
        v[j] = swapped;
    }
}

/* By definition, slowly: is a before b with keys ascending, or descending, NaN last? */
static bool key_before(double a, double b, bool down) {
    if (isnan(b)) return !isnan(a);
    return down ? a > b : a < b;
}

static bool key_equal(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static void assert_sorted(const ranked *v, bool down, bool reversed) {
    for (int64_t i = 1; i < COUNT; i++) {
        ranked a = reversed ? v[i] : v[i - 1], b = reversed ? v[i - 1] : v[i];
        assert_true(key_before(a.key, b.key, down) ||
                    (key_equal(a.key, b.key) && a.index < b.index));
    }
}

static void test_ranked(void **state) {
    (void)state;
    ranked v[COUNT];
    rng random;
    rng_seed(&random, 5, 0);
    for (int round = 0; round < 20; round++) {
        make(v, &random);
        sort_best_first(v, COUNT);
        assert_sorted(v, true, false);
        make(v, &random);
        sort_worst_first(v, COUNT);
        assert_sorted(v, true, true);
        make(v, &random);
        sort_least_first(v, COUNT);
        assert_sorted(v, false, false);
    }
}

/* Against the sorted list: the count-th, and of its equals those that are not after it. */
static void test_select(void **state) {
    (void)state;
    ranked v[COUNT];
    double x[COUNT], spare[COUNT];
    rng random;
    rng_seed(&random, 8, 0);
    for (int round = 0; round < 200; round++) {
        int64_t n = round % 3 ? 1 + rng_below(&random, COUNT) : 1 + rng_below(&random, 5), equal;
        int64_t count = round % 5 == 0 ? n : 1 + rng_below(&random, n), expected = 0;
        make(v, &random);
        for (int64_t i = 0; i < n; i++) x[i] = v[i].key;
        sort_least_first(v, n);
        double key = select_up(x, n, count, &equal, spare);
        assert_true(key_equal(key, v[count - 1].key));
        for (int64_t i = 0; i < count; i++) expected += key_equal(v[i].key, key);
        assert_int_equal(equal, expected);
    }
}

static void test_plain(void **state) {
    (void)state;
    ranked v[COUNT];
    double up[COUNT], down[COUNT];
    int64_t index[COUNT];
    rng random;
    rng_seed(&random, 6, 0);
    make(v, &random);
    for (int64_t i = 0; i < COUNT; i++) {
        up[i] = down[i] = v[i].key;
        index[i] = v[i].index;
    }
    sort_up(up, COUNT);
    sort_down(down, COUNT);
    sort_index(index, COUNT);
    for (int64_t i = 0; i < COUNT; i++) assert_int_equal(index[i], i);
    for (int64_t i = 1; i < COUNT; i++) {
        assert_false(key_before(up[i], up[i - 1], false));
        assert_false(key_before(down[i], down[i - 1], true));
    }
    sort_up(NULL, 0);
    sort_index(NULL, 0);
    sort_best_first(NULL, 0);
}

static void test_places(void **state) {
    (void)state;
    double x[COUNT];
    int64_t order[COUNT], spare[COUNT];
    rng random;
    rng_seed(&random, 8, 0);
    for (int64_t n = 0; n <= COUNT; n++) {
        for (int64_t i = 0; i < n; i++) x[i] = (double)rng_below(&random, 30);
        sort_places(x, n, order, spare);
        for (int64_t k = 1; k < n; k++) {
            double a = x[order[k - 1]], b = x[order[k]];
            assert_true(a < b || (a == b && order[k - 1] < order[k]));
        }
    }
}

static void test_keep_best(void **state) {
    (void)state;
    ranked v[COUNT], heap[COUNT + 1];
    rng random;
    rng_seed(&random, 7, 0);
    for (int64_t most = 1; most <= COUNT + 1; most += KEPT) {
        int64_t count = 0;
        make(v, &random);
        for (int64_t i = 0; i < COUNT; i++) keep_best(heap, &count, most, v[i]);
        assert_int_equal(count, most < COUNT ? most : COUNT);
        sort_best_first(heap, count);
        sort_best_first(v, COUNT);
        for (int64_t i = 0; i < count; i++) assert_int_equal(heap[i].index, v[i].index);
    }
}

static void test_keyed(void **state) {
    (void)state;
    keyed v[COUNT], spare[COUNT];
    rng random;
    rng_seed(&random, 9, 0);
    for (int64_t n = 0; n <= COUNT; n += 1 + n / 5) {
        for (int64_t i = 0; i < n; i++)
            v[i] = (keyed){(double)rng_below(&random, 1 + n / 2), (int32_t)i};
        if (n % 3 == 1) v[0].key = 1e9;                              /* all else in one bucket */
        if (n % 3 == 2) v[0].key = -DBL_MAX, v[n - 1].key = DBL_MAX; /* a range beyond numbers */
        const keyed *sorted = sort_keyed(v, n, spare);
        for (int64_t i = 1; i < n; i++)
            assert_true(
                sorted[i - 1].key < sorted[i].key ||
                (sorted[i - 1].key == sorted[i].key && sorted[i - 1].place < sorted[i].place));
    }
}

TEST_FILE(test_order) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranked), cmocka_unit_test(test_select),
        cmocka_unit_test(test_plain),  cmocka_unit_test(test_places),
        cmocka_unit_test(test_keyed),  cmocka_unit_test(test_keep_best)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
