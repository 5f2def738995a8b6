/* The metrics against their definitions by enumeration of pairs, prefixes and thresholds. */
#include "task/metrics.h"

#include <math.h>
#include <stdlib.h>

#include "support/support.h"

enum { MOST = 40 };

static double slow_auc(int64_t n, const bool *positive, const double *score) {
    double sum = 0, pairs = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            if (!positive[i] || positive[j]) continue;
            pairs++;
            sum += score[i] > score[j] ? 1 : score[i] == score[j] ? 0.5 : 0;
        }
    return sum / pairs;
}

/* Each positive contributes the precision among all samples that score at least as high. */
static double slow_average_precision(int64_t n, const bool *positive, const double *score) {
    double sum = 0, total = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!positive[i]) continue;
        double taken = 0, right = 0;
        for (int64_t j = 0; j < n; j++)
            if (score[j] >= score[i]) taken++, right += positive[j];
        sum += right / taken;
        total++;
    }
    return sum / total;
}

static double slow_top(int64_t n, const bool *positive, const double *score) {
    double count = 0;
    for (int64_t i = 0; i < n; i++) {
        bool above = positive[i];
        for (int64_t j = 0; j < n; j++) above = above && (positive[j] || score[i] > score[j]);
        count += above;
    }
    return count;
}

/* A positive is among the first k if fewer than k samples come before it for sure or by a tie. */
static double slow_precision(int64_t n, const bool *positive, const double *score, int64_t k) {
    double count = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!positive[i]) continue;
        int64_t before = 0;
        for (int64_t j = 0; j < n; j++) {
            bool tie = score[j] == score[i] && (!positive[j] || j < i);
            before += j != i && (score[j] > score[i] || tie);
        }
        count += before < k;
    }
    return count / (double)k;
}

static void test_ranking(void **state) {
    (void)state;
    rng r = rng_from(1);
    for (int trial = 0; trial < 500; trial++) {
        int64_t n = 2 + rng_below(&r, MOST - 1), levels = 1 + rng_below(&r, 2 * n);
        bool positive[MOST];
        double score[MOST], total = 0;
        for (int64_t i = 0; i < n; i++) {
            positive[i] = i == 0 || (i > 1 && rng_below(&r, 2));
            score[i] = (double)rng_below(&r, levels) - 3;
            total += positive[i];
        }
        int64_t k = 1 + rng_below(&r, n);
        ranking_metrics m;
        assert_int_equal(metrics_ranking(&m, n, positive, score, k, NULL, NULL), PARE_OK);
        check_close(m.auc, slow_auc(n, positive, score), 1e-12);
        check_close(m.average_precision, slow_average_precision(n, positive, score), 1e-12);
        check_close(m.top_count, slow_top(n, positive, score), 0);
        check_close(m.top_rate, slow_top(n, positive, score) / total, 1e-12);
        check_close(m.precision_at_k, slow_precision(n, positive, score, k), 1e-12);
    }
}

static void test_undefined(void **state) {
    (void)state;
    ranking_metrics m;
    bool none[3] = {false, false, false}, all[3] = {true, true, true};
    double score[3] = {1, 2, 3};
    assert_int_equal(metrics_ranking(&m, 3, none, score, 0, NULL, NULL), PARE_OK);
    assert_true(isnan(m.auc) && isnan(m.average_precision) && isnan(m.top_rate));
    assert_true(m.top_count == 0 && isnan(m.precision_at_k));
    assert_int_equal(metrics_ranking(&m, 3, all, score, 2, NULL, NULL), PARE_OK);
    assert_true(isnan(m.auc) && m.average_precision == 1 && m.top_count == 3 && m.top_rate == 1);
    assert_true(m.precision_at_k == 1);
}

static void test_classes(void **state) {
    (void)state;
    int32_t truth[6] = {0, 0, 0, 0, 1, 3}, predicted[6] = {0, 0, 0, 1, 1, 0};
    double balanced;
    check_close(metrics_accuracy(6, truth, predicted), 4.0 / 6, 1e-15);
    assert_int_equal(metrics_balanced_accuracy(&balanced, 6, 4, truth, predicted, NULL, NULL),
                     PARE_OK);
    check_close(balanced, (0.75 + 1 + 0) / 3, 1e-15);
}

static void test_regression(void **state) {
    (void)state;
    double truth[4] = {1, 2, 3, 6}, predicted[4] = {1, 3, 1, 6};
    regression_metrics m = metrics_regression(4, truth, predicted);
    check_close(m.mean_absolute_error, 0.75, 1e-15);
    check_close(m.root_mean_squared_error, sqrt(5.0 / 4), 1e-15);
    check_close(m.r2, 1 - 5.0 / 14, 1e-15);
    double flat[2] = {1, 1};
    assert_true(isnan(metrics_regression(2, flat, predicted).r2));
}

static pare_status call_ranking(void *user, const pare_ctx *ctx) {
    ranking_metrics m;
    double score[2] = {1, 2};
    return metrics_ranking(&m, 2, user, score, 1, ctx, NULL);
}

static void test_memory(void **state) {
    (void)state;
    bool positive[2] = {true, false};
    check_oom(call_ranking, positive);
}

TEST_FILE(test_metrics) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranking), cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_classes), cmocka_unit_test(test_regression),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
