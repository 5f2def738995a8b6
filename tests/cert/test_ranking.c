/* inf-push, rank-svm and push-rfe on many random problems, judged from raw data by the certificate;
 * what must not change a fit; failing allocations. */
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
    {.n = 40, .d = 30, .classes = 2, .density = 1, .missing = 0.1, .constant = true},
    {.n = 2, .d = 1, .classes = 2, .signal = 5, .density = 1},
    {.n = 20, .d = 1, .classes = 2, .density = 1},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

typedef struct variant {
    const char *method;
    const char *const *pairs;
} variant;

static const variant variants[] = {
    {"inf-push", PAIRS("scale", "auto")},
    {"inf-push", PAIRS("penalty", "l2")},
    {"inf-push", PAIRS("penalty", "l1l2", "alpha", "0.3", "scale", "minmax")},
    {"inf-push", PAIRS("penalty", "l2", "k", "2", "lambda", "0.2")},
    {"inf-push", PAIRS("algorithm", "cutting", "lambda_ratio", "0.03")},
    {"inf-push", PAIRS("algorithm", "admm", "scale", "standard", "lambda_ratio", "0.3")},
    {"inf-push", PAIRS("lambda", "1000")},
    {"inf-push", PAIRS("k", "1")},
    {"rank-svm", PAIRS("scale", "auto")},
    {"rank-svm", PAIRS("penalty", "l2", "scale", "none")},
    {"rank-svm", PAIRS("penalty", "l1l2", "alpha", "0.7", "k", "2")},
    {"rank-svm", PAIRS("loss", "hinge", "tol", "1e-4")},
    {"rank-svm", PAIRS("loss", "hinge", "penalty", "l2", "tol", "1e-4")},
    {"rank-svm", PAIRS("loss", "hinge", "penalty", "l1l2", "tol", "1e-4")},
    {"inf-push", PAIRS("k", "1")},
    {"push-rfe", PAIRS("scale", "auto")},
    {"push-rfe", PAIRS("k", "1", "step", "3")},
};
enum { N_VARIANTS = sizeof variants / sizeof variants[0] };

static void fits_are_certified(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 21, 0);
    for (int s = 0; s < N_SHAPES; s++)
        for (int v = 0; v < N_VARIANTS; v++) {
            pare_data *data = problem_make(&r, &shapes[s]);
            pare_settings *set = settings_make(variants[v].method, variants[v].pairs);
            pare_model *m = NULL;
            pare_error err;
            if (pare_settings_set(set, "missing", "mean", &err) != PARE_OK) fail();
            pare_status status = pare_fit(&m, data, set, NULL, &err);
            if (status != PARE_OK && shapes[s].d == 1 &&
                strstr(err.message, "cannot be selected")) {
                pare_settings_free(set);
                pare_data_free(data);
                continue;
            }
            if (status != PARE_OK) fail_msg("shape %d variant %d: %s", s, v, err.message);
            pare_report report = report_of(m);
            if (report.outcome != PARE_OPTIMAL || !(report.certificate.relative <= 1.01e-4) ||
                !(report.certificate.value >= -1e-9 * report.objective))
                fail_msg("shape %d variant %d: outcome %s, objective %g, gap %g, relative %g", s, v,
                         pare_outcome_name(report.outcome), report.objective,
                         report.certificate.value, report.certificate.relative);
            assert_true(pare_model_intercept(m, 0) == 0);
            pare_model_free(m);
            pare_settings_free(set);
            pare_data_free(data);
        }
}

/* Few samples, one feature that does it all: the optimum is a degenerate vertex, where the last steps
 * of the interior point method are rounding. */
static void degenerate_vertices_are_reached(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 26, 0);
    problem_shape shape = {.n = 5, .d = 56, .classes = 2, .signal = 1, .density = 0.3};
    for (int t = 0; t < 300; t++) {
        pare_data *data = problem_make(&r, &shape);
        pare_model *m =
            fit_or_fail(data, "inf-push", PAIRS("scale", "none", "lambda_ratio", "0.155"));
        pare_report report = report_of(m);
        if (report.outcome != PARE_OPTIMAL || !(report.certificate.relative <= 1e-4))
            fail_msg("trial %d: outcome %s, relative gap %g", t, pare_outcome_name(report.outcome),
                     report.certificate.relative);
        pare_model_free(m);
        pare_data_free(data);
    }
}

/* Small problems at small lambda, where almost all pairs lie on the corner of the hinge. */
static void hinges_reach_their_tolerance(void **state) {
    (void)state;
    static const int64_t sizes[] = {2, 4, 8, 20, 60}, widths[] = {1, 3, 10, 60};
    static const char *const penalties[] = {"l1", "l2", "l1l2"};
    rng r;
    rng_seed(&r, 29, 0);
    for (int t = 0; t < 90; t++) {
        problem_shape shape = {.n = sizes[t % 5], .d = widths[t % 4], .classes = 2, .density = 1};
        shape.signal = t % 2 ? 2 : 0;
        char ratio[32];
        snprintf(ratio, sizeof ratio, "%g", pow(10, -1 - 4 * (double)(t % 7) / 6));
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = fit_or_fail(data, "rank-svm",
                                    PAIRS("loss", "hinge", "penalty", penalties[t % 3],
                                          "lambda_ratio", ratio, "tol", "1e-6"));
        pare_report report = report_of(m);
        if (report.outcome != PARE_OPTIMAL || !(report.certificate.relative <= 1e-6))
            fail_msg("trial %d: outcome %s, relative gap %g", t, pare_outcome_name(report.outcome),
                     report.certificate.relative);
        pare_model_free(m);
        pare_data_free(data);
    }
}

/* A certificate that cannot fail proves nothing: a wrong weight or dual must show. */
static void a_wrong_model_is_found_out(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 22, 0);
    const variant some[] = {variants[0], variants[1],  variants[2],
                            variants[8], variants[11], variants[12]};
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < 6; v++) {
            problem_shape shape = shapes[s];
            shape.signal = 2;
            pare_data *data = problem_make(&r, &shape);
            pare_model *m = fit_or_fail(data, some[v].method, some[v].pairs);
            pare_error err;
            pare_report after;
            m->p.coef[0] *= 1.5;
            assert_int_equal(pare_check(&after, NULL, m, data, NULL, &err), PARE_OK);
            assert_true(after.certificate.relative > 2e-4);
            m->p.coef[0] /= 1.5;
            for (int64_t i = 0; i < data->x.n; i += 2) m->dual[i] *= 0.5;
            assert_int_equal(pare_check(&after, NULL, m, data, NULL, &err), PARE_OK);
            assert_true(after.certificate.relative > 2e-4);
            for (int64_t i = 0; i < data->x.n; i++)
                m->dual[i] = 1e3 * (double)(i % 3); /* nonsense */
            assert_int_equal(pare_check(&after, NULL, m, data, NULL, &err), PARE_OK);
            assert_true(after.certificate.value >= -1e-9);
            pare_model_free(m);
            pare_data_free(data);
        }
}

/* Raw coefficients without an intercept order the samples as the scaled problem does. */
static void the_top_is_reached(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 23, 0);
    problem_shape shape = {.n = 60, .d = 100, .classes = 2, .signal = 3, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    pare_model *m = fit_or_fail(data, "inf-push", PAIRS("lambda_ratio", "0.01"));
    double f[60], top = -INFINITY;
    pare_error err;
    assert_int_equal(pare_predict(f, m, data, NULL, &err), PARE_OK);
    for (int64_t i = 0; i < 60; i++)
        if (strcmp(pare_data_target(data, i), pare_model_class(m, 0)) == 0) top = fmax(top, f[i]);
    for (int64_t i = 0; i < 60; i++)
        if (strcmp(pare_data_target(data, i), pare_model_class(m, 0)) != 0) assert_true(f[i] > top);
    pare_model_free(m);
    pare_data_free(data);
}

static void threads_do_not_change_a_byte(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 24, 0);
    const problem_shape two[] = {{.n = 40, .d = 300, .classes = 2, .signal = 1, .density = 1},
                                 {.n = 70, .d = 30, .classes = 2, .signal = 1, .density = 0.3}};
    const int some[] = {0, 1, 4, 8, 11, 13};
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < 6; v++) {
            pare_data *data = problem_make(&r, &two[s]);
            const variant *w = &variants[some[v]];
            char *one = fit_text(data, w->method, w->pairs, 1);
            char *four = fit_text(data, w->method, w->pairs, 4);
            assert_string_equal(one, four);
            pare_text_free(one, NULL);
            pare_text_free(four, NULL);
            pare_data_free(data);
        }
}

typedef struct trial {
    const pare_data *data;
    const variant *v;
} trial;

static pare_status fit(void *user, const pare_ctx *ctx) {
    trial *t = user;
    pare_model *m = NULL;
    pare_error err;
    pare_settings *set = settings_make(t->v->method, t->v->pairs);
    pare_status status = pare_fit(&m, t->data, set, ctx, &err);
    pare_model_free(m);
    pare_settings_free(set);
    return status;
}

static void nothing_leaks(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 25, 0);
    problem_shape shape = {.n = 10, .d = 6, .classes = 2, .signal = 1, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    const variant some[] = {
        {"inf-push", PAIRS("lambda_ratio", "0.3")},
        {"inf-push", PAIRS("algorithm", "pairwise", "tol", "0.05")},
        {"inf-push", PAIRS("algorithm", "admm", "tol", "0.05")},
        {"rank-svm", PAIRS("lambda_ratio", "0.5")},
        {"rank-svm", PAIRS("loss", "hinge", "tol", "0.1")},
        {"inf-push", PAIRS("sweep", "true", "lambda_count", "3")},
        {"rank-svm", PAIRS("sweep", "true", "lambda_count", "2", "tol", "1e-3")},
        {"push-rfe", PAIRS("k", "2", "step", "0.5")}};
    for (size_t v = 0; v < sizeof some / sizeof some[0]; v++) {
        trial t = {data, &some[v]};
        check_oom(fit, &t);
    }
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
