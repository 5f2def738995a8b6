/* Robust scaling, of every method: a fit of the raw data is one of the transformed ones with
 * standard scaling, and its model predicts raw data. */
#include "support/conform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "registry.h"

enum { N = 22, D = 6 };

static int up(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* numpy's default quantile of a list in which every value is repeated by its weight. */
static double quantile(const double *list, int64_t n, double p) {
    double h = p * (double)(n - 1);
    int64_t lo = (int64_t)floor(h), hi = lo + 1 < n ? lo + 1 : lo;
    return list[lo] + (list[hi] - list[lo]) * (h - (double)lo);
}

static void transform(double *x, int64_t n, const double *weight) {
    double list[4 * N], mean = 0, var = 0;
    int64_t count = 0, values = 1;
    for (int64_t i = 0; i < n; i++)
        for (int w = 0; w < (weight ? (int)weight[i] : 1); w++) list[count++] = x[i];
    qsort(list, (size_t)count, sizeof *list, up);
    for (int64_t i = 1; i < count; i++) values += list[i] != list[i - 1];
    if (values <= 2) return;
    for (int64_t i = 0; i < count; i++) mean += list[i] / (double)count;
    for (int64_t i = 0; i < count; i++) var += (list[i] - mean) * (list[i] - mean) / (double)count;
    double m = quantile(list, count, 0.5),
           q = (quantile(list, count, 0.75) - quantile(list, count, 0.25)) / 1.35;
    if (q == 0) q = sqrt(var);
    for (int64_t i = 0; i < n; i++) x[i] = asinh((x[i] - m) / q);
}

/* Raw intensities: skewed, off 0; a feature of two values and one that is mostly 0. */
static sheet skewed(rng *r, const char *task, bool weights) {
    sheet t = sheet_random(r, task, (sheet_shape){N, D, 1, 1.5});
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < 3; j++) t.x[j * N + i] = exp(t.x[j * N + i]) * 100;
        t.x[4 * N + i] = t.x[4 * N + i] > 0 ? 7 : 3;
        if (i % 4 != 1) t.x[5 * N + i] = 0;
    }
    if (!weights) return t;
    assert_non_null(t.weight = malloc(sizeof *t.weight * N));
    for (int64_t i = 0; i < N; i++) t.weight[i] = (double)(1 + i % 3);
    return t;
}

static void compare(const method *m, const char *task, bool weights, bool sparse) {
    rng r = rng_from(71);
    sheet raw = skewed(&r, task, weights), by_hand = sheet_pick(&raw, NULL, N, NULL, D);
    for (int64_t j = 0; j < D; j++) transform(by_hand.x + j * N, N, raw.weight);
    pare_data *a = sheet_data(&raw, sparse), *b = sheet_data(&by_hand, false);
    const char *word = strcmp(task, "binary") == 0 || strcmp(task, "multiclass") == 0 ? "classify"
                       : strcmp(task, "ranking") == 0                                 ? "rank"
                                                                                      : "regress";
    pare_settings *set = settings_make(m->name, PAIRS("task", word, "scale", "robust")),
                  *plain = settings_make(m->name, PAIRS("task", word, "scale", "standard"));
    pare_model *ma, *mb, *loaded;
    pare_error err;
    if (!m->ranks_none) assert_int_equal(pare_settings_set(set, "k", "4", &err), PARE_OK);
    if (!m->ranks_none) assert_int_equal(pare_settings_set(plain, "k", "4", &err), PARE_OK);
    pare_status status = pare_fit(&ma, a, set, NULL, &err),
                other = pare_fit(&mb, b, plain, NULL, &err);
    assert_int_equal(status, other);
    if (status == PARE_OK) {
        int64_t k = ma->n_selected, c = ma->p.n_outputs;
        double F[N * 4], G[N * 4];
        assert_int_equal(k, mb->n_selected);
        for (int64_t i = 0; i < k; i++) assert_int_equal(ma->index[i], mb->index[i]);
        if (!isnan(mb->predictor.objective))
            check_close(ma->predictor.objective / mb->predictor.objective, 1, 1e-4);
        char *text;
        assert_int_equal(pare_model_text(&text, ma, NULL, &err), PARE_OK);
        assert_int_equal(pare_model_parse(&loaded, text, strlen(text), NULL, &err), PARE_OK);
        assert_non_null(strstr(text, "\"units\": \"transformed\""));
        assert_int_equal(pare_predict(F, loaded, a, NULL, &err), PARE_OK);
        assert_int_equal(pare_predict(G, mb, b, NULL, &err), PARE_OK);
        for (int64_t i = 0; i < N * c; i++)
            if (fabs(F[i] - G[i]) > 2e-3 * fmax(1, fabs(G[i])))
                fail_msg("%s, %s: %g is predicted, not %g", m->name, task, F[i], G[i]);
        pare_report found;
        if (pare_check(&found, NULL, loaded, a, NULL, &err) != PARE_OK)
            fail_msg("%s: %s", m->name, err.message);
        if (!isnan(found.objective)) check_close(found.objective, ma->predictor.objective, 1e-9);
        if (loaded->spread && loaded->n_selected > 0) {
            loaded->median[0] += 1;
            assert_int_equal(pare_check(&found, NULL, loaded, a, NULL, &err), PARE_E_DATA);
        }
        pare_text_free(text, NULL);
        pare_model_free(loaded);
        pare_model_free(ma);
        pare_model_free(mb);
    }
    pare_settings_free(set);
    pare_settings_free(plain);
    pare_data_free(a);
    pare_data_free(b);
    sheet_free(&raw);
    sheet_free(&by_hand);
}

/* Scaling does not change the scores of a method that reads raw values. */
static void compare_raw(const method *m) {
    rng r = rng_from(73);
    sheet t = skewed(&r, "binary", true);
    for (int64_t e = 0; m->counts && e < N * D; e++) t.x[e] = fabs(t.x[e]);
    pare_data *data = sheet_data(&t, false);
    pare_model *a = fit_or_fail(data, m->name, PAIRS("scale", "robust", "task", "classify")),
               *b = fit_or_fail(data, m->name, PAIRS("scale", "none", "task", "classify"));
    assert_int_equal(a->n_selected, b->n_selected);
    for (int64_t i = 0; i < a->n_selected; i++) {
        assert_int_equal(a->index[i], b->index[i]);
        assert_true(a->score[i] == b->score[i]);
    }
    pare_model_free(a);
    pare_model_free(b);
    pare_data_free(data);
    sheet_free(&t);
}

static void every_method(void **state) {
    (void)state;
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        const method *m = method_named(method_at(i).name);
        if (m->expand)
            continue;                                /* its derived features are scaled, not the
                                                        columns */
        if (m->neighbours && !m->sees_raw) continue; /* raw values on a graph of scaled ones */
        if (m->sees_raw) {
            compare_raw(m);
            continue;
        }
        if (m->tasks & TASK_BINARY) compare(m, "binary", false, false);
        if (m->tasks & TASK_MULTICLASS) compare(m, "multiclass", true, false);
        if (m->tasks & TASK_RANKING) compare(m, "ranking", false, false);
        if (m->tasks & TASK_REGRESSION) compare(m, "regression", false, false);
    }
    compare(method_named("svm"), "binary", true, true);
    compare(method_named("lda-forward"), "multiclass", true, true);
}

/* Monomials are transformed as features; missing values are filled before. */
static void monomials_and_missing_values(void **state) {
    (void)state;
    rng r = rng_from(72);
    problem_shape shape = {
        .n = 30, .d = 5, .classes = 2, .signal = 1, .density = 1, .missing = 0.1};
    pare_data *data = problem_make(&r, &shape);
    const char *const methods[] = {"poly-arom", "corr", "1nn", "kta"};
    for (int t = 0; t < 4; t++) {
        pare_model *m = fit_or_fail(data, methods[t],
                                    PAIRS("scale", "robust", "missing", t % 2 ? "median" : "mean"));
        pare_report found;
        pare_error err;
        double F[30], right = 0;
        if (pare_check(&found, NULL, m, data, NULL, &err) != PARE_OK) fail_msg("%s", err.message);
        if (!isnan(found.objective)) check_close(found.objective, m->predictor.objective, 1e-9);
        assert_int_equal(pare_predict(F, m, data, NULL, &err), PARE_OK);
        for (int64_t i = 0; i < 30; i++)
            right += strcmp(m->classes[F[i] > 0], strings_at(&data->target.text, i)) == 0;
        assert_true(right >= 20);
        pare_model_free(m);
    }
    pare_data_free(data);
}

TEST_FILE(test_conform_robust) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),
        cmocka_unit_test(monomials_and_missing_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
