/* Scores of filters that come with the statistics of many training parts are those of a fit on each part by
 * itself, to the last bit, and they are used. */
#include "support/fits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "registry.h"
#include "select/shared_statistics.h"

enum { N = 15, D = 20000, PARTS = 3, TRAIN = 11 }; /* more columns than are looked at together */

static void check(const method *m, int64_t classes, bool weights, bool missing) {
    rng r;
    pare_error err;
    rng_seed(&r, 23, (uint64_t)classes);
    problem_shape shape = {.n = N, .d = D, .classes = classes, .signal = 1, .density = 1};
    shape.constant = true;
    shape.weights = weights;
    shape.missing = missing ? 0.2 : 0;
    pare_data *data = problem_make(&r, &shape);
    int32_t rows[PARTS][TRAIN], cls[N];
    cv_part part[PARTS];
    all_settings set;
    settings_defaults(&set);
    if (missing) strcpy(set.common.missing, "mean");
    for (int i = 0; i < N; i++) cls[i] = (int32_t)(i % classes);
    target y = {
        .task = classes > 2 ? &task_multiclass : &task_binary, .n_classes = classes, .cls = cls};
    for (int p = 0; p < PARTS; p++) {
        int at = 0;
        for (int i = 0; i < N && at < TRAIN; i++)
            if (i % 4 != p) rows[p][at++] = i;
        part[p] = (cv_part){.train = rows[p], .n_train = at};
    }
    const method *final = method_final(m, &set, y.task);
    shared_kind kind = {.identity = identity_of(m, &set, data, y.task),
                        .filter = &m,
                        .n_filters = 1,
                        .m = m,
                        .classifier = final,
                        .set = &set};
    fitting base[PARTS] = {{0}};
    assert_true(scores_from_statistics(m, &kind.identity, data));
    assert_int_equal(shared_statistics_make(base, part, PARTS, &kind, 1, &y, NULL, &err), PARE_OK);
    for (int p = 0; p < PARTS; p++) {
        fitting own, shared;
        fit_result a, b;
        fit_result_init(&a, NULL);
        fit_result_init(&b, NULL);
        assert_int_equal(fitting_begin(&own, data, &y, part[p].train, part[p].n_train, m, final,
                                       &set, NULL, &err),
                         PARE_OK);
        fitting_share(&shared, &base[p], m, final, &set, NULL);
        assert_non_null(base[p].scored[0].score);
        assert_int_equal(fitting_run(&own, &a, (amount){0}, NULL, &err), PARE_OK);
        assert_int_equal(fitting_run(&shared, &b, (amount){0}, NULL, &err), PARE_OK);
        assert_null(base[p].scored[0].score); /* taken */
        if (memcmp(a.score, b.score, sizeof *a.score * D) != 0 ||
            memcmp(a.ranking, b.ranking, sizeof *a.ranking * D) != 0)
            fail_msg("%s, %lld classes, part %d: other scores", m->name, (long long)classes, p);
        fit_result_free(&b); /* and who comes later has them all the same */
        fit_result_init(&b, NULL);
        assert_int_equal(fitting_run(&shared, &b, (amount){0}, NULL, &err), PARE_OK);
        assert_memory_equal(a.score, b.score, sizeof *a.score * D);
        fit_result_free(&a);
        fit_result_free(&b);
        fitting_end(&own);
        fitting_end(&shared);
    }
    shared_statistics_free(base, PARTS);
    pare_data_free(data);
}

static void scores_are_those_of_a_fit(void **state) {
    int64_t filters = 0;
    (void)state;
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        const method *m = method_named(method_at(i).name);
        if (!m->by_moments) continue;
        filters++;
        for (int weights = 0; weights < 2; weights++)
            for (int64_t classes = 2; classes < 4; classes++)
                for (int missing = 0; missing < 2 - weights; missing++)
                    check(m, classes, weights, missing);
    }
    assert_true(filters > 0);
}

/* Gaps count as what fills them in: as if the mean of the others had been there. */
static void gaps_are_filled_in(void **state) {
    enum { ROWS = 30, COLUMNS = 40 };
    (void)state;
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        const char *const gaps[] = {"missing", "mean", NULL};
        const method *m = method_named(method_at(i).name);
        rng r;
        if (!m->by_moments) continue;
        rng_seed(&r, 3, 0);
        double *x = random_normal(&r, ROWS, COLUMNS);
        const char *labels[ROWS];
        for (int64_t s = 0; s < ROWS; s++) labels[s] = s % 3 == 0 ? "a" : s % 3 == 1 ? "b" : "c";
        for (int64_t e = 0; e < ROWS * COLUMNS; e++)
            x[e] = rng_below(&r, 5) == 0 ? NAN : 100 + x[e];
        pare_data *with, *filled;
        with = data_labelled(ROWS, COLUMNS, x, labels);
        for (int64_t j = 0; j < COLUMNS; j++) {
            double sum = 0, count = 0;
            for (int64_t s = 0; s < ROWS; s++)
                if (!isnan(x[j * ROWS + s])) sum += x[j * ROWS + s], count++;
            for (int64_t s = 0; s < ROWS; s++)
                if (isnan(x[j * ROWS + s])) x[j * ROWS + s] = sum / count;
        }
        filled = data_labelled(ROWS, COLUMNS, x, labels);
        pare_model *a = fit_or_fail(with, m->name, gaps), *b = fit_or_fail(filled, m->name, NULL);
        const double *got = pare_model_get(a)->ranking_score;
        const double *wanted = pare_model_get(b)->ranking_score;
        const int64_t *of = pare_model_get(a)->ranking;
        assert_memory_equal(of, pare_model_get(b)->ranking, sizeof *of * COLUMNS);
        for (int64_t q = 0; q < COLUMNS; q++)
            assert_true(fabs(got[q] - wanted[q]) <= 1e-9 * fabs(wanted[q]));
        pare_model_free(a);
        pare_model_free(b);
        pare_data_free(with);
        pare_data_free(filled);
        free(x);
    }
}

/* Means that differ in digits that a double far from 0 cannot hold are told apart. */
static void means_keep_their_digits(void **state) {
    enum { HALF = 500 };
    double x[2 * HALF];
    rng r = rng_from(5);
    (void)state;
    for (int i = 0; i < 2 * HALF; i++) x[i] = 1e9 + 1e-6 * (double)(int)(1000 * rng_normal(&r));
    col_stats a = values_stats(x, NULL, HALF), b = values_stats(x + HALF, NULL, HALF);
    long double mean[2] = {0};
    for (int i = 0; i < 2 * HALF; i++) mean[i / HALF] += (long double)x[i] - 1e9L;
    long double wanted = (mean[0] - mean[1]) / HALF;
    double got = (a.mean - b.mean) + (a.beyond - b.beyond);
    assert_true(fabs((double)(got - wanted)) < 1e-13 * fabs((double)wanted) + 1e-20);
}

TEST_FILE(test_scores_along) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_a_fit),
        cmocka_unit_test(gaps_are_filled_in),
        cmocka_unit_test(means_keep_their_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
