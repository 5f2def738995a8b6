/* The small simplex against CLP on the full program: cold, after other costs, with columns barred,
 * without a penalty, from a point; and its dual judged by the conditions from raw data. */
#include "support/regression.h"

#include <math.h>
#include <stdlib.h>

#include "solve/l1/l1_simplex.h"

typedef struct small_case {
    regression p;
    matrix m;
    view x;
    double *cost, *loss; /* d, n */
    bool intercept;
    l1_simplex *q;
} small_case;

static small_case make(rng *r, regression_kind kind) {
    small_case c = {.intercept = rng_below(r, 2)};
    c.p = regression_make(r, 1 + rng_below(r, 25), 1 + rng_below(r, 25), kind, rng_below(r, 2));
    c.m = mat_dense(c.p.n, c.p.d, c.p.x);
    c.x = view_all(&c.m);
    c.cost = calloc((size_t)c.p.d, sizeof(double));
    c.loss = calloc((size_t)c.p.n, sizeof(double));
    assert_true(c.cost && c.loss);
    for (int64_t i = 0; i < c.p.n; i++) c.loss[i] = c.p.weight ? c.p.weight[i] : 1;
    assert_int_equal(l1_simplex_new(&c.q, &c.x, c.p.y, c.intercept, NULL, NULL), PARE_OK);
    return c;
}

static void free_case(small_case *c) {
    l1_simplex_free(c->q);
    free(c->cost);
    free(c->loss);
    regression_free(&c->p);
}

/* Solves with the present costs; says whether the simplex did. */
static bool agrees(small_case *c, l1_vertex *v) {
    int64_t n = c->p.n, d = c->p.d;
    if (!l1_simplex_solve(c->q, v, c->cost, c->loss)) return false;
    double best = regression_clp(&c->p, c->cost, c->loss, c->intercept, NULL), size = 0;
    double objective = 0, dual = 0, sum = 0, heaviest = 0;
    for (int64_t i = 0; i < n; i++) {
        double f = v->b;
        for (int64_t k = 0; k < v->n_weight; k++)
            f += v->weight[k].value * c->p.x[v->weight[k].feature * n + i];
        objective += c->loss[i] * fabs(f - c->p.y[i]);
        size += c->loss[i] * fabs(c->p.y[i]);
        assert_true(fabs(f - v->f[i]) <= 1e-9 * (1 + fabs(f)));
        heaviest = fmax(heaviest, c->loss[i]);
    }
    for (int64_t k = 0; k < v->n_weight; k++)
        objective += c->cost[v->weight[k].feature] * fabs(v->weight[k].value);
    assert_true(fabs(objective - v->objective) <= 1e-10 * (size + objective));
    assert_true(fabs(objective - best) <= 1e-7 * (size + 1e-3 * heaviest));
    for (int64_t i = 0; i < n; i++) {
        assert_true(fabs(v->u[i]) <= c->loss[i] + 1e-9 * heaviest);
        dual += v->u[i] * c->p.y[i];
        sum += v->u[i];
    }
    assert_true(fabs(dual - objective) <= 1e-7 * (size + 1e-3 * heaviest));
    if (c->intercept) assert_true(fabs(sum) <= 1e-9 * heaviest * (double)n);
    for (int64_t j = 0; j < d; j++) {
        double price = 0, most = 0;
        for (int64_t i = 0; i < n; i++) {
            price += c->p.x[j * n + i] * v->u[i];
            most += fabs(c->p.x[j * n + i]) * c->loss[i];
        }
        assert_true(fabs(price) <= c->cost[j] * (1 + 1e-9) + 1e-10 * most);
    }
    return true;
}

static void every_vertex_is_optimal(void **state) {
    (void)state;
    rng r = rng_from(20);
    int solved = 0, tried = 0;
    for (int trial = 0; trial < 300; trial++) {
        small_case c = make(&r, (regression_kind)rng_below(&r, REG_KINDS));
        for (int change = 0; change < 6; change++) { /* warm from the vertex before */
            double level = pow(10, 1 - 4 * rng_uniform(&r));
            for (int64_t j = 0; j < c.p.d; j++) {
                c.cost[j] = change == 4 ? 0 : level * (0.5 + rng_uniform(&r));
                if (change > 2 && rng_below(&r, 4) == 0) c.cost[j] = INFINITY;
            }
            l1_vertex v;
            tried++;
            solved += agrees(&c, &v);
        }
        free_case(&c);
    }
    assert_true(solved >= 0.99 * tried); /* the rest is told to the caller */
}

static void the_point_of_an_optimum_is_one(void **state) {
    (void)state;
    rng r = rng_from(21);
    int at_once = 0, tried = 0;
    for (int trial = 0; trial < 60; trial++) {
        small_case c = make(&r, REG_NORMAL);
        for (int64_t j = 0; j < c.p.d; j++) c.cost[j] = 0.3 + rng_uniform(&r);
        l1_vertex v, again;
        if (agrees(&c, &v)) {
            lp_weight *kept = calloc((size_t)v.n_weight + 1, sizeof *kept);
            assert_non_null(kept);
            for (int64_t k = 0; k < v.n_weight; k++) kept[k] = v.weight[k];
            l1_simplex_start(c.q, kept, v.n_weight, v.b);
            double objective = v.objective;
            tried++;
            assert_true(agrees(&c, &again));
            assert_true(fabs(again.objective - objective) <= 1e-12 * (1 + objective));
            at_once += again.pivots == 0;
            kept[0] = (lp_weight){0, 1e3}; /* and from anywhere else */
            l1_simplex_start(c.q, kept, 1, -7);
            assert_true(agrees(&c, &again));
            free(kept);
        }
        free_case(&c);
    }
    assert_true(at_once >= 0.9 * tried);
}

TEST_FILE(test_l1_simplex) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_vertex_is_optimal),
                                       cmocka_unit_test(the_point_of_an_optimum_is_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
