/* Intervals by the bootstrap of what was predicted for samples left out, against the spread that the
 * theory of a mean gives them. */
#include "select/bootstrap.h"

#include <math.h>
#include <stdio.h>

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
        range r = p->run[0].point[s].range;
        double half = 1.96 * sqrt(mean * (1 - mean) / N * WIDER);
        assert_true(mean > 0.55 && mean < 0.95);
        assert_true(fabs((r.low + r.high) / 2 - mean) < 0.15 * half);
        assert_true(fabs((r.high - r.low) / 2 - half) < 0.15 * half);
    }
    range r = p->run[0].nested_range;
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
    range found = p->run[0].point[1].range;
    assert_true(mean > 0.55 && mean < 0.95);
    assert_true(fabs((found.high - found.low) / 2 - half) < 0.2 * half);
    pare_path_free(p);
    pare_data_free(data);
    sheet_free(&copies);
    sheet_free(&one);
}

/* Metrics that are no means have an interval of the nested estimate alone. */
static void any_metric_has_one(void **state) {
    (void)state;
    static const char *const metrics[] = {"auc", "balanced_accuracy", "mcc"};
    pare_data *data = noisy(6);
    for (int i = 0; i < 3; i++) {
        pare_path *p = run_path(data, "svm", metrics[i]);
        range r = p->run[0].nested_range;
        double mean = p->run[0].nested[p->setup.metric].mean;
        assert_true(r.low < mean && mean < r.high && r.high - r.low < 0.9);
        assert_true(isnan(p->run[0].point[0].range.low));
        pare_path_free(p);
    }
    pare_data_free(data);
}

TEST_FILE(test_bootstrap) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(accuracy_is_binomial),
                                       cmocka_unit_test(groups_are_drawn_whole),
                                       cmocka_unit_test(any_metric_has_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
