/* The fast paths against the plain algorithms of the paper: elimination with a new SVM and all
 * weights at every step, l2-AROM on explicitly rescaled data without dropping anything, kernels
 * that must agree with linear machines, monomials one by one. */
#include "support/fits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "data/feature/monomials.h"
#include "solve/svm/svm_dual.h"

enum { N = 24, D = 40 };

typedef struct plain {
    double x[N * D]; /* standardised, column-major */
    double y[N];
    double w[D];
    const char *label[N];
} plain;

static pare_data *draw(plain *t, rng *r, int64_t d) {
    for (int64_t i = 0; i < N; i++) {
        t->y[i] = i % 2 ? 1 : -1;
        t->label[i] = i % 2 ? "1" : "0";
    }
    for (int64_t j = 0; j < d; j++) {
        double mean = 0, var = 0, *x = t->x + j * N;
        for (int64_t i = 0; i < N; i++) mean += (x[i] = rng_normal(r) + (j < 3) * t->y[i]) / N;
        for (int64_t i = 0; i < N; i++) var += (x[i] - mean) * (x[i] - mean) / N;
        for (int64_t i = 0; i < N; i++) x[i] = (x[i] - mean) / sqrt(var);
    }
    pare_data *data = data_labelled(N, d, t->x, t->label);
    return data;
}

/* w of the SVM with costs C on the features j times z_j. */
static void solve_plain(plain *t, int64_t d, const double *z, double cost) {
    double K[N * N] = {0}, C[N], alpha[N], f[N];
    for (int64_t i = 0; i < N; i++) {
        C[i] = cost;
        for (int64_t k = 0; k < N; k++)
            for (int64_t j = 0; j < d; j++)
                K[i * N + k] += z[j] * z[j] * t->x[j * N + i] * t->x[j * N + k];
    }
    svm_problem p = {.n = N, .K = K, .y = t->y, .C = C, .intercept = true, .tol_rel = 1e-12};
    svm_solution s = {.alpha = alpha, .f = f};
    pare_error err;
    assert_int_equal(svm_dual_solve(&s, &p, NULL, &err), PARE_OK);
    assert_false(s.inseparable);
    for (int64_t j = 0; j < d; j++) {
        t->w[j] = 0;
        for (int64_t i = 0; i < N; i++)
            t->w[j] += z[j] * s.scale * alpha[i] * t->y[i] * t->x[j * N + i];
    }
}

static void elimination_is_the_plain_one(void **state) {
    (void)state;
    rng r = rng_from(101);
    plain *t = malloc(sizeof *t);
    const char *costs[] = {"1", "0.02", "1000"};
    for (int trial = 0; trial < 9; trial++) {
        pare_data *data = draw(t, &r, D);
        pare_model *m = fit_or_fail(data, "svm-rfe", PAIRS("C", costs[trial % 3]));
        const int64_t *ranking = pare_model_get(m)->ranking;
        double z[D];
        for (int64_t j = 0; j < D; j++) z[j] = 1;
        for (int64_t left = D; left > 1; left--) {
            solve_plain(t, D, z, strtod(costs[trial % 3], NULL));
            int64_t weakest = -1;
            for (int64_t j = 0; j < D; j++)
                if (z[j] > 0 && (weakest < 0 || fabs(t->w[j]) < fabs(t->w[weakest]))) weakest = j;
            z[weakest] = 0;
            assert_int_equal(ranking[left - 1], weakest);
        }
        pare_model_free(m);
        pare_data_free(data);
    }
    free(t);
}

static void arom_is_the_plain_one(void **state) {
    (void)state;
    rng r = rng_from(102);
    plain *t = malloc(sizeof *t);
    for (int trial = 0; trial < 8; trial++) {
        pare_data *data = draw(t, &r, D);
        pare_model *m = fit_or_fail(data, "l2-arom", PAIRS("tol", "1e-8"));
        double z[D], largest = 0;
        for (int64_t j = 0; j < D; j++) z[j] = 1;
        for (int step = 0; step < 60; step++) {
            solve_plain(t, D, z, INFINITY);
            for (int64_t j = 0; j < D; j++) z[j] = fabs(z[j] * t->w[j]);
        }
        int64_t support = 0;
        for (int64_t j = 0; j < D; j++) largest = fmax(largest, z[j]);
        for (int64_t j = 0; j < D; j++) support += z[j] > 1e-5 * largest;
        assert_int_equal(pare_model_get(m)->n_selected, support);
        for (int64_t i = 0; i < support; i++)
            check_close(pare_model_get(m)->score[i], z[pare_model_get(m)->index[i]], 1e-4);
        pare_model_free(m);
        pare_data_free(data);
    }
    free(t);
}

/* poly of degree 1 with gamma 1 is the linear machine; rbf with a tiny gamma nearly is one. */
static void kernels_agree_with_linear(void **state) {
    (void)state;
    rng r = rng_from(103);
    plain *t = malloc(sizeof *t);
    pare_data *data = draw(t, &r, 6);
    pare_error err;
    double f[N], g[N];
    pare_model *linear = fit_or_fail(data, "svm", PAIRS("C", "1", "tol", "1e-10"));
    pare_model *poly =
        fit_or_fail(data, "svm",
                    PAIRS("kernel", "poly", "degree", "1", "gamma", "1", "C", "1", "tol", "1e-10"));
    assert_int_equal(pare_predict(f, linear, data, NULL, &err), PARE_OK);
    assert_int_equal(pare_predict(g, poly, data, NULL, &err), PARE_OK);
    for (int64_t i = 0; i < N; i++) check_close(f[i], g[i], 1e-6);
    assert_true((pare_model_get(linear)->coef != NULL) && !(pare_model_get(poly)->coef != NULL));
    pare_model *rbf = fit_or_fail(
        data, "svm", PAIRS("kernel", "rbf", "gamma", "1e-6", "C", "5e5", "tol", "1e-10"));
    assert_int_equal(pare_predict(g, rbf, data, NULL, &err), PARE_OK);
    for (int64_t i = 0; i < N; i++) check_close(f[i], g[i], 1e-3); /* 1 - gamma |u - v|^2 */
    pare_model_free(rbf);
    pare_model_free(poly);
    pare_model_free(linear);
    pare_data_free(data);
    free(t);
}

/* Zero slack is no worse, by its own objective, than the hinge's solution. */
static void zero_slack_beats_the_hinge(void **state) {
    (void)state;
    rng r = rng_from(104);
    for (int trial = 0; trial < 10; trial++) {
        problem_shape shape = {.n = 40, .d = 4, .classes = 2, .signal = 0.5, .density = 1};
        pare_data *data = problem_make(&r, &shape);
        pare_model *hinge = fit_or_fail(data, "svm", PAIRS("C", "1"));
        pare_model *zero = fit_or_fail(data, "svm", PAIRS("C", "1", "slack", "zero"));
        double f[40], value = 0;
        pare_error err;
        assert_int_equal(pare_predict(f, hinge, data, NULL, &err), PARE_OK);
        for (int64_t j = 0; j < hinge->n_selected; j++)
            value += 0.5 * pow(hinge->p.coef[j] / hinge->scale[j], 2);
        for (int64_t i = 0; i < 40; i++) {
            double y = strcmp(pare_data_target(data, i, (char[32]){0}),
                              pare_model_get(hinge)->classes[1]) == 0
                           ? 1
                           : -1;
            value += log(1e-3 + fmax(0, 1 - y * f[i]));
        }
        assert_true(report_of(zero).objective <= value + 1e-9);
        pare_model_free(zero);
        pare_model_free(hinge);
        pare_data_free(data);
    }
}

static void monomials_are_all_there(void **state) {
    (void)state;
    assert_int_equal(monomials_count(10, 2), 65);
    assert_int_equal(monomials_count(3, 3), 19);
    assert_int_equal(monomials_count(1, 10), 10);
    assert_int_equal(monomials_count(INT64_C(1) << 40, 10), -1);
    double x[3] = {2, 3, 5};
    const char *labels[] = {"a"};
    pare_data *data, *made;
    pare_error err;
    data = data_labelled(1, 3, x, labels);
    assert_int_equal(monomials_make(&made, data, 3, NULL, &err), PARE_OK);
    double orders = 0;
    for (int64_t m = 0; m < 19; m++) { /* 2^a 3^b 5^c tells a, b and c */
        int64_t of[MONOMIAL_DEGREE_MAX];
        int p = monomial_factors(3, m, of);
        double value = 1;
        for (int k = 0; k < p; k++) value *= x[of[k]];
        check_close(values_of(&made->x)[m], value, 1e-12);
        for (int64_t other = 0; other < m; other++)
            assert_true(values_of(&made->x)[other] != values_of(&made->x)[m]);
        orders += monomial_multiplicity(of, p);
    }
    check_close(orders, 3 + 9 + 27, 1e-12);
    assert_string_equal(strings_at(&made->names, 0), "x1");
    assert_string_equal(strings_at(&made->names, 4), "x1*x2");
    assert_string_equal(strings_at(&made->names, 9), "x1^3");
    pare_data_free(made);
    pare_data_free(data);
}

TEST_FILE(test_zero_norm_gram_ref) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elimination_is_the_plain_one),
        cmocka_unit_test(arom_is_the_plain_one),
        cmocka_unit_test(kernels_agree_with_linear),
        cmocka_unit_test(zero_slack_beats_the_hinge),
        cmocka_unit_test(monomials_are_all_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
