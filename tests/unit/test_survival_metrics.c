/* Uno's c-index, against its definition written out. */
#include "support/fits.h"

#include <math.h>
#include <stdlib.h>

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

static void uno_is_as_defined(void **state) {
    (void)state;
    rng r = rng_from(11);
    fold f;
    for (int t = 0; t < 60; t++) {
        double fast;
        draw(&f, &r, t & 1, t & 2);
        assert_int_equal(metric_uno_c(&fast, &f.p, NULL, NULL), PARE_OK);
        if (!(fabs(fast - uno(&f)) <= 1e-12))
            fail_msg("problem %d: uno_c is %.17g, pair by pair %.17g", t, fast, uno(&f));
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
    for (int i = TRAIN; i < N; i++) f.event[i] = 0;
    assert_int_equal(metric_uno_c(&out, &f.p, NULL, NULL), PARE_OK);
    assert_true(isnan(out));
    assert_int_equal(metric_c_index(&out, &f.p, NULL, NULL), PARE_OK);
    assert_true(isnan(out));
}

TEST_FILE(test_survival_metrics) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(uno_is_as_defined),
                                       cmocka_unit_test(weights_are_copies),
                                       cmocka_unit_test(undefined_is_nan)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
