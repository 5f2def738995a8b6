/* `fsv` on many random problems: the minimum principle from raw data, and what breaks it. */
#include "support/certified.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

static const char *const *const variants[] = {
    PAIRS("lambda", "auto"),
    PAIRS("lambda", "0.05"),
    PAIRS("lambda", "0.3", "alpha", "1", "scale", "unit"),
    PAIRS("lambda", "0.01", "scale", "none", "intercept", "false"),
    PAIRS("lambda", "0.9"),
    PAIRS("lambda", "auto", "alpha", "0.5", "scale", "minmax"),
    PAIRS("lambda", "auto", "k", "1"),
    PAIRS("lambda", "0.02", "k", "1"),
};
enum { N_VARIANTS = sizeof variants / sizeof variants[0] };

static void points_are_certified(void **state) {
    (void)state;
    rng r = rng_from(31);
    int stationary = 0, refused = 0, stopped = 0;
    for (int s = 0; s < N_PROBLEMS; s++)
        for (int v = 0; v < N_VARIANTS && certified_problems[s].classes == 2; v++) {
            pare_data *data = problem_make(&r, &certified_problems[s]);
            pare_settings *set = settings_make("fsv", variants[v]);
            pare_model *m;
            pare_report report;
            pare_error err;
            char title[64];
            snprintf(title, sizeof title, "problem %d, settings %d", s, v);
            assert_int_equal(pare_settings_set(set, "missing", "mean", &err), PARE_OK);
            pare_status status = pare_fit(&m, data, set, NULL, &err);
            if (status == PARE_E_INFEASIBLE) { /* only hard margins, with an error message */
                assert_string_equal(variants[v][1], "auto");
                assert_non_null(strstr(err.message, "lambda"));
                refused++;
            } else if (status != PARE_OK) {
                fail_msg("%s: %s", title, err.message);
            } else {
                assert_int_equal(selection_of(&report, m), 1);
                check_certified(&report, 1e-6, title);
                bool by_k = report.outcome == PARE_GREEDY;
                stationary += !by_k;
                stopped += by_k;
                if (!by_k) assert_int_equal(report.certificate.kind, PARE_CERT_MINIMUM_PRINCIPLE);
                if (by_k) assert_int_equal(report.certificate.kind, PARE_CERT_DUALITY_GAP);
                if (by_k) assert_true(v >= 6);
                if (v < 6) assert_int_equal(m->n_selected, m->n_selection_coef);
                if (v >= 6) assert_int_equal(m->n_selected, 1);
                check_ranking(m, title);
            }
            pare_model_free(m);
            pare_settings_free(set);
            pare_data_free(data);
        }
    assert_true(stationary > 20 && refused > 2 && stopped > 2);
}

/* The reported objective is the paper's, at margins that hold. */
static void the_objective_is_the_papers(void **state) {
    (void)state;
    rng r = rng_from(32);
    pare_data *data = problem_make(&r, &certified_problems[0]);
    pare_model *m = fit_or_fail(data, "fsv", PAIRS("scale", "none"));
    pare_report report;
    double counted = 0, least = INFINITY;
    int cls[30];
    assert_int_equal(selection_of(&report, m), 1);
    problem_samples(data, cls, NULL);
    for (int64_t k = 0; k < m->n_selection_coef; k++)
        counted += 1 - exp(-5 * fabs(m->selection_coef[k]));
    for (int64_t i = 0; i < 30; i++) {
        double f = m->selection_intercept[0];
        for (int64_t k = 0; k < m->n_selection_coef; k++)
            f += m->selection_coef[k] * values_of(&data->x)[m->selection_index[k] * 30 + i];
        least = fmin(least, cls[i] == 1 ? f : -f);
    }
    assert_true(least >= 1 - 1e-6);
    check_close(report.objective, counted, 1e-9);
    pare_model_free(m);
    pare_data_free(data);
}

static void a_wrong_point_is_found_out(void **state) {
    (void)state;
    rng r = rng_from(33);
    pare_data *data = problem_make(&r, &certified_problems[0]);
    pare_model *m = fit_or_fail(data, "fsv", PAIRS("lambda", "0.05", "alpha", "0.5"));
    cert_probe p = {m, data, CERT_SELECTION, 1e-6, 1e-5};
    check_breaks(&p, &m->selection_coef[0], 1.05 * m->selection_coef[0]);
    check_scaling_breaks(&p, m->selection_dual, data->x.n, 0.9);
    pare_model_free(m);
    pare_data_free(data);
}

/* Weights for which exp(-alpha v) underflows: phi's linear end keeps the programs solvable. */
static void huge_weights_end_too(void **state) {
    (void)state;
    rng r = rng_from(34);
    double *x = random_normal(&r, 20, 60);
    const char *labels[20];
    for (int i = 0; i < 20 * 60; i++) x[i] *= 1e-3;
    for (int i = 0; i < 20; i++) labels[i] = i % 2 ? "a" : "b";
    pare_data *data = data_labelled(20, 60, x, labels);
    const char *const *const ways[] = {PAIRS("scale", "none"),
                                       PAIRS("scale", "none", "lambda", "1e-4")};
    for (int v = 0; v < 2; v++) {
        pare_model *m = fit_or_fail(data, "fsv", ways[v]);
        pare_report report;
        assert_int_equal(selection_of(&report, m), 1);
        assert_int_equal(report.outcome, PARE_STATIONARY);
        assert_true(report.certificate.relative <= 1e-6);
        pare_model_free(m);
    }
    pare_data_free(data);
    free(x);
}

static void a_class_without_weight_is_none(void **state) {
    (void)state;
    rng r = rng_from(35);
    pare_data *data = problem_make(&r, &certified_problems[3]);
    int cls[64];
    assert_true(data->x.n <= 64);
    problem_samples(data, cls, NULL);
    for (int64_t i = 0; i < data->x.n; i++)
        if (cls[i] == 1) data->weight[i] = 0;
    check_no_fit(data, "fsv", PAIRS("lambda", "0.1"), PARE_E_DATA, "the one class");
    pare_data_free(data);
}

TEST_FILE(test_fsv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_certified),
        cmocka_unit_test(the_objective_is_the_papers),
        cmocka_unit_test(a_wrong_point_is_found_out),
        cmocka_unit_test(huge_weights_end_too),
        cmocka_unit_test(a_class_without_weight_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
