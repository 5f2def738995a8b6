/* Platt's sigmoid against its definition: the least cross-entropy to the smoothed targets, by plain
 * loops and a search that knows no derivative. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

#include "select/platt.h"

enum { N = 40 };

typedef struct sample {
    int64_t n;
    double f[4 * N], weight[4 * N];
    bool positive[4 * N];
} sample;

static sample draw(rng *r, int64_t n, double signal) {
    sample s = {.n = n};
    for (int64_t i = 0; i < n; i++) {
        s.positive[i] = rng_uniform(r) < 0.4;
        s.f[i] = rng_normal(r) + signal * s.positive[i];
        s.weight[i] = (double)(1 + rng_below(r, 3));
    }
    s.positive[0] = true;
    s.positive[1] = false;
    return s;
}

static double entropy(const sample *s, const double *weight, double a, double b) {
    double count[2] = {0, 0}, sum = 0;
    for (int64_t i = 0; i < s->n; i++) count[s->positive[i]] += weight ? weight[i] : 1;
    for (int64_t i = 0; i < s->n; i++) {
        double t = s->positive[i] ? (count[1] + 1) / (count[1] + 2) : 1 / (count[0] + 2);
        double z = a * s->f[i] + b, w = weight ? weight[i] : 1;
        double log_p = -log1p(exp(z)), log_q = z - log1p(exp(z)); /* |z| is small here */
        sum -= w * (t * log_p + (1 - t) * log_q);
    }
    return sum;
}

/* No point around (a, b) is lower, at any distance. */
static void least(const sample *s, const double *weight, double a, double b) {
    double here = entropy(s, weight, a, b);
    for (double by = 1; by > 1e-6; by /= 3)
        for (int turn = 0; turn < 16; turn++) {
            double angle = 3.14159265358979 * turn / 8, da = by * cos(angle), db = by * sin(angle);
            assert_true(entropy(s, weight, a + da, b + db) >= here - 1e-12 * (1 + here));
        }
    assert_true(entropy(s, weight, a * 1.01 + 1e-3, b) > here);
}

static void the_sigmoid_is_the_best(void **state) {
    (void)state;
    rng r = rng_from(211);
    for (int trial = 0; trial < 40; trial++) {
        sample s = draw(&r, N, trial % 4);
        double a, b;
        platt_fit(&a, &b, s.n, s.f, s.positive, NULL);
        least(&s, NULL, a, b);
        platt_fit(&a, &b, s.n, s.f, s.positive, s.weight);
        least(&s, s.weight, a, b);
    }
}

static void a_weight_is_so_many_copies(void **state) {
    (void)state;
    rng r = rng_from(212);
    sample s = draw(&r, N, 1), more = {0};
    for (int64_t i = 0; i < s.n; i++)
        for (int c = 0; c < s.weight[i]; c++) {
            more.f[more.n] = s.f[i];
            more.positive[more.n++] = s.positive[i];
        }
    double a, b, c, d;
    platt_fit(&a, &b, s.n, s.f, s.positive, s.weight);
    platt_fit(&c, &d, more.n, more.f, more.positive, NULL);
    check_close(a, c, 1e-9);
    check_close(b, d, 1e-9);
}

/* Separable, tiny, huge and constant values: targets below 1 keep the sigmoid finite. */
static void units_do_not_matter(void **state) {
    (void)state;
    static const double units[] = {1e-150, 1e-9, 1, 1e9, 1e150};
    rng r = rng_from(213);
    for (int separable = 0; separable < 2; separable++) {
        sample s = draw(&r, N, 1), other = s;
        for (int64_t i = 0; i < s.n && separable; i++)
            s.f[i] = s.positive[i] ? 1 + fabs(s.f[i]) : -1 - fabs(s.f[i]);
        double a, b;
        platt_fit(&a, &b, s.n, s.f, s.positive, NULL);
        assert_true(isfinite(a) && isfinite(b) && (!separable || a < 0));
        for (int u = 0; u < 5; u++) {
            double c, d;
            for (int64_t i = 0; i < s.n; i++) other.f[i] = units[u] * s.f[i];
            platt_fit(&c, &d, s.n, other.f, s.positive, NULL);
            check_close(a, c * units[u], 1e-7);
            check_close(b, d, 1e-7);
        }
    }
}

static void equal_values_give_the_share(void **state) {
    (void)state;
    rng r = rng_from(214);
    sample s = draw(&r, N, 1);
    double a, b, count = 0;
    for (int64_t i = 0; i < s.n; i++) {
        s.f[i] = 7.25;
        count += s.positive[i];
    }
    platt_fit(&a, &b, s.n, s.f, s.positive, NULL);
    double mean = (count * (count + 1) / (count + 2) + (N - count) / (N - count + 2)) / N;
    check_close(1 / (1 + exp(a * 7.25 + b)), mean, 1e-9);
}

TEST_FILE(test_platt) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sigmoid_is_the_best), cmocka_unit_test(a_weight_is_so_many_copies),
        cmocka_unit_test(units_do_not_matter), cmocka_unit_test(equal_values_give_the_share)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
