/* `svm` on many random problems, judged from raw data by the certificate. */
#include "support/certified.h"

#include "model/model.h"

static const char *const *const variants[] = {
    PAIRS("C", "1"),
    PAIRS("C", "0.01", "scale", "minmax"),
    PAIRS("C", "100", "scale", "unit"),
    PAIRS("ridge", "0.1"),
    PAIRS("ridge", "1e-3", "intercept", "false"),
    PAIRS("slack", "squared", "C", "2", "scale", "none"),
    PAIRS("C", "1", "intercept", "false", "scale", "none"),
    PAIRS("C", "1", "scale", "standard"),
};
enum { N_VARIANTS = sizeof variants / sizeof variants[0] };

static void fits_are_certified(void **state) {
    (void)state;
    check_settings_certified((certified_run){.seed = 11}, "svm", variants, N_VARIANTS, 2e-6);
}

static void a_wrong_model_is_found_out(void **state) {
    (void)state;
    rng r = rng_from(12);
    for (int s = 0; s < 6; s++) {
        problem_shape shape = certified_problems[s];
        shape.missing = 0;
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = fit_or_fail(data, "svm", PAIRS("C", "0.5"));
        cert_probe p = {m, data, CERT_PREDICTOR, 2e-6, 1e-5};
        check_breaks(&p, &m->p.coef[0], 1.5 * m->p.coef[0]);
        check_breaks(&p, &m->p.intercept[0], m->p.intercept[0] + 0.5);
        check_scaling_breaks(&p, m->dual, data->x.n, 0.8);
        pare_model_free(m);
        pare_data_free(data);
    }
}

static void hard_margins_hold_or_are_refused(void **state) {
    (void)state;
    rng r = rng_from(13);
    problem_shape wide = {.n = 20, .d = 100, .classes = 2, .density = 1};
    pare_data *data = problem_make(&r, &wide);
    pare_model *m = fit_or_fail(data, "svm", PAIRS("C", "inf"));
    check_margins(m, data);
    assert_true(report_of(m).certificate.relative <= 2e-6);
    pare_model_free(m);
    pare_data_free(data);

    problem_shape tall = {.n = 40, .d = 2, .classes = 2, .density = 1};
    data = problem_make(&r, &tall);
    check_no_fit(data, "svm", PAIRS("C", "inf"), PARE_E_INFEASIBLE, "ridge");
    check_no_fit(data, "svm", PAIRS("C", "inf"), PARE_E_INFEASIBLE, "C");
    m = fit_or_fail(data, "corr", PAIRS("classifier_C", "inf")); /* the classifier helps itself */
    assert_true(m->set.common.classifier_ridge > 0);
    assert_true(report_of(m).certificate.relative <= 2e-6);
    assert_true(pare_model_get(m)->n_notes > 0);
    pare_model_free(m);
    pare_data_free(data);
}

static void selecting_k_refits_on_the_largest_weights(void **state) {
    (void)state;
    rng r = rng_from(14);
    problem_shape shape = {.n = 40, .d = 50, .classes = 2, .signal = 2, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    pare_model *all = fit_or_fail(data, "svm", NULL),
               *few = fit_or_fail(data, "svm", PAIRS("k", "4"));
    pare_report selection;
    assert_int_equal(pare_model_get(all)->n_selected, 50);
    assert_int_equal(selection_of(&selection, all), 0);
    assert_int_equal(pare_model_get(few)->n_selected, 4);
    assert_int_equal(selection_of(&selection, few), 1);
    assert_true(selection.certificate.relative <= 2e-6);
    check_close(selection.objective, report_of(all).objective, 1e-5);
    assert_true(report_of(few).certificate.relative <= 2e-6);
    for (int64_t i = 0; i < 4; i++)
        assert_int_equal(pare_model_get(few)->index[i], pare_model_get(all)->index[i]);
    pare_model_free(few);
    pare_model_free(all);
    pare_data_free(data);
}

static void constant_features_are_never_selected(void **state) {
    (void)state;
    rng r = rng_from(15);
    const char *const *const scales[] = {PAIRS("scale", "none", "intercept", "false"),
                                         PAIRS("scale", "unit"), PAIRS("scale", "standard"),
                                         PAIRS("scale", "minmax")};
    problem_shape shape = {.n = 20, .d = 5, .classes = 2, .density = 1, .constant = true};
    pare_data *data = problem_make(&r, &shape);
    for (int s = 0; s < 4; s++) {
        pare_model *m = fit_or_fail(data, "svm", scales[s]);
        assert_int_equal(pare_model_get(m)->n_selected, 4);
        for (int64_t i = 0; i < 4; i++) assert_int_not_equal(pare_model_get(m)->index[i], 1);
        pare_model_free(m);
    }
    pare_model *m = fit_or_fail(data, "corr", PAIRS("k", "5"));
    assert_int_equal(pare_model_get(m)->n_selected, 4);
    assert_true(pare_model_get(m)->n_notes > 0);
    pare_model_free(m);
    pare_data_free(data);
}

TEST_FILE(test_svm) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_certified),
        cmocka_unit_test(a_wrong_model_is_found_out),
        cmocka_unit_test(hard_margins_hold_or_are_refused),
        cmocka_unit_test(selecting_k_refits_on_the_largest_weights),
        cmocka_unit_test(constant_features_are_never_selected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
