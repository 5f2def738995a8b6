/* The temperature against its definition: the least cross-entropy to the smoothed targets, by plain
 * loops and a search that knows no derivative. */
#include "support/support.h"

#include <math.h>

#include "select/temperature.h"

enum { N = 60, C = 4 };

typedef struct sample {
    int64_t n, c;
    int32_t cls[3 * N];
    double F[3 * N * C], log_prior[C], weight[3 * N];
} sample;

static double *value(sample *s, int64_t i, int64_t k) { return &s->F[k * s->n + i]; }

/* Scores of c classes around the prior: `sure` times what they ought to be. */
static sample draw(rng *r, int64_t c, double signal, double sure) {
    static const double share[C] = {0.2, 0.4, 0.3, 0.1};
    sample s = {.n = N, .c = c};
    double total = 0;
    for (int64_t k = 0; k < c; k++) total += share[k];
    for (int64_t k = 0; k < c; k++) s.log_prior[k] = log(share[k] / total);
    for (int64_t i = 0; i < N; i++) {
        s.cls[i] = i < c ? (int32_t)i : (int32_t)rng_below(r, c);
        s.weight[i] = (double)(1 + rng_below(r, 3));
        for (int64_t k = 0; k < c; k++)
            *value(&s, i, k) = s.log_prior[k] + sure * (rng_normal(r) + signal * (k == s.cls[i]));
        if (c == 2) s.F[i] = s.F[N + i] - s.F[i]; /* two classes have one score */
    }
    return s;
}

static double entropy(const sample *s, const double *weight, double T) {
    double total = 0, sum = 0;
    for (int64_t i = 0; i < s->n; i++) total += weight ? weight[i] : 1;
    for (int64_t i = 0; i < s->n; i++) {
        double z[C], all = 0;
        for (int64_t k = 0; k < s->c; k++) {
            double f = s->c == 2 ? (k ? s->F[i] : 0) : s->F[k * s->n + i];
            z[k] = s->log_prior[k] + (f - s->log_prior[k]) / T;
            all += exp(z[k]);
        }
        for (int64_t k = 0; k < s->c; k++) {
            double target = ((k == s->cls[i]) * total + 1) / (total + (double)s->c);
            sum -= (weight ? weight[i] : 1) * target * (z[k] - log(all));
        }
    }
    return sum;
}

static void no_other_is_better(void **state) {
    (void)state;
    rng r = rng_from(311);
    bool flat;
    for (int trial = 0; trial < 60; trial++) {
        sample s = draw(&r, 2 + trial % 3, 0.5 + trial % 4, pow(10, trial % 5 - 2));
        const double *weight = trial % 2 ? s.weight : NULL;
        double T = temperature_fit(&flat, s.F, s.n, s.c, s.cls, s.log_prior, weight);
        double here = entropy(&s, weight, T);
        assert_true(T > 0);
        for (double by = 3; by > 1 + 1e-4; by = sqrt(by))
            assert_true(entropy(&s, weight, T * by) >= here - 1e-11 &&
                        entropy(&s, weight, T / by) >= here - 1e-11);
        if (!flat) assert_true(entropy(&s, weight, T * 1.02) > here);
    }
}

/* Scores of the right size have a temperature near 1, and it goes with their unit. */
static void it_is_the_unit_of_the_scores(void **state) {
    (void)state;
    rng r = rng_from(312);
    bool flat;
    for (int64_t c = 2; c <= C; c++) {
        sample s = draw(&r, c, 1.5, 1), other = s;
        double T = temperature_fit(&flat, s.F, s.n, s.c, s.cls, s.log_prior, NULL);
        assert_true(T > 0.3 && T < 3 && !flat);
        for (double unit = 1e-6; unit < 1e7; unit *= 1e4) {
            for (int64_t k = 0; k < c; k++)
                for (int64_t i = 0; i < N; i++)
                    *value(&other, i, k) =
                        s.log_prior[k] + unit * (*value(&s, i, k) - s.log_prior[k]);
            for (int64_t i = 0; c == 2 && i < N; i++) {
                double middle = s.log_prior[1] - s.log_prior[0];
                other.F[i] = middle + unit * (s.F[i] - middle);
            }
            check_close(temperature_fit(&flat, other.F, s.n, s.c, s.cls, s.log_prior, NULL),
                        unit * T, 1e-8);
        }
    }
}

static void a_weight_is_so_many_copies(void **state) {
    (void)state;
    rng r = rng_from(313);
    bool flat;
    for (int64_t c = 2; c <= 3; c++) {
        sample s = draw(&r, c, 1, 5), more = s;
        more.n = 0;
        for (int64_t i = 0; i < s.n; i++) more.n += (int64_t)s.weight[i];
        for (int64_t i = 0, at = 0; i < s.n; i++)
            for (int copy = 0; copy < (int)s.weight[i]; copy++, at++) {
                more.cls[at] = s.cls[i];
                for (int64_t k = 0; k < c; k++) *value(&more, at, k) = *value(&s, i, k);
            }
        check_close(temperature_fit(&flat, s.F, s.n, c, s.cls, s.log_prior, s.weight),
                    temperature_fit(&flat, more.F, more.n, c, more.cls, more.log_prior, NULL),
                    1e-9);
    }
}

/* Scores that go the wrong way leave the prior; equal ones leave everything as it is; separable ones
 * have a temperature all the same. */
static void the_ends_are_finite(void **state) {
    (void)state;
    rng r = rng_from(314);
    bool flat;
    sample s = draw(&r, 2, -3, 1);
    double T = temperature_fit(&flat, s.F, s.n, s.c, s.cls, s.log_prior, NULL), middle;
    assert_true(flat && isfinite(T));
    middle = s.log_prior[1] - s.log_prior[0];
    for (int64_t i = 0; i < s.n; i++) assert_true(fabs((s.F[i] - middle) / T) < 1e-5);
    for (int64_t i = 0; i < s.n; i++) s.F[i] = middle;
    assert_true(temperature_fit(&flat, s.F, s.n, s.c, s.cls, s.log_prior, NULL) == 1 && !flat);
    s.log_prior[0] = s.log_prior[1] = log(0.5);
    for (int64_t i = 0; i < s.n; i++) s.F[i] = s.cls[i] ? 1e-3 : -1e-3;
    T = temperature_fit(&flat, s.F, s.n, s.c, s.cls, s.log_prior, NULL);
    assert_true(!flat && T > 1e-5 && T < 1e-3);
}

TEST_FILE(test_temperature) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_other_is_better), cmocka_unit_test(it_is_the_unit_of_the_scores),
        cmocka_unit_test(a_weight_is_so_many_copies), cmocka_unit_test(the_ends_are_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
