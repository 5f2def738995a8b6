/* `lasso` and `logistic` on many random problems, judged from raw data by the certificate. */
#include "support/regression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void judge(const pare_data *data, const char *method, const char *const *pairs, int where) {
    pare_settings *set = settings_make(method, pairs);
    pare_model *m = NULL;
    pare_error err;
    if (pare_settings_set(set, "missing", "mean", &err) != PARE_OK ||
        pare_fit(&m, data, set, NULL, &err) != PARE_OK)
        fail_msg("%s, problem %d: %s", method, where, err.message);
    pare_report r = report_of(m);
    bool proved = r.certificate.relative <= 2e-6 || fabs(r.certificate.value) <= 1e-15;
    if (r.outcome != PARE_OPTIMAL || !proved ||
        !(r.certificate.value >= -1e-9 * r.objective - 1e-15))
        fail_msg("%s %s %s, problem %d: outcome %s, objective %g, gap %g, relative %g", method,
                 pairs[0], pairs[1], where, pare_outcome_name(r.outcome), r.objective,
                 r.certificate.value, r.certificate.relative);
    pare_model_free(m);
    pare_settings_free(set);
}

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
    rng r;
    rng_seed(&r, 41, 0);
    for (int kind = 0; kind < REG_KINDS; kind++)
        for (int s = 0; s < 4; s++) {
            regression p = regression_make(&r, size[s].n, size[s].d, (regression_kind)kind, s % 2);
            for (int v = 0; v < N_BOTH; v++) judge(p.data, "lasso", both[v], 10 * kind + s);
            regression_free(&p);
        }
}

static const problem_shape shapes[] = {
    {.n = 30, .d = 200, .classes = 2, .signal = 1, .density = 1},
    {.n = 60, .d = 5, .classes = 2, .signal = 0.5, .density = 1},
    {.n = 40, .d = 30, .classes = 2, .density = 1, .constant = true, .weights = true},
    {.n = 50, .d = 80, .classes = 2, .signal = 1, .density = 0.2, .weights = true},
    {.n = 40, .d = 60, .classes = 4, .signal = 1, .density = 1, .missing = 0.1},
    {.n = 45, .d = 90, .classes = 3, .signal = 1, .density = 0.3, .constant = true},
    {.n = 2, .d = 1, .classes = 2, .signal = 5, .density = 1},
    {.n = 3, .d = 2, .classes = 3, .signal = 2, .density = 1},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static const char *const *const more[] = {
    PAIRS("penalty", "rows"),
    PAIRS("penalty", "rows", "alpha", "0.3", "class_weight", "balanced"),
    PAIRS("class_weight", "balanced"),
    PAIRS("k", "1"),
    PAIRS("penalty", "rows", "k", "2"),
    PAIRS("penalty", "rows", "adaptive", "true"),
};

static void classifiers_are_certified(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 42, 0);
    for (int s = 0; s < N_SHAPES; s++) {
        pare_data *data = problem_make(&r, &shapes[s]);
        for (int v = 0; v < N_BOTH; v++) judge(data, "logistic", both[v], s);
        for (int v = 0; v < 6; v++)
            if (v != 4 || shapes[s].d > 1) judge(data, "logistic", more[v], s);
        pare_data_free(data);
    }
}

/* One coefficient or intercept off, or the dual spoilt: the gap shows the first, and is no gap that
 * could be negative with the second. */
static void a_wrong_model_is_found_out(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 43, 0);
    for (int s = 0; s < 6; s++) {
        pare_data *data = problem_make(&r, &shapes[s]);
        pare_model *m = fit_or_fail(data, "logistic", PAIRS("missing", "mean"));
        pare_report after;
        pare_error err;
        m->p.coef[0] += 0.3;
        assert_int_equal(pare_check(&after, NULL, m, data, NULL, &err), PARE_OK);
        assert_true(after.certificate.relative > 1e-5);
        m->p.coef[0] -= 0.3;
        m->p.intercept[0] += 0.5;
        assert_int_equal(pare_check(&after, NULL, m, data, NULL, &err), PARE_OK);
        assert_true(after.certificate.relative > 1e-5);
        m->p.intercept[0] -= 0.5;
        for (int64_t i = 0; i < data->x.n; i++) m->dual[i] *= 1.2;
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
    rng_seed(&r, 44, 0);
    for (int s = 0; s < 6; s++) {
        pare_data *data = problem_make(&r, &shapes[s]);
        pare_model *m =
            fit_or_fail(data, "logistic", PAIRS("lambda_ratio", "1.0001", "missing", "mean"));
        assert_int_equal(pare_model_n_selected(m), 0);
        pare_model_free(m);
        m = fit_or_fail(data, "logistic", PAIRS("lambda_ratio", "0.999", "missing", "mean"));
        assert_true(pare_model_n_selected(m) > 0);
        pare_model_free(m);
        pare_data_free(data);
    }
}

/* With k: exactly k features; and where lambda was found for them, the next one enters below it. */
static void k_features_at_the_smallest_lambda(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 45, 0);
    for (int k = 1; k <= 6; k++) {
        pare_data *data = problem_make(&r, &shapes[0]);
        char text[32];
        snprintf(text, sizeof text, "%d", k);
        pare_model *m = fit_or_fail(data, "logistic", PAIRS("k", text));
        assert_int_equal(pare_model_n_selected(m), k);
        if (!m->has_selection) {
            snprintf(text, sizeof text, "%.17g", m->set.logistic.lambda * (1 - 2e-4));
            pare_model *below = fit_or_fail(data, "logistic", PAIRS("lambda", text));
            assert_true(pare_model_n_selected(below) > k);
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
