/* `svm` on many random problems, judged from raw data by the certificate. */
#include "support/problem.h"

#include <math.h>
#include <string.h>

#include "model/model.h"

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const problem_shape shapes[] = {
    {.n = 30, .d = 200, .classes = 2, .signal = 1, .density = 1},
    {.n = 60, .d = 5, .classes = 2, .signal = 0.5, .density = 1},
    {.n = 40, .d = 30, .classes = 2, .density = 1, .constant = true, .weights = true},
    {.n = 50, .d = 80, .classes = 2, .signal = 1, .density = 0.2, .weights = true},
    {.n = 40, .d = 60, .classes = 4, .signal = 1, .density = 1, .missing = 0.1},
    {.n = 45, .d = 90, .classes = 3, .signal = 1, .density = 0.3, .constant = true},
    {.n = 40,
     .d = 30,
     .classes = 2,
     .density = 1,
     .missing = 0.1,
     .constant = true,
     .weights = true},
    {.n = 2, .d = 1, .classes = 2, .signal = 5, .density = 1},
    {.n = 3, .d = 2, .classes = 3, .signal = 2, .density = 1},
    {.n = 20, .d = 1, .classes = 2, .density = 1},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

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
    rng r;
    rng_seed(&r, 11, 0);
    for (int s = 0; s < N_SHAPES; s++)
        for (int v = 0; v < N_VARIANTS; v++) {
            pare_data *data = problem_make(&r, &shapes[s]);
            pare_settings *set = settings_make("svm", variants[v]);
            pare_model *m = NULL;
            pare_error err;
            if (pare_settings_set(set, "missing", "mean", &err) != PARE_OK ||
                pare_fit(&m, data, set, NULL, &err) != PARE_OK)
                fail_msg("shape %d variant %d: %s", s, v, err.message);
            pare_report report = report_of(m);
            if (report.outcome != PARE_OPTIMAL || !(report.certificate.relative <= 2e-6) ||
                !(report.certificate.value >= -1e-9 * report.objective))
                fail_msg("shape %d variant %d: outcome %s, objective %g, gap %g, relative %g", s, v,
                         pare_outcome_name(report.outcome), report.objective,
                         report.certificate.value, report.certificate.relative);
            pare_model_free(m);
            pare_settings_free(set);
            pare_data_free(data);
        }
}

/* A certificate that cannot fail proves nothing: a wrong weight, intercept or dual must show. */
static void a_wrong_model_is_found_out(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 12, 0);
    for (int s = 0; s < 6; s++) {
        problem_shape shape = shapes[s];
        shape.missing = 0;
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = fit_or_fail(data, "svm", PAIRS("C", "0.5"));
        pare_error err;
        pare_report before, after;
        assert_int_equal(pare_check(&before, NULL, m, data, NULL, &err), PARE_OK);
        assert_true(before.certificate.relative <= 2e-6);
        m->p.coef[0] *= 1.5;
        assert_int_equal(pare_check(&after, NULL, m, data, NULL, &err), PARE_OK);
        assert_true(after.certificate.relative > 1e-5);
        m->p.coef[0] /= 1.5;
        m->p.intercept[0] += 0.5;
        assert_int_equal(pare_check(&after, NULL, m, data, NULL, &err), PARE_OK);
        assert_true(after.certificate.relative > 1e-5);
        m->p.intercept[0] -= 0.5;
        for (int64_t i = 0; i < data->x.n; i++) m->dual[i] *= 0.8;
        assert_int_equal(pare_check(&after, NULL, m, data, NULL, &err), PARE_OK);
        assert_true(after.certificate.relative > 1e-5);
        pare_model_free(m);
        pare_data_free(data);
    }
}

static void hard_margins_hold_or_are_refused(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 13, 0);
    problem_shape wide = {.n = 20, .d = 100, .classes = 2, .density = 1};
    pare_data *data = problem_make(&r, &wide);
    pare_model *m = fit_or_fail(data, "svm", PAIRS("C", "inf"));
    double f[20];
    pare_error err;
    assert_int_equal(pare_predict(f, m, data, NULL, &err), PARE_OK);
    for (int64_t i = 0; i < 20; i++) {
        double y = data->target.text[data->target.start[i] + 2] == '1' ? 1 : -1;
        assert_true(y * f[i] >= 1 - 1e-6);
    }
    assert_true(report_of(m).certificate.relative <= 2e-6);
    pare_model_free(m);
    pare_data_free(data);

    problem_shape tall = {.n = 40, .d = 2, .classes = 2, .density = 1};
    data = problem_make(&r, &tall);
    pare_settings *set = settings_make("svm", PAIRS("C", "inf"));
    assert_int_equal(pare_fit(&m, data, set, NULL, &err), PARE_E_INFEASIBLE);
    assert_null(m);
    assert_non_null(strstr(err.message, "ridge"));
    assert_non_null(strstr(err.message, "C"));
    pare_settings_free(set);
    m = fit_or_fail(data, "corr", PAIRS("classifier_C", "inf")); /* the classifier helps itself */
    assert_true(m->set.common.classifier_ridge > 0);
    assert_true(report_of(m).certificate.relative <= 2e-6);
    assert_true(pare_model_n_notes(m) > 0);
    pare_model_free(m);
    pare_data_free(data);
}

static void selecting_k_refits_on_the_largest_weights(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 14, 0);
    problem_shape shape = {.n = 40, .d = 50, .classes = 2, .signal = 2, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    pare_model *all = fit_or_fail(data, "svm", NULL),
               *few = fit_or_fail(data, "svm", PAIRS("k", "4"));
    pare_report selection;
    assert_int_equal(pare_model_n_selected(all), 50);
    assert_int_equal(pare_model_selection(&selection, all), 0);
    assert_int_equal(pare_model_n_selected(few), 4);
    assert_int_equal(pare_model_selection(&selection, few), 1);
    assert_true(selection.certificate.relative <= 2e-6);
    check_close(selection.objective, report_of(all).objective, 1e-5);
    assert_true(report_of(few).certificate.relative <= 2e-6);
    for (int64_t i = 0; i < 4; i++)
        assert_int_equal(pare_model_index(few, i), pare_model_index(all, i));
    pare_model_free(few);
    pare_model_free(all);
    pare_data_free(data);
}

static void constant_features_are_never_selected(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 15, 0);
    const char *const *const scales[] = {PAIRS("scale", "none", "intercept", "false"),
                                         PAIRS("scale", "unit"), PAIRS("scale", "standard"),
                                         PAIRS("scale", "minmax")};
    problem_shape shape = {.n = 20, .d = 5, .classes = 2, .density = 1, .constant = true};
    pare_data *data = problem_make(&r, &shape);
    for (int s = 0; s < 4; s++) {
        pare_model *m = fit_or_fail(data, "svm", scales[s]);
        assert_int_equal(pare_model_n_selected(m), 4);
        for (int64_t i = 0; i < 4; i++) assert_int_not_equal(pare_model_index(m, i), 1);
        pare_model_free(m);
    }
    pare_model *m = fit_or_fail(data, "corr", PAIRS("k", "5"));
    assert_int_equal(pare_model_n_selected(m), 4);
    assert_true(pare_model_n_notes(m) > 0);
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
