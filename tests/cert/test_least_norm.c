/* llna, plna, lstsq and best-subset on many random problems, judged from raw data by their
 * certificates; and that the certificates can fail. */
#include "support/certified.h"
#include "support/regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

static const struct {
    int64_t n, d;
} sizes[] = {{30, 6}, {12, 40}, {8, 8}, {1, 3}, {5, 1}, {2, 2}, {20, 90}};
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

static const struct {
    const char *method;
    const char *const *pairs;
} variants[] = {
    {"llna", PAIRS("intercept", "true")},
    {"llna", PAIRS("lambda", "0.3", "intercept", "false")},
    {"llna", PAIRS("lambda", "0.9", "scale", "standard")},
    {"llna", PAIRS("lambda", "0")},
    {"llna", PAIRS("lambda", "1e-12", "scale", "standard")},
    {"llna", PAIRS("k", "1")},
    {"llna", PAIRS("k", "1", "lambda", "0.1")},
    {"plna", PAIRS("restarts", "3")},
    {"plna", PAIRS("restarts", "2", "lambda", "0.3", "intercept", "false")},
    {"plna", PAIRS("restarts", "2", "lambda", "0.1", "alpha_growth", "2", "scale", "minmax")},
    {"plna", PAIRS("restarts", "1", "k", "1")},
    {"plna", PAIRS("lambda", "0")},
    {"lstsq", PAIRS("tol", "0")},
    {"lstsq", PAIRS("tol", "1e-4", "intercept", "false", "k", "1")},
    {"best-subset", PAIRS("k", "1")},
    {"best-subset", PAIRS("k", "1", "intercept", "false", "scale", "unit")},
};
enum { N_VARIANTS = sizeof variants / sizeof variants[0], N_QUICK = 8 }; /* the first are quick */

static void fits_are_certified(void **state) {
    (void)state;
    rng r = rng_from(61);
    for (int s = 0; s < N_SIZES; s++)
        for (int kind = 0; kind < REG_KINDS; kind++)
            for (int v = 0; v < (sizes[s].d > 50 ? N_QUICK : N_VARIANTS); v++) {
                regression p = regression_make(&r, sizes[s].n, sizes[s].d, (regression_kind)kind,
                                               rng_below(&r, 2) == 0);
                pare_model *m = fit_or_fail(p.data, variants[v].method, variants[v].pairs);
                pare_report report = report_of(m);
                bool done = pare_outcome_finished(report.outcome);
                double rounding = 0; /* in the residuals, which nearly exact fits consist of */
                for (int64_t i = 0; i < p.n; i++) rounding += 1e-14 * fabs(p.y[i]);
                bool exact = report.certificate.value <= rounding;
                bool certified = done && report.certificate.relative <= 1e-6;
                if ((!certified && !exact) ||
                    !(report.certificate.value >= -1e-9 * report.objective))
                    fail_msg("n %lld d %lld kind %d variant %d: %s, objective %g, value %g, "
                             "relative %g",
                             (long long)p.n, (long long)p.d, kind, v,
                             pare_outcome_name(report.outcome), report.objective,
                             report.certificate.value, report.certificate.relative);
                check_close(report.objective, certify_now(m, p.data, CERT_PREDICTOR).objective,
                            1e-12);
                pare_model_free(m);
                regression_free(&p);
            }
}

/* The certificate must detect a wrong weight, intercept or dual. */
static void a_wrong_model_is_found_out(void **state) {
    (void)state;
    rng r = rng_from(62);
    static const char *const methods[] = {"llna", "plna", "lstsq", "best-subset"};
    for (int t = 0; t < 4; t++) {
        regression p = regression_make(&r, 30, 8, REG_NORMAL, true);
        pare_model *m = fit_or_fail(p.data, methods[t], PAIRS("k", "3"));
        double before = report_of(m).certificate.relative;
        cert_probe small = {m, p.data, CERT_PREDICTOR, before + 1e-6, before + 1e-5};
        check_breaks(&small, &m->p.coef[0], 1.01 * m->p.coef[0]);
        check_breaks(&small, &m->p.intercept[0], m->p.intercept[0] + 0.1);
        cert_probe large = {m, p.data, CERT_PREDICTOR, before + 1e-6, 1e-4};
        for (int64_t i = 0; m->n_dual && i < p.n; i++) m->dual[i] *= i % 2 ? 1.5 : 0.5;
        if (m->n_dual) check_broken(&large);
        pare_model_free(m);
        regression_free(&p);
    }
}

/* All-zero targets, one sample, constant columns: the empty model, as nothing can be learned. */
static void a_constant_target_is_rejected(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 63, 0);
    double *x = random_normal(&r, 10, 20), y[10];
    for (int i = 0; i < 10; i++) y[i] = 3.5;
    pare_data *data;
    pare_model *m;
    pare_error err;
    assert_int_equal(pare_data_dense(&data, 10, 20, x, NULL, NULL, y, NULL, &err), PARE_OK);
    pare_settings *set = settings_make("lasso", NULL);
    assert_int_equal(pare_fit(&m, data, set, NULL, &err), PARE_E_DATA);
    assert_non_null(strstr(err.message, "the target is 3.5 in all 10 samples"));
    pare_path *path;
    const pare_settings *sets[] = {set};
    assert_int_equal(pare_path_run(&path, data, sets, 1, NULL, NULL, &err), PARE_E_DATA);
    assert_non_null(strstr(err.message, "the target is 3.5 in all 10 samples"));
    pare_settings_free(set);
    pare_data_free(data);
    free(x);
}

/* Features for which the automatic lambda is 1 up to rounding: the setting must stay in its range,
 * so that the model can be read again. */
static void a_lambda_next_to_1_is_below_it(void **state) {
    (void)state;
    rng r = rng_from(64);
    double *x = random_normal(&r, 12, 4), y[12];
    for (int i = 0; i < 12; i++) y[i] = x[i] + rng_uniform(&r);
    for (int i = 0; i < 48; i++) x[i] *= 1e40;
    pare_data *data = data_valued(12, 4, x, y);
    pare_error err;
    for (int k = 0; k < 2; k++) {
        pare_model *m = fit_or_fail(data, "llna", k ? PAIRS("k", "1") : NULL);
        pare_settings *set = settings_make("llna", NULL);
        char lambda[64];
        assert_int_equal(pare_model_setting(m, "lambda", lambda, sizeof lambda, &err), PARE_OK);
        assert_true(strtod(lambda, NULL) > 0.9);
        if (pare_settings_set(set, "lambda", lambda, &err) != PARE_OK) fail_msg("%s", err.message);
        pare_settings_free(set);
        pare_model_free(m);
    }
    pare_data_free(data);
    free(x);
}

TEST_FILE(test_least_norm) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fits_are_certified),
                                       cmocka_unit_test(a_wrong_model_is_found_out),
                                       cmocka_unit_test(a_constant_target_is_rejected),
                                       cmocka_unit_test(a_lambda_next_to_1_is_below_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
