/* lasso and logistic with costs and kept features against plain proximal gradient steps on dense
 * numbers, and lambda_max against its formula. */
#include "support/fits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 40, D = 9, STEPS = 200000 };

typedef struct plain {
    double x[D][N], y[N], cost[D]; /* columns of mean 0 and variance 1; cost 0: kept */
    bool logistic;
} plain;

static void make(plain *p, rng *r, bool logistic) {
    p->logistic = logistic;
    for (int j = 0; j < D; j++) {
        double mean = 0, var = 0;
        for (int i = 0; i < N; i++) mean += (p->x[j][i] = rng_normal(r)) / N;
        for (int i = 0; i < N; i++) var += (p->x[j][i] - mean) * (p->x[j][i] - mean) / N;
        for (int i = 0; i < N; i++) p->x[j][i] = (p->x[j][i] - mean) / sqrt(var);
        p->cost[j] = 0.4 + 0.3 * j;
    }
    p->cost[3] = p->cost[6] = 0;
    for (int i = 0; i < N; i++) {
        double f = p->x[0][i] - p->x[1][i] + 0.8 * p->x[3][i] + 0.7 * rng_normal(r);
        p->y[i] = logistic ? f > 0 : 3 + f;
    }
}

/* The mean loss's slope in the decision value of sample i. */
static double slope(const plain *p, int i, double f) {
    return (p->logistic ? 1 / (1 + exp(-f)) - p->y[i] : f - p->y[i]) / N;
}

/* b[D]: the intercept. only_free: the others stay 0. */
static void solve(double *b, const plain *p, double lambda, double alpha, bool only_free) {
    double step = (p->logistic ? 4.0 : 1.0) / (D + 1);
    memset(b, 0, sizeof *b * (D + 1));
    for (int s = 0; s < STEPS; s++) {
        double g[D + 1] = {0}, moved = 0;
        for (int i = 0; i < N; i++) {
            double f = b[D];
            for (int j = 0; j < D; j++) f += b[j] * p->x[j][i];
            double u = slope(p, i, f);
            for (int j = 0; j < D; j++) g[j] += u * p->x[j][i];
            g[D] += u;
        }
        for (int j = 0; j <= D; j++) {
            double cost = j < D ? p->cost[j] : 0, v = b[j] - step * g[j];
            double size = fmax(fabs(v) - step * lambda * alpha * cost, 0);
            v = copysign(size / (1 + step * lambda * (1 - alpha) * cost), v);
            if (only_free && cost > 0) v = 0;
            moved = fmax(moved, fabs(v - b[j]));
            b[j] = v;
        }
        if (moved < 1e-15) break;
    }
}

static double lambda_max(const plain *p) {
    double b[D + 1], most = 0;
    solve(b, p, 0, 1, true);
    for (int j = 0; j < D; j++) {
        double g = 0;
        for (int i = 0; i < N; i++) {
            double f = b[D];
            for (int k = 0; k < D; k++) f += b[k] * p->x[k][i];
            g += slope(p, i, f) * p->x[j][i];
        }
        if (p->cost[j] > 0) most = fmax(most, fabs(g) / p->cost[j]);
    }
    return most;
}

static pare_data *data_of(const plain *p, bool left_out) {
    pare_data *data;
    pare_error err;
    double cost[D];
    bool kept[D];
    const char *label[N];
    assert_int_equal(pare_data_dense(&data, N, D, &p->x[0][0], NULL, NULL, NULL, NULL, &err),
                     PARE_OK);
    for (int j = 0; j < D; j++) {
        kept[j] = p->cost[j] == 0;
        cost[j] = kept[j] ? 5 : p->cost[j]; /* what is kept costs nothing, whatever it costs */
    }
    for (int i = 0; i < N; i++) label[i] = p->y[i] > 0.5 ? "b" : "a";
    assert_int_equal(p->logistic ? pare_data_set_labels(data, label, &err)
                                 : pare_data_set_values(data, p->y, &err),
                     PARE_OK);
    assert_int_equal(pare_data_set_costs(data, cost, &err), PARE_OK);
    assert_int_equal(pare_data_set_kept(data, kept, &err), PARE_OK);
    if (left_out) assert_int_equal(pare_data_choose(data, NULL, "x2", NULL, &err), PARE_OK);
    return data;
}

static void compare(bool logistic, double share, const char *alpha, bool left_out) {
    rng r;
    plain p;
    double b[D + 1], found[D] = {0};
    char lambda[40];
    rng_seed(&r, 5, (uint64_t)logistic);
    make(&p, &r, logistic);
    double value = share * lambda_max(&p);
    snprintf(lambda, sizeof lambda, "%.17g", value);
    pare_data *data = data_of(&p, left_out);
    if (left_out) p.cost[1] = 1e9; /* of x2 */
    solve(b, &p, value, atof(alpha), false);
    const char *const set[] = {"lambda", lambda, "alpha", alpha, "scale",
                               "none",   "tol",  "1e-12", NULL};
    pare_model *m = fit_or_fail(data, logistic ? "logistic" : "lasso", set);
    assert_int_equal(pare_model_get(m)->n_kept, 2);
    assert_int_equal(pare_model_get(m)->index[0] + (left_out ? 1 : 0), 3);
    for (int64_t i = 0; i < pare_model_get(m)->n_selected; i++) {
        int64_t j = atoi(pare_model_get(m)->name[i] + 1) - 1;
        found[j] = pare_model_get(m)->coef[i];
    }
    for (int j = 0; j < D; j++) check_close(found[j], b[j], 1e-6);
    check_close(pare_model_get(m)->intercept[0], b[D], 1e-6);
    assert_true(report_of(m).certificate.relative < 1e-7);
    pare_model_free(m);
    pare_data_free(data);
}

static void coefficients_are_those_of_plain_steps(void **state) {
    (void)state;
    for (int logistic = 0; logistic < 2; logistic++)
        for (int k = 0; k < 3; k++)
            compare(logistic, k == 0 ? 0.8 : k == 1 ? 0.3 : 0.05, "1", false);
    compare(false, 0.2, "0.5", false);
    compare(true, 0.2, "0.5", false);
    compare(false, 0.2, "1", true);
    compare(true, 0.2, "1", true);
}

/* Just above lambda_max the kept features alone have coefficients, just below another one has. */
static void lambda_max_is_that_of_the_null_fit(void **state) {
    (void)state;
    for (int logistic = 0; logistic < 2; logistic++)
        for (int above = 0; above < 2; above++) {
            rng r;
            plain p;
            char lambda[40];
            rng_seed(&r, 6, 0);
            make(&p, &r, logistic);
            snprintf(lambda, sizeof lambda, "%.17g", lambda_max(&p) * (above ? 1.0001 : 0.9999));
            pare_data *data = data_of(&p, false);
            const char *const set[] = {"lambda", lambda, "scale", "none", "tol", "1e-12", NULL};
            pare_model *m = fit_or_fail(data, logistic ? "logistic" : "lasso", set);
            assert_int_equal(pare_model_get(m)->n_selected, above ? 2 : 3);
            pare_model_free(m);
            pare_data_free(data);
        }
}

TEST_FILE(test_glm_terms) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coefficients_are_those_of_plain_steps),
        cmocka_unit_test(lambda_max_is_that_of_the_null_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
