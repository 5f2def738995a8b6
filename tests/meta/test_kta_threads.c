/* What must not change a fit on weighted kernels: threads, storage, the way through a file, and the
 * scale of the features where gamma follows their variance. */
#include "support/fits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/dataset.h"

static const problem_shape sparse = {.n = 60, .d = 200, .classes = 2, .signal = 1, .density = 0.1};

static void threads_do_not_change_a_byte(void **state) {
    (void)state;
    rng r = rng_from(92);
    problem_shape dense = {.n = 70, .d = 90, .classes = 3, .signal = 1, .density = 1};
    const char *const kernels[] = {"rbf", "linear", "delta"};
    for (int k = 0; k < 3; k++) {
        pare_data *data = problem_make(&r, k == 1 ? &sparse : &dense);
        check_threads(data, "kta", PAIRS("kernel", kernels[k], "p", "1.3"), 4);
        pare_data_free(data);
    }
}

/* Predictions of two models on their own data. */
static void check_same(const pare_data *a, const pare_model *ma, const pare_data *b,
                       const pare_model *mb) {
    double fa[60], fb[60];
    pare_error err;
    assert_int_equal(pare_predict(fa, ma, a, NULL, &err), PARE_OK);
    assert_int_equal(pare_predict(fb, mb, b, NULL, &err), PARE_OK);
    for (int i = 0; i < 60; i++) check_close(fa[i], fb[i], 1e-4);
    assert_int_equal(pare_model_get(ma)->n_selected, pare_model_get(mb)->n_selected);
    for (int64_t i = 0; i < pare_model_get(ma)->n_selected; i++)
        check_close(pare_model_get(ma)->score[i], pare_model_get(mb)->score[i], 1e-10);
}

static void storage_and_scale_do_not_matter(void **state) {
    (void)state;
    rng r = rng_from(93);
    pare_data *data = problem_make(&r, &sparse), *dense;
    double *x = dense_of(&data->x);
    const char *labels[60];
    pare_error err;
    for (int i = 0; i < 60; i++) labels[i] = data->target.text.text + data->target.text.start[i];
    for (int64_t e = 0; e < 60 * 200; e++) x[e] = 3 * x[e] + 10;
    dense = data_labelled(60, 200, x, labels);
    pare_model *a = fit_or_fail(data, "kta", PAIRS("tol", "1e-9", "p", "1.3")),
               *b = fit_or_fail(dense, "kta", PAIRS("tol", "1e-9", "p", "1.3", "scale", "none"));
    check_same(data, a, dense, b);

    pare_model *back;
    assert_int_equal(pare_model_save(a, "kta_meta.json", NULL, &err), PARE_OK);
    assert_int_equal(pare_model_load(&back, "kta_meta.json", NULL, &err), PARE_OK);
    check_same(data, a, data, back);
    remove("kta_meta.json");
    pare_model_free(back);
    pare_model_free(b);
    pare_model_free(a);
    pare_data_free(dense);
    pare_data_free(data);
    free(x);
}

TEST_FILE(test_kta_threads) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_a_byte),
        cmocka_unit_test(storage_and_scale_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
