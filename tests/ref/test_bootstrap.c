/* Intervals by the bootstrap of what was predicted for samples left out, against the spread that the
 * theory of a mean gives them; and their union with Wilson's, written out here. */
#include "select/bootstrap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/conform.h"

enum { N = 120 };
static const double WIDER = 1 + 1 / 0.8; /* four fifths of the samples train */

static pare_path *run_path(const pare_data *data, const char *name, const char *metric) {
    pare_path_options o;
    pare_path_options_init(&o);
    o.folds = 5;
    o.inner = 2;
    o.sizes = "2,5";
    o.substitutes = 0;
    o.metric = metric;
    return path_or_fail(data, name, NULL, &o);
}

static pare_data *noisy(uint64_t seed) {
    rng r = rng_from(seed);
    problem_shape shape = {.n = N, .d = 20, .classes = 2, .signal = 0.5, .density = 1};
    return problem_make(&r, &shape);
}

/* A mean of N zeros and ones. */
static void accuracy_is_binomial(void **state) {
    (void)state;
    pare_data *data = noisy(4);
    pare_path *p = run_path(data, "svm", "accuracy");
    for (int64_t s = 0; s < 2; s++) {
        double mean = p->run[0].point[s].metric[0].mean;
        interval r = p->run[0].point[s].interval;
        double half = 1.96 * sqrt(mean * (1 - mean) / N * WIDER);
        assert_true(mean > 0.55 && mean < 0.95);
        assert_true(fabs((r.low + r.high) / 2 - mean) < 0.15 * half);
        assert_true(fabs((r.high - r.low) / 2 - half) < 0.15 * half);
    }
    interval r = p->run[0].nested_interval;
    assert_true(r.low < p->run[0].nested[0].mean && r.high > p->run[0].nested[0].mean);
    pare_path_free(p);
    pare_data_free(data);
}

/* Every sample four times, in one group: the evidence is that of the samples without copies. */
static void groups_are_drawn_whole(void **state) {
    (void)state;
    enum { COPIES = 4, ALL = COPIES * N };
    rng r;
    pare_error err;
    int64_t rows[ALL];
    char name[ALL][8];
    const char *names[ALL];
    rng_seed(&r, 5, 0);
    sheet one = sheet_random(&r, "binary", (sheet_shape){N, 10, 1, 0.4});
    for (int i = 0; i < ALL; i++) {
        rows[i] = i / COPIES;
        snprintf(name[i], sizeof name[i], "g%d", i / COPIES);
        names[i] = name[i];
    }
    sheet copies = sheet_pick(&one, rows, ALL, NULL, one.d);
    pare_data *data = sheet_data(&copies, false);
    assert_int_equal(pare_data_set_fold_groups(data, names, &err), PARE_OK);
    pare_path *p = run_path(data, "svm", "accuracy");
    double mean = p->run[0].point[1].metric[0].mean,
           half = 1.96 * sqrt(mean * (1 - mean) / N * WIDER);
    interval found = p->run[0].point[1].interval;
    assert_true(mean > 0.55 && mean < 0.95);
    assert_true(fabs((found.high - found.low) / 2 - half) < 0.2 * half);
    pare_path_free(p);
    pare_data_free(data);
    sheet_free(&copies);
    sheet_free(&one);
}

/* Metrics that are no means have an interval where they are quoted: nested, and at the chosen size. */
static void any_metric_has_one(void **state) {
    (void)state;
    static const char *const metrics[] = {"auc", "balanced_accuracy", "mcc"};
    pare_data *data = noisy(6);
    for (int i = 0; i < 3; i++) {
        pare_path *p = run_path(data, "svm", metrics[i]);
        interval r = p->run[0].nested_interval;
        double mean = p->run[0].nested[p->setup.metric].mean;
        assert_true(r.low < mean && mean < r.high && r.high - r.low < 0.9);
        for (int64_t at = 0; at < 2; at++)
            assert_true(isnan(p->run[0].point[at].interval.low) == (at != p->run[0].chosen));
        pare_path_free(p);
    }
    pare_data_free(data);
}

/* Wilson's limits solve |mean - x| = 1.96 sqrt(x (1 - x) / n). */
static void check_limit(double x, double mean, double n) {
    double z = 1.959963984540054;
    assert_true(fabs(fabs(mean - x) - z * sqrt(x * (1 - x) / n)) < 1e-9);
}

/* `size` samples of each class, told apart by the first feature without an error. */
static pare_data *separable(const int *size, int classes, int copies) {
    enum { MOST = 240, D = 6 };
    static int64_t rows[MOST];
    static char name[MOST][8];
    static const char *names[MOST];
    rng r = rng_from(9);
    pare_error err;
    int n = 0, at = 0;
    for (int c = 0; c < classes; c++) n += size[c];
    sheet one = sheet_random(&r, "binary", (sheet_shape){n, D, 1, 0});
    for (int c = 0; c < classes; c++)
        for (int i = 0; i < size[c]; i++, at++) {
            snprintf(one.label[at], SHEET_LABEL, "c%d", c);
            one.x[at] = 10 * c + 0.1 * rng_uniform(&r); /* the first column */
        }
    for (int i = 0; i < n * copies; i++) {
        rows[i] = i / copies;
        snprintf(name[i], sizeof name[i], "g%d", i / copies);
        names[i] = name[i];
    }
    sheet all = sheet_pick(&one, rows, n * copies, NULL, D);
    pare_data *data = sheet_data(&all, false);
    if (copies > 1) assert_int_equal(pare_data_set_fold_groups(data, names, &err), PARE_OK);
    sheet_free(&all);
    sheet_free(&one);
    return data;
}

/* No error in any fold is not certainty: all resamples are alike, and Wilson's interval at
 * n / (1 + n / n_train) is what is left. Copies in one group are no more evidence; a metric of
 * classes knows as much as the smallest one tells. */
static void no_error_is_not_certainty(void **state) {
    (void)state;
    static const struct {
        const char *metric;
        int size[2], copies;
        double samples;
    } cases[] = {{"accuracy", {20, 30}, 1, 50},
                 {"accuracy", {20, 30}, 4, 50},
                 {"auc", {20, 30}, 1, 20},
                 {"balanced_accuracy", {20, 30}, 1, 20},
                 {"f1", {30, 10}, 1, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pare_data *data = separable(cases[i].size, 2, cases[i].copies);
        pare_path *p = run_path(data, "svm", cases[i].metric);
        const interval *r = &p->run[0].nested_interval;
        assert_true(p->run[0].nested[p->setup.metric].mean == 1);
        assert_true(strcmp(r->kind, "wilson") == 0 && r->high == 1);
        check_limit(r->low, 1, cases[i].samples / WIDER);
        assert_true(r->level == 0.95);
        pare_path_free(p);
        pare_data_free(data);
    }
}

/* Where both are there, the union counts, and the kind says whose the ends are. */
static void the_union_counts(void **state) {
    (void)state;
    const interval b = interval_bootstrap(0.6, 0.9), w = {0.55, 0.85, 0.95, "wilson"},
                   inner = {0.7, 0.8, 0.95, "wilson"};
    interval r = interval_union(b, w);
    assert_true(r.low == 0.55 && r.high == 0.9 && strcmp(r.kind, "wilson") == 0);
    r = interval_union(b, inner);
    assert_true(r.low == 0.6 && r.high == 0.9 && strcmp(r.kind, "bootstrap") == 0);
    r = interval_union(INTERVAL_NONE, w);
    assert_true(r.low == 0.55 && r.high == 0.85 && strcmp(r.kind, "wilson") == 0);
    r = interval_union(b, INTERVAL_NONE);
    assert_true(r.low == 0.6 && strcmp(r.kind, "bootstrap") == 0);
    r = interval_wilson(0.8, 40);
    check_limit(r.low, 0.8, 40);
    check_limit(r.high, 0.8, 40);
    r = interval_wilson(0, 40);
    assert_true(r.low == 0 && r.high > 0.08);
}

/* A metric without Wilson's interval and without any spread has none. */
static void no_spread_no_interval(void **state) {
    (void)state;
    pare_data *data = separable((int[]){20, 30}, 2, 1);
    pare_path *p = run_path(data, "svm", "mcc");
    assert_true(p->run[0].nested[p->setup.metric].mean == 1);
    assert_true(isnan(p->run[0].nested_interval.low));
    assert_null(p->run[0].nested_interval.kind);
    pare_path_free(p);
    pare_data_free(data);
}

TEST_FILE(test_bootstrap) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accuracy_is_binomial), cmocka_unit_test(groups_are_drawn_whole),
        cmocka_unit_test(any_metric_has_one),   cmocka_unit_test(no_error_is_not_certainty),
        cmocka_unit_test(the_union_counts),     cmocka_unit_test(no_spread_no_interval)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
