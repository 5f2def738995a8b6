/* Uno's c-index and the integrated Brier score, against their definitions written out. */
#include "support/fits.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "data/feature/quantile.h"
#include "task/survival_metrics.h"

enum { N = 60, TRAIN = 36 };

typedef struct fold {
    double time[N], risk[N], weight[N], train_risk[TRAIN];
    int32_t event[N], stratum[N], train[TRAIN], test[N - TRAIN];
    target y;
    predictions p;
} fold;

static void draw(fold *f, rng *r, bool weights, bool strata) {
    for (int i = 0; i < N; i++) {
        f->time[i] = (double)rng_below(r, 25);
        f->risk[i] = rng_normal(r);
        f->weight[i] = (double)rng_below(r, 4) / 2 + 0.25;
        f->event[i] = rng_uniform(r) < 0.6;
        f->stratum[i] = strata ? (int32_t)rng_below(r, 2) : 0;
        if (i < TRAIN) f->train[i] = i, f->train_risk[i] = f->risk[i];
        if (i >= TRAIN) f->test[i - TRAIN] = i;
    }
    f->event[0] = f->event[TRAIN] = 1;
    f->y = (target){.task = &task_survival,
                    .time = f->time,
                    .event = f->event,
                    .n_strata = strata ? 2 : 1,
                    .stratum = strata ? f->stratum : NULL};
    f->p = (predictions){.y = &f->y,
                         .rows = f->test,
                         .n = N - TRAIN,
                         .F = f->risk + TRAIN,
                         .outputs = 1,
                         .weight = weights ? f->weight : NULL,
                         .train = f->train,
                         .n_train = TRAIN,
                         .F_train = f->train_risk};
}

static double weight_of(const fold *f, int i) { return f->p.weight ? f->weight[i] : 1; }

/* G just before t, or at t: a factor for each time at which a training sample is censored. */
static double censoring_product(const fold *f, double t, bool at) {
    double g = 1;
    for (int i = 0; i < TRAIN; i++) {
        double s = f->time[i], censored = 0, at_risk = 0;
        bool first = !f->event[i];
        for (int j = 0; j < i; j++) first = first && (f->time[j] != s || f->event[j]);
        if (!first || s > t || (s == t && !at)) continue;
        for (int j = 0; j < TRAIN; j++) {
            if (f->time[j] > s || (f->time[j] == s && !f->event[j])) at_risk += weight_of(f, j);
            if (f->time[j] == s && !f->event[j]) censored += weight_of(f, j);
        }
        g *= 1 - censored / at_risk;
    }
    return g < 1e-12 ? 0 : g;
}

static double uno(const fold *f) {
    double concordant = 0, pairs = 0, tau = 0;
    for (int i = 0; i < TRAIN; i++)
        if (f->event[i]) tau = fmax(tau, f->time[i]);
    for (int i = TRAIN; i < N; i++)
        for (int j = TRAIN; j < N; j++) {
            double g = censoring_product(f, f->time[i], false);
            bool later = f->time[j] > f->time[i] || (f->time[j] == f->time[i] && !f->event[j]);
            if (!f->event[i] || !later || !(f->time[i] < tau) || g == 0) continue;
            if (f->stratum[i] != f->stratum[j]) continue;
            double w = weight_of(f, i) * weight_of(f, j) / (g * g);
            pairs += w;
            concordant += f->risk[i] > f->risk[j] ? w : f->risk[i] == f->risk[j] ? w / 2 : 0;
        }
    return concordant / pairs;
}

/* Breslow's cumulative hazard of the training samples of a stratum. */
static double hazard(const fold *f, int32_t stratum, double t) {
    double sum = 0;
    for (int i = 0; i < TRAIN; i++) {
        double at_risk = 0;
        if (!f->event[i] || f->stratum[i] != stratum || f->time[i] > t) continue;
        for (int j = 0; j < TRAIN; j++)
            if (f->stratum[j] == stratum && f->time[j] >= f->time[i])
                at_risk += weight_of(f, j) * exp(f->risk[j]);
        sum += weight_of(f, i) / at_risk;
    }
    return sum;
}

static double brier_at(const fold *f, double t) {
    double sum = 0, total = 0;
    for (int i = TRAIN; i < N; i++) {
        double s = exp(-hazard(f, f->stratum[i], t) * exp(f->risk[i])), w = weight_of(f, i);
        total += w;
        if (f->time[i] > t)
            sum += w * (1 - s) * (1 - s) / censoring_product(f, t, true);
        else if (f->event[i])
            sum += w * s * s / censoring_product(f, f->time[i], false);
    }
    return sum / total;
}

static double integrated(const fold *f) {
    ranked events[TRAIN];
    int64_t count = 0;
    double sum = 0, from = NAN, before = NAN, last = NAN;
    for (int i = 0; i < TRAIN; i++)
        if (f->event[i]) events[count++] = (ranked){f->time[i], i};
    sort_least_first(events, count);
    double low = quantile_of(events, count, f->p.weight, 0.1),
           high = quantile_of(events, count, f->p.weight, 0.9);
    for (int k = 0; k < 100; k++) {
        double t = low + (high - low) * k / 99;
        if (censoring_product(f, t, true) == 0) break;
        double now = brier_at(f, t);
        if (k == 0) from = t;
        if (k > 0) sum += (t - last) * (now + before) / 2;
        before = now;
        last = t;
    }
    return sum / (last - from);
}

static void both_are_as_defined(void **state) {
    (void)state;
    rng r = rng_from(11);
    fold f;
    for (int t = 0; t < 60; t++) {
        double fast;
        draw(&f, &r, t & 1, t & 2);
        assert_int_equal(metric_uno_c(&fast, &f.p, NULL, NULL), PARE_OK);
        if (!(fabs(fast - uno(&f)) <= 1e-12))
            fail_msg("problem %d: uno_c is %.17g, pair by pair %.17g", t, fast, uno(&f));
        assert_int_equal(metric_integrated_brier(&fast, &f.p, NULL, NULL), PARE_OK);
        if (!(fabs(fast - integrated(&f)) <= 1e-10))
            fail_msg("problem %d: integrated_brier is %.17g, by its definition %.17g", t, fast,
                     integrated(&f));
    }
}

/* A weight of 2 is the sample twice. */
static void weights_are_copies(void **state) {
    (void)state;
    rng r = rng_from(12);
    static fold f;
    draw(&f, &r, false, false);
    int32_t train[2 * TRAIN], test[2 * N];
    double risk[2 * N], train_risk[2 * TRAIN], weight[N], once[2], twice[2];
    int64_t n = 0, n_train = 0;
    for (int i = 0; i < N; i++) {
        weight[i] = (double)(1 + i % 2);
        for (int c = 0; c < weight[i]; c++) {
            if (i < TRAIN) train[n_train] = i, train_risk[n_train++] = f.risk[i];
            if (i >= TRAIN) test[n] = i, risk[n++] = f.risk[i];
        }
    }
    predictions copies = f.p, weighted = f.p;
    weighted.weight = weight;
    copies.train = train;
    copies.n_train = n_train;
    copies.F_train = train_risk;
    copies.rows = test;
    copies.n = n;
    copies.F = risk;
    assert_int_equal(metric_integrated_brier(&once[0], &weighted, NULL, NULL), PARE_OK);
    assert_int_equal(metric_integrated_brier(&twice[0], &copies, NULL, NULL), PARE_OK);
    assert_true(fabs(once[0] - twice[0]) < 1e-12);
    assert_int_equal(metric_uno_c(&once[1], &weighted, NULL, NULL), PARE_OK);
    assert_int_equal(metric_uno_c(&twice[1], &copies, NULL, NULL), PARE_OK);
    assert_true(fabs(once[1] - twice[1]) < 1e-12);
}

/* Without the training samples, or without comparable pairs, there is no number. */
static void undefined_is_nan(void **state) {
    (void)state;
    rng r = rng_from(13);
    fold f;
    double out;
    draw(&f, &r, false, false);
    predictions unknown = f.p;
    unknown.train = NULL;
    assert_int_equal(metric_uno_c(&out, &unknown, NULL, NULL), PARE_OK);
    assert_true(isnan(out));
    unknown = f.p;
    unknown.F_train = NULL;
    assert_int_equal(metric_integrated_brier(&out, &unknown, NULL, NULL), PARE_OK);
    assert_true(isnan(out));
    for (int i = TRAIN; i < N; i++) f.event[i] = 0;
    assert_int_equal(metric_uno_c(&out, &f.p, NULL, NULL), PARE_OK);
    assert_true(isnan(out));
    assert_int_equal(metric_c_index(&out, &f.p, NULL, NULL), PARE_OK);
    assert_true(isnan(out));
}

/* No risk has no order, and the survival curves are those of the training samples: a finite score. */
static void equal_risks_are_half(void **state) {
    (void)state;
    rng r = rng_from(14);
    fold f;
    double out[3];
    draw(&f, &r, false, false);
    for (int i = 0; i < N; i++) f.risk[i] = 0;
    for (int i = 0; i < TRAIN; i++) f.train_risk[i] = 0;
    assert_int_equal(task_survival.measure(out, &f.p, NULL, NULL), PARE_OK);
    assert_true(out[0] == 0.5 && out[1] == 0.5 && out[2] > 0 && out[2] < 0.4);
}

TEST_FILE(test_survival_metrics) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_are_as_defined), cmocka_unit_test(weights_are_copies),
        cmocka_unit_test(undefined_is_nan), cmocka_unit_test(equal_risks_are_half)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
