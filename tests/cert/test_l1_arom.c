/* `l1-arom` on many random problems: programs certified from raw data, a surrogate that never rises,
 * and what breaks a certificate. */
#include "support/certified.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

static const char *const *const variants[] = {
    PAIRS("multiclass", "ovr"),
    PAIRS("multiclass", "ww"),
    PAIRS("C", "1", "multiclass", "ww"),
    PAIRS("C", "0.1", "scale", "unit"),
    PAIRS("zero_slack", "2"),
    PAIRS("zero_slack", "5", "multiclass", "ww", "intercept", "false"),
    PAIRS("k", "1", "scale", "none"),
    PAIRS("k", "1", "multiclass", "ww", "zero_slack", "1"),
};
enum { N_VARIANTS = sizeof variants / sizeof variants[0] };

typedef struct trace {
    int steps;
    double surrogate[100];
} trace;

static void listen(void *user, pare_log_level level, const char *text) {
    (void)level;
    trace *t = user;
    const char *at = strstr(text, "surrogate ");
    if (at && t->steps < 100) sscanf(at, "surrogate %lf", &t->surrogate[t->steps++]);
}

static void programs_are_certified_and_the_surrogate_falls(void **state) {
    (void)state;
    rng r = rng_from(51);
    int longest = 0, automatic = 0;
    for (int s = 0; s < N_PROBLEMS; s++)
        for (int v = 0; v < N_VARIANTS; v++) {
            pare_data *data = problem_make(&r, &certified_problems[s]);
            pare_settings *set = settings_make("l1-arom", variants[v]);
            pare_model *m;
            pare_error err;
            pare_ctx ctx;
            trace t = {0};
            char title[64];
            snprintf(title, sizeof title, "problem %d, settings %d", s, v);
            pare_ctx_init(&ctx);
            ctx.log = listen;
            ctx.user = &t;
            if (pare_settings_set(set, "missing", "mean", &err) != PARE_OK ||
                pare_fit(&m, data, set, &ctx, &err) != PARE_OK)
                fail_msg("%s: %s", title, err.message);
            pare_report report;
            assert_int_equal(selection_of(&report, m), 1);
            check_certified(&report, 1e-6, title);
            check_ranking(m, title);
            bool stopped = report.certificate.kind == PARE_CERT_DUALITY_GAP;
            assert_int_equal(report.outcome, stopped ? PARE_GREEDY : PARE_STATIONARY);
            for (int k = 1; k < t.steps; k++) /* the first iterate has no z of its own before */
                if (!(t.surrogate[k] <= t.surrogate[k - 1] + 1e-8 * fabs(t.surrogate[k - 1])))
                    fail_msg("%s: step %d from %.15g to %.15g", title, k + 1, t.surrogate[k - 1],
                             t.surrogate[k]);
            longest = t.steps > longest ? t.steps : longest;
            automatic += v < 2 && m->set.l1_arom.zero_slack > 0;
            if (v < 6) assert_int_equal(m->n_selected, m->n_selection_coef);
            if (v >= 6) assert_int_equal(m->n_selected, 1);
            pare_model_free(m);
            pare_settings_free(set);
            pare_data_free(data);
        }
    assert_true(longest >= 3 && automatic >= 2);
}

/* With hard margins the objective at a stationary point is the number of features. */
static void the_objective_counts_features(void **state) {
    (void)state;
    rng r = rng_from(52);
    for (int64_t classes = 2; classes <= 3; classes++) {
        problem_shape shape = {.n = 24, .d = 100, .classes = classes, .signal = 1, .density = 1};
        pare_data *data = problem_make(&r, &shape);
        for (int ww = 0; ww < 2; ww++) {
            pare_model *m = fit_or_fail(data, "l1-arom", PAIRS("multiclass", ww ? "ww" : "ovr"));
            pare_report report;
            assert_int_equal(selection_of(&report, m), 1);
            check_close(report.objective, (double)pare_model_get(m)->n_selected, 1e-6);
            assert_true(pare_model_get(m)->n_selected < 24);
            assert_int_equal(pare_model_get(m)->n_notes, 0);
            pare_model_free(m);
        }
        pare_data_free(data);
    }
}

/* All d features are ranked: weights, then the eliminated, each score at most the previous one. */
static void everything_is_ranked(void **state) {
    (void)state;
    rng r = rng_from(53);
    pare_data *data = problem_make(&r, &certified_problems[0]);
    pare_model *m = fit_or_fail(data, "l1-arom", PAIRS("k", "100"));
    const double *score = pare_model_get(m)->ranking_score;
    assert_non_null(score);
    assert_int_equal(pare_model_get(m)->n_ranked, 200);
    check_ranking(m, "half of the features");
    assert_true(score[0] > 0 && score[199] < 0);
    assert_int_equal(pare_model_get(m)->n_selected, 100);
    pare_model_free(m);
    pare_data_free(data);
}

static void a_wrong_point_is_found_out(void **state) {
    (void)state;
    rng r = rng_from(54);
    const char *const *const ways[] = {PAIRS("C", "5"), PAIRS("multiclass", "ww", "C", "5"),
                                       PAIRS("zero_slack", "3")};
    for (int v = 0; v < 3; v++) {
        problem_shape shape = {
            .n = 40, .d = 20, .classes = v == 1 ? 3 : 2, .signal = 0.5, .density = 1};
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = fit_or_fail(data, "l1-arom", ways[v]);
        cert_probe p = {m, data, CERT_SELECTION, 1e-6, 1e-5};
        int64_t count = m->n_selection_coef * m->n_selection_outputs;
        assert_true(count > 0);
        for (int64_t i = 0; i < count; i++) m->selection_coef[i] *= i % 2 ? 1.1 : 0.9;
        check_broken(&p);
        for (int64_t i = 0; i < count; i++) m->selection_coef[i] /= i % 2 ? 1.1 : 0.9;
        check_scaling_breaks(&p, m->selection_dual, data->x.n * m->n_selection_outputs, 0.9);
        pare_model_free(m);
        pare_data_free(data);
    }
}

/* Labels that do not depend on X: a defined outcome. */
static void contradicting_samples_end_with_slack(void **state) {
    (void)state;
    double x[] = {1, 1, 2, 2, -1, -1, 0, 0};
    const char *labels[] = {"a", "b", "a", "b"};
    pare_data *data = data_labelled(4, 2, x, labels);
    pare_model *m = fit_or_fail(data, "l1-arom", NULL);
    check_close(m->set.l1_arom.zero_slack, 4, 0);
    assert_non_null(strstr(pare_model_get(m)->notes[0], "impossible"));
    pare_model_free(m);
    check_no_fit(data, "l1-arom", PAIRS("C", "1", "zero_slack", "1"), PARE_E_ARGUMENT,
                 "zero_slack");
    pare_data_free(data);
}

TEST_FILE(test_l1_arom) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_certified_and_the_surrogate_falls),
        cmocka_unit_test(the_objective_counts_features),
        cmocka_unit_test(everything_is_ranked),
        cmocka_unit_test(a_wrong_point_is_found_out),
        cmocka_unit_test(contradicting_samples_end_with_slack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
