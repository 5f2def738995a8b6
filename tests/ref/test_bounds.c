/* The bounds of stability selection against slow searches over the distributions that they are about,
 * and the rule that makes q and threshold of a level. */
#include "select/bounds.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "support/support.h"

enum { MAX_N = 12 };

static double tail_at(const double *f, int n, int at) {
    double sum = 0;
    for (int i = at; i <= n; i++) sum += f[i];
    return sum;
}

static double mean_of(const double *f, int n) {
    double sum = 0;
    for (int i = 0; i <= n; i++) sum += i * f[i];
    return sum;
}

/* The largest P(X >= at) of X in 0 .. n with one peak and mean at most `mean`. With the peak at m such
 * distributions are mixtures of uniform ones on intervals that hold m; under one linear condition two of
 * them suffice. */
static double best_unimodal(int n, int at, double mean) {
    double best = 0;
    for (int m = 0; m <= n; m++) {
        double centre[MAX_N * MAX_N + 64], tail[MAX_N * MAX_N + 64];
        int count = 0;
        for (int l = 0; l <= m; l++)
            for (int u = m; u <= n; u++) {
                centre[count] = (l + u) / 2.0;
                tail[count++] = u < at ? 0 : (u - (l > at ? l : at) + 1) / (double)(u - l + 1);
            }
        for (int a = 0; a < count; a++)
            for (int b = 0; b < count; b++) {
                if (centre[a] > mean) continue;
                double w = centre[b] <= mean ? 1 : (mean - centre[a]) / (centre[b] - centre[a]);
                double p = (1 - w) * tail[a] + w * tail[b];
                if (p > best) best = p;
            }
    }
    return best;
}

/* P(both halves of at least 2t - 1 of the pairs) <= C theta^2, and as far as 3/4 no less would do. */
static void unimodal_is_the_largest(void **state) {
    (void)state;
    const double thetas[] = {0.02, 0.1, 0.3, 0.5};
    for (int pairs = 4; pairs <= MAX_N; pairs += 4)
        for (size_t e = 0; e < 4; e++)
            for (int times = pairs + 2; times <= 2 * pairs; times++) {
                /* q/d = theta: the bound is C q^2/d = d C theta^2 */
                double bound = bound_expected(BOUND_UNIMODAL, 1000, (int64_t)(1000 * thetas[e]),
                                              times, pairs) /
                               1000;
                double most = best_unimodal(pairs, times - pairs, thetas[e] * thetas[e] * pairs);
                if (isinf(bound)) continue;
                assert_true(most <= bound * (1 + 1e-12));
                if (times <= 1.5 * pairs && 2 * (times - pairs) - 1 <= pairs)
                    assert_true(most >= bound * (1 - 1e-9));
            }
}

/* Masses whose power -1/s is a convex function: b + slope i + sum of c_j (i - j)_+, none beyond `end`;
 * b is found such that the mean is right. false: none does. */
static bool concave_draw(double *f, int n, int s, double mean, double slope, const double *c,
                         int end) {
    double low = 1e-9, high = 1e9;
    for (int step = 0; step < 100; step++) {
        double b = sqrt(low * high), all = 0;
        for (int i = 0; i <= n; i++) {
            double g = b + slope * i;
            for (int j = 0; j < i; j++) g += c[j] * (i - j);
            f[i] = i <= end ? pow(g, -s) : 0;
            all += f[i];
        }
        for (int i = 0; i <= n; i++) f[i] /= all;
        if (mean_of(f, n) < mean)
            low = b;
        else
            high = b;
    }
    return fabs(mean_of(f, n) - mean) < 1e-6 * mean;
}

/* No r-concave distribution that a random search with improvements finds has a larger tail, and it comes
 * near to the largest. */
static void r_concave_is_the_largest(void **state) {
    (void)state;
    const struct {
        int n, at, s;
        double mean;
    } of[] = {{8, 4, 2, 0.3}, {10, 5, 4, 1.2}, {12, 7, 2, 0.05}, {12, 12, 4, 0.8}, {6, 3, 2, 1}};
    rng r = rng_from(5);
    for (size_t e = 0; e < sizeof of / sizeof of[0]; e++) {
        int n = of[e].n;
        double bound = r_concave_tail(of[e].mean, of[e].at, n, of[e].s), best = 0;
        double f[MAX_N + 1], kept[MAX_N + 1] = {0}, c[MAX_N + 1];
        assert_true(bound > 0 && bound < of[e].mean / of[e].at); /* better than Markov's */
        for (int end = of[e].at; end <= n; end++)
            for (int t = 0; t < 400; t++) {
                bool fresh = t < 40;
                for (int j = 0; j <= n; j++) {
                    double with = fresh ? (rng_below(&r, 4) == 0) : kept[j];
                    c[j] = with * exp(rng_normal(&r) * (fresh ? 3 : 0.3));
                    if (!fresh && rng_below(&r, 4) == 0) c[j] = 0;
                }
                if (!concave_draw(f, n, of[e].s, of[e].mean, 1, c, end)) continue;
                double tail = tail_at(f, n, of[e].at);
                assert_true(tail <= bound * (1 + 1e-6));
                if (tail <= best) continue;
                best = tail;
                for (int j = 0; j <= n; j++) kept[j] = c[j];
            }
        assert_true(best >= 0.97 * bound);
    }
}

/* What the rule promises, by the bounds alone. */
static void rules_hold(void **state) {
    (void)state;
    for (int bound = 0; bound < BOUND_COUNT; bound++)
        for (int64_t d = 10; d <= 100000; d *= 10)
            for (double level = 0.5; level <= 4; level *= 2) {
                bound_rule rule;
                assert_true(bound_rule_of(&rule, (bound_kind)bound, level, d, 50));
                assert_true(rule.q >= 1 && rule.times > 50 && rule.times <= 100);
                assert_true(rule.expected <= level * (1 + 1e-9));
                double fewer = bound_expected((bound_kind)bound, d, rule.q, rule.times - 1, 50);
                assert_true(rule.times == 51 || fewer > level); /* the least that will do */
                assert_true((double)(rule.q * rule.q) <= 0.8 * level * (double)d * (1 + 1e-9));
                double next = (double)((rule.q + 1) * (rule.q + 1));
                assert_true(next > 0.8 * level * (double)d * (1 - 1e-9) ||
                            (double)(rule.q + 1) > (double)d / sqrt(3));
            }
    bound_rule rule; /* the numbers of Meinshausen and Buehlmann: 0.9 and sqrt(0.8 d) */
    assert_true(bound_rule_of(&rule, BOUND_PLAIN, 1, 2000, 50));
    assert_int_equal(rule.q, 40);
    assert_int_equal(rule.times, 90);
    assert_true(bound_rule_of(&rule, BOUND_UNIMODAL, 1, 2000, 50));
    assert_int_equal(rule.times, 71);
    assert_true(bound_rule_of(&rule, BOUND_R_CONCAVE, 1, 2000, 50));
    assert_true(rule.times < 71);
}

/* What cannot be had is refused with what can: 1/d, and 2/((B + 1) d). */
static void least_levels(void **state) {
    (void)state;
    bound_rule rule;
    assert_false(bound_rule_of(&rule, BOUND_PLAIN, 0.0009, 1000, 50));
    assert_true(fabs(rule.expected - 0.001) < 1e-12);
    assert_true(bound_rule_of(&rule, BOUND_PLAIN, 0.001, 1000, 50));
    assert_false(bound_rule_of(&rule, BOUND_UNIMODAL, 1e-6, 1000, 50));
    assert_true(fabs(rule.expected - 2.0 / 51 / 1000) < 1e-12);
    for (int bound = 0; bound < BOUND_COUNT; bound++) {
        if (bound_rule_of(&rule, (bound_kind)bound, 1e-12, 1000, 50)) fail();
        double least = rule.expected * (1 + 1e-9);
        assert_true(bound_rule_of(&rule, (bound_kind)bound, least, 1000, 50));
        assert_int_equal(rule.q, 1);
        assert_int_equal(rule.times, 100);
    }
}

TEST_FILE(test_bounds) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unimodal_is_the_largest),
        cmocka_unit_test(r_concave_is_the_largest),
        cmocka_unit_test(rules_hold),
        cmocka_unit_test(least_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
