/* The proximal operators by their defining inequality, and against slow solvers: x = prox(v) exactly if
 *     f(y) >= f(x) + <v - x, y - x>   scaled by mu, for all y. */
#include "solve/rank/push_prox.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

enum { MOST = 12, TRIALS = 400 };

static double loss(int64_t m, const double *p, const double *c, int64_t n, const double *q) {
    double t = -INFINITY, sum = 0;
    for (int64_t j = 0; j < n; j++) t = fmax(t, q[j]);
    for (int64_t i = 0; i < m; i++) sum += c[i] * fmax(0, 1 - p[i] + t);
    return sum;
}

static void draw(rng *r, double *v, int64_t n, double scale) {
    for (int64_t i = 0; i < n; i++) v[i] = scale * rng_normal(r);
    if (n > 2 && rng_below(r, 3) == 0) v[1] = v[0]; /* ties */
}

static void the_prox_is_below_its_neighbours(void **state) {
    (void)state;
    rng r = rng_from(3);
    for (int trial = 0; trial < TRIALS; trial++) {
        int64_t m = 1 + rng_below(&r, MOST), n = 1 + rng_below(&r, MOST);
        double c[MOST], p[MOST], q[MOST], a[MOST], b[MOST], u[MOST], v[MOST];
        double mu = exp(3 * rng_normal(&r)), scale = exp(rng_normal(&r));
        for (int64_t i = 0; i < m; i++) c[i] = (0.1 + rng_uniform(&r)) / (double)m;
        draw(&r, p, m, scale);
        draw(&r, q, n, scale);
        if (trial % 7 == 0)
            for (int64_t i = 0; i < m; i++) p[i] += 10 * scale + 1; /* mostly no loss */
        memcpy(a, p, sizeof a);
        memcpy(b, q, sizeof b);
        push_prox(m, a, c, n, b, mu);
        double here = loss(m, a, c, n, b);
        for (int other = 0; other < 200; other++) {
            double near = other % 2 ? 1e-3 : 1, inner = 0;
            for (int64_t i = 0; i < m; i++) {
                u[i] = a[i] + near * scale * rng_normal(&r);
                inner += mu * (p[i] - a[i]) * (u[i] - a[i]);
            }
            for (int64_t j = 0; j < n; j++) {
                v[j] = b[j] + near * scale * rng_normal(&r);
                inner += mu * (q[j] - b[j]) * (v[j] - b[j]);
            }
            assert_true(loss(m, u, c, n, v) >= here + inner - 1e-9 * (1 + fabs(inner)));
        }
    }
}

/* Dykstra-free slow projection: bisection on the common amount with heights by bisection. */
static void slow_project(int64_t groups, int64_t size, double *v, double radius) {
    double total = 0, lo = 0, hi = 0;
    for (int64_t g = 0; g < groups; g++) {
        double top = 0, sum = 0;
        for (int64_t i = 0; i < size; i++) {
            top = fmax(top, fabs(v[g * size + i]));
            sum += fabs(v[g * size + i]);
        }
        total += top;
        hi = fmax(hi, sum);
    }
    if (total <= radius) return;
    double cut[MOST];
    for (int step = 0; step < 100; step++) {
        double amount = (lo + hi) / 2, sum = 0;
        for (int64_t g = 0; g < groups; g++) {
            double below = 0, above = 1e3;
            for (int inner = 0; inner < 100; inner++) {
                double middle = (below + above) / 2, removed = 0;
                for (int64_t i = 0; i < size; i++)
                    removed += fmax(0, fabs(v[g * size + i]) - middle);
                if (removed > amount)
                    below = middle;
                else
                    above = middle;
            }
            cut[g] = below;
            sum += below;
        }
        if (sum > radius)
            lo = amount;
        else
            hi = amount;
    }
    for (int64_t g = 0; g < groups; g++)
        for (int64_t i = g * size; i < (g + 1) * size; i++)
            v[i] = fmin(fmax(v[i], -cut[g]), cut[g]);
}

static void test_projection(void **state) {
    (void)state;
    rng r = rng_from(4);
    static double v[MOST * MOST], x[MOST * MOST], y[MOST * MOST], scratch[2 * MOST * MOST];
    for (int trial = 0; trial < TRIALS; trial++) {
        int64_t groups = 1 + rng_below(&r, MOST), size = 1 + rng_below(&r, MOST), N = groups * size;
        double radius = trial % 5 == 0 ? 0 : exp(2 * rng_normal(&r)), top = 0;
        draw(&r, v, N, 1);
        memcpy(x, v, sizeof v);
        l1inf_project(groups, size, x, radius, scratch);
        for (int64_t g = 0; g < groups; g++) { /* inside the ball */
            double most = 0;
            for (int64_t i = g * size; i < (g + 1) * size; i++) most = fmax(most, fabs(x[i]));
            top += most;
        }
        assert_true(top <= radius + 1e-12);
        for (int other = 0; other < 50; other++) { /* <v - x, y - x> <= 0 for y in the ball */
            double sum = 0, inner = 0;
            draw(&r, y, N, 1);
            for (int64_t g = 0; g < groups; g++) {
                double most = 0;
                for (int64_t i = g * size; i < (g + 1) * size; i++) most = fmax(most, fabs(y[i]));
                sum += most;
            }
            for (int64_t i = 0; i < N; i++) inner += (v[i] - x[i]) * (y[i] * radius / sum - x[i]);
            assert_true(inner <= 1e-9);
        }
        memcpy(y, v, sizeof v);
        slow_project(groups, size, y, radius);
        for (int64_t i = 0; i < N; i++) check_close(x[i], y[i], 1e-9);
    }
}

TEST_FILE(test_push_prox) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_prox_is_below_its_neighbours),
                                       cmocka_unit_test(test_projection)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
