/* `kta` on many random problems, judged from raw data by its two certificates. */
#include "support/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/kernel_machine.h"
#include "model/model.h"

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const problem_shape shapes[] = {
    {.n = 30, .d = 60, .classes = 2, .signal = 1, .density = 1},
    {.n = 90, .d = 8, .classes = 2, .signal = 0.5, .density = 1, .weights = true},
    {.n = 40, .d = 20, .classes = 2, .density = 1, .constant = true, .missing = 0.1},
    {.n = 80, .d = 50, .classes = 2, .signal = 1, .density = 0.2, .weights = true},
    {.n = 45, .d = 30, .classes = 3, .signal = 1, .density = 0.3, .constant = true},
    {.n = 2, .d = 1, .classes = 2, .signal = 5, .density = 1},
    {.n = 3, .d = 2, .classes = 3, .signal = 2, .density = 1},
    {.n = 700, .d = 4, .classes = 2, .signal = 1, .density = 1}, /* by series in the certificate */
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static const char *const *const variants[] = {
    PAIRS("p", "1"),
    PAIRS("p", "1.5", "kernel", "linear", "C", "3"),
    PAIRS("p", "2", "gamma", "0.3"),
    PAIRS("p", "1.2", "divergence", "kl"),
    PAIRS("p", "1.01", "algorithm", "pc", "order", "2", "scale", "none"),
    PAIRS("p", "1.3", "kernel", "delta", "eta0", "0.01"),
    PAIRS("p", "1.5", "k", "1", "scale", "minmax"),
};
enum { N_VARIANTS = sizeof variants / sizeof variants[0] };

static pare_model *fit_shape(pare_data *data, int s, int v) {
    pare_settings *set = settings_make("kta", variants[v]);
    pare_model *m = NULL;
    pare_error err;
    if (pare_settings_set(set, "missing", "mean", &err) != PARE_OK ||
        pare_fit(&m, data, set, NULL, &err) != PARE_OK)
        fail_msg("shape %d variant %d: %s", s, v, err.message);
    pare_settings_free(set);
    return m;
}

static void fits_are_certified(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 81, 0);
    for (int s = 0; s < N_SHAPES; s++)
        for (int v = 0; v < N_VARIANTS; v++) {
            pare_data *data = problem_make(&r, &shapes[s]);
            pare_model *m = fit_shape(data, s, v);
            pare_report final = report_of(m), selection;
            assert_int_equal(pare_model_selection(&selection, m), 1);
            assert_int_equal(selection.certificate.kind, PARE_CERT_KKT);
            if (final.outcome != PARE_OPTIMAL || !(final.certificate.relative <= 2e-6) ||
                !(selection.certificate.relative <= 1e-9))
                fail_msg("shape %d variant %d: gap %g, stationarity %g", s, v,
                         final.certificate.relative, selection.certificate.relative);
            for (int64_t i = 0; i < m->n_selected; i++)
                assert_true(!shapes[s].constant || m->index[i] != 1);
            pare_model_free(m);
            pare_data_free(data);
        }
}

static void regressions_are_certified(void **state) {
    (void)state;
    enum { N = 60, D = 6 };
    rng r;
    rng_seed(&r, 82, 0);
    double *x = random_normal(&r, N, D);
    char text[N][32];
    const char *y[N];
    for (int64_t i = 0; i < N; i++) {
        snprintf(text[i], sizeof text[i], "%.17g", x[i] * x[i] + 0.1 * rng_normal(&r));
        y[i] = text[i];
    }
    pare_data *data;
    pare_error err;
    assert_int_equal(pare_data_dense(&data, N, D, x, NULL, y, NULL, NULL, &err), PARE_OK);
    const char *const *const ways[] = {PAIRS("task", "regress", "p", "1.1"),
                                       PAIRS("task", "regress", "p", "1.1", "kernel", "linear")};
    for (int w = 0; w < 2; w++) {
        pare_model *m = fit_or_fail(data, "kta", ways[w]);
        pare_report final = report_of(m), selection;
        pare_model_selection(&selection, m);
        assert_true(final.certificate.relative <= 1e-9);
        assert_true(selection.certificate.relative <= 1e-9);
        if (w == 0) assert_int_equal(pare_model_index(m, 0), 0); /* a square: not seen by a line */
        pare_model_free(m);
    }
    pare_data_free(data);
    free(x);
}

static double relative(const pare_model *m, const pare_data *data, bool selection) {
    pare_report reports[2];
    pare_error err;
    assert_int_equal(pare_check(&reports[0], &reports[1], m, data, NULL, &err), PARE_OK);
    double value = reports[selection].certificate.relative;
    return isnan(value) ? INFINITY : value;
}

/* A certificate that cannot fail proves nothing. */
static void a_wrong_model_is_found_out(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 83, 0);
    for (int s = 0; s < 4; s++) {
        problem_shape shape = shapes[s];
        shape.missing = 0;
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = fit_or_fail(data, "kta", PAIRS("p", "1.2"));
        assert_true(relative(m, data, false) <= 2e-6 && relative(m, data, true) <= 1e-9);
        m->selection_z[0] *= 1.001;
        assert_true(relative(m, data, true) > 1e-6);
        m->selection_z[0] /= 1.001;
        m->n_selection_cols--; /* one that should have been selected */
        assert_true(relative(m, data, true) > 1e-6);
        m->n_selection_cols++;
        kernel_machine *kernel = m->p.self;
        kernel->weight[0] *= 1.5;
        assert_true(relative(m, data, false) > 1e-5);
        kernel->weight[0] /= 1.5;
        kernel->gamma[0] *= 1.5;
        assert_true(relative(m, data, false) > 1e-5);
        kernel->gamma[0] /= 1.5;
        m->p.intercept[0] += 0.5;
        assert_true(relative(m, data, false) > 1e-5);
        m->p.intercept[0] -= 0.5;
        for (int64_t i = 0; i < data->x.n; i++) m->dual[i] *= 0.8;
        assert_true(relative(m, data, false) > 1e-5);
        pare_model_free(m);
        pare_data_free(data);
    }
}

static void both_algorithms_give_the_same_weights(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 84, 0);
    pare_data *data = problem_make(&r, &shapes[0]);
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
        assert_true(pare_model_n_notes(pc) > 0);
        pare_model_free(pc);
    }
    pare_model_free(direct);
    pare_data_free(data);
}

/* Fewer features at smaller p, and always some of those before. */
static void selections_are_nested(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 85, 0);
    pare_data *data = problem_make(&r, &shapes[3]);
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

static void check_refused(pare_data *data, const char *const *pairs, const char *part) {
    pare_settings *set = settings_make("kta", pairs);
    pare_model *m;
    pare_error err;
    assert_int_not_equal(pare_fit(&m, data, set, NULL, &err), PARE_OK);
    assert_null(m);
    if (!strstr(err.message, part)) fail_msg("\"%s\" does not say \"%s\"", err.message, part);
    pare_settings_free(set);
}

static void what_has_no_solution_is_refused(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 86, 0);
    pare_data *data = problem_make(&r, &shapes[0]);
    check_refused(data, PAIRS("lambda1", "0", "lambda2", "0"), "both 0");
    check_refused(data, PAIRS("lambda1", "0", "p", "1"), "p = 1");
    check_refused(data, PAIRS("divergence", "kl", "eta0", "0"), "eta0");
    check_refused(data, PAIRS("intercept", "false"), "intercept");
    check_refused(data, PAIRS("algorithm", "pc", "p", "1.5", "p_start", "1.2"), "p_start");
    check_refused(data, PAIRS("divergence", "kl", "lambda1", "1e-3", "lambda2", "0"), "lambda1");
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
    rng r;
    rng_seed(&r, 87, 0);
    const char *const *const ways[] = {PAIRS("kernel", "rbf"), PAIRS("kernel", "linear", "k", "3"),
                                       PAIRS("kernel", "delta", "C", "5")};
    for (int s = 0; s < 4; s++)
        for (int w = 0; w < 3; w++) {
            problem_shape shape = shapes[s];
            shape.missing = 0;
            pare_data *data = problem_make(&r, &shape);
            pare_model *m = fit_or_fail(data, "uniform", ways[w]);
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
