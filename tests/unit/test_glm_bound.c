/* The bounds of solve/glm/bound.h: what they allow is allowed, and they allow much near what was
 * read. */
#include <math.h>
#include <string.h>

#include "solve/glm/bound.h"
#include "support/support.h"

enum { N = 12, KEPT = 3, ASKED = 4, COLUMNS = 400 };

typedef struct setting {
    double share[N], weight[N], point[KEPT * N], U[ASKED][N], limit[ASKED];
} setting;

/* Points of sum 0, the requested ones from near the last kept one to some way off. */
static void draw(setting *s, rng *r, double step) {
    double total = 0;
    for (int i = 0; i < N; i++) total += s->share[i] = i == 5 ? 0 : 0.2 + rng_uniform(r);
    for (int i = 0; i < N; i++) {
        s->share[i] /= total;
        s->weight[i] = s->share[i] > 0 ? 1 / s->share[i] : 0;
    }
    double way[N];
    for (int p = 0; p < KEPT + 1 + ASKED; p++) {
        double own[N], sum = 0;
        for (int i = 0; i < N; i++) own[i] = s->share[i] * rng_normal(r);
        for (int i = 0; i < N; i++) sum += own[i];
        for (int i = 0; i < N; i++) own[i] -= s->share[i] * sum;
        if (p < KEPT) memcpy(s->point + p * N, own, sizeof own);
        if (p == KEPT) memcpy(way, own, sizeof own);
        for (int i = 0; p > KEPT && i < N; i++)
            s->U[p - KEPT - 1][i] = 0.9 * s->point[(KEPT - 1) * N + i] +
                                    step * (p - KEPT) * way[i] + 0.1 * step * own[i];
    }
    for (int m = 0; m < ASKED; m++) s->limit[m] = 0.5 - 0.05 * m;
}

static double along(const double *x, const double *U) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += x[i] * U[i];
    return sum;
}

static void what_is_allowed_is_within(void **state) {
    (void)state;
    int held = 0, held_between = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        rng r;
        setting s;
        bounds b;
        const double *U[ASKED];
        rng_seed(&r, seed, 1);
        draw(&s, &r, seed % 2 ? 0.02 : 0.3);
        if (seed % 5 == 4) /* the last requested point is the kept one */
            memcpy(s.U[ASKED - 1], s.point + (KEPT - 1) * N, sizeof s.U[0]);
        for (int m = 0; m < ASKED; m++) U[m] = s.U[m];
        assert_true(
            bounds_open(&b, s.point, KEPT, U, s.limit, ASKED, s.weight, N, ctx_allocator(NULL)));
        for (int j = 0; j < COLUMNS; j++) {
            double x[N], mean = 0, norm2 = 0, norm = 0.5 + rng_uniform(&r), most = 0, between = 0;
            for (int i = 0; i < N; i++) x[i] = rng_normal(&r);
            for (int i = 0; i < N; i++) mean += s.share[i] * x[i];
            for (int i = 0; i < N; i++) norm2 += s.share[i] * (x[i] - mean) * (x[i] - mean);
            for (int m = 0; m < ASKED; m++) {
                most = fmax(most, fabs(along(x, U[m])) / (s.limit[m] * norm));
                if (m < ASKED - 1) between = most;
            }
            int64_t when = j % KEPT;
            double g0 = along(x, s.point + when * N), g1 = along(x, U[ASKED - 1]);
            bound_of at = {when, 0, norm2, norm};
            bool one = bound_holds(&b, &at, g0);
            bool two = bound_holds_between(&b, &at, g0, g1);
            if (one && !(most <= 1)) fail_msg("allowed, but %g times the limit", most);
            if (two && !(between <= 1)) fail_msg("allowed between, but %g times", between);
            held += one;
            held_between += two;
        }
        bounds_close(&b);
    }
    assert_true(held > 20 * COLUMNS / 20);
    assert_true(held_between > held); /* two points say more than one */
}

TEST_FILE(test_glm_bound) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_allowed_is_within)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
