/* lasso, logistic and sbmlr under failing allocations: an error, no crash, no leak. */
#include "support/regression.h"

#include "model/model.h"

static void nothing_leaks(void **state) {
    (void)state;
    rng r = rng_from(62);
    const problem_shape two = {.n = 8, .d = 6, .classes = 2, .signal = 1, .density = 0.5};
    const problem_shape three = {.n = 9, .d = 5, .classes = 3, .signal = 1, .density = 1};
    pare_data *a = problem_make(&r, &two), *b = problem_make(&r, &three);
    regression c = regression_make(&r, 9, 5, REG_NORMAL, true);
    const problem_shape wide = {.n = 6, .d = 9, .classes = 3, .signal = 1, .density = 1};
    pare_data *e = problem_make(&r, &wide);
    regression offset = regression_make(&r, 9, 5, REG_NORMAL, true);
    pare_error err;
    assert_int_equal(pare_data_set_offset(offset.data, (double[9]){1, 2, 3}, &err), PARE_OK);
    fit_call fits[] = {
        {a, "logistic", PAIRS("k", "1")},
        {b, "logistic", PAIRS("penalty", "rows", "sweep", "true", "lambda_count", "12")},
        {c.data, "lasso", PAIRS("lambda", "0.1", "alpha", "0.5")},
        {e, "logistic", PAIRS("alpha", "0")},
        {offset.data, "lasso", PAIRS("refit", "relaxed")},
        {a, "sbmlr", PAIRS("scale", "none")},
    };
    for (size_t t = 0; t < sizeof fits / sizeof fits[0]; t++) check_oom(fit_call_run, &fits[t]);
    regression_free(&offset);
    pare_data_free(e);
    regression_free(&c);
    pare_data_free(b);
    pare_data_free(a);
}

TEST_FILE(test_glm_oom) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_leaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
