/* The Weston-Watkins solver: objectives and feasibility from raw points by plain loops; with two
 * classes it is half an ordinary SVM. And the smallest ball. */
#include "solve/svm/ww_dual.h"

#include <math.h>
#include <stdlib.h>

#include "solve/svm/ball_dual.h"
#include "solve/svm/svm_dual.h"
#include "support/support.h"

enum { N_MAX = 60, D_MAX = 40, C_MAX = 30, SMALL = 30 };

typedef struct ww_case {
    int64_t n, d, c;
    double x[N_MAX * D_MAX]; /* row-major */
    double K[N_MAX * N_MAX], C[N_MAX * C_MAX], ridge[N_MAX * C_MAX];
    int32_t cls[N_MAX];
    double alpha[N_MAX * C_MAX], B[N_MAX * C_MAX], b[C_MAX];
} ww_case;

static void draw(ww_case *t, rng *r, int64_t n, int64_t d, int64_t c, double C, double ridge) {
    t->n = n, t->d = d, t->c = c;
    for (int64_t i = 0; i < n; i++) {
        t->cls[i] = (int32_t)(i < c ? i : rng_below(r, c));
        for (int64_t j = 0; j < d; j++)
            t->x[i * d + j] = rng_normal(r) + (j < c && t->cls[i] == j ? 1 : 0);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++) {
            double sum = 0;
            for (int64_t j = 0; j < d; j++) sum += t->x[i * d + j] * t->x[k * d + j];
            t->K[i * n + k] = sum;
        }
    for (int64_t i = 0; i < n * c; i++) t->C[i] = C, t->ridge[i] = ridge;
}

static ww_solution solve_within(ww_case *t, bool intercept, int64_t memory) {
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.memory_bytes = memory;
    ww_problem p = {t->n, t->c, t->K, t->cls, t->C, t->ridge, intercept, 1e-8};
    ww_solution s = {.alpha = t->alpha, .B = t->B, .b = t->b};
    pare_error err;
    assert_int_equal(ww_dual_solve(&s, &p, &ctx, &err), PARE_OK);
    return s;
}

static ww_solution solve(ww_case *t, bool intercept) { return solve_within(t, intercept, 0); }

/* Primal and dual values of the returned numbers, from x alone; feasibility asserted. */
static void judge(const ww_case *t, const ww_solution *s, bool intercept) {
    double primal = 0, dual = 0, least = INFINITY;
    for (int64_t k = 0; k < t->c; k++) {
        double mass = 0, size = 0;
        for (int64_t i = 0; i < t->n; i++) {
            double own = 0;
            for (int64_t m = 0; m < t->c; m++) own += t->alpha[m * t->n + i];
            double b = t->cls[i] == k ? own : -t->alpha[k * t->n + i];
            mass += b;
            size += fabs(b);
        }
        if (intercept) assert_true(fabs(mass) <= 1e-8 * (size + 1e-12));
        for (int64_t j = 0; j < t->d; j++) {
            double w = 0, v = 0;
            for (int64_t i = 0; i < t->n; i++) {
                double own = 0;
                for (int64_t m = 0; m < t->c; m++) own += t->alpha[m * t->n + i];
                w += t->B[k * t->n + i] * t->x[i * t->d + j];
                v += (t->cls[i] == k ? own : -t->alpha[k * t->n + i]) * t->x[i * t->d + j];
            }
            primal += 0.5 * w * w;
            dual -= 0.5 * v * v;
        }
    }
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t m = 0; m < t->c; m++) {
            int32_t y = t->cls[i];
            double a = t->alpha[m * t->n + i], C = t->C[m * t->n + i], r = t->ridge[m * t->n + i];
            if (m == y) {
                assert_true(a == 0);
                continue;
            }
            assert_true(a >= 0 && (r > 0 || a <= C));
            dual += a - 0.5 * r * a * a;
            double margin = t->b[y] - t->b[m];
            for (int64_t k = 0; k < t->n; k++)
                margin += (t->B[y * t->n + k] - t->B[m * t->n + k]) * t->K[i * t->n + k];
            double slack = fmax(0, 1 - margin);
            least = fmin(least, margin);
            if (r > 0)
                primal += slack * slack / (2 * r);
            else if (isfinite(C))
                primal += C * slack;
        }
    if (isinf(t->C[0]) && t->ridge[0] == 0) assert_true(least >= 1 - 1e-8);
    check_close(primal, s->primal, 1e-8);
    check_close(dual, s->dual, 1e-8);
    assert_true(primal - dual <= 2e-8 * fabs(primal) && primal - dual >= -1e-9 * fabs(primal));
}

static void solutions_are_optimal(void **state) {
    (void)state;
    rng r = rng_from(91);
    ww_case *t = malloc(sizeof *t);
    const double costs[][2] = {{1, 0},           {0.01, 0},        {100, 0},       {INFINITY, 0.1},
                               {INFINITY, 1e-5}, {INFINITY, 1000}, {INFINITY, 100}};
    for (int trial = 0; trial < 84; trial++) {
        const double *cost = costs[trial % 7];
        int64_t c = 2 + rng_below(&r, 3), n = c + rng_below(&r, SMALL - c + 1);
        draw(t, &r, n, 1 + rng_below(&r, D_MAX), c, cost[0], cost[1]);
        bool intercept = trial % 3 != 0;
        for (int64_t i = c; i < n && trial % 4 == 1; i += 2) /* samples without a say */
            for (int64_t m = 0; m < c; m++) t->C[m * n + i] = t->ridge[m * n + i] = 0;
        ww_solution s = solve(t, intercept);
        assert_int_equal(s.outcome, PARE_OPTIMAL);
        assert_false(s.inseparable);
        judge(t, &s, intercept);
    }
    free(t);
}

/* A matrix of all n (c - 1) variables would take 24 MB, and a hundred times the work. */
static void many_classes_take_little(void **state) {
    (void)state;
    rng r = rng_from(95);
    ww_case *t = malloc(sizeof *t);
    const double costs[][2] = {{1, 0}, {INFINITY, 1e-5}, {1000, 0}, {INFINITY, 0}};
    for (int trial = 0; trial < 4; trial++) {
        draw(t, &r, N_MAX, trial % 2 ? D_MAX : 5, C_MAX, costs[trial][0], costs[trial][1]);
        bool intercept = trial > 0;
        ww_solution s = solve_within(t, intercept, 3 << 20);
        assert_int_equal(s.outcome, PARE_OPTIMAL);
        if (!s.inseparable) judge(t, &s, intercept);
    }
    free(t);
}

static void hard_margins_hold_or_are_disproved(void **state) {
    (void)state;
    rng r = rng_from(92);
    ww_case *t = malloc(sizeof *t);
    int disproved = 0;
    for (int trial = 0; trial < 40; trial++) {
        bool wide = trial % 2 == 0, intercept = trial % 4 < 2;
        draw(t, &r, 12, wide ? 30 : 2, 3, INFINITY, 0);
        ww_solution s = solve(t, intercept);
        assert_int_equal(s.outcome, PARE_OPTIMAL);
        if (wide) assert_false(s.inseparable);
        if (!s.inseparable) {
            judge(t, &s, intercept);
            continue;
        }
        disproved++; /* alpha sums to 2 and gives no weight: no margins can all be positive */
        double sum = 0, norm = 0, largest = 0;
        for (int64_t i = 0; i < t->n * t->c; i++) sum += t->alpha[i];
        check_close(sum, 2, 1e-9);
        for (int64_t k = 0; k < t->c; k++)
            for (int64_t j = 0; j < t->d; j++) {
                double w = 0;
                for (int64_t i = 0; i < t->n; i++) w += t->B[k * t->n + i] * t->x[i * t->d + j];
                norm += w * w;
            }
        for (int64_t i = 0; i < t->n; i++) largest = fmax(largest, t->K[i * t->n + i]);
        assert_true(sqrt(norm) <= 1e-6 * sqrt(largest));
    }
    assert_true(disproved > 5);
    free(t);
}

/* Two classes: w_1 = -w_0, so that the objective is half that of the SVM with twice the cost. */
/* Data so short or so far off that almost no digit is left: optimal, or finite numbers at least. */
static void extremes_stay_finite(void **state) {
    (void)state;
    rng r = rng_from(94);
    ww_case *t = malloc(sizeof *t);
    const double costs[][2] = {{1, 0}, {INFINITY, 1}, {INFINITY, 0}};
    for (int trial = 0; trial < 24; trial++) {
        const double *cost = costs[trial % 3];
        bool far = trial % 2 == 0;
        draw(t, &r, 3 + rng_below(&r, 6), 6, 3, cost[0], cost[1]);
        for (int64_t i = 0; i < t->n * t->d; i++) t->x[i] = far ? t->x[i] + 1e7 : t->x[i] * 1e-62;
        for (int64_t i = 0; i < t->n * t->n; i++) t->K[i] = 0;
        for (int64_t i = 0; i < t->n; i++)
            for (int64_t k = 0; k < t->n; k++)
                for (int64_t j = 0; j < t->d; j++)
                    t->K[i * t->n + k] += t->x[i * t->d + j] * t->x[k * t->d + j];
        ww_solution s = solve(t, trial % 4 == 0);
        for (int64_t i = 0; i < t->n * t->c; i++)
            assert_true(isfinite(t->alpha[i]) && isfinite(t->B[i]));
        for (int64_t k = 0; k < t->c; k++) assert_true(isfinite(t->b[k]));
        if (far || (isinf(cost[0]) && cost[1] == 0)) continue;
        assert_int_equal(s.outcome, PARE_OPTIMAL);
        judge(t, &s, trial % 4 == 0);
    }
    free(t);
}

static void two_classes_are_half_an_svm(void **state) {
    (void)state;
    rng r = rng_from(93);
    ww_case *t = malloc(sizeof *t);
    for (int trial = 0; trial < 20; trial++) {
        draw(t, &r, 25, 1 + rng_below(&r, D_MAX), 2, 0.5, 0);
        ww_solution s = solve(t, true);
        double y[N_MAX], C[N_MAX], alpha[N_MAX], f[N_MAX];
        for (int64_t i = 0; i < t->n; i++) y[i] = t->cls[i] == 1 ? 1 : -1, C[i] = 1;
        svm_problem p = {.n = t->n, .K = t->K, .y = y, .C = C, .intercept = true, .tol_rel = 1e-9};
        svm_solution two = {.alpha = alpha, .f = f};
        pare_error err;
        assert_int_equal(svm_dual_solve(&two, &p, NULL, &err), PARE_OK);
        check_close(2 * s.primal, two.primal, 1e-7);
    }
    free(t);
}

/* Every point within the ball, and its radius no larger than the dual proves. */
static void balls_are_smallest(void **state) {
    (void)state;
    rng r = rng_from(94);
    ww_case *t = malloc(sizeof *t);
    for (int trial = 0; trial < 30; trial++) {
        draw(t, &r, 1 + rng_below(&r, SMALL), 1 + rng_below(&r, D_MAX), 1, 1, 0);
        double beta[N_MAX], centre[D_MAX] = {0}, sum = 0, far = 0, dual = 0;
        ball_solution s = {.beta = beta};
        pare_error err;
        assert_int_equal(ball_dual_solve(&s, t->K, t->n, 0, NULL, 1e-8, false, NULL, &err),
                         PARE_OK);
        for (int64_t i = 0; i < t->n; i++) {
            assert_true(beta[i] >= 0);
            sum += beta[i];
            dual += beta[i] * t->K[i * t->n + i];
            for (int64_t j = 0; j < t->d; j++) centre[j] += beta[i] * t->x[i * t->d + j];
        }
        check_close(sum, 1, 1e-10);
        for (int64_t j = 0; j < t->d; j++) dual -= centre[j] * centre[j];
        for (int64_t i = 0; i < t->n; i++) {
            double distance = 0;
            for (int64_t j = 0; j < t->d; j++)
                distance += (t->x[i * t->d + j] - centre[j]) * (t->x[i * t->d + j] - centre[j]);
            far = fmax(far, distance);
        }
        check_close(far, s.high, 1e-8);
        check_close(dual, s.low, 1e-8);
        assert_true(far - dual <= 1e-7 * fmax(far, 1));
    }
    free(t);
}

TEST_FILE(test_ww_dual) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_are_optimal),
        cmocka_unit_test(hard_margins_hold_or_are_disproved),
        cmocka_unit_test(many_classes_take_little),
        cmocka_unit_test(extremes_stay_finite),
        cmocka_unit_test(two_classes_are_half_an_svm),
        cmocka_unit_test(balls_are_smallest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
