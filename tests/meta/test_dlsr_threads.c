/* What must not change a fit of the least squares family: threads, and the unit of the sample
 * weights. */
#include "support/fits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "model/model.h"

static void threads_do_not_change_a_byte(void **state) {
    (void)state;
    rng r = rng_from(81);
    const problem_shape shapes[] = {
        {.n = 60, .d = 300, .classes = 9, .signal = 1, .density = 1},
        {.n = 70, .d = 20, .classes = 4, .signal = 1, .density = 0.5, .weights = true},
        {.n = 300, .d = 25, .classes = 150, .signal = 1, .density = 1},
    };
    const char *const methods[] = {"dlsr", "dlsr-fs", "lda"};
    for (int s = 0; s < 3; s++)
        for (int m = 0; m < 3; m++) {
            pare_data *data = problem_make(&r, &shapes[s]);
            check_threads(data, methods[m], NULL, 4);
            pare_data_free(data);
        }
}

/* Every sample twice as heavy, every penalty twice as dear: the same weights, twice the objective. */
static void weights_have_no_unit(void **state) {
    (void)state;
    enum { N = 25, D = 30 };
    rng r = rng_from(83);
    problem_shape shape = {
        .n = N, .d = D, .classes = 3, .signal = 1, .density = 1, .weights = true};
    pare_data *data = problem_make(&r, &shape);
    const char *const methods[] = {"dlsr", "lsr", "dlsr-fs"};
    for (int k = 0; k < 3; k++) {
        pare_model *once = fit_or_fail(data, methods[k], PAIRS("lambda", "1", "tol", "1e-8"));
        for (int64_t i = 0; i < N; i++) data->weight[i] *= 1000;
        pare_model *heavy = fit_or_fail(data, methods[k], PAIRS("lambda", "1000", "tol", "1e-8"));
        for (int64_t i = 0; i < N; i++) data->weight[i] /= 1000;
        check_close(report_of(heavy).objective / report_of(once).objective, 1000, 1e-7);
        assert_int_equal(pare_model_get(once)->n_selected, pare_model_get(heavy)->n_selected);
        pare_model_free(heavy);
        pare_model_free(once);
    }
    pare_data_free(data);
}

TEST_FILE(test_dlsr_threads) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_a_byte),
        cmocka_unit_test(weights_have_no_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
