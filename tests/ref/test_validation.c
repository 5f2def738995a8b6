/* pare_validate against its definitions: the equations that calibration solves, net benefit counted
 * sample by sample, the slope of Cox's model by a second likelihood, pooling of equal cohorts. */
#include <math.h>
#include <string.h>

#include "support/fits.h"
#include "support/survival.h"

#include "data/dataset.h"

enum { N = 80 };

typedef struct trial {
    pare_data *train, *data[3];
    pare_model *model;
    double p[3][N], z[3][N];
    int cls[3][N];
} trial;

static trial trial_make(uint64_t seed) {
    trial t;
    rng r;
    double P[2 * N];
    rng_seed(&r, seed, 0);
    problem_shape shape = {.n = N, .d = 12, .classes = 2, .signal = 0.5, .density = 1};
    t.train = problem_make(&r, &shape);
    t.model = fit_or_fail(t.train, "logistic", PAIRS("lambda_ratio", "0.1"));
    for (int c = 0; c < 3; c++) {
        t.data[c] = problem_make(&r, &shape);
        problem_samples(t.data[c], t.cls[c], NULL);
        assert_int_equal(pare_predict_probability(P, t.model, t.data[c], NULL, NULL), PARE_OK);
        memcpy(t.p[c], P + N, sizeof t.p[c]);
        for (int i = 0; i < N; i++) t.z[c][i] = log(P[N + i] / P[i]);
    }
    return t;
}

static void trial_free(trial *t) {
    for (int c = 0; c < 3; c++) pare_data_free(t->data[c]);
    pare_model_free(t->model);
    pare_data_free(t->train);
}

static pare_validation *validate(const trial *t, int count, const pare_validate_options *o) {
    static const char *const names[] = {"one", "two", "three"};
    pare_validation *v = NULL;
    pare_error err;
    if (pare_validate(&v, t->model, (const pare_data *const *)t->data, names, count, o, NULL,
                      &err) != PARE_OK)
        fail_msg("%s", err.message);
    return v;
}

/* Log likelihood of y ~ a + b z. */
static double likelihood(const double *z, const int *cls, double a, double b) {
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double eta = a + b * z[i];
        sum -= cls[i] ? log1p(exp(-eta)) : log1p(exp(eta));
    }
    return sum;
}

/* Its maximum over a, by thirds. */
static double profile(const double *z, const int *cls, double b) {
    double low = -50, high = 50;
    for (int step = 0; step < 200; step++) {
        double x = low + (high - low) / 3, y = high - (high - low) / 3;
        if (likelihood(z, cls, x, b) < likelihood(z, cls, y, b))
            low = x;
        else
            high = y;
    }
    return likelihood(z, cls, (low + high) / 2, b);
}

static void near(double own, double expected, double tol) {
    if (!(fabs(own - expected) <= tol)) fail_msg("%.17g, not %.17g", own, expected);
}

static void calibration_solves_its_equations(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        trial t = trial_make(seed);
        pare_validation *v = validate(&t, 1, NULL);
        const pare_cohort *c = &pare_validation_get(v)->cohort[0];
        const pare_calibration *own = &c->calibration[0];
        double a = own->intercept.value, b = own->slope.value, h = 1e-4;
        double off = 0, curve = 0, observed = 0, expected = 0;
        for (int i = 0; i < N; i++) {
            double q = 1 / (1 + exp(-a - t.z[0][i]));
            off += t.cls[0][i] - q;
            curve += q * (1 - q);
            observed += t.cls[0][i];
            expected += t.p[0][i];
        }
        near(off, 0, 1e-10 * N);
        near(own->intercept.high - a, 1.959963984540054 / sqrt(curve), 1e-9);
        near(a - own->intercept.low, own->intercept.high - a, 1e-12);
        double at = profile(t.z[0], t.cls[0], b);
        assert_true(at >= profile(t.z[0], t.cls[0], b + 1e-3));
        assert_true(at >= profile(t.z[0], t.cls[0], b - 1e-3));
        double up = profile(t.z[0], t.cls[0], b + h * 10),
               down = profile(t.z[0], t.cls[0], b - h * 10);
        double error = 1 / sqrt(-(up - 2 * at + down) / (100 * h * h));
        near(own->slope.high - b, 1.959963984540054 * error, 1e-3 * error);
        near(own->observed_expected.value, observed / expected, 1e-12);
        double by = exp(1.959963984540054 * sqrt((1 - observed / N) / observed));
        near(own->observed_expected.high, observed / expected * by, 1e-9);
        pare_validation_free(v);
        trial_free(&t);
    }
}

static void net_benefit_is_its_definition(void **state) {
    (void)state;
    trial t = trial_make(7);
    for (int given = 0; given < 2; given++) {
        pare_validate_options o;
        pare_validate_options_init(&o);
        if (given) o.prevalence = 0.1;
        pare_validation *v = validate(&t, 1, &o);
        const pare_cohort *c = &pare_validation_get(v)->cohort[0];
        assert_int_equal(c->n_thresholds, 99);
        for (int k = 0; k < 99; k++) {
            double cut = (k + 1) / 100.0, tp = 0, fp = 0, positive = 0;
            for (int i = 0; i < N; i++) {
                positive += t.cls[0][i];
                if (t.p[0][i] < cut) continue;
                tp += t.cls[0][i];
                fp += !t.cls[0][i];
            }
            double odds = cut / (1 - cut), share = positive / N;
            double own = given ? 0.1 * tp / positive - 0.9 * fp / (N - positive) * odds
                               : tp / N - fp / N * odds;
            double all = given ? 0.1 - 0.9 * odds : share - (1 - share) * odds;
            near(c->decision[k].threshold, cut, 1e-15);
            near(c->decision[k].net_benefit, own, 1e-12 * (1 + odds));
            near(c->decision[k].treat_all, all, 1e-12 * (1 + odds));
            assert_true(c->decision[k].treat_none == 0);
        }
        pare_validation_free(v);
    }
    trial_free(&t);
}

static void groups_hold_every_sample_once(void **state) {
    (void)state;
    trial t = trial_make(9);
    pare_validation *v = validate(&t, 2, NULL);
    for (int q = 0; q < 2; q++) {
        const pare_calibration *c = pare_validation_get(v)->cohort[q].calibration;
        double n = 0, predicted = 0, observed = 0, sum = 0, events = 0;
        for (int64_t b = 0; b < c->n_bins; b++) {
            n += (double)c->bin[b].n;
            predicted += (double)c->bin[b].n * c->bin[b].predicted;
            observed += (double)c->bin[b].n * c->bin[b].observed;
            assert_true(c->bin[b].low <= c->bin[b].observed);
            assert_true(c->bin[b].high >= c->bin[b].observed);
            if (b > 0) assert_true(c->bin[b].predicted > c->bin[b - 1].predicted);
        }
        for (int i = 0; i < N; i++) {
            sum += t.p[q][i];
            events += t.cls[q][i];
        }
        assert_true(n == N);
        near(predicted, sum, 1e-10);
        near(observed, events, 1e-10);
    }
    pare_validation_free(v);
    trial_free(&t);
}

/* A recalibrated model is calibrated on the samples that it was recalibrated on, and nowhere else
 * changed: outputs, decisions and the check of its certificate. */
static void recalibration_calibrates(void **state) {
    (void)state;
    trial t = trial_make(11);
    const char *const kinds[] = {"intercept", "slope"};
    for (int k = 0; k < 2; k++) {
        pare_validate_options o;
        pare_model *again = NULL, *own = t.model;
        pare_report before, after;
        pare_error err;
        double F[N], G[N];
        pare_validate_options_init(&o);
        o.recalibrate = kinds[k];
        pare_validation *v = validate(&t, 1, &o);
        assert_int_equal(pare_validation_recalibrated(&again, v, t.model, NULL, &err), PARE_OK);
        pare_validation_free(v);
        assert_int_equal(pare_predict(F, own, t.data[0], NULL, NULL), PARE_OK);
        assert_int_equal(pare_predict(G, again, t.data[0], NULL, NULL), PARE_OK);
        assert_memory_equal(F, G, sizeof F);
        assert_int_equal(pare_check(&before, NULL, own, t.train, NULL, NULL), PARE_OK);
        assert_int_equal(pare_check(&after, NULL, again, t.train, NULL, NULL), PARE_OK);
        assert_true(before.certificate.value == after.certificate.value);
        t.model = again;
        v = validate(&t, 1, NULL);
        const pare_calibration *c = pare_validation_get(v)->cohort[0].calibration;
        near(c->intercept.value, 0, 1e-9);
        near(c->observed_expected.value, 1, 1e-9);
        if (k) near(c->slope.value, 1, 1e-9);
        pare_validation_free(v);
        t.model = own;
        pare_model_free(again);
    }
    trial_free(&t);
}

/* Three times the same cohort: no variance between them, so that the mean is the value, and its
 * interval that of three independent ones. */
static void equal_cohorts_pool_to_their_value(void **state) {
    (void)state;
    trial t = trial_make(13);
    pare_data *second = t.data[1], *third = t.data[2];
    t.data[1] = t.data[2] = t.data[0];
    pare_validation *v = validate(&t, 3, NULL);
    const pare_validation_info *info = pare_validation_get(v);
    for (int64_t k = 0; k < info->n_metrics; k++) {
        const pare_pooled *p = &info->pooled[k];
        near(p->mean.value, info->cohort[0].metric[k].value, 1e-9);
        assert_true(p->tau2 < 1e-12);
        assert_true(p->mean.low < p->mean.value && p->mean.value < p->mean.high);
        assert_true(p->prediction_low < p->mean.low && p->prediction_high > p->mean.high);
    }
    pare_validation_free(v);
    t.data[1] = second;
    t.data[2] = third;
    trial_free(&t);
}

/* Log partial likelihood of b z within strata, Breslow's ties, by its definition. */
static double partial(const survival_problem *s, const double *z, double b) {
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double risk = 0;
        if (!s->event[i]) continue;
        for (int64_t j = 0; j < s->n; j++)
            if (s->time[j] >= s->time[i] && (!s->stratum || s->stratum[j] == s->stratum[i]))
                risk += (s->weight ? s->weight[j] : 1) * exp(b * z[j]);
        sum += (s->weight ? s->weight[i] : 1) * (b * z[i] - log(risk));
    }
    return sum;
}

static void survival_slope_is_the_most_likely(void **state) {
    (void)state;
    const int what[] = {0, SURVIVAL_STRATA, SURVIVAL_WEIGHTS, SURVIVAL_STRATA | SURVIVAL_WEIGHTS};
    for (int k = 0; k < 4; k++) {
        rng r;
        rng_seed(&r, 40 + (uint64_t)k, 0);
        survival_problem s = survival_make(&r, 60, 8, 25, what[k]);
        pare_model *m = fit_or_fail(s.data, "cox", PAIRS("lambda_ratio", "0.3"));
        const char *name = "s";
        pare_validation *v = NULL;
        pare_error err;
        double z[60];
        if (pare_validate(&v, m, (const pare_data *const *)&s.data, &name, 1, NULL, NULL, &err) !=
            PARE_OK)
            fail_msg("%s", err.message);
        const pare_calibration *c = pare_validation_get(v)->cohort[0].calibration;
        assert_int_equal(pare_predict(z, m, s.data, NULL, NULL), PARE_OK);
        double b = c->slope.value, h = 1e-3, at = partial(&s, z, b);
        double up = partial(&s, z, b + h), down = partial(&s, z, b - h);
        near((up - down) / (2 * h) / fabs(at), 0, 1e-5);
        double error = h / sqrt(-(up - 2 * at + down));
        near(c->slope.high - b, 1.959963984540054 * error, 1e-3 * error);
        if (!s.stratum) near(c->observed_expected.value, 1, 1e-9); /* the training data */
        pare_validation_free(v);
        pare_model_free(m);
        survival_free(&s);
    }
}

static void numbers_are_calibrated_by_least_squares(void **state) {
    (void)state;
    enum { D = 3 };
    double x[N * D], y[N], f[N];
    rng r;
    rng_seed(&r, 51, 0);
    for (int i = 0; i < N * D; i++) x[i] = rng_normal(&r);
    for (int i = 0; i < N; i++) y[i] = 2 * x[i] + 3 + rng_normal(&r);
    pare_data *data = data_valued(N, D, x, y);
    pare_model *m = fit_or_fail(data, "lasso", PAIRS("lambda_ratio", "0.4", "task", "regress"));
    const char *name = "n";
    pare_validation *v = NULL;
    pare_error err;
    if (pare_validate(&v, m, (const pare_data *const *)&data, &name, 1, NULL, NULL, &err) !=
        PARE_OK)
        fail_msg("%s", err.message);
    const pare_calibration *c = pare_validation_get(v)->cohort[0].calibration;
    assert_int_equal(pare_predict(f, m, data, NULL, NULL), PARE_OK);
    double b = c->slope.value, off = 0, across = 0, along = 0, mean_f = 0, mean_y = 0;
    for (int i = 0; i < N; i++) {
        mean_f += f[i] / N;
        mean_y += y[i] / N;
    }
    for (int i = 0; i < N; i++) {
        off += (y[i] - f[i]) / N;
        across += (y[i] - mean_y - b * (f[i] - mean_f)) * (f[i] - mean_f);
        along += (f[i] - mean_f) * (f[i] - mean_f);
    }
    near(across / along, 0, 1e-12);
    near(c->intercept.value, off, 1e-12);
    assert_true(isnan(c->observed_expected.value));
    assert_null(pare_validation_get(v)->cohort[0].decision);
    pare_validation_free(v);
    pare_model_free(m);
    pare_data_free(data);
}

TEST_FILE(test_validation) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calibration_solves_its_equations),
        cmocka_unit_test(net_benefit_is_its_definition),
        cmocka_unit_test(groups_hold_every_sample_once),
        cmocka_unit_test(recalibration_calibrates),
        cmocka_unit_test(equal_cohorts_pool_to_their_value),
        cmocka_unit_test(survival_slope_is_the_most_likely),
        cmocka_unit_test(numbers_are_calibrated_by_least_squares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
