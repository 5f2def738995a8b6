/* Linear programs whose penalty is that of each group's largest weight, by corners of the groups' cubes,
 * against CLP on the whole program with a bound for each group, and by duality from raw data. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

#include <coin/Clp_C_Interface.h>

#include "base/context.h"
#include "solve/lp/l1_lambda_max.h"
#include "solve/lp/l1_program.h"

enum { N = 30, D = 60 };

typedef struct grouped {
    int64_t n, d;
    l1_loss kind;
    bool intercept, hard;
    double x[N * D], y[N], cost[D], loss[N];
    int64_t of[D], start[D + 1], member[D];
    lp_groups groups;
} grouped;

/* Groups of 1 to 9 features, some of them copies or zeros; features of a group lie anywhere. */
static void make(grouped *g, uint64_t seed) {
    rng r;
    rng_seed(&r, 91, seed);
    g->n = 8 + rng_below(&r, N - 7);
    g->d = 4 + rng_below(&r, D - 3);
    g->kind = (l1_loss)(seed % 2);
    g->intercept = rng_below(&r, 3) > 0;
    g->hard = seed % 5 == 4;
    int64_t count = 1 + rng_below(&r, g->d);
    for (int64_t j = 0; j < g->d; j++) {
        g->of[j] = j < count ? j : rng_below(&r, count);
        g->cost[j] = 0.2 + 0.1 * (double)(g->of[j] % 7);
        for (int64_t i = 0; i < g->n; i++) {
            double v = rng_normal(&r);
            if (j % 11 == 5) v = g->x[(j - 1) * g->n + i];
            if (j % 13 == 6) v = 0;
            g->x[j * g->n + i] = v;
        }
    }
    for (int64_t i = 0; i < g->n; i++) {
        double signal = g->x[i] - g->x[g->n + i] + rng_normal(&r);
        g->y[i] = g->kind == L1_MARGIN ? (signal > 0 ? 1 : -1) : signal;
        g->loss[i] = g->hard && i % 2 ? INFINITY : 0.1 + rng_uniform(&r);
    }
    int64_t at = 0;
    for (int64_t k = 0; k < count; k++) {
        g->start[k] = at;
        for (int64_t j = 0; j < g->d; j++)
            if (g->of[j] == k) g->member[at++] = j;
    }
    g->start[count] = at;
    g->groups = (lp_groups){count, g->of, g->start, g->member};
}

static void add(Clp_Simplex *clp, double lower, double cost, int count, const int *row,
                const double *entry) {
    CoinBigIndex start[2] = {0, count};
    double upper = INFINITY;
    Clp_addColumns(clp, 1, &lower, &upper, &cost, start, row, entry);
}

/* Rows: the samples, then t_g - w+_j - w-_j >= 0 for each feature. NaN: infeasible. */
static double full_program(const grouped *g) {
    int n = (int)g->n, d = (int)g->d, row[N + D];
    double entry[N + D];
    Clp_Simplex *clp = Clp_newModel();
    Clp_setLogLevel(clp, 0);
    Clp_setPrimalTolerance(clp, 1e-9);
    Clp_setDualTolerance(clp, 1e-9);
    Clp_resize(clp, n + d, 0);
    for (int i = 0; i < n + d; i++) {
        bool fit = i < n && g->kind == L1_FIT;
        Clp_rowLower(clp)[i] = i >= n ? 0 : fit ? g->y[i] : 1;
        Clp_rowUpper(clp)[i] = fit ? g->y[i] : INFINITY;
    }
    for (int j = 0; j < d; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int i = 0; i < n; i++) {
                row[i] = i;
                entry[i] = sign * g->x[j * n + i] * (g->kind == L1_MARGIN ? g->y[i] : 1);
            }
            row[n] = n + j;
            entry[n] = -1;
            add(clp, 0, 0, n + 1, row, entry);
        }
    for (int64_t k = 0; k < g->groups.count; k++) {
        int count = 0;
        for (int64_t e = g->start[k]; e < g->start[k + 1]; e++, count++) {
            row[count] = n + (int)g->member[e];
            entry[count] = 1;
        }
        add(clp, 0, g->cost[g->member[g->start[k]]], count, row, entry);
    }
    for (int i = 0; i < n; i++) {
        row[i] = i;
        entry[i] = g->kind == L1_MARGIN ? g->y[i] : 1;
    }
    if (g->intercept) add(clp, -INFINITY, 0, n, row, entry);
    for (int i = 0; i < n; i++)
        for (int side = 1; side >= (g->kind == L1_MARGIN ? 1 : -1); side -= 2) {
            double value = side;
            if (g->loss[i] < INFINITY) add(clp, 0, g->loss[i], 1, &i, &value);
        }
    Clp_initialSolve(clp);
    double optimum = Clp_status(clp) == 0 ? Clp_objectiveValue(clp) : NAN;
    Clp_deleteModel(clp);
    return optimum;
}

/* What a sample's row sums up, times its class where it has one. */
static double price(const grouped *g, const double *u, int64_t j) {
    double sum = 0;
    for (int64_t i = 0; i < g->n; i++)
        sum += u[i] * g->x[j * g->n + i] * (g->kind == L1_MARGIN ? g->y[i] : 1);
    return sum;
}

/* Both sides of the gap by the definitions. */
static void check_duality(const grouped *g, const l1_solution *s) {
    double w[D] = {0}, primal = 0, dual = 0, balance = 0;
    for (int64_t k = 0; k < s->n_weight; k++) w[s->weight[k].feature] = s->weight[k].value;
    for (int64_t k = 0; k < g->groups.count; k++) {
        double largest = 0, sum = 0, cost = g->cost[g->member[g->start[k]]];
        for (int64_t e = g->start[k]; e < g->start[k + 1]; e++) {
            largest = fmax(largest, fabs(w[g->member[e]]));
            sum += fabs(price(g, s->dual, g->member[e]));
        }
        primal += cost * largest;
        assert_true(sum <= cost * (1 + 1e-11));
    }
    for (int64_t i = 0; i < g->n; i++) {
        double f = s->b, u = s->dual[i];
        for (int64_t j = 0; j < g->d; j++) f += w[j] * g->x[j * g->n + i];
        double loss = g->kind == L1_MARGIN ? fmax(0, 1 - g->y[i] * f) : fabs(f - g->y[i]);
        if (g->loss[i] < INFINITY) primal += g->loss[i] * loss;
        if (g->loss[i] == INFINITY) assert_true(loss <= 1e-8);
        assert_true(fabs(u) <= g->loss[i] && (g->kind == L1_FIT || u >= 0));
        dual += g->kind == L1_MARGIN ? u : u * g->y[i];
        balance += g->kind == L1_MARGIN ? u * g->y[i] : u;
    }
    if (g->intercept) check_close(balance, 0, 1e-12);
    check_close(primal, s->objective, 1e-11);
    check_close(dual, s->bound, 1e-11);
    assert_true(primal - dual <= 2e-9 * fmax(1, primal));
}

static void corners_reach_the_optimum(void **state) {
    (void)state;
    grouped *g = calloc(1, sizeof *g);
    assert_non_null(g);
    int infeasible = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        make(g, seed);
        matrix dense = mat_dense(g->n, g->d, g->x);
        view all = view_all(&dense);
        l1_program *program = NULL;
        l1_solution s;
        l1_spec spec = {g->kind, &all, g->y, g->cost, g->loss, g->intercept, 0, &g->groups, NULL};
        assert_int_equal(l1_create(&program, &spec, NULL, NULL), PARE_OK);
        for (int again = 0; again < 2; again++) { /* warm, after a change of the costs */
            assert_int_equal(l1_solve(program, &s, NULL, NULL), PARE_OK);
            double optimum = full_program(g);
            assert_int_equal(s.infeasible, isnan(optimum));
            infeasible += s.infeasible;
            if (s.infeasible) break;
            assert_int_equal(s.outcome, PARE_OPTIMAL);
            check_close(s.objective, optimum, 1e-8);
            check_duality(g, &s);
            for (int64_t j = 0; j < g->d; j++) g->cost[j] *= g->of[j] % 2 ? 0.3 : 2;
            l1_set_costs(program, g->cost, NULL);
        }
        l1_free(program);
    }
    assert_true(infeasible < 60);
    free(g);
}

/* Just above lambda_max no weight pays, just below one does. */
static void the_largest_lambda_is_exact(void **state) {
    (void)state;
    grouped *g = calloc(1, sizeof *g);
    assert_non_null(g);
    int seen = 0;
    for (uint64_t seed = 0; seed < 40; seed += 2) {
        make(g, seed);
        if (g->hard) continue;
        matrix dense = mat_dense(g->n, g->d, g->x);
        view all = view_all(&dense);
        double most, *price = calloc((size_t)g->d, sizeof *price);
        assert_non_null(price);
        assert_int_equal(l1_lambda_max(&most, price, &all, &g->groups, NULL, g->y, g->loss,
                                       g->intercept, NULL, NULL),
                         PARE_OK);
        free(price);
        for (int below = 0; below < 2 && most > 0; below++) {
            l1_program *program = NULL;
            l1_solution s;
            for (int64_t j = 0; j < g->d; j++) g->cost[j] = most * (below ? 0.999 : 1.001);
            l1_spec spec = {g->kind,      &all, g->y,       g->cost, g->loss,
                            g->intercept, 0,    &g->groups, NULL};
            assert_int_equal(l1_create(&program, &spec, NULL, NULL), PARE_OK);
            assert_int_equal(l1_solve(program, &s, NULL, NULL), PARE_OK);
            assert_int_equal(s.n_weight > 0, below);
            l1_free(program);
            seen++;
        }
    }
    assert_true(seen >= 20);
    free(g);
}

static pare_status solve_again(void *user, const pare_ctx *ctx) {
    grouped *g = user;
    pare_error err;
    matrix dense = mat_dense(g->n, g->d, g->x);
    view all = view_all(&dense);
    l1_program *program = NULL;
    l1_solution s;
    l1_spec spec = {g->kind, &all, g->y, g->cost, g->loss, g->intercept, 0, &g->groups, NULL};
    pare_status status = l1_create(&program, &spec, ctx, &err);
    if (status == PARE_OK) status = l1_solve(program, &s, ctx, &err);
    l1_free(program);
    return status;
}

static void no_memory_is_lost(void **state) {
    (void)state;
    grouped *g = calloc(1, sizeof *g);
    assert_non_null(g);
    make(g, 2);
    check_oom(solve_again, g);
    free(g);
}

TEST_FILE(test_group_programs) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(corners_reach_the_optimum),
                                       cmocka_unit_test(the_largest_lambda_is_exact),
                                       cmocka_unit_test(no_memory_is_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
