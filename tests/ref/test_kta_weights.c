/* Weights against bisection on the objective's slope, the paper's path algorithm against the direct
 * solution, and what the paper proves of the path. */
#include "support/support.h"

#include <math.h>

#include "solve/kernel/kta_weights.h"

/* The slope of the objective at ln eta, written out again. */
static double slope(const kta_problem *k, double a, double L) {
    double divergence =
        k->kl ? k->lambda1 * (L - log(k->eta0)) : 2 * k->lambda1 * (exp(L) - k->eta0);
    return divergence + k->lambda2 * k->p * exp((k->p - 1) * L) - a;
}

static double bisect(const kta_problem *k, double a) {
    double low = -1e9, high = 50;
    if (slope(k, a, high) < 0) return INFINITY;
    for (int i = 0; i < 200; i++) {
        double mid = 0.5 * (low + high);
        if (slope(k, a, mid) < 0)
            low = mid;
        else
            high = mid;
    }
    return high;
}

static kta_problem random_problem(rng *r, bool kl) {
    double ps[] = {1 + 1e-6, 1.001, 1.01, 1.1, 1.37, 1.5, 1.99, 2};
    kta_problem k = {.lambda1 = pow(10, 4 * rng_uniform(r) - 3),
                     .lambda2 = pow(10, 4 * rng_uniform(r) - 3),
                     .p = ps[rng_below(r, 8)],
                     .eps = 1e-4,
                     .kl = kl,
                     .eta0 = kl                     ? pow(10, -3 * rng_uniform(r))
                             : rng_uniform(r) < 0.5 ? 0
                                                    : 0.2};
    return k;
}

static void weights_are_where_the_slope_vanishes(void **state) {
    (void)state;
    rng r = rng_from(72);
    for (int t = 0; t < 4000; t++) {
        kta_problem k = random_problem(&r, t % 2);
        if (t % 17 == 0) k.lambda2 = 0;
        if (t % 19 == 0 && k.p > 1.05) k.lambda1 = 0;
        double a = pow(10, 5 * rng_uniform(&r) - 3), L = kta_log_weight(&k, a), at = bisect(&k, a);
        if (isinf(at)) continue;
        if (!(fabs(L - at) <= 1e-9 * fmax(1, fabs(at))))
            fail_msg("lambda1 %g lambda2 %g p %.9g kl %d eta0 %g a %g: ln eta %.15g, not %.15g",
                     k.lambda1, k.lambda2, k.p, k.kl, k.eta0, a, L, at);
        double here = kta_value(&k, a, exp(L)); /* and no neighbour is better */
        assert_true(here <= kta_value(&k, a, exp(L) * 1.01) + 1e-12 * fabs(here));
        assert_true(here <= kta_value(&k, a, exp(L) * 0.99) + 1e-12 * fabs(here));
        assert_true((L > log(k.eps)) == (a > kta_threshold(&k)) ||
                    fabs(a - kta_threshold(&k)) < 1e-9 * a);
    }
}

static void p_one_is_a_threshold(void **state) {
    (void)state;
    kta_problem k = {.lambda1 = 0.7, .lambda2 = 1.3, .p = 1, .eps = 1e-4};
    check_close(exp(kta_log_weight(&k, 3)), (3 - 1.3) / 1.4, 1e-14);
    assert_true(exp(kta_log_weight(&k, 1.2)) == 0);
    kta_problem near = k;
    near.p = 1 + 1e-9;
    check_close(exp(kta_log_weight(&near, 3)), (3 - 1.3) / 1.4, 1e-7);
    assert_true(exp(kta_log_weight(&near, 1.2)) < 1e-100);
    k.kl = true;
    k.eta0 = 0.1;
    check_close(exp(kta_log_weight(&k, 3)), 0.1 * exp((3 - 1.3) / 0.7), 1e-14);
}

static void following_the_path_ends_at_the_direct_solution(void **state) {
    (void)state;
    enum { D = 200 };
    rng r = rng_from(73);
    double a[D], log_eta[D], juncture[D];
    for (int t = 0; t < 60; t++) {
        kta_problem k = random_problem(&r, t % 2);
        double size = fmax(k.lambda1, k.lambda2);
        if (t % 5 == 0) k.p = 1;
        if (k.kl) { /* else weights beyond the largest double */
            k.eta0 = k.eps;
            k.lambda1 = fmax(k.lambda1, 0.1 * k.lambda2);
        }
        for (int i = 0; i < D; i++) a[i] = size * pow(10, 4 * rng_uniform(&r) - 3.5);
        int64_t newton[3];
        for (int order = 0; order < 3; order++) {
            kta_trace trace;
            kta_follow(log_eta, juncture, &trace, &k, a, D, 2, 0.01, order);
            newton[order] = trace.newton_steps;
            int64_t active = 0;
            double lost = 0, values = 0;
            for (int i = 0; i < D; i++) {
                double direct = exp(kta_log_weight(&k, a[i])), here = exp(log_eta[i]);
                bool selected = a[i] > kta_threshold(&k);
                active += selected;
                assert_true(selected == (here > 0));
                if (selected && !(fabs(here - direct) <= 1e-9 * direct))
                    fail_msg("order %d, p %g: %.15g, directly %.15g", order, k.p, here, direct);
                values += fabs(kta_value(&k, a[i], direct));
                lost += kta_value(&k, a[i], here) - kta_value(&k, a[i], direct);
                double at = kta_juncture(&k, a[i], k.p, 2);
                if (selected)
                    assert_true(at == k.p && juncture[i] == 0);
                else if (isfinite(at)) /* dropped at the first step past its juncture */
                    assert_true(juncture[i] <= at + 1e-9 && juncture[i] >= at - 0.01 - 1e-9);
                else
                    assert_true(juncture[i] == 2);
            }
            assert_int_equal(active, trace.active);
            assert_true(lost <= trace.bound * (1 + 1e-9) + 1e-12 * values);
        }
        assert_true(newton[2] <= newton[0]);
    }
}

/* Theorem 2 and nestedness. */
static void weights_move_as_the_paper_proves(void **state) {
    (void)state;
    rng r = rng_from(74);
    for (int t = 0; t < 400; t++) {
        kta_problem k = random_problem(&r, t % 2);
        double a = pow(10, 4 * rng_uniform(&r) - 2), before = INFINITY;
        bool was_selected = true, was_small = false, was_large = false;
        for (int s = 0; s <= 100; s++) {
            k.p = 2 - 0.01 * s;
            double L = kta_log_weight(&k, a);
            if (was_small) assert_true(L <= before + 1e-12);
            if (was_large) assert_true(L >= before - 1e-12);
            was_small = L < -1;
            was_large = L > -1 / k.p;
            bool selected = a > kta_threshold(&k);
            assert_true(was_selected || !selected);
            was_selected = selected;
            before = L;
        }
    }
}

TEST_FILE(test_kta_weights) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_where_the_slope_vanishes),
        cmocka_unit_test(p_one_is_a_threshold),
        cmocka_unit_test(following_the_path_ends_at_the_direct_solution),
        cmocka_unit_test(weights_move_as_the_paper_proves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
