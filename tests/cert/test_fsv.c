/* `fsv` on many random problems: the minimum principle from raw data, and what breaks it. */
#include "support/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const problem_shape shapes[] = {
    {.n = 30, .d = 200, .classes = 2, .signal = 1, .density = 1},
    {.n = 60, .d = 5, .classes = 2, .signal = 0.5, .density = 1},
    {.n = 40, .d = 30, .classes = 2, .density = 1, .constant = true, .weights = true},
    {.n = 30, .d = 80, .classes = 2, .signal = 1, .density = 0.2, .weights = true},
    {.n = 25, .d = 60, .classes = 2, .signal = 1, .density = 1, .missing = 0.1},
    {.n = 2, .d = 1, .classes = 2, .signal = 5, .density = 1},
    {.n = 20, .d = 1, .classes = 2, .density = 1},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

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
    rng r;
    rng_seed(&r, 31, 0);
    int stationary = 0, refused = 0, stopped = 0;
    for (int s = 0; s < N_SHAPES; s++)
        for (int v = 0; v < N_VARIANTS; v++) {
            pare_data *data = problem_make(&r, &shapes[s]);
            pare_settings *set = settings_make("fsv", variants[v]);
            pare_model *m;
            pare_error err;
            assert_int_equal(pare_settings_set(set, "missing", "mean", &err), PARE_OK);
            pare_status status = pare_fit(&m, data, set, NULL, &err);
            if (status == PARE_E_INFEASIBLE) { /* only hard margins, and it says what to do */
                assert_string_equal(variants[v][1], "auto");
                assert_non_null(strstr(err.message, "lambda"));
                refused++;
            } else if (status != PARE_OK) {
                fail_msg("shape %d variant %d: %s", s, v, err.message);
            } else {
                pare_report report;
                assert_int_equal(pare_model_selection(&report, m), 1);
                bool by_k = report.outcome == PARE_OPTIMAL;
                stationary += !by_k;
                stopped += by_k;
                if ((by_k && v < 6) || (!by_k && report.outcome != PARE_STATIONARY) ||
                    report.certificate.kind !=
                        (by_k ? PARE_CERT_DUALITY_GAP : PARE_CERT_MINIMUM_PRINCIPLE) ||
                    !(report.certificate.relative <= 1e-6) ||
                    !(report.certificate.value >= -1e-9 * report.objective))
                    fail_msg("shape %d variant %d: outcome %s, objective %g, gain %g, relative %g",
                             s, v, pare_outcome_name(report.outcome), report.objective,
                             report.certificate.value, report.certificate.relative);
                if (v < 6) assert_int_equal(m->n_selected, m->n_selection_coef);
                if (v >= 6) assert_int_equal(m->n_selected, 1);
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
    rng r;
    rng_seed(&r, 32, 0);
    pare_data *data = problem_make(&r, &shapes[0]);
    pare_model *m = fit_or_fail(data, "fsv", PAIRS("scale", "none"));
    pare_report report;
    double counted = 0, least = INFINITY;
    assert_int_equal(pare_model_selection(&report, m), 1);
    for (int64_t k = 0; k < m->n_selection_coef; k++)
        counted += 1 - exp(-5 * fabs(m->selection_coef[k]));
    for (int64_t i = 0; i < 30; i++) {
        double f = m->selection_intercept[0];
        for (int64_t k = 0; k < m->n_selection_coef; k++)
            f += m->selection_coef[k] * values_of(&data->x)[m->selection_index[k] * 30 + i];
        double y = data->target.text[data->target.start[i] + 2] == '1' ? 1 : -1;
        least = fmin(least, y * f);
    }
    assert_true(least >= 1 - 1e-6);
    check_close(report.objective, counted, 1e-9);
    pare_model_free(m);
    pare_data_free(data);
}

static void a_wrong_point_is_found_out(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 33, 0);
    pare_data *data = problem_make(&r, &shapes[0]);
    pare_model *m = fit_or_fail(data, "fsv", PAIRS("lambda", "0.05", "alpha", "0.5"));
    pare_report final, after;
    pare_error err;
    m->selection_coef[0] *= 1.05;
    assert_int_equal(pare_check(&final, &after, m, data, NULL, &err), PARE_OK);
    assert_true(after.certificate.relative > 1e-5);
    m->selection_coef[0] /= 1.05;
    for (int64_t i = 0; i < data->x.n; i++) m->selection_dual[i] *= 0.9;
    assert_int_equal(pare_check(&final, &after, m, data, NULL, &err), PARE_OK);
    assert_true(after.certificate.relative > 1e-5);
    pare_model_free(m);
    pare_data_free(data);
}

/* Weights so large that exp(-alpha v) is nothing: phi's straight end keeps the programs solvable. */
static void huge_weights_end_too(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 34, 0);
    double *x = random_normal(&r, 20, 60);
    const char *labels[20];
    for (int i = 0; i < 20 * 60; i++) x[i] *= 1e-3;
    for (int i = 0; i < 20; i++) labels[i] = i % 2 ? "a" : "b";
    pare_data *data;
    pare_error err;
    assert_int_equal(pare_data_dense(&data, 20, 60, x, NULL, labels, NULL, NULL, &err), PARE_OK);
    const char *const *const ways[] = {PAIRS("scale", "none"),
                                       PAIRS("scale", "none", "lambda", "1e-4")};
    for (int v = 0; v < 2; v++) {
        pare_model *m = fit_or_fail(data, "fsv", ways[v]);
        pare_report report;
        assert_int_equal(pare_model_selection(&report, m), 1);
        assert_int_equal(report.outcome, PARE_STATIONARY);
        assert_true(report.certificate.relative <= 1e-6);
        pare_model_free(m);
    }
    pare_data_free(data);
    free(x);
}

static void a_class_without_weight_is_none(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 35, 0);
    pare_data *data = problem_make(&r, &shapes[3]);
    for (int64_t i = 0; i < data->x.n; i++)
        if (data->target.text[data->target.start[i] + 2] == '1') data->weight[i] = 0;
    pare_settings *set = settings_make("fsv", PAIRS("lambda", "0.1"));
    pare_model *m;
    pare_error err;
    assert_int_equal(pare_fit(&m, data, set, NULL, &err), PARE_E_DATA);
    assert_non_null(strstr(err.message, "the one class"));
    pare_settings_free(set);
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
