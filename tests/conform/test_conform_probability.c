/* Probabilities are calibrated or not given: without the setting `probability` only where a method's
 * own likelihood gives them and no number of features was requested; with it always, and `pare
 * check` finds them in the data again. */
#include "support/conform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 24, D = 5 };
static const sheet_shape shape = {N, D, 1, 1};

/* Whether `pare methods` says that the method has its own. */
static bool has_own(const char *method) {
    pare_method_info info;
    pare_method_support support;
    for (int64_t i = 0; pare_methods_info(&info, i); i++)
        if (strcmp(info.name, method) == 0 && pare_methods_support(&support, i))
            return strcmp(support.probability, "own") == 0;
    return false;
}

static bool is_relaxed(const conform_case *c) {
    return c->name && strcmp(c->name, "refit") == 0 && strcmp(c->value, "relaxed") == 0;
}

static pare_model *fit_asked(const conform_case *c, const pare_data *data) {
    pare_settings *set = conform_settings(c, false, NULL);
    pare_model *m = NULL;
    pare_error err;
    assert_int_equal(pare_settings_set(set, "probability", "true", &err), PARE_OK);
    pare_status status = pare_fit(&m, data, set, NULL, &err);
    pare_settings_free(set);
    if (status != PARE_OK && status != PARE_E_ARGUMENT && status != PARE_E_INFEASIBLE)
        conform_fail(c, "%s", err.message);
    return m;
}

static void ask_plain(const conform_case *c, const pare_model *m, const pare_data *data) {
    double P[3 * N];
    pare_error err;
    bool own = has_own(c->method) && !c->chooses && !is_relaxed(c);
    if (pare_model_get(m)->has_probability != own)
        conform_fail(c, "it has %s probabilities", own ? "no" : "uncalibrated");
    pare_status status = pare_predict_probability(P, m, data, NULL, &err);
    if (status != (own ? PARE_OK : PARE_E_ARGUMENT)) conform_fail(c, "status %d", (int)status);
    if (!own && !strstr(err.message, "`probability`")) conform_fail(c, "%s", err.message);
}

static void ask_calibrated(const conform_case *c, const pare_model *m, const pare_data *data) {
    double P[3 * N];
    pare_error err;
    pare_verdict verdict;
    int64_t classes = pare_model_get(m)->n_classes;
    if (!pare_model_get(m)->has_probability) conform_fail(c, "asked for, it has no probabilities");
    if (pare_predict_probability(P, m, data, NULL, &err) != PARE_OK)
        conform_fail(c, "%s", err.message);
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
        for (int64_t k = 0; k < classes; k++) {
            if (!(P[k * N + i] >= 0 && P[k * N + i] <= 1)) conform_fail(c, "no probability");
            sum += P[k * N + i];
        }
        if (!(fabs(sum - 1) < 1e-12)) conform_fail(c, "they sum to %g", sum);
    }
    if (pare_verify(&verdict, m, data, NULL, &err) != PARE_OK) conform_fail(c, "%s", err.message);
    if (!verdict.holds) conform_fail(c, "%s", verdict.sentence);
}

static void ask(const conform_case *c, void *user) {
    (void)user;
    if (strcmp(c->task, "binary") != 0 && strcmp(c->task, "multiclass") != 0) return;
    rng r = rng_from(83);
    sheet t = sheet_for(&r, c, shape);
    pare_data *data = sheet_data(&t, false);
    pare_model *plain = conform_fit_if(c, data, false, 0), *asked = fit_asked(c, data);
    if (plain) ask_plain(c, plain, data);
    if (asked) ask_calibrated(c, asked, data);
    if (!c->name && plain && !asked) conform_fail(c, "the calibration was refused");
    pare_model_free(asked);
    pare_model_free(plain);
    pare_data_free(data);
    sheet_free(&t);
}

static void probabilities_are_calibrated_or_not_given(void **state) {
    (void)state;
    conform_walk(ask, NULL);
}

TEST_FILE(test_conform_probability) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(probabilities_are_calibrated_or_not_given)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
