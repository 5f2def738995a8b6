/* inf-push, rank-svm and push-rfe on many random problems, judged from raw data by the certificate;
 * what must not change a fit; failing allocations. */
#include "support/certified.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

static const certified_way ways[] = {
    {"inf-push", PAIRS("scale", "auto"), 1.01e-4, 0},
    {"inf-push", PAIRS("penalty", "l2"), 1.01e-4, 0},
    {"inf-push", PAIRS("penalty", "l1l2", "alpha", "0.3", "scale", "minmax"), 1.01e-4, 0},
    {"inf-push", PAIRS("penalty", "l2", "k", "2", "lambda", "0.2"), 1.01e-4, 0},
    {"inf-push", PAIRS("algorithm", "cutting", "lambda_ratio", "0.03"), 1.01e-4, 0},
    {"inf-push", PAIRS("algorithm", "admm", "scale", "standard", "lambda_ratio", "0.3"), 1.01e-4,
     0},
    {"inf-push", PAIRS("lambda", "1000"), 1.01e-4, 0},
    {"inf-push", PAIRS("k", "1"), 1.01e-4, 0},
    {"rank-svm", PAIRS("scale", "auto"), 1.01e-4, 0},
    {"rank-svm", PAIRS("penalty", "l2", "scale", "none"), 1.01e-4, 0},
    {"rank-svm", PAIRS("penalty", "l1l2", "alpha", "0.7", "k", "2"), 1.01e-4, 0},
    {"rank-svm", PAIRS("loss", "hinge", "tol", "1e-4"), 1.01e-4, 0},
    {"rank-svm", PAIRS("loss", "hinge", "penalty", "l2", "tol", "1e-4"), 1.01e-4, 0},
    {"rank-svm", PAIRS("loss", "hinge", "penalty", "l1l2", "tol", "1e-4"), 1.01e-4, 0},
    {"inf-push", PAIRS("k", "1"), 1.01e-4, 0},
    {"push-rfe", PAIRS("scale", "auto"), 1.01e-4, 0},
    {"push-rfe", PAIRS("k", "1", "step", "3"), 1.01e-4, 0},
};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

static void has_no_intercept(const pare_model *m) {
    assert_true(pare_model_get(m)->intercept[0] == 0);
}

static void fits_are_certified(void **state) {
    (void)state;
    check_all_certified((certified_run){.seed = 21, .also = has_no_intercept}, ways, N_WAYS);
}

static void check_fit(const pare_data *data, const char *method, const char *const *pairs,
                      double most, int trial) {
    pare_model *m = fit_or_fail(data, method, pairs);
    pare_report report = report_of(m);
    char title[32];
    snprintf(title, sizeof title, "trial %d", trial);
    check_certified(&report, most, title);
    pare_model_free(m);
}

/* Few samples, one feature that separates them: the optimum is a degenerate vertex, where the last
 * steps of the interior point method are rounding. */
static void degenerate_vertices_are_reached(void **state) {
    (void)state;
    rng r = rng_from(26);
    problem_shape shape = {.n = 5, .d = 56, .classes = 2, .signal = 1, .density = 0.3};
    for (int t = 0; t < 300; t++) {
        pare_data *data = problem_make(&r, &shape);
        check_fit(data, "inf-push", PAIRS("scale", "none", "lambda_ratio", "0.155"), 1e-4, t);
        pare_data_free(data);
    }
}

/* Small problems at small lambda, with almost all pairs at the corner of the hinge. */
static void hinges_reach_their_tolerance(void **state) {
    (void)state;
    static const int64_t sizes[] = {2, 4, 8, 20, 60}, widths[] = {1, 3, 10, 60};
    static const char *const penalties[] = {"l1", "l2", "l1l2"};
    rng r = rng_from(29);
    for (int t = 0; t < 90; t++) {
        problem_shape shape = {.n = sizes[t % 5], .d = widths[t % 4], .classes = 2, .density = 1};
        shape.signal = t % 2 ? 2 : 0;
        char ratio[32];
        snprintf(ratio, sizeof ratio, "%g", pow(10, -1 - 4 * (double)(t % 7) / 6));
        pare_data *data = problem_make(&r, &shape);
        check_fit(data, "rank-svm",
                  PAIRS("loss", "hinge", "penalty", penalties[t % 3], "lambda_ratio", ratio, "tol",
                        "1e-6"),
                  1e-6, t);
        pare_data_free(data);
    }
}

static void a_wrong_model_is_found_out(void **state) {
    (void)state;
    rng r = rng_from(22);
    const int some[] = {0, 1, 2, 8, 11, 12};
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < 6; v++) {
            problem_shape shape = certified_problems[s];
            shape.signal = 2;
            pare_data *data = problem_make(&r, &shape);
            pare_model *m = fit_or_fail(data, ways[some[v]].method, ways[some[v]].pairs);
            cert_probe p = {m, data, CERT_PREDICTOR, 1.01e-4, 2e-4};
            check_breaks(&p, &m->p.coef[0], 1.5 * m->p.coef[0]);
            for (int64_t i = 0; i < data->x.n; i += 2) m->dual[i] *= 0.5;
            check_broken(&p);
            for (int64_t i = 0; i < data->x.n; i++)
                m->dual[i] = 1e3 * (double)(i % 3); /* nonsense */
            assert_true(certify_now(m, data, CERT_PREDICTOR).certificate.value >= -1e-9);
            pare_model_free(m);
            pare_data_free(data);
        }
}

/* Raw coefficients without an intercept order the samples as the scaled problem does. */
static void the_top_is_reached(void **state) {
    (void)state;
    rng r = rng_from(23);
    problem_shape shape = {.n = 60, .d = 100, .classes = 2, .signal = 3, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    pare_model *m = fit_or_fail(data, "inf-push", PAIRS("lambda_ratio", "0.01"));
    double f[60], top = -INFINITY;
    pare_error err;
    assert_int_equal(pare_predict(f, m, data, NULL, &err), PARE_OK);
    for (int64_t i = 0; i < 60; i++)
        if (strcmp(pare_data_target(data, i, (char[32]){0}), pare_model_get(m)->classes[0]) == 0)
            top = fmax(top, f[i]);
    for (int64_t i = 0; i < 60; i++)
        if (strcmp(pare_data_target(data, i, (char[32]){0}), pare_model_get(m)->classes[0]) != 0)
            assert_true(f[i] > top);
    pare_model_free(m);
    pare_data_free(data);
}

static void threads_do_not_change_a_byte(void **state) {
    (void)state;
    rng r = rng_from(24);
    const problem_shape two[] = {{.n = 40, .d = 300, .classes = 2, .signal = 1, .density = 1},
                                 {.n = 70, .d = 30, .classes = 2, .signal = 1, .density = 0.3}};
    const int some[] = {0, 1, 4, 8, 11, 13};
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < 6; v++) {
            pare_data *data = problem_make(&r, &two[s]);
            check_threads(data, ways[some[v]].method, ways[some[v]].pairs, 4);
            pare_data_free(data);
        }
}

static void nothing_leaks(void **state) {
    (void)state;
    rng r = rng_from(25);
    problem_shape shape = {.n = 10, .d = 6, .classes = 2, .signal = 1, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    fit_call some[] = {
        {data, "inf-push", PAIRS("lambda_ratio", "0.3")},
        {data, "inf-push", PAIRS("algorithm", "pairwise", "tol", "0.05")},
        {data, "inf-push", PAIRS("algorithm", "admm", "tol", "0.05")},
        {data, "rank-svm", PAIRS("lambda_ratio", "0.5")},
        {data, "rank-svm", PAIRS("loss", "hinge", "tol", "0.1")},
        {data, "inf-push", PAIRS("sweep", "true", "lambda_count", "3")},
        {data, "rank-svm", PAIRS("sweep", "true", "lambda_count", "2", "tol", "1e-3")},
        {data, "push-rfe", PAIRS("k", "2", "step", "0.5")}};
    for (size_t v = 0; v < sizeof some / sizeof some[0]; v++) check_oom(fit_call_run, &some[v]);
    pare_data_free(data);
}

TEST_FILE(test_ranking) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_certified),
        cmocka_unit_test(a_wrong_model_is_found_out),
        cmocka_unit_test(the_top_is_reached),
        cmocka_unit_test(threads_do_not_change_a_byte),
        cmocka_unit_test(nothing_leaks),
        cmocka_unit_test(degenerate_vertices_are_reached),
        cmocka_unit_test(hinges_reach_their_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
