/* Complementary pairs: disjoint, even in every class, the same for the same seed, groups whole. */
#include "select/half_samples.h"

#include <string.h>

#include "support/support.h"

enum { N = 41, PAIRS = 30 };

static const char *labels[] = {"a", "b", "c"};

static target classes(int32_t *cls, int64_t n) {
    for (int64_t i = 0; i < n; i++) cls[i] = (int32_t)(i % 7 < 3 ? 0 : i % 7 < 5 ? 1 : 2);
    return (target){.task = &task_multiclass, .n_classes = 3, .classes = labels, .cls = cls};
}

static int64_t count_of(const cv_part *half, const int32_t *cls, int32_t c) {
    int64_t count = 0;
    for (int64_t i = 0; i < half->n_train; i++) count += cls[half->train[i]] == c;
    return count;
}

static void are_even(void **state) {
    (void)state;
    int32_t cls[N];
    int64_t size[3] = {0}, seen[N] = {0};
    target y = classes(cls, N);
    cv_part *half, *again;
    arena mem;
    pare_error err;
    arena_init(&mem, ctx_allocator(NULL));
    assert_int_equal(half_samples_draw(&half, &mem, &y, NULL, N, PAIRS, 3, NULL, &err), PARE_OK);
    assert_int_equal(half_samples_draw(&again, &mem, &y, NULL, N, PAIRS, 3, NULL, &err), PARE_OK);
    for (int64_t i = 0; i < N; i++) size[cls[i]]++;
    for (int b = 0; b < PAIRS; b++) {
        int side[N] = {0};
        for (int s = 0; s < 2; s++) {
            const cv_part *h = &half[2 * b + s], *same = &again[2 * b + s];
            assert_int_equal(h->n_train, same->n_train);
            assert_memory_equal(h->train, same->train, sizeof *h->train * (size_t)h->n_train);
            for (int32_t c = 0; c < 3; c++) assert_int_equal(count_of(h, cls, c), size[c] / 2);
            for (int64_t i = 0; i < h->n_train; i++) {
                if (i > 0) assert_true(h->train[i] > h->train[i - 1]);
                side[h->train[i]]++;
                seen[h->train[i]]++;
            }
        }
        for (int i = 0; i < N; i++) assert_true(side[i] <= 1); /* disjoint */
        if (b > 0)                                             /* another draw */
            assert_true(memcmp(half[0].train, half[2 * b].train, sizeof(int32_t) * 10) != 0);
    }
    for (int i = 0; i < N; i++)
        assert_true((double)seen[i] > 0.7 * PAIRS); /* no sample is always left out */
    arena_free(&mem);
}

static void keep_groups(void **state) {
    (void)state;
    int32_t cls[N], group[N];
    target y = classes(cls, N);
    cv_part *half;
    arena mem;
    pare_error err;
    for (int32_t i = 0; i < N; i++) group[i] = i / 3;
    arena_init(&mem, ctx_allocator(NULL));
    assert_int_equal(half_samples_draw(&half, &mem, &y, group, N, PAIRS, 3, NULL, &err), PARE_OK);
    for (int b = 0; b < PAIRS; b++) {
        int32_t of[N];
        memset(of, -1, sizeof of);
        for (int s = 0; s < 2; s++)
            for (int64_t i = 0; i < half[2 * b + s].n_train; i++) {
                int32_t row = half[2 * b + s].train[i];
                assert_true(of[group[row]] == -1 || of[group[row]] == s);
                of[group[row]] = s;
            }
    }
    for (int32_t i = 0; i < N; i++) group[i] = cls[i] == 2 ? 0 : 1 + i / 3;
    int32_t next = 0, number[N];
    memset(number, -1, sizeof number);
    for (int32_t i = 0; i < N; i++) { /* as they come, as folds want them */
        if (number[group[i]] < 0) number[group[i]] = next++;
        group[i] = number[group[i]];
    }
    assert_int_equal(half_samples_draw(&half, &mem, &y, group, N, PAIRS, 3, NULL, &err),
                     PARE_E_DATA);
    assert_non_null(strstr(err.message, "kept in one half-sample"));
    arena_free(&mem);
}

static void refuse_small_classes(void **state) {
    (void)state;
    int32_t cls[12] = {0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0};
    target y = {.task = &task_binary, .n_classes = 2, .classes = labels, .cls = cls};
    cv_part *half;
    arena mem;
    pare_error err;
    arena_init(&mem, ctx_allocator(NULL));
    assert_int_equal(half_samples_draw(&half, &mem, &y, NULL, 12, 5, 3, NULL, &err), PARE_E_DATA);
    assert_non_null(strstr(err.message, "\"b\" with its 3"));
    double value[3] = {1, 2, 3};
    y = (target){.task = &task_regression, .value = value};
    assert_int_equal(half_samples_draw(&half, &mem, &y, NULL, 3, 5, 3, NULL, &err), PARE_E_DATA);
    arena_free(&mem);
}

TEST_FILE(test_half_samples) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(are_even), cmocka_unit_test(keep_groups),
                                       cmocka_unit_test(refuse_small_classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
