/* Ridges over all features against the slow solver of the test tree: along a path, and as the start
 * of adaptive costs, whose fits are compared with the definition, solved slowly as a whole. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "model/model.h"
#include "solve/glm/ridge.h"
#include "support/glm_case.h"
#include "support/certified.h"

static double *numbers(int64_t count) {
    double *out = calloc((size_t)count + 1, sizeof *out);
    assert_non_null(out);
    return out;
}

/* The ridge's coefficients, slowly: no groups, no costs. */
static void slow_ridge(const glm_case *k, double ridge, double *B) {
    glm_case plain = *k;
    double b[16];
    plain.alpha = 0;
    plain.group = NULL;
    plain.cost = NULL;
    plain.rows = false;
    glm_case_solve(&plain, ridge, B, b);
}

static void the_ridge_is_that_of_the_slow_solver(void **state) {
    (void)state;
    static const glm_case_shape shape[] = {
        {20, 6, 1, false, 0},
        {12, 30, 1, false, CASE_WEIGHTS | CASE_OFFSET},
        {20, 6, 1, true, CASE_WEIGHTS},
        {12, 30, 1, true, CASE_OFFSET | CASE_DUPLICATES},
        {15, 8, 1, true, CASE_NO_INTERCEPT},
        {24, 5, 3, true, CASE_WEIGHTS},
        {12, 20, 4, true, CASE_SEPARABLE},
    };
    for (size_t s = 0; s < sizeof shape / sizeof shape[0]; s++)
        for (int size = 0; size < 3; size++) {
            double ridge = pow(10, size - 2);
            rng r;
            glm_case k;
            pare_error err;
            rng_seed(&r, s, 11);
            glm_case_draw(&k, &r, shape[s]);
            double *B = numbers(k.d * k.c), *U = numbers(k.n * k.c);
            slow_ridge(&k, ridge, B);
            assert_int_equal(glm_ridge_dual(&k.v, &k.p.loss, k.intercept, ridge, U, NULL, &err),
                             PARE_OK);
            for (int64_t j = 0; j < k.d; j++)
                for (int64_t o = 0; o < k.c; o++) {
                    double own = 0;
                    for (int64_t i = 0; i < k.n; i++) own += k.x[j * k.n + i] * U[o * k.n + i];
                    if (!(fabs(own / ridge - B[j * k.c + o]) <= 1e-6))
                        fail_msg("shape %zu, ridge %g: coefficient %g, slowly %g", s, ridge,
                                 own / ridge, B[j * k.c + o]);
                }
            free(U);
            free(B);
            glm_case_free(&k);
        }
}

/* The case as a data set. */
static pare_data *data_of(const glm_case *k) {
    char(*text)[32] = calloc((size_t)k->n, sizeof *text);
    const char **label = calloc((size_t)k->n, sizeof *label);
    pare_data *data = NULL;
    pare_error err;
    for (int64_t i = 0; i < k->n; i++) {
        int64_t own = 0;
        for (int64_t o = 0; o < k->c; o++)
            if (k->y[i * k->c + o] > 0) own = k->c == 1 ? 1 : o;
        snprintf(text[i], sizeof *text, "c%d", (int)own);
        label[i] = text[i];
    }
    assert_int_equal(pare_data_dense(&data, k->n, k->d, k->x, NULL, k->logistic ? label : NULL,
                                     k->logistic ? NULL : k->y, NULL, &err),
                     PARE_OK);
    for (int64_t j = 0; k->group && j < k->d; j++) {
        char name[32];
        int length = snprintf(name, sizeof name, "g%d", (int)k->group[j]);
        assert_true(strings_add(&data->groups, &data->mem, name, length));
    }
    assert_non_null(data->weight = mem_alloc(&data->mem, k->n, sizeof(double)));
    for (int64_t i = 0; i < k->n; i++) data->weight[i] = k->share[i] * 7;
    free(label);
    free(text);
    return data;
}

/* (largest |b| / |b_j|)^gamma, over the outputs and the group. */
static void define_costs(glm_case *k, const double *B, double gamma) {
    double *size = numbers(k->d), most = 0;
    for (int64_t j = 0; j < k->d; j++) {
        for (int64_t l = 0; l < k->d; l++)
            for (int64_t o = 0; o < k->c; o++)
                if (l == j || (k->group && k->group[l] == k->group[j]))
                    size[j] += B[l * k->c + o] * B[l * k->c + o];
        most = fmax(most, sqrt(size[j]));
    }
    for (int64_t j = 0; j < k->d; j++) k->cost[j] = pow(most / sqrt(size[j]), gamma);
    free(size);
}

/* Weights sum to 7: the number of samples. */
static double own_ridge(const glm_case *k) {
    double sum = 0;
    for (int64_t j = 0; j < k->d; j++) {
        double mean = 0, square = 0;
        for (int64_t i = 0; i < k->n; i++) {
            double x = k->x[j * k->n + i];
            mean += k->share[i] * x;
            square += k->share[i] * x * x;
        }
        sum += square - (k->intercept ? mean * mean : 0);
    }
    return sum / 7 / (k->logistic ? 4 : 1);
}

static void check_fit(glm_case *k, double gamma, double lambda) {
    char share[32], alpha[32], power[32];
    snprintf(share, sizeof share, "%.17g", lambda);
    snprintf(alpha, sizeof alpha, "%.17g", k->alpha);
    snprintf(power, sizeof power, "%.17g", gamma);
    const char *pairs[] = {"scale",    "none",      "tol",
                           "1e-10",    "lambda",    share,
                           "alpha",    alpha,       "adaptive_gamma",
                           power,      "intercept", k->intercept ? "true" : "false",
                           "adaptive", "true",      NULL,
                           NULL,       NULL};
    if (k->rows) {
        pairs[14] = "penalty";
        pairs[15] = "rows";
    }
    pare_data *data = data_of(k);
    pare_model *m = fit_or_fail(data, k->logistic ? "logistic" : "lasso", pairs);
    double ridge = k->logistic ? m->set.logistic.adaptive_ridge : m->set.lasso.adaptive_ridge;
    check_close(ridge, own_ridge(k), 1e-10);
    double *B = numbers(k->d * k->c), *best = numbers(k->d * k->c), b[16];
    slow_ridge(k, ridge, B);
    define_costs(k, B, gamma);
    memset(B, 0, sizeof(double) * (size_t)(k->d * k->c));
    for (int64_t i = 0; i < m->n_selected; i++)
        for (int64_t o = 0; o < k->c; o++)
            B[m->index[i] * k->c + o] = m->p.coef[o * m->n_selected + i];
    double least = glm_case_solve(k, lambda, best, b);
    double own = glm_case_objective(k, lambda, B, m->p.intercept);
    if (!(fabs(own - least) <= 1e-6 * least)) fail_msg("%.10g, slowly %.10g", own, least);
    check_close(report_of(m).objective, own, 1e-6);
    pare_report r = report_of(m);
    if (!(r.certificate.relative <= 1e-8))
        fail_msg("%d x %d, %d outputs: relative gap %g, %s", (int)k->n, (int)k->d, (int)k->c,
                 r.certificate.relative, pare_outcome_name(r.outcome));
    free(best);
    free(B);
    pare_model_free(m);
    pare_data_free(data);
}

static void fits_are_those_of_the_definition(void **state) {
    (void)state;
    static const struct {
        glm_case_shape shape; /* with costs, which are replaced */
        double gamma, lambda;
    } fit[] = {
        {{25, 8, 1, false, CASE_COSTS}, 1, 0.05},
        {{14, 30, 1, false, CASE_WEIGHTS | CASE_COSTS}, 1, 0.1},
        {{14, 20, 1, false, CASE_ELASTIC | CASE_NO_INTERCEPT | CASE_COSTS}, 0.5, 0.1},
        {{20, 12, 1, false, CASE_GROUPS | CASE_WEIGHTS | CASE_COSTS}, 1, 0.1},
        {{25, 8, 1, true, CASE_WEIGHTS | CASE_COSTS}, 1, 0.02},
        {{14, 30, 1, true, CASE_COSTS}, 2, 0.02},
        {{30, 9, 3, true, CASE_WEIGHTS | CASE_COSTS}, 1, 0.01},
        {{15, 24, 3, true, CASE_ROWS | CASE_COSTS}, 1, 0.02},
        {{20, 12, 4, true, CASE_ROWS | CASE_GROUPS | CASE_ELASTIC | CASE_COSTS}, 1, 0.02},
        {{20, 12, 3, true, CASE_GROUPS | CASE_COSTS}, 1, 0.02},
    };
    for (size_t f = 0; f < sizeof fit / sizeof fit[0]; f++) {
        rng r;
        glm_case k;
        rng_seed(&r, f, 12);
        glm_case_draw(&k, &r, fit[f].shape);
        check_fit(&k, fit[f].gamma, fit[f].lambda);
        glm_case_free(&k);
    }
}

/* With more features than samples every point of the path comes from one small problem. */
static void a_path_of_ridges_is_that_of_the_slow_solver(void **state) {
    (void)state;
    static const glm_case_shape shape[] = {
        {12, 30, 1, false, CASE_WEIGHTS},
        {10, 25, 1, true, CASE_WEIGHTS},
        {10, 25, 1, true, CASE_NO_INTERCEPT | CASE_GROUPS},
        {12, 20, 3, true, CASE_ROWS},
    };
    static const char *const pairs[] = {"scale",        "none",         "alpha", "0",   "sweep",
                                        "true",         "lambda_count", "23",    "tol", "1e-9",
                                        "lambda_least", "1e-4",         NULL};
    for (size_t s = 0; s < sizeof shape / sizeof shape[0]; s++) {
        rng r;
        glm_case k;
        rng_seed(&r, s, 14);
        glm_case_draw(&k, &r, shape[s]);
        const char *own[16] = {0};
        memcpy((void *)own, pairs, sizeof pairs);
        if (!k.intercept) own[12] = "intercept";
        if (!k.intercept) own[13] = "false";
        k.alpha = 0;
        pare_data *data = data_of(&k);
        pare_model *m = fit_or_fail(data, k.logistic ? "logistic" : "lasso", own);
        const pare_lambda_path *path = &m->lambda_path;
        assert_true(path->count >= 23);
        for (int64_t p = 0; p < path->count; p += 11) {
            double *B = numbers(k.d * k.c), *slow = numbers(k.d * k.c), b[16];
            for (int64_t e = path->start[p]; e < path->start[p + 1]; e++)
                for (int64_t o = 0; o < k.c; o++)
                    B[path->index[e] * k.c + o] = path->coef[e * k.c + o];
            double lambda = path->point[p].lambda, best = glm_case_solve(&k, lambda, slow, b);
            double here = glm_case_objective(&k, lambda, B, path->intercept + p * k.c);
            check_close(here, path->point[p].objective, 1e-9);
            if (!(fabs(here - best) <= 1e-6 * best))
                fail_msg("shape %zu, lambda %g: %.10g, slowly %.10g", s, lambda, here, best);
            free(slow);
            free(B);
        }
        pare_model_free(m);
        pare_data_free(data);
        glm_case_free(&k);
    }
}

/* A ridge that is not solved gives costs that nobody would believe: check says so. */
static void a_wrong_start_is_found_out(void **state) {
    (void)state;
    static const problem_shape shapes[] = {
        {.n = 30, .d = 60, .classes = 2, .signal = 1, .density = 1},
        {.n = 40, .d = 10, .classes = 3, .signal = 1, .density = 1},
    };
    rng r;
    rng_seed(&r, 5, 13);
    for (int s = 0; s < 2; s++) {
        pare_data *data = problem_make(&r, &shapes[s]);
        pare_model *m = fit_or_fail(data, "logistic", PAIRS("adaptive", "true"));
        int64_t c = m->p.n_outputs;
        assert_int_equal(m->n_dual, 2 * c);
        assert_true(certify_now(m, data, CERT_PREDICTOR).certificate.relative <= 1e-6);
        for (int64_t i = 0; i < data->x.n; i++) m->dual[c * data->x.n + i] *= i % 2 ? 0.7 : 0.9;
        assert_true(!(certify_now(m, data, CERT_PREDICTOR).certificate.relative <= 1e-3));
        pare_model_free(m);
        pare_data_free(data);
    }
}

TEST_FILE(test_glm_ridge) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ridge_is_that_of_the_slow_solver),
        cmocka_unit_test(fits_are_those_of_the_definition),
        cmocka_unit_test(a_path_of_ridges_is_that_of_the_slow_solver),
        cmocka_unit_test(a_wrong_start_is_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
