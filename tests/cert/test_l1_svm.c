/* `l1-svm` on many random problems, judged from raw data by the certificate. */
#include "support/certified.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

static const char *const *const variants[] = {
    PAIRS("lambda", "0.05"),
    PAIRS("lambda", "1e-4", "scale", "minmax"),
    PAIRS("lambda", "auto", "scale", "unit"),
    PAIRS("lambda", "0.01", "intercept", "false", "scale", "none"),
    PAIRS("lambda", "10"),
    PAIRS("lambda", "auto", "lambda_ratio", "0.5", "intercept", "false"),
};
enum { N_VARIANTS = sizeof variants / sizeof variants[0] };

static void fits_are_certified(void **state) {
    (void)state;
    check_settings_certified((certified_run){.seed = 21}, "l1-svm", variants, N_VARIANTS, 1e-6);
}

static void a_wrong_model_is_found_out(void **state) {
    (void)state;
    rng r = rng_from(22);
    for (int s = 0; s < 4; s++) {
        pare_data *data = problem_make(&r, &certified_problems[s]);
        pare_model *m = fit_or_fail(data, "l1-svm", PAIRS("lambda", "0.02"));
        cert_probe p = {m, data, CERT_PREDICTOR, 1e-6, 1e-5};
        check_breaks(&p, &m->p.coef[0], 1.05 * m->p.coef[0]);
        check_breaks(&p, &m->p.intercept[0], m->p.intercept[0] + 0.5);
        for (int64_t i = 0; i < data->x.n; i++)
            m->dual[i] *= 1.2; /* cut back to its box and prices */
        m->dual[0] = 0;
        assert_true(certify_now(m, data, CERT_PREDICTOR).certificate.value >= -1e-12);
        pare_model_free(m);
        pare_data_free(data);
    }
}

/* Just above lambda_max nothing is selected, just below something is. */
static void the_largest_lambda_is_exact(void **state) {
    (void)state;
    rng r = rng_from(23);
    int empty = 0;
    for (int s = 0; s < 6; s++)
        for (int intercept = 0; intercept < 2; intercept++) {
            const char *flag = intercept ? "true" : "false";
            pare_data *data = problem_make(&r, &certified_problems[s]);
            pare_model *m =
                fit_filled(data, "l1-svm", PAIRS("lambda_ratio", "1", "intercept", flag));
            double most = m->set.l1_svm.lambda;
            char above[32], below[32];
            snprintf(above, sizeof above, "%.17g", most * 1.0001);
            snprintf(below, sizeof below, "%.17g", most * 0.999);
            bool nothing = strstr(pare_model_get(m)->notes[0], "every lambda") != NULL;
            empty += nothing;
            pare_model_free(m);
            m = fit_filled(data, "l1-svm", PAIRS("lambda", above, "intercept", flag));
            assert_int_equal(pare_model_get(m)->n_selected, 0);
            pare_model_free(m);
            m = fit_filled(data, "l1-svm", PAIRS("lambda", below, "intercept", flag));
            assert_int_equal(pare_model_get(m)->n_selected > 0, !nothing);
            pare_model_free(m);
            pare_data_free(data);
        }
    assert_true(empty < 6);
}

static void hard_margins_hold_or_are_refused(void **state) {
    (void)state;
    rng r = rng_from(24);
    problem_shape wide = {.n = 20, .d = 100, .classes = 2, .density = 1};
    pare_data *data = problem_make(&r, &wide);
    pare_model *m = fit_or_fail(data, "l1-svm", PAIRS("lambda", "0"));
    double norm = 0;
    check_margins(m, data);
    for (int64_t i = 0; i < m->n_selected; i++) norm += fabs(m->p.coef[i]) / m->scale[i];
    check_close(norm, report_of(m).objective, 1e-6);
    assert_true(report_of(m).certificate.relative <= 1e-6);
    m->p.coef[0] *= 0.999;
    assert_true(certify_now(m, data, CERT_PREDICTOR).objective == INFINITY);
    pare_model_free(m);
    pare_data_free(data);

    problem_shape tall = {.n = 40, .d = 2, .classes = 2, .density = 1};
    data = problem_make(&r, &tall);
    check_no_fit(data, "l1-svm", PAIRS("lambda", "0"), PARE_E_INFEASIBLE, "lambda");
    pare_data_free(data);
}

static void a_tiny_lambda_is_raised_with_a_note(void **state) {
    (void)state;
    rng r = rng_from(25);
    problem_shape tall = {.n = 50, .d = 4, .classes = 2, .density = 1, .signal = 0.5};
    pare_data *data = problem_make(&r, &tall);
    pare_model *m = fit_or_fail(data, "l1-svm", PAIRS("lambda", "1e-15"));
    check_close(m->set.l1_svm.lambda * 1e9, 0.02, 1e-12);
    assert_non_null(strstr(pare_model_get(m)->notes[0], "1e-15"));
    assert_true(report_of(m).certificate.relative <= 1e-5);
    pare_model_free(m);
    pare_data_free(data);
}

static void k_below_and_beyond_the_support(void **state) {
    (void)state;
    rng r = rng_from(26);
    for (int64_t classes = 2; classes <= 3; classes++) {
        problem_shape shape = {.n = 40, .d = 50, .classes = classes, .signal = 1, .density = 1};
        pare_data *data = problem_make(&r, &shape);
        pare_model *own = fit_or_fail(data, "l1-svm", NULL);
        pare_model *few = fit_or_fail(data, "l1-svm", PAIRS("k", "2", "refit", "none"));
        pare_model *all = fit_or_fail(data, "l1-svm", PAIRS("k", "50", "refit", "none"));
        pare_report selection;
        int64_t support = pare_model_get(own)->n_selected;
        assert_true(support > 2 && support < 50);
        assert_int_equal(selection_of(&selection, few), 1);
        check_close(selection.objective, report_of(own).objective, 1e-9);
        assert_true(selection.certificate.relative <= 1e-6);
        assert_true(report_of(few).certificate.relative <= 1e-6);
        assert_int_equal(selection_of(&selection, all), 0);
        check_close(report_of(all).objective, report_of(own).objective, 1e-9);
        for (int64_t i = 0; i < 50; i++) {
            const double *score = pare_model_get(all)->ranking_score;
            if (i < support)
                assert_int_equal(pare_model_get(all)->index[i], pare_model_get(own)->index[i]);
            assert_int_equal(pare_model_get(all)->ranking[i], pare_model_get(all)->index[i]);
            assert_true(i < support ? score[i] > 0 : score[i] <= 0);
        }
        check_ranking(all, "all features");
        cert_probe p = {few, data, CERT_SELECTION, 1e-6, 1e-5};
        check_breaks(&p, &few->selection_coef[0], 1.1 * few->selection_coef[0]);
        pare_model_free(all);
        pare_model_free(few);
        pare_model_free(own);
        pare_data_free(data);
    }
}

TEST_FILE(test_l1_svm) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_certified),
        cmocka_unit_test(a_wrong_model_is_found_out),
        cmocka_unit_test(the_largest_lambda_is_exact),
        cmocka_unit_test(hard_margins_hold_or_are_refused),
        cmocka_unit_test(a_tiny_lambda_is_raised_with_a_note),
        cmocka_unit_test(k_below_and_beyond_the_support),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
