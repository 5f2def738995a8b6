/* `lasso` and `logistic` on many random problems, judged from raw data by the certificate. */
#include "support/certified.h"
#include "support/regression.h"

#include <stdio.h>

#include "model/model.h"

static const char *const *const both[] = {
    PAIRS("lambda", "auto"),
    PAIRS("lambda", "auto", "lambda_ratio", "0.01", "scale", "unit"),
    PAIRS("lambda", "0.05", "alpha", "0.5", "scale", "minmax"),
    PAIRS("lambda", "auto", "intercept", "false", "scale", "none"),
    PAIRS("lambda", "1e6"),
    PAIRS("lambda", "auto", "alpha", "0.02"),
    PAIRS("lambda", "auto", "alpha", "0"),
    PAIRS("adaptive", "true"),
    PAIRS("adaptive", "true", "adaptive_gamma", "0.5", "alpha", "0.4", "k", "1"),
};
enum { N_BOTH = sizeof both / sizeof both[0] };

static void regressions_are_certified(void **state) {
    (void)state;
    static const struct { int64_t n, d; } size[] = {{30, 12}, {12, 40}, {2, 3}, {9, 1}};
    rng r = rng_from(41);
    for (int kind = 0; kind < REG_KINDS; kind++)
        for (int s = 0; s < 4; s++) {
            regression p = regression_make(&r, size[s].n, size[s].d, (regression_kind)kind, s % 2);
            for (int v = 0; v < N_BOTH; v++) {
                char title[64];
                snprintf(title, sizeof title, "lasso, kind %d, size %d, settings %d", kind, s, v);
                pare_model *m = fit_or_fail(p.data, "lasso", both[v]);
                pare_report report = report_of(m);
                check_certified(&report, 2e-6, title);
                pare_model_free(m);
            }
            regression_free(&p);
        }
}

static const char *const *const more[] = {
    PAIRS("penalty", "rows"),
    PAIRS("penalty", "rows", "alpha", "0.3", "class_weight", "balanced"),
    PAIRS("class_weight", "balanced"),
    PAIRS("k", "1"),
    PAIRS("penalty", "rows", "k", "2"),
    PAIRS("penalty", "rows", "adaptive", "true"),
};
enum { N_MORE = sizeof more / sizeof more[0] };

static void classifiers_are_certified(void **state) {
    (void)state;
    check_settings_certified((certified_run){.seed = 42}, "logistic", both, N_BOTH, 2e-6);
    check_settings_certified((certified_run){.seed = 46}, "logistic", more, N_MORE, 2e-6);
}

/* A changed coefficient or intercept, or a changed dual: the gap reveals the first, and never
 * becomes negative with the second. */
static void a_wrong_model_is_found_out(void **state) {
    (void)state;
    rng r = rng_from(43);
    for (int s = 0; s < 6; s++) {
        pare_data *data = problem_make(&r, &certified_problems[s]);
        pare_model *m = fit_filled(data, "logistic", NULL);
        cert_probe p = {m, data, CERT_PREDICTOR, 2e-6, 1e-5};
        check_breaks(&p, &m->p.coef[0], m->p.coef[0] + 0.3);
        check_breaks(&p, &m->p.intercept[0], m->p.intercept[0] + 0.5);
        for (int64_t i = 0; i < data->x.n; i++) m->dual[i] *= 1.2;
        m->dual[0] = 0;
        assert_true(certify_now(m, data, CERT_PREDICTOR).certificate.value >= -1e-12);
        pare_model_free(m);
        pare_data_free(data);
    }
}

/* Just above lambda_max nothing is selected, just below something is. */
static void the_largest_lambda_is_exact(void **state) {
    (void)state;
    rng r = rng_from(44);
    for (int s = 0; s < 6; s++) {
        pare_data *data = problem_make(&r, &certified_problems[s]);
        pare_model *m = fit_filled(data, "logistic", PAIRS("lambda_ratio", "1.0001"));
        assert_int_equal(pare_model_get(m)->n_selected, 0);
        pare_model_free(m);
        m = fit_filled(data, "logistic", PAIRS("lambda_ratio", "0.999"));
        assert_true(pare_model_get(m)->n_selected > 0);
        pare_model_free(m);
        pare_data_free(data);
    }
}

/* With k: exactly k features; and if lambda was found for k, the next feature enters below it. */
static void k_features_at_the_smallest_lambda(void **state) {
    (void)state;
    rng r = rng_from(45);
    for (int k = 1; k <= 6; k++) {
        pare_data *data = problem_make(&r, &certified_problems[0]);
        char text[32];
        snprintf(text, sizeof text, "%d", k);
        pare_model *m = fit_or_fail(data, "logistic", PAIRS("k", text));
        assert_int_equal(pare_model_get(m)->n_selected, k);
        if (!m->has_selection) {
            snprintf(text, sizeof text, "%.17g", m->set.logistic.lambda * (1 - 2e-4));
            pare_model *below = fit_or_fail(data, "logistic", PAIRS("lambda", text));
            assert_true(pare_model_get(below)->n_selected > k);
            pare_model_free(below);
        }
        pare_model_free(m);
        pare_data_free(data);
    }
}

TEST_FILE(test_glm_cert) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regressions_are_certified),
        cmocka_unit_test(classifiers_are_certified),
        cmocka_unit_test(a_wrong_model_is_found_out),
        cmocka_unit_test(the_largest_lambda_is_exact),
        cmocka_unit_test(k_features_at_the_smallest_lambda),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
