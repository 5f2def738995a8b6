/* `missing` indicator, of every method: the fit equals that to data with the indicators as columns
 * of their own, and the model predicts the raw data, from memory and from its file. */
#include "support/conform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "registry.h"

enum { N = 24, D = 5, LACKING = 2 };
static const int64_t lacking[LACKING] = {1, 4};

/* The data with missing values; marked: followed by the indicators, as plain columns. */
static pare_data *make(const sheet *t, bool marked, bool grouped, bool named, bool sparse) {
    int64_t d = D + (marked ? LACKING : 0), entries = 0, col_ptr[D + LACKING + 1] = {0};
    double x[N * (D + LACKING)] = {0}, value[N * (D + LACKING)];
    int32_t row[N * (D + LACKING)];
    const char *labels[N], *names[] = {"a", "b", "c", "d=e", "f", "b=missing", "f=missing"};
    pare_data *data;
    pare_error err;
    memcpy(x, t->x, sizeof *x * N * D);
    for (int64_t q = 0; q < LACKING; q++)
        for (int64_t i = 0; i < N; i++) {
            if ((i + q) % (4 + q) != 1) continue;
            x[lacking[q] * N + i] = NAN;
            x[(D + q) * N + i] = 1;
        }
    for (int64_t i = 0; i < N; i++) labels[i] = t->label[i];
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < N; i++) {
            if (x[j * N + i] == 0) continue;
            row[entries] = (int32_t)i;
            value[entries++] = x[j * N + i];
        }
        col_ptr[j + 1] = entries;
    }
    const char *const *called = named ? names : NULL, *const *texts = t->timed ? NULL : labels;
    pare_status status =
        sparse ? pare_data_sparse(&data, N, d, col_ptr, row, value, called, texts, NULL, NULL, &err)
               : pare_data_dense(&data, N, d, x, called, texts, NULL, NULL, &err);
    if (status == PARE_OK && t->timed) status = sheet_set_times(data, t, &err);
    if (status != PARE_OK) fail_msg("%s", err.message);
    for (int64_t j = 0; grouped && j < d; j++) {
        const char *group = names[j < D ? j : lacking[j - D]];
        assert_true(strings_add(&data->groups, &data->mem, group, (int64_t)strlen(group)));
    }
    return data;
}

static pare_model *fit(const conform_case *c, const pare_data *data, const char *missing) {
    pare_settings *set = conform_settings(c, true, NULL);
    pare_model *m = NULL;
    pare_error err;
    assert_int_equal(pare_settings_set(set, "missing", missing, &err), PARE_OK);
    pare_status status = pare_fit(&m, data, set, NULL, &err);
    pare_settings_free(set);
    if (status != PARE_OK && status != PARE_E_INFEASIBLE && status != PARE_E_ARGUMENT)
        conform_fail(c, "%s", err.message);
    return m;
}

static void same_predictions(const conform_case *c, const pare_model *a, const pare_data *on_a,
                             const pare_model *b, const pare_data *on_b, double tol) {
    double *f = conform_predict(c, a, on_a), *g = conform_predict(c, b, on_b), size = 1;
    for (int64_t e = 0; e < N * pare_model_get(a)->n_outputs; e++) size = fmax(size, fabs(f[e]));
    for (int64_t e = 0; e < N * pare_model_get(a)->n_outputs; e++)
        if (!(fabs(f[e] - g[e]) <= tol * size)) conform_fail(c, "decision values differ");
    free(g);
    free(f);
}

/* Predictions for new data with other missing values, by the model and after writing and reading
 * it. */
static void check_file(const conform_case *c, const pare_model *m, const pare_data *raw) {
    char *text = conform_text(c, m), *again_text;
    pare_model *again;
    pare_verdict verdict;
    pare_error err;
    if (pare_model_parse(&again, text, strlen(text), NULL, &err) != PARE_OK)
        conform_fail(c, "%s", err.message);
    again_text = conform_text(c, again);
    if (strcmp(text, again_text) != 0) conform_fail(c, "the file is another after reading");
    same_predictions(c, m, raw, again, raw, 0);
    if (pare_verify(&verdict, again, raw, NULL, &err) != PARE_OK)
        conform_fail(c, "%s", err.message);
    if (!verdict.holds) conform_fail(c, "%s", verdict.sentence);
    for (int64_t i = 0; i < pare_model_get(m)->n_needed; i++)
        if (pare_model_get(m)->needed_index[i] >= D) conform_fail(c, "an indicator is no column");
    pare_text_free(again_text, NULL);
    pare_text_free(text, NULL);
    pare_model_free(again);
}

static void compare(const conform_case *c, void *user) {
    const int *form = user; /* bit 1: names, bit 2: sparse */
    rng r = rng_from(41);
    if (c->name) return;
    bool grouped = !method_named(c->method)->expand; /* products of columns have no groups */
    sheet t = sheet_for(&r, c, (sheet_shape){N, D, *form & 2 ? 0.7 : 1, 2});
    pare_data *raw = make(&t, false, false, *form & 1, *form & 2),
              *marked = make(&t, true, grouped, *form & 1, *form & 2);
    pare_model *a = fit(c, raw, "indicator"), *b = fit(c, marked, "mean");
    if ((a == NULL) != (b == NULL)) conform_fail(c, "one of two equal fits was refused");
    if (a) {
        if (pare_model_get(a)->n_features != D)
            conform_fail(c, "the model is not of the raw features");
        conform_same(c, a, raw, b, marked, NULL);
        same_predictions(c, a, raw, b, marked, 1e-4);
        check_file(c, a, raw);
    }
    pare_model_free(b);
    pare_model_free(a);
    pare_data_free(marked);
    pare_data_free(raw);
    sheet_free(&t);
}

static void indicators_are_columns_of_their_own(void **state) {
    (void)state;
    for (int form = 0; form < 4; form++) conform_walk(compare, &form);
}

/* In a training fold without missing values an indicator is constant, and never selected; data
 * without missing values have no indicators. */
static void nothing_missing_is_nothing_new(void **state) {
    (void)state;
    rng r = rng_from(43);
    sheet t = sheet_random(&r, "binary", (sheet_shape){N, D, 1, 1});
    pare_data *data = sheet_data(&t, false);
    pare_settings *set = settings_make("svm", PAIRS("missing", "indicator"));
    pare_model *m;
    pare_error err;
    assert_int_equal(pare_fit(&m, data, set, NULL, &err), PARE_OK);
    assert_int_equal(pare_model_get(m)->n_ranked, D);
    pare_model_free(m);
    pare_settings_free(set);
    pare_data_free(data);
    sheet_free(&t);
}

static void a_name_that_is_taken_is_refused(void **state) {
    (void)state;
    static const double x[] = {1, NAN, 3, 4, 0, 1, 0, 1};
    static const char *const names[] = {"a", "a=missing"}, *const labels[] = {"p", "q", "p", "q"};
    pare_data *data;
    pare_error err;
    assert_int_equal(pare_data_dense(&data, 4, 2, x, names, labels, NULL, NULL, &err), PARE_OK);
    check_no_fit(data, "svm", PAIRS("missing", "indicator"), PARE_E_DATA, "a=missing");
    pare_data_free(data);
}

TEST_FILE(test_conform_missing) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indicators_are_columns_of_their_own),
        cmocka_unit_test(nothing_missing_is_nothing_new),
        cmocka_unit_test(a_name_that_is_taken_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
