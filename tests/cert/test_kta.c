/* `kta` on many random problems, judged from raw data by its two certificates. */
#include "support/certified.h"

#include <stdlib.h>

#include "model/kernel_machine.h"
#include "model/model.h"

static const certified_way ways[] = {
    {"kta", PAIRS("p", "1"), 2e-6, 1e-9},
    {"kta", PAIRS("p", "1.5", "kernel", "linear", "C", "3"), 2e-6, 1e-9},
    {"kta", PAIRS("p", "2", "gamma", "0.3"), 2e-6, 1e-9},
    {"kta", PAIRS("p", "1.2", "divergence", "kl"), 2e-6, 1e-9},
    {"kta", PAIRS("p", "1.01", "algorithm", "pc", "order", "2", "scale", "none"), 2e-6, 1e-9},
    {"kta", PAIRS("p", "1.3", "kernel", "delta", "eta0", "0.01"), 2e-6, 1e-9},
    {"kta", PAIRS("p", "1.5", "k", "1", "scale", "minmax"), 2e-6, 1e-9},
};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

static void selects_by_conditions(const pare_model *m) {
    pare_report selection;
    assert_int_equal(selection_of(&selection, m), 1);
    assert_int_equal(selection.certificate.kind, PARE_CERT_KKT);
}

static void fits_are_certified(void **state) {
    (void)state;
    /* by series in the certificate */
    const problem_shape tall = {.n = 700, .d = 4, .classes = 2, .signal = 1, .density = 1};
    certified_run usual = {.seed = 81,
                           .shapes = kernel_problems,
                           .n_shapes = N_KERNEL_PROBLEMS,
                           .also = selects_by_conditions};
    certified_run long_columns = {
        .seed = 88, .shapes = &tall, .n_shapes = 1, .also = selects_by_conditions};
    check_all_certified(usual, ways, N_WAYS);
    check_all_certified(long_columns, ways, N_WAYS);
}

static void regressions_are_certified(void **state) {
    (void)state;
    enum { N = 60, D = 6 };
    rng r = rng_from(82);
    double *x = random_normal(&r, N, D), y[N];
    for (int64_t i = 0; i < N; i++) y[i] = x[i] * x[i] + 0.1 * rng_normal(&r);
    pare_data *data = data_valued(N, D, x, y);
    const char *const *const kernels[] = {PAIRS("task", "regress", "p", "1.1"),
                                          PAIRS("task", "regress", "p", "1.1", "kernel", "linear")};
    for (int w = 0; w < 2; w++) {
        pare_model *m = fit_or_fail(data, "kta", kernels[w]);
        pare_report final = report_of(m), selection;
        selection_of(&selection, m);
        assert_true(final.certificate.relative <= 1e-9);
        assert_true(selection.certificate.relative <= 1e-9);
        if (w == 0)
            assert_int_equal(pare_model_get(m)->index[0], 0); /* a square: no linear dependence */
        pare_model_free(m);
    }
    pare_data_free(data);
    free(x);
}

static void a_wrong_model_is_found_out(void **state) {
    (void)state;
    rng r = rng_from(83);
    for (int s = 0; s < 4; s++) {
        problem_shape shape = kernel_problems[s];
        shape.missing = 0;
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = fit_or_fail(data, "kta", PAIRS("p", "1.2"));
        cert_probe selection = {m, data, CERT_SELECTION, 1e-9, 1e-6};
        check_breaks(&selection, &m->selection_z[0], 1.001 * m->selection_z[0]);
        m->n_selection_cols--; /* one that should have been selected */
        check_broken(&selection);
        m->n_selection_cols++;
        cert_probe p = {m, data, CERT_PREDICTOR, 2e-6, 1e-5};
        kernel_machine *kernel = m->p.self;
        check_breaks(&p, &kernel->weight[0], 1.5 * kernel->weight[0]);
        check_breaks(&p, &kernel->gamma[0], 1.5 * kernel->gamma[0]);
        check_breaks(&p, &m->p.intercept[0], m->p.intercept[0] + 0.5);
        check_scaling_breaks(&p, m->dual, data->x.n, 0.8);
        pare_model_free(m);
        pare_data_free(data);
    }
}

static void both_algorithms_give_the_same_weights(void **state) {
    (void)state;
    rng r = rng_from(84);
    pare_data *data = problem_make(&r, &kernel_problems[0]);
    pare_model *direct = fit_or_fail(data, "kta", PAIRS("p", "1.23"));
    const char *const orders[] = {"0", "1", "2"};
    for (int o = 0; o < 3; o++) {
        pare_model *pc =
            fit_or_fail(data, "kta", PAIRS("p", "1.23", "algorithm", "pc", "order", orders[o]));
        assert_int_equal(pc->n_selection_cols, direct->n_selection_cols);
        for (int64_t i = 0; i < pc->n_selection_cols; i++) {
            assert_int_equal(pc->selection_cols[i], direct->selection_cols[i]);
            check_close(pc->selection_z[i], direct->selection_z[i], 1e-9);
        }
        assert_true(pare_model_get(pc)->n_notes > 0);
        pare_model_free(pc);
    }
    pare_model_free(direct);
    pare_data_free(data);
}

/* Fewer features at smaller p, and always some of those before. */
static void selections_are_nested(void **state) {
    (void)state;
    rng r = rng_from(85);
    pare_data *data = problem_make(&r, &kernel_problems[3]);
    const char *const ps[] = {"2", "1.5", "1.3", "1.2", "1.1", "1.05", "1"};
    pare_model *before = NULL;
    for (int i = 0; i < 7; i++) {
        pare_model *m = fit_or_fail(data, "kta", PAIRS("p", ps[i]));
        for (int64_t a = 0; before && a < m->n_selected; a++)
            assert_int_equal(m->index[a], before->index[a]);
        assert_true(!before || m->n_selected <= before->n_selected);
        pare_model_free(before);
        before = m;
    }
    pare_model_free(before);
    pare_data_free(data);
}

static void what_has_no_solution_is_refused(void **state) {
    (void)state;
    rng r = rng_from(86);
    pare_data *data = problem_make(&r, &kernel_problems[0]);
    check_no_fit(data, "kta", PAIRS("lambda1", "0", "lambda2", "0"), PARE_E_ARGUMENT, "both 0");
    check_no_fit(data, "kta", PAIRS("lambda1", "0", "p", "1"), PARE_E_ARGUMENT, "p = 1");
    check_no_fit(data, "kta", PAIRS("divergence", "kl", "eta0", "0"), PARE_E_ARGUMENT, "eta0");
    check_no_fit(data, "kta", PAIRS("intercept", "false"), PARE_E_ARGUMENT, "intercept");
    check_no_fit(data, "kta", PAIRS("algorithm", "pc", "p", "1.5", "p_start", "1.2"),
                 PARE_E_ARGUMENT, "p_start");
    check_no_fit(data, "kta", PAIRS("divergence", "kl", "lambda1", "1e-3", "lambda2", "0"),
                 PARE_E_ARGUMENT, "lambda1");
    pare_settings *set = settings_make("kta", NULL);
    pare_error err;
    const char *const wrong[][2] = {{"p", "2.1"},   {"p", "0.9"},    {"eps", "0.37"},  {"eps", "0"},
                                    {"gamma", "0"}, {"gamma", "-1"}, {"lambda1", "-1"}};
    for (int i = 0; i < 7; i++)
        assert_int_not_equal(pare_settings_set(set, wrong[i][0], wrong[i][1], &err), PARE_OK);
    pare_settings_free(set);
    pare_data_free(data);
}

static void equal_weights_are_certified(void **state) {
    (void)state;
    rng r = rng_from(87);
    const char *const *const kernels[] = {PAIRS("kernel", "rbf"),
                                          PAIRS("kernel", "linear", "k", "3"),
                                          PAIRS("kernel", "delta", "C", "5")};
    for (int s = 0; s < 4; s++)
        for (int w = 0; w < 3; w++) {
            problem_shape shape = kernel_problems[s];
            shape.missing = 0;
            pare_data *data = problem_make(&r, &shape);
            pare_model *m = fit_or_fail(data, "uniform", kernels[w]);
            assert_true(report_of(m).certificate.relative <= 2e-6);
            assert_true(m->selection_z[0] == 1.0 / (double)shape.d);
            pare_model_free(m);
            pare_data_free(data);
        }
}

TEST_FILE(test_kta) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_certified),
        cmocka_unit_test(regressions_are_certified),
        cmocka_unit_test(a_wrong_model_is_found_out),
        cmocka_unit_test(equal_weights_are_certified),
        cmocka_unit_test(both_algorithms_give_the_same_weights),
        cmocka_unit_test(selections_are_nested),
        cmocka_unit_test(what_has_no_solution_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
