/* The rivals of kta on many random problems, judged from raw data: kta-centered and bahsic by their
 * selection's certificate and the predictor's, l1-svm-path by its duality gap. */
#include "support/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/model.h"

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const problem_shape shapes[] = {
    {.n = 30, .d = 60, .classes = 2, .signal = 1, .density = 1},
    {.n = 60, .d = 8, .classes = 2, .signal = 0.5, .density = 1, .weights = true},
    {.n = 40, .d = 20, .classes = 2, .density = 1, .constant = true, .missing = 0.1},
    {.n = 50, .d = 70, .classes = 2, .signal = 1, .density = 0.2, .weights = true},
    {.n = 45, .d = 30, .classes = 3, .signal = 1, .density = 0.3, .constant = true},
    {.n = 2, .d = 1, .classes = 2, .signal = 5, .density = 1},
    {.n = 3, .d = 2, .classes = 3, .signal = 2, .density = 1},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

typedef struct way {
    const char *method;
    const char *const *pairs;
    double final, selection; /* what the certificates must be below; 0: there is none */
} way;

static void fits_are_certified(void **state) {
    (void)state;
    const way ways[] = {
        {"kta-centered", PAIRS("missing", "mean"), 2e-6, 1e-8},
        {"kta-centered", PAIRS("missing", "mean", "kernel", "linear", "scale", "none"), 2e-6, 1e-8},
        {"kta-centered", PAIRS("missing", "mean", "kernel", "delta", "C", "2"), 2e-6, 1e-8},
        {"kta-centered", PAIRS("missing", "mean", "gamma", "2", "k", "1"), 2e-6, 1e-8},
        {"bahsic", PAIRS("missing", "mean", "k", "1"), 1e-5, 1e-9},
        {"bahsic", PAIRS("missing", "mean", "step", "1", "gamma", "0.5"), 1e-5, 1e-9},
        {"bahsic", PAIRS("missing", "mean", "step", "1", "gamma", "50"), 1e-5, 1e-9},
        {"bahsic", PAIRS("missing", "mean", "kernel", "linear"), 1e-5, 1e-9},
        {"l1-svm-path", PAIRS("missing", "mean"), 1e-6, 0},
        {"l1-svm-path", PAIRS("missing", "mean", "k", "1", "sweep", "true"), 1e-6, 0},
    };
    rng r;
    rng_seed(&r, 111, 0);
    for (int s = 0; s < N_SHAPES; s++)
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            pare_data *data = problem_make(&r, &shapes[s]);
            pare_model *m = fit_or_fail(data, ways[w].method, ways[w].pairs);
            pare_report final = report_of(m), selection;
            if (!(final.certificate.relative <= ways[w].final))
                fail_msg("shape %d way %d: gap %g", s, (int)w, final.certificate.relative);
            if (ways[w].selection > 0) {
                assert_int_equal(pare_model_selection(&selection, m), 1);
                if (!(selection.certificate.relative <= ways[w].selection))
                    fail_msg("shape %d way %d: selection %g", s, (int)w,
                             selection.certificate.relative);
            }
            for (int64_t i = 0; i < m->n_selected; i++)
                assert_true(!shapes[s].constant || m->index[i] != 1);
            pare_model_free(m);
            pare_data_free(data);
        }
}

/* More kernels than matrices of that size are independent: which of them depend on others changes with
 * every set that is tried. */
static void dependent_kernels_are_weighed(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 116, 0);
    for (int trial = 0; trial < 200; trial++) {
        problem_shape shape = {.n = 4 + trial % 3, .d = 20, .classes = 2, .density = 1};
        shape.signal = trial % 2;
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = fit_or_fail(data, "kta-centered", PAIRS("missing", "mean"));
        pare_report selection;
        assert_int_equal(pare_model_selection(&selection, m), 1);
        if (selection.outcome != PARE_OPTIMAL || !(selection.certificate.relative <= 1e-6))
            fail_msg("trial %d: %s at %g", trial, pare_outcome_name(selection.outcome),
                     selection.certificate.relative);
        pare_model_free(m);
        pare_data_free(data);
    }
}

static double selection_of(const pare_model *m, const pare_data *data) {
    pare_report final, selection;
    pare_error err;
    assert_int_equal(pare_check(&final, &selection, m, data, NULL, &err), PARE_OK);
    double value = selection.certificate.relative;
    return isnan(value) ? INFINITY : value;
}

static void a_wrong_selection_is_found_out(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 112, 0);
    const char *const methods[] = {"kta-centered", "bahsic"};
    for (int s = 0; s < 5; s++)
        for (int w = 0; w < 2; w++) {
            problem_shape shape = shapes[s];
            shape.missing = 0;
            pare_data *data = problem_make(&r, &shape);
            pare_model *m = fit_or_fail(data, methods[w], PAIRS("k", "2"));
            assert_true(selection_of(m, data) <= 1e-8);
            m->selection_z[0] *= 1.001;
            assert_true(selection_of(m, data) > 1e-7);
            m->selection_z[0] /= 1.001;
            if (m->n_selection_cols > 1) {
                m->n_selection_cols--;
                assert_true(selection_of(m, data) > 1e-7);
                m->n_selection_cols++;
            }
            pare_model_free(m);
            pare_data_free(data);
        }
}

/* Dependence that no line shows: the class is whether |x_0| is large. */
static void a_square_is_seen(void **state) {
    (void)state;
    enum { N = 120, D = 12 };
    rng r;
    rng_seed(&r, 113, 0);
    double *x = random_normal(&r, N, D);
    const char *y[N];
    for (int i = 0; i < N; i++) y[i] = fabs(x[i]) > 0.7 ? "large" : "small";
    pare_data *data;
    pare_error err;
    assert_int_equal(pare_data_dense(&data, N, D, x, NULL, y, NULL, NULL, &err), PARE_OK);
    const char *const methods[] = {"kta-centered", "bahsic"};
    for (int w = 0; w < 2; w++) {
        pare_model *m = fit_or_fail(data, methods[w], PAIRS("k", "1"));
        assert_int_equal(pare_model_index(m, 0), 0);
        pare_model_free(m);
    }
    pare_data_free(data);
    free(x);
}

/* About a mean far from 0 the kernel is as wide as about 0; and a feature whose own part makes the joint
 * kernel vanish can be taken out of it. */
static void bahsic_does_not_cancel(void **state) {
    (void)state;
    enum { N = 40, D = 12 };
    rng r;
    rng_seed(&r, 115, 0);
    double *x = random_normal(&r, N, D), y[N];
    const char *const *const pairs[] = {PAIRS("k", "9"),
                                        PAIRS("k", "9", "gamma", "0.05", "step", "1")};
    pare_error err;
    for (int i = 0; i < N; i++) y[i] = x[i] + x[N + i] * x[N + i];
    for (int w = 0; w < 2; w++) {
        for (int e = 0; e < N * D; e++) x[e] = w == 0 ? x[e] + 1e7 : x[e] - 1e7;
        for (int i = 0; w == 1 && i < N; i++) x[5 * N + i] *= 1e3;
        pare_data *data;
        assert_int_equal(pare_data_dense(&data, N, D, x, NULL, NULL, y, NULL, &err), PARE_OK);
        pare_model *m = fit_or_fail(data, "bahsic", pairs[w]);
        double off = selection_of(m, data);
        if (!(off <= 1e-8)) fail_msg("case %d: %g", w, off);
        pare_model_free(m);
        pare_data_free(data);
    }
    free(x);
}

/* The breakpoints fall, and at each of them l1-svm has that objective. */
static void the_path_is_that_of_the_program(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 114, 0);
    for (int s = 0; s < 5; s++) {
        problem_shape shape = shapes[s];
        shape.missing = 0;
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = fit_or_fail(data, "l1-svm-path", PAIRS("sweep", "true"));
        pare_lambda_path path;
        int64_t count = pare_model_lambda_path(&path, m);
        const pare_lambda_point *point = path.point;
        assert_true(count >= 2);
        for (int64_t i = 1; i < count; i++) {
            assert_true(point[i].lambda <= point[i - 1].lambda);
            if (i % (1 + count / 4) || point[i].lambda < 1e-6) continue;
            char lambda[32];
            snprintf(lambda, sizeof lambda, "%.17g", point[i].lambda);
            pare_model *one = fit_or_fail(data, "l1-svm", PAIRS("lambda", lambda));
            check_close(report_of(one).objective, point[i].objective, 1e-8);
            pare_model_free(one);
        }
        pare_model_free(m);
        pare_data_free(data);
    }
}

TEST_FILE(test_kta_rivals) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_certified),
        cmocka_unit_test(dependent_kernels_are_weighed),
        cmocka_unit_test(a_wrong_selection_is_found_out),
        cmocka_unit_test(a_square_is_seen),
        cmocka_unit_test(bahsic_does_not_cancel),
        cmocka_unit_test(the_path_is_that_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
