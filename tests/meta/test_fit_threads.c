/* What must not change a fit: threads, order of samples and features, storage, the way back
 * through a file. */
#include "support/fits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "model/model.h"

static void threads_do_not_change_a_byte(void **state) {
    (void)state;
    rng r = rng_from(31);
    const problem_shape shapes[] = {
        {.n = 30, .d = 700, .classes = 3, .signal = 1, .density = 1, .missing = 0.02},
        {.n = 60, .d = 900, .classes = 2, .signal = 1, .density = 0.05, .weights = true},
    };
    const char *const methods[] = {"svm", "corr"};
    for (int s = 0; s < 2; s++)
        for (int m = 0; m < 2; m++) {
            pare_data *data = problem_make(&r, &shapes[s]);
            check_threads(data, methods[m], PAIRS("missing", "median", "k", "20"), 16);
            pare_data_free(data);
        }
}

/* Certificates of so many features that threads read them. */
static void threads_do_not_change_a_certificate(void **state) {
    (void)state;
    rng r = rng_from(37);
    problem_shape shape = {
        .n = 36, .d = 30000, .classes = 2, .signal = 1, .density = 1, .missing = 0.001};
    pare_data *data = problem_make(&r, &shape);
    check_threads(data, "logistic", PAIRS("missing", "median", "scale", "robust"), 4);
    check_threads(data, "l1-svm", PAIRS("missing", "mean"), 4);
    pare_data_free(data);
}

/* Standardised data do not see a change of units; the raw coefficients take it up. */
static void units_do_not_matter(void **state) {
    (void)state;
    enum { N = 30, D = 10 };
    rng r = rng_from(33);
    problem_shape shape = {.n = N, .d = D, .classes = 2, .signal = 1, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    pare_model *a = fit_or_fail(data, "svm", PAIRS("tol", "1e-10"));
    double before[N], after[N];
    pare_error err;
    assert_int_equal(pare_predict(before, a, data, NULL, &err), PARE_OK);
    for (int64_t j = 0; j < D; j++)
        for (int64_t i = 0; i < N; i++)
            values_of(&data->x)[j * N + i] =
                1e6 + pow(10, (double)(j % 5)) * values_of(&data->x)[j * N + i];
    pare_model *b = fit_or_fail(data, "svm", PAIRS("tol", "1e-10"));
    assert_int_equal(pare_predict(after, b, data, NULL, &err), PARE_OK);
    for (int64_t i = 0; i < N; i++) check_close(before[i], after[i], 1e-4);
    pare_model_free(a);
    pare_model_free(b);
    pare_data_free(data);
}

static void dense_is_sparse(void **state) {
    (void)state;
    rng r = rng_from(34);
    problem_shape shape = {.n = 40, .d = 60, .classes = 2, .signal = 1, .density = 0.3};
    pare_data *sparse = problem_make(&r, &shape), *dense;
    double *x = dense_of(&sparse->x);
    const char *labels[40];
    for (int64_t i = 0; i < 40; i++) labels[i] = strings_at(&sparse->target.text, i);
    dense = data_labelled(40, 60, x, labels);
    const char *const scales[] = {"standard", "unit", "minmax", "none"};
    for (int s = 0; s < 4; s++) {
        pare_model *a = fit_or_fail(sparse, "svm", PAIRS("scale", scales[s], "tol", "1e-9"));
        pare_model *b = fit_or_fail(dense, "svm", PAIRS("scale", scales[s], "tol", "1e-9"));
        check_close(report_of(a).objective, report_of(b).objective, 1e-7);
        assert_string_equal(a->sha256, b->sha256);
        pare_model_free(a);
        pare_model_free(b);
    }
    free(x);
    pare_data_free(dense);
    pare_data_free(sparse);
}

static void a_file_keeps_everything(void **state) {
    (void)state;
    rng r = rng_from(35);
    problem_shape shape = {
        .n = 30, .d = 40, .classes = 3, .signal = 1, .density = 1, .missing = 0.05};
    pare_data *data = problem_make(&r, &shape);
    const char *const methods[] = {"svm", "corr"};
    for (int t = 0; t < 2; t++) {
        pare_model *m = fit_or_fail(data, methods[t], PAIRS("k", "7", "missing", "mean")), *again;
        pare_error err;
        char *text, *reread;
        pare_report was = report_of(m), now;
        assert_int_equal(pare_model_save(m, "kept.json", NULL, &err), PARE_OK);
        assert_int_equal(pare_model_load(&again, "kept.json", NULL, &err), PARE_OK);
        assert_int_equal(pare_model_text(&text, m, NULL, &err), PARE_OK);
        assert_int_equal(pare_model_text(&reread, again, NULL, &err), PARE_OK);
        *strstr(text, "\"notes\"") = *strstr(reread, "\"notes\"") =
            '\0'; /* notes are for the fit */
        assert_string_equal(text, reread);
        assert_int_equal(pare_check(&now, NULL, again, data, NULL, &err), PARE_OK);
        check_close(was.objective, now.objective, 1e-14);
        pare_text_free(text, NULL);
        pare_text_free(reread, NULL);
        pare_model_free(again);
        pare_model_free(m);
        remove("kept.json");
    }
    pare_data_free(data);
}

TEST_FILE(test_fit_threads) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_a_byte),
        cmocka_unit_test(threads_do_not_change_a_certificate),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(dense_is_sparse),
        cmocka_unit_test(a_file_keeps_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
