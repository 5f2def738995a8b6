/* l2-arom, poly-arom, svm-rfe, r2w2 and the further forms of svm on many random problems, judged by
 * their certificates from raw data; what the ranking must be; l2-arom's surrogate from its log. */
#include "support/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/kernel_machine.h"
#include "model/model.h"

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const problem_shape shapes[] = {
    {.n = 24, .d = 60, .classes = 2, .signal = 1, .density = 1},
    {.n = 40, .d = 5, .classes = 2, .signal = 0.5, .density = 1},
    {.n = 30, .d = 20, .classes = 3, .signal = 1, .density = 1, .constant = true, .missing = 0.1},
    {.n = 30, .d = 40, .classes = 2, .signal = 1, .density = 0.3, .weights = true},
    {.n = 25, .d = 12, .classes = 3, .density = 1, .constant = true, .weights = true},
    {.n = 2, .d = 1, .classes = 2, .signal = 5, .density = 1},
    {.n = 4, .d = 3, .classes = 4, .signal = 2, .density = 1},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

typedef struct variant {
    const char *method;
    const char *const *pairs;
    bool selects;
} variant;

static const variant variants[] = {
    {"l2-arom", PAIRS("tol", "1e-6"), true},
    {"l2-arom", PAIRS("k", "1", "scale", "minmax"), true},
    {"l2-arom", PAIRS("ridge", "0.1", "scale", "none"), true},
    {"l2-arom", PAIRS("multiclass", "ww"), true},
    {"l2-arom", PAIRS("zero_slack", "1", "k", "1"), true},
    {"l2-arom", PAIRS("zero_slack", "0.3", "multiclass", "ww"), true},
    {"l2-arom", PAIRS("intercept", "false", "classifier_C", "inf"), true},
    {"poly-arom", PAIRS("degree", "2", "k", "1"), true},
    {"poly-arom", PAIRS("degree", "2", "scale", "none", "multiclass", "ww"), true},
    {"svm-rfe", PAIRS("k", "1"), true},
    {"svm-rfe", PAIRS("step", "0.3", "C", "0.05"), true},
    {"svm-rfe", PAIRS("step", "3", "C", "inf"), true},
    {"svm-rfe", PAIRS("kernel", "rbf", "step", "0.5", "k", "1"), true},
    {"svm-rfe", PAIRS("kernel", "poly", "degree", "2", "coef0", "1", "step", "0.5"), true},
    {"r2w2", PAIRS("k", "1"), true},
    {"r2w2", PAIRS("kernel", "rbf"), true},
    {"r2w2", PAIRS("kernel", "poly", "degree", "2", "coef0", "1", "scale", "unit"), true},
    {"svm", PAIRS("multiclass", "ww"), false},
    {"svm", PAIRS("multiclass", "ww", "ridge", "0.2", "intercept", "false"), false},
    {"svm", PAIRS("slack", "zero"), false},
    {"svm", PAIRS("slack", "zero", "multiclass", "ww", "C", "5"), false},
    {"svm", PAIRS("kernel", "rbf"), false},
    {"svm", PAIRS("kernel", "rbf", "gamma", "0.7", "multiclass", "ww", "k", "1"), false},
    {"svm", PAIRS("kernel", "poly", "degree", "2", "coef0", "1", "slack", "squared"), false},
};
enum { N_VARIANTS = sizeof variants / sizeof variants[0] };

static bool is_certified(const pare_report *r) {
    double relative = r->certificate.relative;
    return (r->outcome == PARE_OPTIMAL || r->outcome == PARE_STATIONARY) && relative <= 2e-6 &&
           relative >= -1e-9;
}

/* A permutation, scores never rising along it, and the selected first (but for constant columns). */
static void check_ranking(const pare_model *m) {
    const double *score;
    const int64_t *ranking = pare_model_ranking(m, &score);
    int64_t d = pare_model_n_ranked(m), chosen = 0;
    bool *seen = calloc((size_t)d, sizeof *seen);
    for (int64_t i = 0; i < d; i++) {
        assert_false(seen[ranking[i]]);
        seen[ranking[i]] = true;
        if (i > 0) assert_true(score[i] <= score[i - 1]);
        if (chosen < pare_model_n_selected(m) && pare_model_index(m, chosen) == ranking[i])
            chosen++;
    }
    assert_int_equal(chosen, pare_model_n_selected(m));
    free(seen);
}

static pare_model *fit_variant(const pare_data *data, const variant *v, int s) {
    pare_settings *set = settings_make(v->method, v->pairs);
    pare_model *m = NULL;
    pare_error err;
    if (pare_settings_set(set, "missing", "mean", &err) != PARE_OK ||
        pare_fit(&m, data, set, NULL, &err) != PARE_OK)
        fail_msg("shape %d, %s %s %s: %s", s, v->method, v->pairs[0], v->pairs[1], err.message);
    pare_settings_free(set);
    return m;
}

static void fits_are_certified(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 71, 0);
    for (int s = 0; s < N_SHAPES; s++) {
        pare_data *data = problem_make(&r, &shapes[s]);
        for (int v = 0; v < N_VARIANTS; v++) {
            pare_model *m = fit_variant(data, &variants[v], s);
            pare_report final = report_of(m), selection = final;
            int has = pare_model_selection(&selection, m);
            if (!is_certified(&final) || (variants[v].selects && !is_certified(&selection)) ||
                (variants[v].selects && !has))
                fail_msg("shape %d, %s %s %s: %s %g, selection %s %g", s, variants[v].method,
                         variants[v].pairs[0], variants[v].pairs[1],
                         pare_outcome_name(final.outcome), final.certificate.relative,
                         pare_outcome_name(selection.outcome), selection.certificate.relative);
            check_ranking(m);
            pare_model_free(m);
        }
        pare_data_free(data);
    }
}

/* The worse of both certificates; infinite where one is not a number (no feasible point). */
static double check_selection(const pare_model *m, const pare_data *data) {
    pare_report final, selection;
    pare_error err;
    assert_int_equal(pare_check(&final, &selection, m, data, NULL, &err), PARE_OK);
    double worse = fmax(final.certificate.relative, selection.certificate.relative);
    bool numbers = !isnan(final.certificate.relative) && !isnan(selection.certificate.relative);
    return numbers ? worse : INFINITY;
}

static void wrong_models_are_found_out(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 72, 0);
    const variant tried[] = {
        {"l2-arom", PAIRS("k", "3"), true},
        {"l2-arom", PAIRS("k", "3", "multiclass", "ww"), true},
        {"l2-arom", PAIRS("k", "3", "zero_slack", "1"), true},
        {"svm-rfe", PAIRS("k", "3"), true},
        {"r2w2", PAIRS("k", "3"), true},
        {"svm-rfe", PAIRS("k", "3", "kernel", "rbf", "step", "0.5"), true},
    };
    for (size_t t = 0; t < sizeof tried / sizeof tried[0]; t++) {
        problem_shape shape = {.n = 30, .d = 12, .classes = 3, .signal = 1, .density = 1};
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = fit_variant(data, &tried[t], (int)t);
        assert_true(check_selection(m, data) <= 2e-6);
        for (int64_t i = 0; i < 30; i++) m->selection_dual[i] *= 1.3;
        /* Hard margins are stretched to 1 again, so that a multiple of the dual shows in its value. */
        assert_true(check_selection(m, data) > 1e-5);
        for (int64_t i = 0; i < 30; i++) m->selection_dual[i] /= 1.3;
        int64_t largest = 0;
        for (int64_t j = 0; m->selection_z && j < m->n_selection_cols; j++)
            if (m->selection_z[j] > m->selection_z[largest]) largest = j;
        if (m->selection_z) {
            double z = m->selection_z[largest];
            m->selection_z[largest] = 0;
            assert_true(check_selection(m, data) > 1e-5);
            m->selection_z[largest] = z;
        }
        assert_true(check_selection(m, data) <= 2e-6);
        if (!m->p.coef)
            ((kernel_machine *)m->p.self)->alpha[0] += 0.5;
        else
            m->p.coef[0] *= 1.5;
        assert_true(check_selection(m, data) > 1e-5);
        pare_model_free(m);
        pare_data_free(data);
    }
}

typedef struct log_reader {
    int lines;
    double worst; /* largest change of the surrogate from the second step on */
} log_reader;

static void read_log(void *user, pare_log_level level, const char *message) {
    log_reader *l = user;
    const char *at = strstr(message, "log change ");
    (void)level;
    if (!at) return;
    double change = strtod(at + strlen("log change "), NULL);
    if (l->lines++ > 0) l->worst = fmax(l->worst, change);
}

/* sum ln z (+ lambda0 sum ln slack) cannot increase from the second step on. */
static void surrogate_falls(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 73, 0);
    for (int trial = 0; trial < 12; trial++) {
        bool zero = trial % 2 == 1; /* hard margins need separable data */
        problem_shape shape = {
            .n = 30, .d = zero ? 12 : 80, .classes = 2, .signal = 0.5, .density = 1};
        pare_data *data = problem_make(&r, &shape);
        pare_settings *set =
            settings_make("l2-arom", zero ? PAIRS("zero_slack", "1") : PAIRS("ridge", "0"));
        log_reader l = {0, -INFINITY};
        pare_ctx ctx;
        pare_error err;
        pare_model *m;
        pare_ctx_init(&ctx);
        ctx.log = read_log;
        ctx.user = &l;
        assert_int_equal(pare_fit(&m, data, set, &ctx, &err), PARE_OK);
        if (!(l.lines > 2 && l.worst <= 1e-3))
            fail_msg("trial %d: the surrogate rose by %g in one of %d steps", trial, l.worst,
                     l.lines);
        pare_model_free(m);
        pare_settings_free(set);
        pare_data_free(data);
    }
}

/* Columns of 1e-150 to 1e150 as they are: the Gram matrix holds the largest alone. What cannot be
 * solved is not tried for ever, nor refused. */
static void lost_digits_end_soon(void **state) {
    (void)state;
    enum { N = 20, D = 10 };
    rng r;
    rng_seed(&r, 97, 0);
    for (int trial = 0; trial < 3; trial++) {
        double *x = random_normal(&r, N, D);
        const char *y[N];
        pare_data *data;
        pare_error err;
        for (int i = 0; i < N; i++) y[i] = i % 2 ? "a" : "b";
        for (int j = 0; j < D; j++) {
            double scale = pow(10, 150 * (2 * rng_uniform(&r) - 1));
            for (int i = 0; i < N; i++) x[j * N + i] = (x[j * N + i] + i % 2) * scale;
        }
        assert_int_equal(pare_data_dense(&data, N, D, x, NULL, y, NULL, NULL, &err), PARE_OK);
        pare_model *m = fit_or_fail(data, "svm", PAIRS("slack", "zero", "scale", "none"));
        pare_report report = report_of(m);
        assert_true(report.outcome == PARE_MAX_ITER || report.certificate.relative <= 1e-6);
        assert_true(m->iterations < 5000000);
        pare_model_free(m);
        pare_data_free(data);
        free(x);
    }
}

TEST_FILE(test_zero_norm_gram) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_certified),
        cmocka_unit_test(wrong_models_are_found_out),
        cmocka_unit_test(surrogate_falls),
        cmocka_unit_test(lost_digits_end_soon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
