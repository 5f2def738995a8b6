/* How many features svm-rfe takes out at a time by itself, against the sentence that says it and
 * against eliminations whose steps are given. */
#include "support/fits.h"

#include <math.h>
#include <stdlib.h>

#include "method/svm/rfe.h"

/* A tenth of what remains while more than 1,000 do, never past 1,000, then one at a time. */
static void a_tenth_down_to_a_thousand(void **state) {
    (void)state;
    for (int64_t start = 1; start < 3000000; start = 3 * start + 7)
        for (int64_t live = start; live > 1;) {
            int64_t tenth = live / 10, count = rfe_step(NAN, live, 1);
            if (live > 1000)
                assert_int_equal(count, tenth < live - 1000 ? tenth : live - 1000);
            else
                assert_int_equal(count, 1);
            live -= count;
        }
    assert_int_equal(rfe_step(NAN, 5000, 4900), 100);
    assert_int_equal(rfe_step(NAN, 5000, 10), 500);
    assert_int_equal(rfe_step(NAN, 1050, 10), 50);
    assert_int_equal(rfe_step(NAN, 1001, 1), 1);
    assert_int_equal(rfe_step(0.1, 1050, 10), 105);
}

static pare_data *draw(int64_t n, int64_t d, double *x) {
    rng r = rng_from(71);
    const char **label = calloc((size_t)n, sizeof *label);
    assert_non_null(label);
    for (int64_t i = 0; i < n; i++) label[i] = i % 2 ? "1" : "0";
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < n; i++) x[j * n + i] = rng_normal(&r) + (j < 5) * (double)(i % 2);
    pare_data *data = data_labelled(n, d, x, label);
    free(label);
    return data;
}

/* From 1,090 features: 90 at once, and then the elimination one at a time of the others. */
static void the_ranking_is_that_of_the_given_steps(void **state) {
    (void)state;
    enum { SAMPLES = 30, ALL = 1090, ALONE = 1000 };
    double *x = malloc(sizeof *x * SAMPLES * ALL), *part = malloc(sizeof *x * SAMPLES * ALONE);
    pare_data *data = draw(SAMPLES, ALL, x);
    pare_model *whole = fit_or_fail(data, "svm-rfe", PAIRS("k", "5"));
    pare_model *first = fit_or_fail(data, "svm-rfe", PAIRS("k", "1000", "step", "90"));
    const int64_t *ranking = pare_model_get(whole)->ranking, *top = pare_model_get(first)->ranking;
    for (int64_t i = ALONE; i < ALL; i++) assert_int_equal(ranking[i], top[i]);

    int64_t own[ALONE], count = 0;
    bool lives[ALL] = {false};
    for (int64_t i = 0; i < ALONE; i++) lives[top[i]] = true;
    for (int64_t j = 0; j < ALL; j++) {
        if (!lives[j]) continue;
        for (int64_t i = 0; i < SAMPLES; i++) part[count * SAMPLES + i] = x[j * SAMPLES + i];
        own[count++] = j;
    }
    assert_int_equal(count, ALONE);
    const char *label[SAMPLES];
    for (int64_t i = 0; i < SAMPLES; i++) label[i] = i % 2 ? "1" : "0";
    pare_data *rest = data_labelled(SAMPLES, ALONE, part, label);
    pare_model *second = fit_or_fail(rest, "svm-rfe", PAIRS("k", "5", "step", "1"));
    for (int64_t i = 0; i < ALONE; i++)
        assert_int_equal(ranking[i], own[pare_model_get(second)->ranking[i]]);
    pare_model_free(second);
    pare_model_free(first);
    pare_model_free(whole);
    pare_data_free(rest);
    pare_data_free(data);
    free(part);
    free(x);
}

TEST_FILE(test_rfe_steps) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_tenth_down_to_a_thousand),
                                       cmocka_unit_test(the_ranking_is_that_of_the_given_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
