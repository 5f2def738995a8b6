/* The rivals of kta on many random problems, judged from raw data: kta-centered and bahsic by their
 * selection's certificate and the predictor's, l1-svm-path by its duality gap. */
#include "support/certified.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/model.h"

static const certified_way ways[] = {
    {"kta-centered", PAIRS("kernel", "rbf"), 2e-6, 1e-8},
    {"kta-centered", PAIRS("kernel", "linear", "scale", "none"), 2e-6, 1e-8},
    {"kta-centered", PAIRS("kernel", "delta", "C", "2"), 2e-6, 1e-8},
    {"kta-centered", PAIRS("gamma", "2", "k", "1"), 2e-6, 1e-8},
    {"bahsic", PAIRS("k", "1"), 1e-5, 1e-9},
    {"bahsic", PAIRS("step", "1", "gamma", "0.5"), 1e-5, 1e-9},
    {"bahsic", PAIRS("step", "1", "gamma", "50"), 1e-5, 1e-9},
    {"bahsic", PAIRS("kernel", "linear"), 1e-5, 1e-9},
    {"l1-svm-path", PAIRS("scale", "auto"), 1e-6, 0},
    {"l1-svm-path", PAIRS("k", "1", "sweep", "true"), 1e-6, 0},
};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

static void fits_are_certified(void **state) {
    (void)state;
    certified_run run = {.seed = 111, .shapes = kernel_problems, .n_shapes = N_KERNEL_PROBLEMS};
    check_all_certified(run, ways, N_WAYS);
}

/* More kernels than linearly independent matrices of that size: which of them are dependent changes
 * with every set that is tried. */
static void dependent_kernels_are_weighed(void **state) {
    (void)state;
    rng r = rng_from(116);
    for (int trial = 0; trial < 200; trial++) {
        problem_shape shape = {.n = 4 + trial % 3, .d = 20, .classes = 2, .density = 1};
        shape.signal = trial % 2;
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = fit_or_fail(data, "kta-centered", NULL);
        pare_report selection;
        char title[32];
        snprintf(title, sizeof title, "trial %d", trial);
        assert_int_equal(selection_of(&selection, m), 1);
        assert_int_equal(selection.outcome, PARE_OPTIMAL);
        check_certified(&selection, 1e-6, title);
        pare_model_free(m);
        pare_data_free(data);
    }
}

static void a_wrong_selection_is_found_out(void **state) {
    (void)state;
    rng r = rng_from(112);
    const char *const methods[] = {"kta-centered", "bahsic"};
    for (int s = 0; s < 5; s++)
        for (int w = 0; w < 2; w++) {
            problem_shape shape = kernel_problems[s];
            shape.missing = 0;
            pare_data *data = problem_make(&r, &shape);
            pare_model *m = fit_or_fail(data, methods[w], PAIRS("k", "2"));
            cert_probe p = {m, data, CERT_SELECTION, 1e-8, 1e-7};
            check_breaks(&p, &m->selection_z[0], 1.001 * m->selection_z[0]);
            if (m->n_selection_cols > 1) {
                m->n_selection_cols--;
                check_broken(&p);
                m->n_selection_cols++;
            }
            pare_model_free(m);
            pare_data_free(data);
        }
}

static void a_square_is_seen(void **state) {
    (void)state;
    rng r = rng_from(113);
    pare_data *data = problem_square(&r, 120, 12);
    const char *const methods[] = {"kta-centered", "bahsic"};
    for (int w = 0; w < 2; w++) {
        pare_model *m = fit_or_fail(data, methods[w], PAIRS("k", "1"));
        assert_int_equal(pare_model_get(m)->index[0], 0);
        pare_model_free(m);
    }
    pare_data_free(data);
}

/* With a mean far from 0 the kernel is as wide as around 0; and a feature whose factor makes the
 * joint kernel underflow can be divided out of it. */
static void bahsic_does_not_cancel(void **state) {
    (void)state;
    enum { N = 40, D = 12 };
    rng r = rng_from(115);
    double *x = random_normal(&r, N, D), y[N];
    const char *const *const pairs[] = {PAIRS("k", "9"),
                                        PAIRS("k", "9", "gamma", "0.05", "step", "1")};
    for (int i = 0; i < N; i++) y[i] = x[i] + x[N + i] * x[N + i];
    for (int w = 0; w < 2; w++) {
        for (int e = 0; e < N * D; e++) x[e] = w == 0 ? x[e] + 1e7 : x[e] - 1e7;
        for (int i = 0; w == 1 && i < N; i++) x[5 * N + i] *= 1e3;
        pare_data *data = data_valued(N, D, x, y);
        pare_model *m = fit_or_fail(data, "bahsic", pairs[w]);
        double off = certify_now(m, data, CERT_SELECTION).certificate.relative;
        if (!(off <= 1e-8)) fail_msg("case %d: %g", w, off);
        pare_model_free(m);
        pare_data_free(data);
    }
    free(x);
}

/* The breakpoints fall, and at each of them l1-svm has that objective. */
static void the_path_is_that_of_the_program(void **state) {
    (void)state;
    rng r = rng_from(114);
    for (int s = 0; s < 5; s++) {
        problem_shape shape = kernel_problems[s];
        shape.missing = 0;
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = fit_or_fail(data, "l1-svm-path", PAIRS("sweep", "true"));
        pare_lambda_path path = pare_model_get(m)->lambda_path;
        int64_t count = path.count;
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

TEST_FILE(test_kta_comparators) {
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
