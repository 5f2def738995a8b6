/* Weights, of every method: weight 0 equals leaving the sample out, an integer weight equals
 * copies. */
#include "support/conform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry.h"

enum { N = 15, D = 5 };
static const sheet_shape clear = {N, D, 1, 2}, noise = {N, 4, 0.8, 0};

/* The model covers all samples, and is certified on those of nonzero weight. */
static void check(const conform_case *c, const pare_model *m, const pare_data *data) {
    pare_report reported = pare_model_get(m)->predictor, found;
    pare_error err;
    assert_int_equal(pare_model_get(m)->n_samples, pare_data_n(data));
    if (pare_check(&found, NULL, m, data, NULL, &err) != PARE_OK)
        conform_fail(c, "%s", err.message);
    if (!isnan(reported.objective)) check_close(found.objective, reported.objective, 1e-12);
}

static void compare(const conform_case *c, const sheet *weighted, const sheet *copies,
                    double signal) {
    pare_data *a = sheet_data(weighted, false), *b = sheet_data(copies, false);
    pare_model *ma = conform_fit_if(c, a, true, 1), *mb = ma ? conform_fit(c, b, true, 1) : NULL;
    if (ma) {
        conform_same(c, ma, a, mb, a, NULL);
        check(c, ma, a);
    } else if (!c->name && signal > 0) /* a setting may exclude weights, noise a hard margin */
    {
        conform_fail(c, "the weights were refused");
    }
    pare_model_free(mb);
    pare_model_free(ma);
    pare_data_free(b);
    pare_data_free(a);
}

/* Where no two values of a feature are equal, all features are alike to the kernel of equal values, and
 * methods may choose any of them. */
static void make_equals(sheet *t, const conform_case *c) {
    bool asks = c->value && strcmp(c->value, "delta") == 0;
    for (int64_t e = 0; asks && e < t->n * t->d; e++) t->x[e] = rint(4 * t->x[e]) / 4;
}

static void compare_weights(const conform_case *c, const double *weight, sheet_shape shape) {
    rng r = rng_from(21);
    sheet t = sheet_for(&r, c, shape);
    make_equals(&t, c);
    int64_t rows[4 * N], count = 0;
    for (int64_t i = 0; i < N; i++)
        for (int64_t w = 0; w < (int64_t)weight[i]; w++) rows[count++] = i;
    sheet copies = sheet_pick(&t, rows, count, NULL, 0);
    assert_non_null(t.weight = malloc(sizeof *t.weight * N));
    memcpy(t.weight, weight, sizeof *t.weight * N);
    compare(c, &t, &copies, shape.signal);
    sheet_free(&copies);
    sheet_free(&t);
}

static void compare_absent(const conform_case *c, void *user) {
    double weight[N];
    for (int64_t i = 0; i < N; i++) weight[i] = i % 5 == 1 ? 0 : 1;
    compare_weights(c, weight, *(const sheet_shape *)user);
}

static void compare_copies(const conform_case *c, void *user) {
    if (method_named(c->method)->neighbours) return; /* a duplicate is a neighbour of its own */
    if (c->value && strcmp(c->value, "efron") == 0) return; /* copies are tied with each other */
    double weight[N];
    for (int64_t i = 0; i < N; i++) weight[i] = (double)(1 + i % 3);
    compare_weights(c, weight, *(const sheet_shape *)user);
}

static void weight_0_is_absence(void **state) {
    (void)state;
    sheet_shape shape = clear;
    conform_walk(compare_absent, &shape);
}

static void an_integer_weight_equals_copies(void **state) {
    (void)state;
    sheet_shape shape = clear;
    conform_walk(compare_copies, &shape);
}

/* Overlapping classes: automatic ridges and slacks, and ties. */
static void an_integer_weight_equals_copies_in_noise(void **state) {
    (void)state;
    sheet_shape shape = noise;
    conform_walk(compare_copies, &shape);
}

/* What a path found, without the rows and the checksum of its data. */
static char *runs_text(const sheet *t, const char *folds) {
    pare_data *data = sheet_data(t, false);
    pare_path_options o;
    pare_path_options_init(&o);
    o.folds = 3;
    o.fold_file = folds;
    char *text = path_json_or_fail(data, "svm", NULL, &o), *runs = strstr(text, "\"runs\"");
    assert_non_null(runs);
    memmove(text, runs, strlen(runs) + 1);
    char *row = strstr(text, "\"row\":["); /* rows of the data as given */
    assert_non_null(row);
    memmove(row, strchr(row, ']'), strlen(strchr(row, ']')) + 1);
    pare_data_free(data);
    return text;
}

static void write_folds(const char *path, int64_t n, const int64_t *rows) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (int64_t i = 0; i < n; i++) fprintf(f, "%d\n", rows[i] == 7 ? 9 : (int)(rows[i] / 3 % 3));
    fclose(f);
}

/* Folds are made of the samples of nonzero weight; a given fold without any is skipped. */
static void a_path_does_not_see_absent_samples(void **state) {
    (void)state;
    enum { ROWS = 24 };
    rng r = rng_from(23);
    sheet t = sheet_random(&r, "binary", (sheet_shape){ROWS, D, 1, 1});
    int64_t rows[ROWS], all[ROWS], count = 0;
    assert_non_null(t.weight = malloc(sizeof *t.weight * ROWS));
    for (int64_t i = 0; i < ROWS; i++) {
        all[i] = i;
        t.weight[i] = i % 5 == 2 ? 0 : 1 + (double)(i % 2);
        if (t.weight[i] > 0) rows[count++] = i;
    }
    sheet present = sheet_pick(&t, rows, count, NULL, 0);
    write_folds("all.folds", ROWS, all);
    write_folds("present.folds", count, rows);
    for (int given = 0; given < 2; given++) {
        char *a = runs_text(&t, given ? "all.folds" : NULL),
             *b = runs_text(&present, given ? "present.folds" : NULL);
        assert_string_equal(a, b);
        pare_text_free(a, NULL);
        pare_text_free(b, NULL);
    }
    remove("all.folds");
    remove("present.folds");
    sheet_free(&present);
    sheet_free(&t);
}

TEST_FILE(test_conform_weights) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weight_0_is_absence),
        cmocka_unit_test(an_integer_weight_equals_copies),
        cmocka_unit_test(an_integer_weight_equals_copies_in_noise),
        cmocka_unit_test(a_path_does_not_see_absent_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
