/* plna --global against enumeration of all vertices, and plna's starts against very many. */
#include "support/certified.h"
#include "support/elimination.h"
#include "support/regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/fit.h"
#include "method/lp/plna_global.h"
#include "model/model.h"

enum { MOST = 16 };
static const double MAX_ABOVE = 0.003; /* with random starts alone 0.006 */

static double penalised(const regression *p, const double *w, double b, double lambda) {
    double sum = (1 - lambda) * regression_error(p, w, b);
    for (int64_t j = 0; j < p->d; j++) sum += lambda * (1 - exp(-5 * fabs(w[j])));
    return sum;
}

/* The point where the kinks `set` meet: kink i < n is residual i, n + j is x_j. */
static bool meet(const regression *p, const int64_t *set, bool intercept, double *w, double *b) {
    int64_t m = p->d + intercept;
    double a[MOST * MOST] = {0}, z[MOST];
    for (int64_t r = 0; r < m; r++) {
        bool sample = set[r] < p->n;
        for (int64_t j = 0; j < p->d; j++)
            a[r * m + j] = sample ? p->x[j * p->n + set[r]] : j == set[r] - p->n;
        if (intercept) a[r * m + p->d] = sample;
        z[r] = sample ? p->y[set[r]] : 0;
    }
    if (!eliminate(a, z, m)) return false;
    memcpy(w, z, sizeof(double) * (size_t)p->d);
    *b = intercept ? z[p->d] : 0;
    return true;
}

/* F is concave between its kinks, so its minimum is where as many of them meet as there are
 * numbers. */
static double enumerate(const regression *p, double lambda, bool intercept) {
    int64_t m = p->d + intercept, kinks = p->n + p->d, set[MOST];
    double best = INFINITY, w[MOST], b;
    for (int64_t r = 0; r < m; r++) set[r] = r;
    for (;;) {
        if (meet(p, set, intercept, w, &b)) best = fmin(best, penalised(p, w, b, lambda));
        int64_t r = m - 1;
        while (r >= 0 && set[r] == kinks - m + r) r--;
        if (r < 0) return best;
        set[r]++;
        for (int64_t q = r + 1; q < m; q++) set[q] = set[q - 1] + 1;
    }
}

static void the_global_minimum_is_that_of_all_vertices(void **state) {
    (void)state;
    static const char *const lambdas[] = {"0.1", "0.3", "0.6"};
    rng r = rng_from(91);
    int beaten = 0;
    for (int trial = 0; trial < 45; trial++) {
        int64_t d = 1 + trial % 4, n = d + 2 + rng_below(&r, 5);
        regression p = regression_make(&r, n, d, REG_NORMAL, trial % 5 == 0);
        const char *lambda = lambdas[trial / 4 % 3], *intercept = trial % 2 ? "true" : "false";
        pare_model *m = fit_or_fail(
            p.data, "plna",
            PAIRS("lambda", lambda, "intercept", intercept, "global", "true", "restarts", "0"));
        pare_model *plain = fit_or_fail(
            p.data, "plna", PAIRS("lambda", lambda, "intercept", intercept, "restarts", "0"));
        pare_report report = report_of(m);
        double best = enumerate(&p, atof(lambda), trial % 2), found = report.objective;
        if (!(fabs(found - best) <= 1e-6 * best))
            fail_msg("trial %d: %.12g, the best vertex %.12g", trial, found, best);
        assert_int_equal(report.outcome, PARE_OPTIMAL);
        assert_int_equal(report.certificate.kind, PARE_CERT_GLOBAL_GAP);
        assert_true(m->set.plna.global_bound <= best * (1 + 1e-9));
        assert_true(report.certificate.relative <= 1e-6);
        check_close(certify_now(m, p.data, CERT_PREDICTOR).certificate.value,
                    found - m->set.plna.global_bound, 1e-9);
        beaten += report_of(plain).objective > best * (1 + 1e-6);
        pare_model_free(plain);
        pare_model_free(m);
        regression_free(&p);
    }
    if (beaten < 3) fail_msg("one start alone missed the minimum in %d problems only", beaten);
}

/* A changed coefficient, or a bound that is too high, shows in the certificate. */
static void a_wrong_model_is_found_out(void **state) {
    (void)state;
    rng r = rng_from(92);
    regression p = regression_make(&r, 20, 5, REG_NORMAL, false);
    pare_model *m = fit_or_fail(p.data, "plna", PAIRS("lambda", "0.2", "global", "true"));
    double gap = report_of(m).certificate.value;
    m->p.coef[0] *= 1.01;
    assert_true(certify_now(m, p.data, CERT_PREDICTOR).certificate.value > gap + 1e-6);
    m->p.coef[0] /= 1.01;
    m->set.plna.global_bound *= 1.01;
    assert_true(certify_now(m, p.data, CERT_PREDICTOR).certificate.value < -1e-6);
    pare_model_free(m);
    regression_free(&p);
}

/* A gap below 0 by more than rounding is a wrong bound, not a proof. */
static void a_bound_above_the_objective_proves_nothing(void **state) {
    (void)state;
    rng r = rng_from(95);
    regression p = regression_make(&r, 20, 5, REG_NORMAL, false);
    pare_model *m = fit_or_fail(p.data, "plna", PAIRS("lambda", "0.2", "global", "true"));
    double best = m->predictor.objective, bounds[] = {2 * best, best * (1 + 1e-5)};
    assert_true(model_outcomes_hold(m));
    for (int e = 0; e < 2; e++) {
        m->set.plna.global_bound = bounds[e];
        m->predictor.certificate = certify_now(m, p.data, CERT_PREDICTOR).certificate;
        assert_true(m->predictor.certificate.relative < 0);
        assert_false(model_outcomes_hold(m));
    }
    pare_model_free(m);
    regression_free(&p);
}

/* Nor does a bound hold that its certificate follows from and that the search does not find. */
static void a_bound_that_no_search_found_does_not_hold(void **state) {
    (void)state;
    rng r = rng_from(96);
    regression p = regression_make(&r, 20, 5, REG_NORMAL, false);
    pare_model *m = fit_or_fail(p.data, "plna", PAIRS("lambda", "0.2", "global", "true"));
    pare_verdict verdict;
    pare_error err;
    assert_int_equal(pare_verify(&verdict, m, p.data, NULL, &err), PARE_OK);
    assert_true(verdict.holds);
    m->set.plna.global_bound = m->predictor.objective * (1 - 1e-8);
    m->predictor.certificate = certify_now(m, p.data, CERT_PREDICTOR).certificate;
    assert_true(model_outcomes_hold(m));
    assert_int_equal(pare_verify(&verdict, m, p.data, NULL, &err), PARE_OK);
    assert_false(verdict.holds);
    assert_non_null(strstr(verdict.sentence, "certificate"));
    pare_model_free(m);
    regression_free(&p);
}

/* What a program's dual says is below the program at every point, also where the dual left its
 * box, its balance and its costs by a little or by much. */
static void a_repaired_dual_is_below_the_program(void **state) {
    (void)state;
    enum { N = 14, D = 5 };
    rng r = rng_from(97);
    int above = 0;
    for (int trial = 0; trial < 200; trial++) {
        double *x = random_normal(&r, N, D), y[N], loss[N], cost[D], given[N], u[N];
        double raw = 0, dual = 0, sum = 0, left = 0, best = INFINITY;
        bool intercept = trial % 2;
        for (int i = 0; i < N; i++) {
            y[i] = rng_normal(&r);
            loss[i] = 0.5 + fabs(rng_normal(&r));
            given[i] = (trial % 4 < 2 ? 1.5 : 1 + 1e-11) * (y[i] > 0 ? loss[i] : -loss[i]);
        }
        for (int j = 0; j < D; j++) cost[j] = j == 0 ? INFINITY : fabs(rng_normal(&r));
        plna_dual_repair(u, given, x, loss, cost, N, D, intercept);
        for (int i = 0; i < N; i++) {
            assert_true(fabs(u[i]) <= loss[i]);
            raw += given[i] * y[i];
            dual += u[i] * y[i];
            sum += u[i];
            left += fabs(loss[i] * y[i]);
        }
        if (intercept) assert_true(fabs(sum) <= 1e-12);
        for (int j = 0; j < D; j++) {
            double price = 0;
            for (int i = 0; i < N; i++) price += u[i] * x[j * N + i];
            assert_true(fabs(price) <= cost[j] + 1e-11);
        }
        for (int point = 0; point < 50; point++) {
            double w[D] = {0}, b = intercept && point > 0 ? 0.3 * rng_normal(&r) : 0, value = 0;
            for (int j = 1; j < D && point > 0; j++) w[j] = 0.3 * rng_normal(&r);
            for (int i = 0; i < N; i++) {
                double residual = y[i] - b;
                for (int j = 1; j < D; j++) residual -= w[j] * x[j * N + i];
                value += loss[i] * fabs(residual);
            }
            for (int j = 1; j < D; j++) value += cost[j] * fabs(w[j]);
            best = fmin(best, value);
        }
        assert_true(dual <= best * (1 + 1e-10));
        above += raw > left * (1 + 1e-12);
        free(x);
    }
    assert_true(above == 200); /* as they were given */
}

static void too_many_cells_are_refused(void **state) {
    (void)state;
    rng r = rng_from(93);
    regression p = regression_make(&r, 60, 40, REG_NORMAL, false);
    pare_model *m = NULL;
    pare_error err;
    pare_settings *set = settings_make("plna", PAIRS("global", "true"));
    assert_int_equal(pare_fit(&m, p.data, set, NULL, &err), PARE_E_ARGUMENT);
    assert_non_null(strstr(err.message, "60 samples of 40 features"));
    pare_settings_free(set);
    regression_free(&p);
}

/* More features than samples: the default starts end near what very many random ones find. */
static void the_starts_find_what_very_many_find(void **state) {
    (void)state;
    enum { N = 30, D = 60, TRIALS = 12 };
    static const char *const lambdas[] = {"0.05", "0.2", "0.5"};
    rng r = rng_from(94);
    double sum = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double *x = random_normal(&r, N, D), y[N], w[5];
        for (int j = 0; j < 5; j++) w[j] = rng_normal(&r);
        for (int i = 0; i < N; i++) {
            y[i] = 0.5 * rng_normal(&r);
            for (int j = 0; j < 5; j++) y[i] += w[j] * x[j * N + i];
        }
        pare_data *data = NULL;
        pare_error err;
        assert_int_equal(pare_data_dense(&data, N, D, x, NULL, NULL, y, NULL, &err), PARE_OK);
        const char *lambda = lambdas[trial % 3];
        pare_model *few = fit_or_fail(data, "plna", PAIRS("lambda", lambda));
        pare_model *many = fit_or_fail(data, "plna", PAIRS("lambda", lambda, "restarts", "400"));
        sum += report_of(few).objective / report_of(many).objective - 1;
        pare_model_free(many);
        pare_model_free(few);
        pare_data_free(data);
        free(x);
    }
    if (!(sum / TRIALS < MAX_ABOVE)) fail_msg("on average above by %.2g", sum / TRIALS);
}

TEST_FILE(test_plna_global) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_global_minimum_is_that_of_all_vertices),
        cmocka_unit_test(a_wrong_model_is_found_out),
        cmocka_unit_test(a_bound_above_the_objective_proves_nothing),
        cmocka_unit_test(a_bound_that_no_search_found_does_not_hold),
        cmocka_unit_test(a_repaired_dual_is_below_the_program),
        cmocka_unit_test(too_many_cells_are_refused),
        cmocka_unit_test(the_starts_find_what_very_many_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
