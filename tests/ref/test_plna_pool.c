/* The pool of plna: what has settled on it has settled on all columns, by CLP on the whole
 * linearisation; no allocation that fails leaks. */
#include "support/regression.h"

#include <math.h>
#include <stdlib.h>

#include "method/lp/plna_descent.h"

typedef struct pool_case {
    regression p;
    matrix m;
    view x;
    target y;
    all_settings set;
    fit_job job;
} pool_case;

static void make(pool_case *c, rng *r, regression_kind kind) {
    c->p = regression_make(r, 4 + rng_below(r, 12), 20 + rng_below(r, 60), kind, rng_below(r, 2));
    c->m = mat_dense(c->p.n, c->p.d, c->p.x);
    c->x = view_all(&c->m);
    c->y = (target){.task = &task_regression, .value = c->p.y};
    settings_defaults(&c->set);
    c->set.common.intercept = rng_below(r, 2);
    c->job = (fit_job){.x = &c->x, .y = &c->y, .weight = c->p.weight, .set = &c->set};
}

/* The gain of the best vertex on the linearisation at p, and its value there. */
static double gain(const pool_case *c, const plna_work *w, const plna_point *p, double *here) {
    double *cost = calloc((size_t)w->d, sizeof *cost), *at = calloc((size_t)w->d, sizeof *at);
    assert_true(cost && at);
    for (int64_t k = 0; k < p->count; k++) at[p->weight[k].feature] = p->weight[k].value;
    *here = 0;
    for (int64_t j = 0; j < w->d; j++) {
        cost[j] = plna_slope(w, j, at[j]);
        *here += cost[j] * fabs(at[j]);
    }
    for (int64_t i = 0; i < w->n; i++) {
        double f = p->b;
        for (int64_t j = 0; j < w->d; j++) f += at[j] * c->p.x[j * w->n + i];
        *here += w->loss[i] * fabs(f - c->p.y[i]);
    }
    double best = regression_clp(&c->p, cost, w->loss, c->set.common.intercept, NULL);
    free(cost);
    free(at);
    return *here - best;
}

/* Three starts, as plna_fit makes them, settled on the pool. */
static pare_status settle(plna_work *w, plna_point *p, const pool_case *c, const pare_ctx *ctx) {
    pare_status status = plna_open(w, &c->job, true, ctx, NULL);
    plna_point *points[3] = {p, p + 1, p + 2};
    double ignored;
    rng r = rng_from(5);
    w->lambda = 0.3;
    w->alpha = 5;
    for (int64_t i = 0; status == PARE_OK && i < w->n; i++) w->loss[i] = 0.7 * w->weight[i];
    for (int t = 0; t < 3 && status == PARE_OK; t++) {
        status = plna_point_new(&p[t], w, NULL);
        if (t > 0) plna_costs_at_zero(w);
        for (int64_t j = 0; j < w->d && t == 0; j++) w->cost[j] = w->lambda;
        for (int64_t k = 0; k < w->n_pool && t > 0; k++)
            w->cost[w->pool[k]] = plna_slope(w, w->pool[k], rng_normal(&r));
        if (status == PARE_OK) status = plna_program(w, t == 0, &p[t], &ignored, ctx, NULL);
        if (status == PARE_OK && t == 0) status = plna_pool_point(w, &p[t], NULL);
    }
    return status == PARE_OK ? plna_settle(w, points, 3, ctx, NULL) : status;
}

static void release(plna_work *w, plna_point *p) {
    for (int t = 0; t < 3; t++) plna_point_free(&p[t], w);
    plna_close(w);
}

static void no_column_is_left_out(void **state) {
    (void)state;
    rng r = rng_from(31);
    int64_t joined = 0;
    for (int trial = 0; trial < 60; trial++) {
        pool_case c;
        plna_work w;
        plna_point p[3] = {0};
        make(&c, &r, (regression_kind)(trial % REG_KINDS));
        assert_int_equal(settle(&w, p, &c, NULL), PARE_OK);
        for (int t = 0; t < 3; t++) {
            double here, more = gain(&c, &w, &p[t], &here);
            assert_int_equal(p[t].outcome, PARE_STATIONARY);
            assert_true(more <= 1e-7 * here + 1e-12);
        }
        joined += w.n_pool - p[0].count;
        assert_true(w.passes > 0 && w.n_pool <= w.d);
        release(&w, p);
        regression_free(&c.p);
    }
    assert_true(joined > 0);
}

static pare_status one(void *user, const pare_ctx *ctx) {
    plna_work w;
    plna_point p[3] = {0};
    pare_status status = settle(&w, p, user, ctx);
    release(&w, p);
    return status;
}

static void nothing_leaks(void **state) {
    (void)state;
    rng r = rng_from(32);
    pool_case c;
    make(&c, &r, REG_NORMAL);
    check_oom(one, &c);
    regression_free(&c.p);
}

TEST_FILE(test_plna_pool) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_column_is_left_out),
                                       cmocka_unit_test(nothing_leaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
