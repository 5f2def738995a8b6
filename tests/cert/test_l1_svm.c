/* `l1-svm` on many random problems, judged from raw data by the certificate. */
#include "support/problem.h"

#include <math.h>
#include <stdio.h>
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
    {.n = 2, .d = 1, .classes = 2, .signal = 5, .density = 1},
    {.n = 3, .d = 2, .classes = 3, .signal = 2, .density = 1},
    {.n = 20, .d = 1, .classes = 2, .density = 1},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

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
    rng r;
    rng_seed(&r, 21, 0);
    for (int s = 0; s < N_SHAPES; s++)
        for (int v = 0; v < N_VARIANTS; v++) {
            pare_data *data = problem_make(&r, &shapes[s]);
            pare_settings *set = settings_make("l1-svm", variants[v]);
            pare_model *m = NULL;
            pare_error err;
            if (pare_settings_set(set, "missing", "mean", &err) != PARE_OK ||
                pare_fit(&m, data, set, NULL, &err) != PARE_OK)
                fail_msg("shape %d variant %d: %s", s, v, err.message);
            pare_report report = report_of(m);
            if (report.outcome != PARE_OPTIMAL || !(report.certificate.relative <= 1e-6) ||
                !(report.certificate.value >= -1e-9 * report.objective))
                fail_msg("shape %d variant %d: outcome %s, objective %g, gap %g, relative %g", s, v,
                         pare_outcome_name(report.outcome), report.objective,
                         report.certificate.value, report.certificate.relative);
            pare_model_free(m);
            pare_settings_free(set);
            pare_data_free(data);
        }
}

static void a_wrong_model_is_found_out(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 22, 0);
    for (int s = 0; s < 4; s++) {
        pare_data *data = problem_make(&r, &shapes[s]);
        pare_model *m = fit_or_fail(data, "l1-svm", PAIRS("lambda", "0.02"));
        pare_report after;
        pare_error err;
        m->p.coef[0] *= 1.05;
        assert_int_equal(pare_check(&after, NULL, m, data, NULL, &err), PARE_OK);
        assert_true(after.certificate.relative > 1e-5);
        m->p.coef[0] /= 1.05;
        m->p.intercept[0] += 0.5;
        assert_int_equal(pare_check(&after, NULL, m, data, NULL, &err), PARE_OK);
        assert_true(after.certificate.relative > 1e-5);
        m->p.intercept[0] -= 0.5;
        for (int64_t i = 0; i < data->x.n; i++)
            m->dual[i] *= 1.2; /* cut back to its box and prices */
        m->dual[0] = 0;
        assert_int_equal(pare_check(&after, NULL, m, data, NULL, &err), PARE_OK);
        assert_true(after.certificate.value >= -1e-12);
        pare_model_free(m);
        pare_data_free(data);
    }
}

/* Just above lambda_max nothing is selected, just below something is. */
static void the_largest_lambda_is_exact(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 23, 0);
    int empty = 0;
    for (int s = 0; s < 6; s++)
        for (int intercept = 0; intercept < 2; intercept++) {
            const char *flag = intercept ? "true" : "false";
            pare_data *data = problem_make(&r, &shapes[s]);
            pare_model *m = fit_or_fail(
                data, "l1-svm", PAIRS("lambda_ratio", "1", "intercept", flag, "missing", "mean"));
            double most = m->set.l1_svm.lambda;
            char above[32], below[32];
            snprintf(above, sizeof above, "%.17g", most * 1.0001);
            snprintf(below, sizeof below, "%.17g", most * 0.999);
            bool nothing = strstr(pare_model_note(m, 0), "every lambda") != NULL;
            empty += nothing;
            pare_model_free(m);
            m = fit_or_fail(data, "l1-svm",
                            PAIRS("lambda", above, "intercept", flag, "missing", "mean"));
            assert_int_equal(pare_model_n_selected(m), 0);
            pare_model_free(m);
            m = fit_or_fail(data, "l1-svm",
                            PAIRS("lambda", below, "intercept", flag, "missing", "mean"));
            assert_int_equal(pare_model_n_selected(m) > 0, !nothing);
            pare_model_free(m);
            pare_data_free(data);
        }
    assert_true(empty < 6);
}

static void hard_margins_hold_or_are_refused(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 24, 0);
    problem_shape wide = {.n = 20, .d = 100, .classes = 2, .density = 1};
    pare_data *data = problem_make(&r, &wide);
    pare_model *m = fit_or_fail(data, "l1-svm", PAIRS("lambda", "0"));
    double f[20], norm = 0;
    pare_error err;
    assert_int_equal(pare_predict(f, m, data, NULL, &err), PARE_OK);
    for (int64_t i = 0; i < 20; i++) {
        double y = data->target.text[data->target.start[i] + 2] == '1' ? 1 : -1;
        assert_true(y * f[i] >= 1 - 1e-6);
    }
    for (int64_t i = 0; i < m->n_selected; i++) norm += fabs(m->p.coef[i]) / m->scale[i];
    check_close(norm, report_of(m).objective, 1e-6);
    assert_true(report_of(m).certificate.relative <= 1e-6);
    m->p.coef[0] *= 0.999;
    pare_report after;
    assert_int_equal(pare_check(&after, NULL, m, data, NULL, &err), PARE_OK);
    assert_true(after.objective == INFINITY);
    pare_model_free(m);
    pare_data_free(data);

    problem_shape tall = {.n = 40, .d = 2, .classes = 2, .density = 1};
    data = problem_make(&r, &tall);
    pare_settings *set = settings_make("l1-svm", PAIRS("lambda", "0"));
    assert_int_equal(pare_fit(&m, data, set, NULL, &err), PARE_E_INFEASIBLE);
    assert_non_null(strstr(err.message, "lambda"));
    pare_settings_free(set);
    pare_data_free(data);
}

static void a_tiny_lambda_is_raised_and_said(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 25, 0);
    problem_shape tall = {.n = 50, .d = 4, .classes = 2, .density = 1, .signal = 0.5};
    pare_data *data = problem_make(&r, &tall);
    pare_model *m = fit_or_fail(data, "l1-svm", PAIRS("lambda", "1e-15"));
    check_close(m->set.l1_svm.lambda * 1e9, 0.02, 1e-12);
    assert_non_null(strstr(pare_model_note(m, 0), "1e-15"));
    assert_true(report_of(m).certificate.relative <= 1e-5);
    pare_model_free(m);
    pare_data_free(data);
}

static void k_below_and_beyond_the_support(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 26, 0);
    for (int64_t classes = 2; classes <= 3; classes++) {
        problem_shape shape = {.n = 40, .d = 50, .classes = classes, .signal = 1, .density = 1};
        pare_data *data = problem_make(&r, &shape);
        pare_model *own = fit_or_fail(data, "l1-svm", NULL);
        pare_model *few = fit_or_fail(data, "l1-svm", PAIRS("k", "2", "refit", "none"));
        pare_model *all = fit_or_fail(data, "l1-svm", PAIRS("k", "50", "refit", "none"));
        pare_report selection, again;
        pare_error err;
        int64_t support = pare_model_n_selected(own);
        assert_true(support > 2 && support < 50);
        assert_int_equal(pare_model_selection(&selection, few), 1);
        check_close(selection.objective, report_of(own).objective, 1e-9);
        assert_true(selection.certificate.relative <= 1e-6);
        assert_true(report_of(few).certificate.relative <= 1e-6);
        assert_int_equal(pare_model_selection(&selection, all), 0);
        check_close(report_of(all).objective, report_of(own).objective, 1e-9);
        for (int64_t i = 0; i < 50; i++) {
            const double *score;
            if (i < support) assert_int_equal(pare_model_index(all, i), pare_model_index(own, i));
            assert_int_equal(pare_model_ranking(all, &score)[i], pare_model_index(all, i));
            assert_true(i < support ? score[i] > 0 : score[i] <= 0);
            assert_true(i == 0 || score[i] <= score[i - 1]);
        }
        few->selection_coef[0] *= 1.1;
        assert_int_equal(pare_check(&again, &selection, few, data, NULL, &err), PARE_OK);
        assert_true(selection.certificate.relative > 1e-5);
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
        cmocka_unit_test(a_tiny_lambda_is_raised_and_said),
        cmocka_unit_test(k_below_and_beyond_the_support),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
