/* Kaplan and Meier's curve, groups of predicted probabilities and the log-rank test against their
 * definitions at every time, on data with ties, weights and strata; and against numbers of R's
 * survival 3.5-3 (survfit, survdiff) on one table. */
#include "task/log_rank.h"

#include <math.h>

#include "support/support.h"

enum { N = 40, ROUNDS = 60 };

typedef struct drawn {
    int64_t n;
    double time[N], weight[N], predicted[N];
    int32_t event[N], group[N], stratum[N];
} drawn;

static drawn draw(rng *r, int groups) {
    drawn t = {.n = 5 + rng_below(r, N - 5)};
    for (int64_t i = 0; i < t.n; i++) {
        t.time[i] = (double)(1 + rng_below(r, 12));
        t.weight[i] = (double)(1 + rng_below(r, 3));
        t.event[i] = rng_below(r, 3) > 0;
        t.group[i] = (int32_t)rng_below(r, groups);
        t.stratum[i] = (int32_t)rng_below(r, 2);
        t.predicted[i] = (double)rng_below(r, 10) / 10;
    }
    return t;
}

static survival_times times_of(const drawn *t) {
    return (survival_times){t->n, t->time, t->event, t->weight};
}

/* Weights at risk at t and with an event at t, of one group and stratum (-1: all). */
static void slow_counts(const drawn *t, double at, int group, int stratum, double *risk,
                        double *events) {
    *risk = *events = 0;
    for (int64_t i = 0; i < t->n; i++) {
        if (group >= 0 && t->group[i] != group) continue;
        if (stratum >= 0 && t->stratum[i] != stratum) continue;
        if (t->time[i] >= at) *risk += t->weight[i];
        if (t->time[i] == at && t->event[i]) *events += t->weight[i];
    }
}

static double slow_survival(const drawn *t, double at) {
    double s = 1, risk, events;
    for (double u = 1; u <= at; u++) {
        slow_counts(t, u, -1, -1, &risk, &events);
        if (events > 0) s *= 1 - events / risk;
    }
    return s;
}

static void test_curve(void **state) {
    (void)state;
    rng r = rng_from(1);
    arena mem;
    arena_init(&mem, ctx_allocator(NULL));
    for (int round = 0; round < ROUNDS; round++) {
        drawn t = draw(&r, 2);
        survival_times of = times_of(&t);
        survival_curve c;
        double first = NAN;
        assert_int_equal(survival_curve_make(&c, &mem, &of, NULL), PARE_OK);
        for (double at = 0.5; at <= 13; at += 0.5) {
            double risk, events, s = slow_survival(&t, at);
            check_close(survival_curve_at(&c, at), s, 1e-12);
            slow_counts(&t, at, -1, -1, &risk, &events);
            check_close(survival_curve_at_risk(&c, at), risk, 1e-12);
            if (isnan(first) && s <= 0.5 + 1e-12) first = at;
        }
        if (isnan(first)) assert_true(isnan(survival_curve_median(&c)));
        if (!isnan(first)) check_close(survival_curve_median(&c), first, 0);
    }
    arena_free(&mem);
}

/* U and V of group g and h, by their definition. */
static void slow_log_rank(const drawn *t, double u[2], double v[3]) {
    u[0] = u[1] = v[0] = v[1] = v[2] = 0;
    for (int stratum = 0; stratum < 2; stratum++)
        for (double at = 1; at <= 12; at++) {
            double risk[2], events[2], all, d;
            slow_counts(t, at, -1, stratum, &all, &d);
            if (!(d > 0)) continue;
            for (int g = 0; g < 2; g++) {
                slow_counts(t, at, g, stratum, &risk[g], &events[g]);
                u[g] += events[g] - d * risk[g] / all;
            }
            double f = all > 1 ? d * (all - d) / (all - 1) : 0;
            v[0] += f * risk[0] / all * (1 - risk[0] / all);
            v[1] -= f * risk[0] * risk[1] / all / all;
            v[2] += f * risk[1] / all * (1 - risk[1] / all);
        }
}

static void test_log_rank(void **state) {
    (void)state;
    rng r = rng_from(2);
    for (int round = 0; round < ROUNDS; round++) {
        int groups = 2 + round % 2;
        drawn t = draw(&r, groups);
        survival_times of = times_of(&t);
        log_rank sum = {{0}, {0}};
        double u[2], v[3];
        assert_int_equal(log_rank_add(&sum, &of, t.group, t.stratum, NULL, NULL), PARE_OK);
        slow_log_rank(&t, u, v);
        for (int g = 0; g < 2; g++) check_close(sum.excess[g], u[g], 1e-11);
        for (int g = 0; g < 3; g++) check_close(sum.variance[g], v[g], 1e-11);
        double statistic = log_rank_statistic(&sum, groups);
        if (groups == 2 && v[0] > 0) check_close(statistic, u[0] * u[0] / v[0], 1e-10);
        double det = v[0] * v[2] - v[1] * v[1];
        if (groups == 3 && det > 1e-6)
            check_close(statistic,
                        (v[2] * u[0] * u[0] - 2 * v[1] * u[0] * u[1] + v[0] * u[1] * u[1]) / det,
                        1e-9);
    }
}

/* Samples that nothing tells apart have no statistic above 0. */
static void test_no_groups(void **state) {
    (void)state;
    static const double time[] = {1, 2, 3, 4};
    static const int32_t event[] = {1, 1, 0, 1}, group[] = {0, 0, 0, 0};
    log_rank sum = {{0}, {0}};
    assert_int_equal(
        log_rank_add(&sum, &(survival_times){4, time, event, NULL}, group, NULL, NULL, NULL),
        PARE_OK);
    check_close(log_rank_statistic(&sum, 2), 0, 0);
    check_close(log_rank_statistic(&sum, 3), 0, 0);
}

/* Every sample is in one group, groups rise, and each has the numbers of its samples alone. */
static void test_groups(void **state) {
    (void)state;
    rng r = rng_from(3);
    arena mem;
    arena_init(&mem, ctx_allocator(NULL));
    for (int round = 0; round < ROUNDS; round++) {
        drawn t = draw(&r, 2);
        survival_times of = times_of(&t);
        survival_group g[4];
        int64_t made;
        double total = 0, all = 0, T = 6, last = -1;
        assert_int_equal(survival_groups_at(g, &made, 4, &of, t.predicted, T, NULL, NULL), PARE_OK);
        for (int64_t i = 0; i < t.n; i++) total += t.weight[i];
        assert_in_range(made, 1, 4);
        for (int64_t q = 0; q < made; q++) {
            double most = q + 1 < made ? g[q + 1].predicted : INFINITY;
            assert_true(g[q].predicted > last && g[q].predicted < most);
            assert_true(isnan(g[q].low) || (g[q].low < g[q].observed && g[q].observed < g[q].high));
            last = g[q].predicted;
            all += g[q].n;
        }
        check_close(all, total, 1e-12);
        assert_int_equal(survival_groups_at(g, &made, 1, &of, t.predicted, T, NULL, NULL), PARE_OK);
        check_close(g[0].observed, slow_survival(&t, T), 1e-12);
    }
    arena_free(&mem);
}

static const double R_TIME[] = {5, 6, 6, 2.5, 4, 4, 1, 3, 3, 7, 8, 2};
static const int32_t R_EVENT[] = {1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 1};
static const int32_t R_GROUP[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 2, 2, 0};

static void test_against_r(void **state) {
    (void)state;
    survival_times of = {12, R_TIME, R_EVENT, NULL};
    survival_curve c;
    arena mem;
    log_rank sum = {{0}, {0}};
    double low, high;
    arena_init(&mem, ctx_allocator(NULL));
    assert_int_equal(survival_curve_make(&c, &mem, &of, NULL), PARE_OK);
    survival_curve_interval(&low, &high, &c, 4);
    check_close(survival_curve_at(&c, 4), 0.571428571429, 1e-7);
    check_close(low, 0.253802780460, 1e-7);
    check_close(high, 0.795812687538, 1e-7);
    check_close(survival_curve_median(&c), 5, 0);
    assert_int_equal(log_rank_add(&sum, &of, R_GROUP, NULL, NULL, NULL), PARE_OK);
    check_close(log_rank_statistic(&sum, 3), 8.70990987967, 1e-7);
    arena_free(&mem);
}

TEST_FILE(test_kaplan_meier) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curve), cmocka_unit_test(test_log_rank),
        cmocka_unit_test(test_no_groups), cmocka_unit_test(test_groups),
        cmocka_unit_test(test_against_r)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
