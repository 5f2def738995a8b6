/* What `stationary` says of r2w2: the bound is at most 2% above the one that a thousand steps reach,
 * on wide data with every kernel. */
#include "support/fits.h"

static const problem_shape shapes[] = {{.n = 40, .d = 400, .classes = 2, .signal = 1, .density = 1},
                                       {.n = 30, .d = 150, .classes = 3, .signal = 1, .density = 1},
                                       {.n = 50, .d = 300, .classes = 2, .density = 1}};

static double bound(const pare_data *data, const char *kernel, const char *tol) {
    pare_model *m =
        fit_or_fail(data, "r2w2",
                    tol ? PAIRS("k", "3", "kernel", kernel, "degree", "2", "coef0", "1", "tol", tol)
                        : PAIRS("k", "3", "kernel", kernel, "degree", "2", "coef0", "1"));
    pare_report selection;
    assert_true(selection_of(&selection, m));
    if (!tol) assert_string_equal(pare_outcome_name(selection.outcome), "stationary");
    pare_model_free(m);
    return selection.objective;
}

static void stationary_is_within_two_percent(void **state) {
    (void)state;
    static const char *const kernels[] = {"linear", "rbf", "poly"};
    rng r = rng_from(404);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        pare_data *data = problem_make(&r, &shapes[s]);
        for (int k = 0; k < 3; k++) {
            double found = bound(data, kernels[k], NULL), least = bound(data, kernels[k], "1e-8");
            if (!(found <= 1.02 * least))
                fail_msg("set %d, %s: %g, %.3g%% above %g", (int)s, kernels[k], found,
                         100 * (found / least - 1), least);
        }
        pare_data_free(data);
    }
}

TEST_FILE(test_r2w2) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stationary_is_within_two_percent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
