/* The lambda path against CLP on the full program: inside every segment, and that segments join. */
#include "support/regression.h"

#include <math.h>
#include <stdlib.h>

#include "solve/l1/l1_path.h"
#include "solve/lp/l1_program.h"
#include "solve/l1/least_error.h"

static double full_program(const regression *p, double mu, bool intercept) {
    double *cost = malloc(sizeof *cost * (size_t)p->d);
    assert_non_null(cost);
    for (int64_t j = 0; j < p->d; j++) cost[j] = mu;
    double value = regression_clp(p, cost, p->weight, intercept, NULL);
    free(cost);
    return value;
}

static void judge_segment(const regression *p, const l1_segment *s, bool intercept) {
    double w[200] = {0}, norm = 0;
    for (int64_t k = 0; k < s->n_weight; k++) {
        assert_true(s->weight[k].value != 0);
        assert_true(k == 0 || s->weight[k].feature > s->weight[k - 1].feature);
        w[s->weight[k].feature] = s->weight[k].value;
        norm += fabs(s->weight[k].value);
    }
    check_close(s->error, regression_error(p, w, s->b), 1e-9);
    check_close(s->norm, norm, 1e-9);
    if (!intercept) check_close(s->b, 0, 0);
    double mu = isinf(s->mu_high) ? 2 * s->mu_low + 1
                : s->mu_low > 0   ? sqrt(s->mu_low * s->mu_high)
                                  : s->mu_high / 2;
    if (mu < 1e-6) return; /* beyond what the reference can tell */
    check_close(s->error + mu * norm, full_program(p, mu, intercept), 1e-7);
}

static void every_segment_is_optimal(void **state) {
    (void)state;
    static const struct {
        int64_t n, d;
    } sizes[] = {{20, 5}, {10, 30}, {9, 9}, {1, 2}, {15, 60}, {4, 1}};
    rng r = rng_from(71);
    for (int s = 0; s < 6; s++)
        for (int kind = 0; kind < REG_KINDS; kind++) {
            regression p =
                regression_make(&r, sizes[s].n, sizes[s].d, (regression_kind)kind, kind % 2 == 1);
            bool intercept = rng_below(&r, 2);
            double ones[64];
            for (int64_t i = 0; i < p.n; i++) ones[i] = p.weight ? p.weight[i] : 1;
            matrix x = mat_dense(p.n, p.d, p.x);
            view all = view_all(&x);
            l1_path *path;
            l1_segment at = {0};
            pare_error err;
            assert_int_equal(l1_path_open(&path, &all, p.y, ones, intercept, 0, NULL, &err),
                             PARE_OK);
            double low = INFINITY, norm = 0;
            int64_t segments = 0;
            while (!at.last) {
                assert_int_equal(l1_path_next(path, &at, NULL, &err), PARE_OK);
                if (!(at.mu_high == low && at.mu_low < at.mu_high))
                    fail_msg("size %d kind %d segment %lld: %g %g after %g last %d lost %d", s,
                             kind, (long long)segments, at.mu_high, at.mu_low, low, at.last,
                             at.lost);
                assert_true(at.norm >= norm);
                judge_segment(&p, &at, intercept);
                low = at.mu_low;
                norm = at.norm;
                segments++;
            }
            assert_int_equal(at.outcome, PARE_OPTIMAL);
            assert_true(!at.lost && low == 0 && segments >= 1);
            l1_path_free(path);

            least_error least;
            assert_int_equal(least_error_solve(&least, &all, p.y, ones, 0, intercept, NULL, &err),
                             PARE_OK);
            check_close(least.objective, full_program(&p, 0, intercept), 1e-7);
            least_error_free(&least);
            regression_free(&p);
        }
}

/* The margin program at one mu by column generation over CLP, another solver than the path's. */
static double margin_program(const view *x, const double *y, const double *s, double mu,
                             bool intercept) {
    double *cost = malloc(sizeof *cost * (size_t)x->d);
    assert_non_null(cost);
    for (int64_t j = 0; j < x->d; j++) cost[j] = mu;
    l1_spec spec = {L1_MARGIN, x, y, cost, s, intercept, 0, NULL, NULL};
    l1_program *program;
    l1_solution found;
    pare_error err;
    assert_int_equal(l1_create(&program, &spec, NULL, &err), PARE_OK);
    assert_int_equal(l1_solve(program, &found, NULL, &err), PARE_OK);
    double value = found.objective;
    l1_free(program);
    free(cost);
    return value;
}

/* Margins: what a segment shows is its own loss, and optimal inside it. */
static void judge_margins(const view *x, const double *values, const double *y, const double *s,
                          const l1_segment *at, bool intercept) {
    double loss = 0, norm = 0;
    for (int64_t i = 0; i < x->n; i++) {
        double f = at->b;
        for (int64_t k = 0; k < at->n_weight; k++)
            f += at->weight[k].value * values[at->weight[k].feature * x->n + i];
        loss += s[i] * fmax(0, 1 - y[i] * f);
    }
    for (int64_t k = 0; k < at->n_weight; k++) norm += fabs(at->weight[k].value);
    check_close(at->error, loss, 1e-9);
    check_close(at->norm, norm, 1e-9);
    double mu = isinf(at->mu_high) ? 2 * at->mu_low + 1 : 0.5 * (at->mu_low + at->mu_high);
    if (mu < 1e-6) return;
    check_close(loss + mu * norm, margin_program(x, y, s, mu, intercept), 1e-8);
}

/* Walks all segments of a margin path and judges every `each`-th; returns how many there were. */
static int64_t walk_margins(const view *x, const double *values, const double *y, const double *s,
                            bool intercept, double mu_end, int64_t each) {
    l1_path *path;
    l1_segment at = {0};
    pare_error err;
    double low = INFINITY, norm = 0;
    int64_t segments = 0;
    assert_int_equal(l1_path_open_margins(&path, x, y, s, intercept, mu_end, NULL, &err), PARE_OK);
    while (!at.last) {
        assert_int_equal(l1_path_next(path, &at, NULL, &err), PARE_OK);
        if (!(at.mu_high == low && at.mu_low < at.mu_high && at.norm >= norm * (1 - 1e-12)))
            fail_msg("segment %lld: %g %g after %g, norm %.17g after %.17g, last %d lost %d",
                     (long long)segments, at.mu_high, at.mu_low, low, at.norm, norm, at.last,
                     at.lost);
        if (segments++ % each == 0 || at.last) judge_margins(x, values, y, s, &at, intercept);
        low = at.mu_low;
        norm = at.norm;
    }
    assert_true(!at.lost && at.outcome == PARE_OPTIMAL);
    l1_path_free(path);
    return segments;
}

static void every_margin_segment_is_optimal(void **state) {
    (void)state;
    rng r = rng_from(72);
    for (int t = 0; t < 40; t++) {
        enum { MAX_N = 30 };
        int64_t n = 2 + rng_below(&r, MAX_N - 2), d = 1 + rng_below(&r, 40);
        double *values = random_normal(&r, n, d), y[MAX_N], s[MAX_N];
        bool intercept = t % 3 != 0;
        for (int64_t e = 0; t % 4 == 1 && e < n * d; e++) values[e] = (double)rng_below(&r, 2);
        for (int64_t i = 0; i < n; i++) {
            y[i] = i < 2 ? 2.0 * (double)i - 1 : rng_below(&r, t % 2 ? 2 : 4) ? 1 : -1;
            s[i] = t % 5 == 2 ? (double)rng_below(&r, 3) / 10 : 1.0 / (double)n;
        }
        matrix x = mat_dense(n, d, values);
        view all = view_all(&x);
        walk_margins(&all, values, y, s, intercept, 0, 1);
        free(values);
    }
}

/* So many features that most are only bounded, and so many pivots that the basis is made anew
 * several times: dense, sparse, and dense storage of what is sparse, which give the same path. */
static void long_and_wide_paths_are_optimal(void **state) {
    (void)state;
    static const struct {
        int64_t n, d;
        double density, mu_end; /* 1: dense */
        int64_t each;
    } cases[] = {{20, 3000, 1, 0, 7},
                 {30, 3000, 0.05, 0, 7},
                 {150, 60, 1, 0, 40},
                 {150, 200, 1, 0.01, 60},
                 {150, 200, 0.08, 0.001, 60}};
    rng r = rng_from(73);
    for (int t = 0; t < 5; t++) {
        int64_t n = cases[t].n, d = cases[t].d;
        bool sparse = cases[t].density < 1;
        matrix x = sparse ? random_sparse(&r, n, d, cases[t].density) : (matrix){0};
        double *values = sparse ? dense_of(&x) : random_normal(&r, n, d), y[150], s[150];
        for (int64_t i = 0; i < n; i++) {
            y[i] = values[i] + rng_normal(&r) > 0 ? 1 : -1;
            s[i] = 1.0 / (double)n;
        }
        matrix dense = mat_dense(n, d, values);
        view all = view_all(&dense);
        int64_t segments = walk_margins(&all, values, y, s, true, cases[t].mu_end, cases[t].each);
        assert_true(segments > (t < 2 ? 20 : 150));
        if (sparse) {
            view thin = view_all(&x);
            int64_t same = walk_margins(&thin, values, y, s, true, cases[t].mu_end, cases[t].each);
            assert_int_equal(segments, same);
            mat_free(&x, NULL);
        }
        free(values);
    }
}

/* Columns that differ by 1e-5 and targets that they fit to 1e-11: residuals that all reach zero at
 * nearly the same place. The norm grows as mu falls, or a vertex is not optimal. */
static void columns_nearly_alike_keep_the_order(void **state) {
    (void)state;
    enum { N_ALIKE = 37, D_ALIKE = 14 };
    rng r = rng_from(74);
    for (int t = 0; t < 60; t++) {
        double *values = random_normal(&r, N_ALIKE, D_ALIKE), y[N_ALIKE], s[N_ALIKE];
        for (int64_t e = N_ALIKE; e < N_ALIKE * D_ALIKE; e++)
            values[e] = values[e % N_ALIKE] + 1e-5 * values[e];
        for (int64_t i = 0; i < N_ALIKE; i++) {
            s[i] = 1;
            y[i] = values[3 * N_ALIKE + i] - 0.7 * values[7 * N_ALIKE + i] +
                   2 * values[9 * N_ALIKE + i] + 1e-11 * rng_normal(&r);
        }
        matrix x = mat_dense(N_ALIKE, D_ALIKE, values);
        view all = view_all(&x);
        l1_path *path;
        l1_segment at = {0};
        pare_error err;
        double norm = 0;
        assert_int_equal(l1_path_open(&path, &all, y, s, true, 1e-5, NULL, &err), PARE_OK);
        while (!at.last) {
            assert_int_equal(l1_path_next(path, &at, NULL, &err), PARE_OK);
            if (!(at.norm >= norm * (1 - 1e-9)))
                fail_msg("case %d: norm %.17g after %.17g at %g", t, at.norm, norm, at.mu_high);
            norm = at.norm;
        }
        assert_true(!at.lost && at.outcome == PARE_OPTIMAL);
        l1_path_free(path);
        free(values);
    }
}

TEST_FILE(test_l1_path) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_segment_is_optimal),
                                       cmocka_unit_test(every_margin_segment_is_optimal),
                                       cmocka_unit_test(long_and_wide_paths_are_optimal),
                                       cmocka_unit_test(columns_nearly_alike_keep_the_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
