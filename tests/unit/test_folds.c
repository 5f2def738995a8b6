/* Folds and splits by counting: even, seeded, groups whole, refusals in words. */
#include "support/support.h"

#include <math.h>
#include <string.h>

#include "data/sample/folds.h"

enum { MOST = 300 };

static void count_folds(int64_t *count, const int32_t *fold, const int32_t *cls, int32_t c,
                        int64_t n, int64_t k) {
    memset(count, 0, (size_t)k * sizeof *count);
    for (int64_t i = 0; i < n; i++) {
        assert_true(fold[i] >= 0 && fold[i] < k);
        if (!cls || cls[i] == c) count[fold[i]]++;
    }
}

static int64_t spread(const int64_t *count, int64_t k) {
    int64_t low = count[0], high = count[0];
    for (int64_t f = 1; f < k; f++) {
        if (count[f] < low) low = count[f];
        if (count[f] > high) high = count[f];
    }
    return high - low;
}

static void stratified_is_even(void **state) {
    (void)state;
    rng r = rng_from(1);
    int32_t cls[MOST], fold[MOST], again[MOST];
    int64_t count[MOST];
    for (int round = 0; round < 300; round++) {
        int64_t k = 2 + rng_below(&r, 9), n = 4 * k + rng_below(&r, MOST - 4 * k),
                c = 1 + rng_below(&r, 4);
        for (int64_t i = 0; i < n; i++)
            cls[i] =
                (int32_t)(i < c * k ? i % c : rng_below(&r, c)) * 2; /* odd classes are empty */
        assert_int_equal(folds_make(fold, n, k, cls, NULL, (uint64_t)round, NULL, NULL), PARE_OK);
        count_folds(count, fold, NULL, 0, n, k);
        assert_true(spread(count, k) <= 1);
        for (int32_t v = 0; v < c; v++) {
            count_folds(count, fold, cls, 2 * v, n, k);
            assert_true(spread(count, k) <= 1);
        }
        assert_int_equal(folds_make(again, n, k, cls, NULL, (uint64_t)round, NULL, NULL), PARE_OK);
        assert_memory_equal(fold, again, (size_t)n * sizeof *fold);
        assert_int_equal(folds_make(again, n, k, NULL, NULL, (uint64_t)round, NULL, NULL), PARE_OK);
        count_folds(count, again, NULL, 0, n, k);
        assert_true(spread(count, k) <= 1);
    }
}

/* Over many seeds each sample meets each other one in a fold as often as chance has it. */
static void folds_are_random(void **state) {
    (void)state;
    enum { SEEDS = 20000, N = 12, K = 3 };
    const int32_t cls[N] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
    int32_t fold[N];
    int64_t together[N] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        assert_int_equal(folds_make(fold, N, K, cls, NULL, seed, NULL, NULL), PARE_OK);
        for (int i = 1; i < N; i++) together[i] += fold[i] == fold[0];
    }
    for (int i = 1; i < N; i++) { /* own class: 1 of the other 5; other class: 2 of 6 */
        double p = i < 6 ? 1.0 / 5 : 1.0 / 3, sd = sqrt(p * (1 - p) / SEEDS);
        assert_true(fabs((double)together[i] / SEEDS - p) < 5 * sd);
    }
}

/* sum over folds of squared shares: what grouping minimises greedily, written out anew. */
static double unevenness(const int32_t *fold, int64_t n, int64_t k, const int32_t *cls, int32_t c) {
    double sum = 0;
    int64_t count[MOST];
    for (int32_t v = -1; v < c; v++) {
        int64_t total = 0;
        count_folds(count, fold, v < 0 ? NULL : cls, v, n, k);
        for (int64_t f = 0; f < k; f++) total += count[f];
        for (int64_t f = 0; f < k; f++) sum += pow((double)count[f] / (double)total, 2);
    }
    return sum;
}

static void groups_stay_whole(void **state) {
    (void)state;
    rng r = rng_from(2);
    int32_t cls[MOST], group[MOST], fold[MOST], other[MOST], of_group[MOST];
    int64_t count[MOST];
    for (int round = 0; round < 200; round++) {
        int64_t k = 2 + rng_below(&r, 4), groups = 4 * k + rng_below(&r, 20), n = 0;
        for (int32_t g = 0; g < groups; g++)
            for (int64_t size = 1 + rng_below(&r, 6), left = size; left > 0 && n < MOST; left--) {
                group[n] = (int32_t)(g * 3 % (int32_t)groups);
                cls[n++] = (int32_t)(rng_uniform(&r) < 0.3);
            }
        for (int64_t i = 0; i < n; i++) group[i] %= (int32_t)n;
        for (int64_t i = 0; i < 2 * k; i++) cls[i] = (int32_t)(i % 2);
        assert_int_equal(folds_make(fold, n, k, cls, group, 7, NULL, NULL), PARE_OK);
        memset(of_group, -1, sizeof of_group);
        for (int64_t i = 0; i < n; i++) {
            if (of_group[group[i]] < 0) of_group[group[i]] = fold[i];
            assert_int_equal(of_group[group[i]], fold[i]);
        }
        count_folds(count, fold, NULL, 0, n, k);
        for (int64_t f = 0; f < k; f++) assert_true(count[f] > 0);
        double mine = unevenness(fold, n, k, cls, 2), mean = 0;
        for (int trial = 0; trial < 20; trial++) { /* groups dealt at random are worse */
            for (int32_t g = 0; g < n; g++) of_group[g] = (int32_t)rng_below(&r, k);
            for (int64_t i = 0; i < n; i++) other[i] = of_group[group[i]];
            mean += unevenness(other, n, k, cls, 2) / 20;
        }
        double ideal = 3.0 / (double)k; /* what no deal can be below */
        assert_true(mine - ideal < 0.3 * (mean - ideal));
        assert_int_equal(folds_make(other, n, k, cls, group, 7, NULL, NULL), PARE_OK);
        assert_memory_equal(fold, other, (size_t)n * sizeof *fold);
    }
}

/* Groups of one size and one class each, k of them per class: perfect balance exists. */
static void equal_groups_are_perfect(void **state) {
    (void)state;
    enum { K = 5, SIZE = 4, C = 3, N = K * SIZE * C };
    int32_t cls[N], group[N], fold[N];
    int64_t count[K];
    for (int i = 0; i < N; i++) {
        group[i] = i % (K * C);
        cls[i] = group[i] % C;
    }
    for (uint64_t seed = 0; seed < 50; seed++) {
        assert_int_equal(folds_make(fold, N, K, cls, group, seed, NULL, NULL), PARE_OK);
        for (int32_t c = 0; c < C; c++) {
            count_folds(count, fold, cls, c, N, K);
            assert_int_equal(spread(count, K), 0);
        }
    }
}

static void splits_are_fair(void **state) {
    (void)state;
    rng r = rng_from(3);
    int32_t cls[MOST];
    bool train[MOST], again[MOST];
    for (int round = 0; round < 300; round++) {
        int64_t n = 20 + rng_below(&r, MOST - 20), n_train = n / 4 + rng_below(&r, n / 2),
                total = 0;
        for (int64_t i = 0; i < n; i++)
            cls[i] = i < 15 ? (int32_t)i % 3 : (int32_t)rng_below(&r, 3);
        assert_int_equal(folds_split(train, n, n_train, cls, (uint64_t)round, NULL, NULL), PARE_OK);
        for (int32_t c = 0; c < 3; c++) {
            int64_t in = 0, all = 0;
            for (int64_t i = 0; i < n; i++) {
                all += cls[i] == c;
                in += cls[i] == c && train[i];
            }
            assert_true(fabs((double)in - (double)n_train * (double)all / (double)n) < 1);
            total += in;
        }
        assert_int_equal(total, n_train);
        assert_int_equal(folds_split(again, n, n_train, cls, (uint64_t)round, NULL, NULL), PARE_OK);
        assert_memory_equal(train, again, (size_t)n * sizeof *train);
    }
}

static void refuse(int64_t n, int64_t k, const int32_t *cls, const int32_t *group, pare_status code,
                   const char *message) {
    int32_t fold[10];
    pare_error err;
    assert_int_equal(folds_make(fold, n, k, cls, group, 1, NULL, &err), code);
    assert_string_equal(err.message, message);
}

static void refuses(void **state) {
    (void)state;
    const int32_t rare[6] = {0, 0, 0, 2, 2, 0}, few[6] = {1, 1, 1, 4, 4, 4},
                  wild[6] = {0, 0, 6, 0, 0, 0};
    const int32_t one[6] = {0, 0, 0, 0, 0, 1};
    bool train[6];
    pare_error err;
    refuse(6, 1, NULL, NULL, PARE_E_ARGUMENT,
           "1 folds of 6 samples are not possible, allowed are 2 to the number of samples");
    refuse(6, 7, NULL, NULL, PARE_E_ARGUMENT,
           "7 folds of 6 samples are not possible, allowed are 2 to the number of samples");
    refuse(6, 3, rare, NULL, PARE_E_DATA, "class 2 has 2 samples, too few for 3 folds");
    refuse(6, 3, NULL, few, PARE_E_DATA, "there are 2 groups, too few for 3 folds");
    refuse(6, 3, wild, NULL, PARE_E_ARGUMENT, "sample 3 is of class 6, allowed are 0 to 5");
    refuse(6, 3, NULL, wild, PARE_E_ARGUMENT, "sample 3 is of group 6, allowed are 0 to 5");
    assert_int_equal(folds_split(train, 6, 0, NULL, 1, NULL, &err), PARE_E_ARGUMENT);
    assert_string_equal(
        err.message, "a training part of 0 out of 6 samples is not possible, allowed are 1 to 5");
    assert_int_equal(folds_split(train, 6, 6, NULL, 1, NULL, &err), PARE_E_ARGUMENT);
    assert_int_equal(folds_split(train, 6, 2, one, 1, NULL, &err), PARE_E_DATA);
    assert_string_equal(err.message,
                        "a training part of 2 samples has none of class 1 with its 1 of 6 samples");
}

TEST_FILE(test_folds) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stratified_is_even), cmocka_unit_test(folds_are_random),
        cmocka_unit_test(groups_stay_whole),  cmocka_unit_test(equal_groups_are_perfect),
        cmocka_unit_test(splits_are_fair),    cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
