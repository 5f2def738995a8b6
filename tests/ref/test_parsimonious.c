/* llna, plna, lstsq and best-subset against CLP on the full program, against enumeration and against
 * plain elimination. */
#include "support/elimination.h"
#include "support/regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

enum { MOST = 64 };

static void fill(double *v, int64_t n, double x) {
    for (int64_t i = 0; i < n; i++) v[i] = x;
}

static void losses(const regression *p, double share, double *s) {
    for (int64_t i = 0; i < p->n; i++) s[i] = share * (p->weight ? p->weight[i] : 1);
}

static void llna_is_the_full_program(void **state) {
    (void)state;
    rng r = rng_from(81);
    for (int trial = 0; trial < 60; trial++) {
        int64_t n = 1 + rng_below(&r, 30), d = 1 + rng_below(&r, MOST - 1);
        regression p =
            regression_make(&r, n, d, (regression_kind)(trial % REG_KINDS), trial % 4 == 0);
        bool intercept = rng_below(&r, 2);
        pare_model *m =
            fit_or_fail(p.data, "llna", PAIRS("intercept", intercept ? "true" : "false"));
        double lambda = m->set.llna.lambda, cost[MOST], s[MOST], w[MOST], norm = 0;
        assert_true(lambda > 0 && lambda < 1);
        double b = regression_point(&p, m, w);
        for (int64_t j = 0; j < d; j++) norm += fabs(w[j]);
        fill(cost, d, lambda);
        losses(&p, 1 - lambda, s);
        double best = regression_clp(&p, cost, s, intercept, NULL);
        check_close((1 - lambda) * regression_error(&p, w, b) + lambda * norm, best, 1e-7);
        check_close(report_of(m).objective, best, 1e-7);
        pare_model_free(m);
        regression_free(&p);
    }
}

static double penalised(const regression *p, const double *w, double b, double lambda) {
    double sum = (1 - lambda) * regression_error(p, w, b);
    for (int64_t j = 0; j < p->d; j++) sum += lambda * (1 - exp(-5 * fabs(w[j])));
    return sum;
}

/* At plna's point no vertex improves the linearisation, by CLP; and it is no worse than llna. */
static void plna_satisfies_the_minimum_principle(void **state) {
    (void)state;
    rng r = rng_from(82);
    for (int trial = 0; trial < 40; trial++) {
        int64_t n = 2 + rng_below(&r, 25), d = 1 + rng_below(&r, 40);
        static const regression_kind kinds[] = {REG_NORMAL, REG_INTEGER, REG_DUPLICATE};
        regression p = regression_make(&r, n, d, kinds[trial % 3], trial % 4 == 0);
        const double lambda = 0.3;
        pare_model *m = fit_or_fail(p.data, "plna", PAIRS("lambda", "0.3"));
        pare_model *l = fit_or_fail(p.data, "llna", PAIRS("lambda", "0.3"));
        double cost[MOST], s[MOST], w[MOST], v[MOST];
        double b = regression_point(&p, m, w), c = regression_point(&p, l, v);
        assert_true(penalised(&p, w, b, lambda) <= penalised(&p, v, c, lambda) * (1 + 1e-9));
        check_close(report_of(m).objective, penalised(&p, w, b, lambda), 1e-9);
        double here = (1 - lambda) * regression_error(&p, w, b);
        for (int64_t j = 0; j < d; j++) {
            cost[j] = fmax(1e-8, lambda * 5 * exp(-5 * fabs(w[j])));
            here += cost[j] * fabs(w[j]);
        }
        losses(&p, 1 - lambda, s);
        double least = regression_clp(&p, cost, s, true, NULL);
        assert_true(here - least <= 1e-6 * here);
        pare_model_free(l);
        pare_model_free(m);
        regression_free(&p);
    }
}

/* The least error over all sets of k of `units` groups, j % units being that of feature j, each by CLP. */
static double enumerate(const regression *p, int64_t k, int64_t units, bool intercept) {
    double best = INFINITY, zero[MOST] = {0}, s[MOST];
    losses(p, 1, s);
    for (unsigned set = 0; set < 1u << units; set++) {
        if (__builtin_popcount(set) != k) continue;
        regression q = {.n = p->n, .y = p->y};
        q.x = malloc(sizeof(double) * (size_t)(p->n * p->d));
        assert_non_null(q.x);
        for (int64_t j = 0; j < p->d; j++)
            if (set >> (j % units) & 1)
                memcpy(q.x + q.d++ * p->n, p->x + j * p->n, sizeof(double) * (size_t)p->n);
        best = fmin(best, regression_clp(&q, zero, s, intercept, NULL));
        free(q.x);
    }
    return best;
}

static void best_subset_is_the_best(void **state) {
    (void)state;
    rng r = rng_from(83);
    static const char *const counts[] = {"1", "2", "3", "4"};
    for (int trial = 0; trial < 40; trial++) {
        int64_t n = 3 + rng_below(&r, 20), d = 4 + rng_below(&r, 5), k = 1 + rng_below(&r, 4);
        static const regression_kind kinds[] = {REG_NORMAL, REG_INTEGER, REG_SCALED, REG_OFFSET};
        regression p = regression_make(&r, n, d, kinds[trial % 4], trial % 3 == 0);
        bool intercept = rng_below(&r, 2);
        pare_model *m =
            fit_or_fail(p.data, "best-subset",
                        PAIRS("k", counts[k - 1], "intercept", intercept ? "true" : "false"));
        double w[MOST], b = regression_point(&p, m, w), best = enumerate(&p, k, d, intercept);
        assert_true(pare_model_get(m)->n_selected <= k);
        assert_true(regression_error(&p, w, b) <= best * (1 + 1e-7) + 1e-9);
        pare_model_free(m);
        regression_free(&p);
    }
}

static void best_groups_are_the_best(void **state) {
    (void)state;
    rng r = rng_from(84);
    for (int trial = 0; trial < 20; trial++) {
        int64_t n = 6 + rng_below(&r, 20), d = 5 + rng_below(&r, 5), units = 3 + rng_below(&r, 2);
        regression p = regression_make(&r, n, d, REG_NORMAL, trial % 3 == 0);
        static const char *const names[] = {"a", "b", "c", "d"};
        const char *group[16];
        pare_error err;
        for (int64_t j = 0; j < d; j++) group[j] = names[j % units];
        assert_int_equal(pare_data_set_groups(p.data, group, &err), PARE_OK);
        pare_model *m = fit_or_fail(p.data, "best-subset", PAIRS("k", "2"));
        double w[MOST], b = regression_point(&p, m, w), best = enumerate(&p, 2, units, true);
        bool used[4] = {false};
        for (int64_t j = 0; j < d; j++) used[j % units] |= w[j] != 0;
        assert_true(used[0] + used[1] + used[2] + used[3] <= 2);
        assert_true(regression_error(&p, w, b) <= best * (1 + 1e-7) + 1e-9);
        pare_model_free(m);
        regression_free(&p);
    }
}

/* -k gives exactly k coefficients, or a note that says that no lambda does. */
static void k_coefficients_or_a_note(void **state) {
    (void)state;
    rng r = rng_from(84);
    static const char *const counts[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    int exact = 0;
    for (int trial = 0; trial < 32; trial++) {
        regression p = regression_make(&r, 12, 10, REG_NORMAL, false);
        const char *method = trial % 2 ? "plna" : "llna";
        int64_t k = 1 + trial / 2 % 8;
        pare_model *m = fit_or_fail(p.data, method, PAIRS("k", counts[k - 1]));
        int64_t used = 0;
        for (int64_t i = 0; i < pare_model_get(m)->n_selected; i++)
            used += pare_model_get(m)->coef[i] != 0;
        bool noted = false;
        for (int64_t i = 0; i < pare_model_get(m)->n_notes; i++)
            noted |= strstr(pare_model_get(m)->notes[i], "exactly") != NULL;
        assert_true(noted || used == k);
        exact += used == k && !noted;
        pare_model_free(m);
        regression_free(&p);
    }
    assert_true(exact >= 16);
}

/* Wide: x = A'(A A')^-1 b; tall: x = (A'A)^-1 A'b, without intercept. */
static void lstsq_is_plain_least_squares(void **state) {
    (void)state;
    rng r = rng_from(85);
    for (int trial = 0; trial < 20; trial++) {
        bool wide = trial % 2;
        int64_t n = wide ? 5 + rng_below(&r, 10) : 40, d = wide ? 63 : 1 + rng_below(&r, 20);
        int64_t m = wide ? n : d;
        regression p = regression_make(&r, n, d, REG_NORMAL, false);
        double a[MOST * MOST], b[MOST], w[MOST], x[MOST];
        for (int64_t i = 0; i < m; i++) {
            b[i] = wide ? p.y[i] : 0;
            for (int64_t t = 0; t < n && !wide; t++) b[i] += p.x[i * n + t] * p.y[t];
            for (int64_t j = 0; j < m; j++) {
                double sum = 0;
                for (int64_t t = 0; t < (wide ? d : n); t++)
                    sum += wide ? p.x[t * n + i] * p.x[t * n + j] : p.x[i * n + t] * p.x[j * n + t];
                a[j * m + i] = sum;
            }
        }
        assert_true(eliminate(a, b, m));
        for (int64_t j = 0; j < d; j++) {
            x[j] = wide ? 0 : b[j];
            for (int64_t t = 0; t < n && wide; t++) x[j] += p.x[j * n + t] * b[t];
        }
        pare_model *model = fit_or_fail(p.data, "lstsq", PAIRS("intercept", "false"));
        regression_point(&p, model, w);
        for (int64_t j = 0; j < d; j++) check_close(w[j], x[j], 1e-8);
        pare_model_free(model);
        regression_free(&p);
    }
}

TEST_FILE(test_parsimonious) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(llna_is_the_full_program),
                                       cmocka_unit_test(plna_satisfies_the_minimum_principle),
                                       cmocka_unit_test(best_subset_is_the_best),
                                       cmocka_unit_test(best_groups_are_the_best),
                                       cmocka_unit_test(k_coefficients_or_a_note),
                                       cmocka_unit_test(lstsq_is_plain_least_squares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
