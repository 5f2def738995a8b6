/* `corr` against the formula written out, on dense and sparse data with weights. */
#include "support/fits.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "la/matrix.h"

static double class_mean(const double *x, const double *w, const int *cls, int64_t n, int c) {
    double sum = 0, total = 0;
    for (int64_t i = 0; i < n; i++)
        if (cls[i] == c) {
            sum += w[i] * x[i];
            total += w[i];
        }
    return sum / total;
}

static double class_variance(const double *x, const double *w, const int *cls, int64_t n, int c) {
    double mean = class_mean(x, w, cls, n, c), sum = 0, total = 0;
    for (int64_t i = 0; i < n; i++)
        if (cls[i] == c) {
            sum += w[i] * (x[i] - mean) * (x[i] - mean);
            total += w[i];
        }
    return sum / total;
}

static void scores_are_the_formula(void **state) {
    (void)state;
    rng r = rng_from(21);
    const problem_shape shapes[] = {
        {.n = 25, .d = 12, .classes = 2, .signal = 1, .density = 1},
        {.n = 30, .d = 12, .classes = 2, .signal = 1, .density = 0.3, .weights = true},
        {.n = 40, .d = 9, .classes = 4, .signal = 1, .density = 1, .weights = true},
    };
    for (int s = 0; s < 3; s++) {
        int64_t n = shapes[s].n, d = shapes[s].d;
        int classes = (int)shapes[s].classes, cls[64];
        pare_data *data = problem_make(&r, &shapes[s]);
        pare_model *m = fit_or_fail(data, "corr", PAIRS("scale", s == 0 ? "none" : "standard"));
        const double *score = pare_model_get(m)->ranking_score;
        const int64_t *ranking = pare_model_get(m)->ranking;
        double *dense = dense_of(&data->x), w[64];
        problem_samples(data, cls, w);
        for (int64_t at = 0; at < d; at++) {
            const double *x = dense + ranking[at] * n;
            double sum = 0;
            for (int a = 0; a < classes; a++)
                for (int b = a + 1; b < classes; b++) {
                    double between = class_mean(x, w, cls, n, a) - class_mean(x, w, cls, n, b);
                    sum += between * between /
                           (class_variance(x, w, cls, n, a) + class_variance(x, w, cls, n, b));
                }
            check_close(score[at], sum / (0.5 * classes * (classes - 1)), 1e-10);
            assert_true(at == 0 || score[at] <= score[at - 1]);
        }
        free(dense);
        pare_model_free(m);
        pare_data_free(data);
    }
}

static void a_feature_that_is_the_label_comes_first(void **state) {
    (void)state;
    enum { N = 8, D = 4 };
    double x[N * D];
    const char *labels[N];
    rng r = rng_from(22);
    for (int i = 0; i < N; i++) {
        labels[i] = i % 2 ? "yes" : "no";
        for (int j = 0; j < D; j++) x[j * N + i] = 5 * (i % 2) + 0.01 * rng_normal(&r);
        x[2 * N + i] = i % 2 ? 0.1 : 0.3; /* zero variance within both classes */
    }
    pare_data *data = data_labelled(N, D, x, labels);
    pare_model *m = fit_or_fail(data, "corr", PAIRS("k", "1"));
    assert_int_equal(pare_model_get(m)->index[0], 2);
    assert_true(pare_model_get(m)->score[0] == DBL_MAX);
    pare_model_free(m);
    pare_data_free(data);
}

static void the_best_fifty_by_default(void **state) {
    (void)state;
    rng r = rng_from(23);
    problem_shape shape = {.n = 20, .d = 80, .classes = 2, .signal = 1, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    pare_model *m = fit_or_fail(data, "corr", NULL);
    assert_int_equal(pare_model_get(m)->n_selected, 50);
    assert_non_null(strstr(pare_model_get(m)->notes[0], "50"));
    pare_model_free(m);
    pare_data_free(data);
}

TEST_FILE(test_corr) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_the_formula),
        cmocka_unit_test(a_feature_that_is_the_label_comes_first),
        cmocka_unit_test(the_best_fifty_by_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
