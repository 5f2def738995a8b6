/* Margin and fit programs against CLP on the full program, and judged by duality from raw data. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <coin/Clp_C_Interface.h>

#include "base/context.h"
#include "solve/lp/l1_program.h"

/* One random problem; columns may be duplicated or zero, samples repeated, costs infinite. */
typedef struct random_problem {
    int64_t n, d;
    double *x, *y, *cost, *loss;
    bool intercept;
    l1_loss kind;
    matrix dense;
    view all;
} random_problem;

typedef enum hardness { SOFT, HARD, MIXED } hardness;

static double *numbers(int64_t n) {
    double *v = calloc((size_t)(n + 1), sizeof(double));
    assert_non_null(v);
    return v;
}

static random_problem make(rng *r, l1_loss kind, int64_t n, int64_t d, hardness hard,
                           bool degenerate) {
    random_problem p = {.n = n, .d = d, .kind = kind};
    p.x = random_normal(r, n, d);
    p.y = numbers(n);
    p.cost = numbers(d);
    p.loss = numbers(n);
    p.intercept = rng_below(r, 2);
    for (int64_t i = 0; i < n; i++) {
        double signal = d ? p.x[i] + rng_normal(r) : rng_normal(r);
        p.y[i] = kind == L1_MARGIN ? (signal > 0 ? 1 : -1) : signal;
        bool infinite = hard == HARD || (hard == MIXED && rng_below(r, 2));
        p.loss[i] = infinite ? INFINITY : rng_uniform(r) + 0.1;
    }
    for (int64_t j = 0; j < d; j++) p.cost[j] = 0.2 + rng_uniform(r);
    if (degenerate) {
        for (int64_t j = 1; j < d; j++) {
            int64_t what = rng_below(r, 5), from = rng_below(r, j);
            for (int64_t i = 0; i < n; i++) {
                if (what == 0) p.x[j * n + i] = p.x[from * n + i];
                if (what == 1) p.x[j * n + i] = 0;
                if (what == 2) p.x[j * n + i] = round(p.x[j * n + i]);
            }
            if (what == 0) p.cost[j] = p.cost[from];
            if (what == 3) p.cost[j] = INFINITY;
        }
        for (int64_t i = 1; i < n; i++)
            if (rng_below(r, 3) == 0) {
                for (int64_t j = 0; j < d; j++) p.x[j * n + i] = p.x[j * n + i - 1];
                if (hard != SOFT) p.y[i] = p.y[i - 1];
            }
    }
    return p;
}

static void drop(random_problem *p) {
    double *blocks[] = {p->x, p->y, p->cost, p->loss};
    for (int i = 0; i < 4; i++) free(blocks[i]);
}

/* The optimum of the full program, column by column as the definition says; NaN: infeasible. */
static double full_program(const random_problem *p) {
    int n = (int)p->n;
    Clp_Simplex *clp = Clp_newModel();
    Clp_setLogLevel(clp, 0);
    Clp_setPrimalTolerance(clp, 1e-9);
    Clp_setDualTolerance(clp, 1e-9);
    Clp_resize(clp, n, 0);
    double *entry = numbers(n);
    int *row = malloc(sizeof(int) * (size_t)(n + 1));
    assert_non_null(row);
    for (int i = 0; i < n; i++) {
        row[i] = i;
        Clp_rowLower(clp)[i] = p->kind == L1_MARGIN ? 1 : p->y[i];
        Clp_rowUpper(clp)[i] = p->kind == L1_MARGIN ? INFINITY : p->y[i];
    }
    CoinBigIndex start[2] = {0, n};
    double zero = 0, infinity = INFINITY, free_below = -INFINITY;
    for (int64_t j = 0; j <= p->d; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            bool is_intercept = j == p->d;
            if (is_intercept ? !p->intercept || sign < 0 : p->cost[j] == INFINITY) continue;
            for (int i = 0; i < n; i++)
                entry[i] = sign * (is_intercept ? 1 : p->x[j * n + i]) *
                           (p->kind == L1_MARGIN ? p->y[i] : 1);
            Clp_addColumns(clp, 1, is_intercept ? &free_below : &zero, &infinity,
                           is_intercept ? &zero : &p->cost[j], start, row, entry);
        }
    CoinBigIndex single[2] = {0, 1};
    for (int i = 0; i < n; i++)
        for (int side = 1; side >= (p->kind == L1_MARGIN ? 1 : -1); side -= 2) {
            double value = side;
            if (p->loss[i] < INFINITY)
                Clp_addColumns(clp, 1, &zero, &infinity, &p->loss[i], single, &i, &value);
        }
    Clp_initialSolve(clp);
    double optimum = Clp_status(clp) == 0 ? Clp_objectiveValue(clp) : NAN;
    Clp_deleteModel(clp);
    free(entry);
    free(row);
    return optimum;
}

/* Feasibility and values of both sides from raw data, in plain loops. */
static void check_duality(const random_problem *p, const l1_solution *s, double gap_allowed) {
    double primal = 0, dual = 0, balance = 0, *w = numbers(p->d);
    for (int64_t k = 0; k < s->n_weight; k++) {
        if (k) assert_true(s->weight[k].feature > s->weight[k - 1].feature);
        assert_true(s->weight[k].value != 0);
        w[s->weight[k].feature] = s->weight[k].value;
        primal += p->cost[s->weight[k].feature] * fabs(s->weight[k].value);
    }
    for (int64_t i = 0; i < p->n; i++) {
        double f = s->b, u = s->dual[i];
        for (int64_t j = 0; j < p->d; j++) f += w[j] * p->x[j * p->n + i];
        check_close(f, s->f[i], 1e-11);
        double loss = p->kind == L1_MARGIN ? fmax(0, 1 - p->y[i] * f) : fabs(f - p->y[i]);
        if (p->loss[i] < INFINITY)
            primal += p->loss[i] * loss;
        else
            assert_true(loss <= (p->kind == L1_MARGIN ? 1e-12 : 1e-8));
        assert_true(fabs(u) <= p->loss[i] && (p->kind == L1_FIT || u >= 0));
        dual += p->kind == L1_MARGIN ? u : u * p->y[i];
        balance += p->kind == L1_MARGIN ? u * p->y[i] : u;
    }
    if (!p->intercept) assert_true(s->b == 0);
    if (p->intercept) check_close(balance, 0, 1e-13);
    for (int64_t j = 0; j < p->d; j++) {
        double price = 0, size = 0;
        for (int64_t i = 0; i < p->n; i++) {
            double term = p->x[j * p->n + i] * s->dual[i] * (p->kind == L1_MARGIN ? p->y[i] : 1);
            price += term;
            size += fabs(term);
        }
        assert_true(fabs(price) <= p->cost[j] * (1 + 1e-12) + 1e-15 * size);
    }
    check_close(primal, s->objective, 1e-12);
    check_close(dual, s->bound, 1e-12);
    assert_true(primal - dual <= gap_allowed * fmax(1, primal));
    free(w);
}

/* Farkas: the duals have objective 1 and no allowed column, so no point can exist. */
static void check_proof(const random_problem *p, const l1_solution *s) {
    double value = 0, balance = 0, worst = 0;
    assert_true(isnan(s->objective));
    for (int64_t i = 0; i < p->n; i++) {
        if (p->loss[i] < INFINITY) assert_true(s->dual[i] == 0);
        if (p->kind == L1_MARGIN) assert_true(s->dual[i] >= 0);
        value += s->dual[i] * (p->kind == L1_MARGIN ? 1 : p->y[i]);
        balance += s->dual[i] * (p->kind == L1_MARGIN ? p->y[i] : 1);
    }
    for (int64_t j = 0; j < p->d; j++) {
        double price = 0;
        if (p->cost[j] == INFINITY) continue;
        for (int64_t i = 0; i < p->n; i++)
            price += p->x[j * p->n + i] * s->dual[i] * (p->kind == L1_MARGIN ? p->y[i] : 1);
        worst = fmax(worst, fabs(price));
    }
    check_close(value, 1, 1e-12);
    if (p->intercept) check_close(balance, 0, 1e-12);
    assert_true(worst <= 1e-6);
    check_close(worst, s->residual, 1e-12);
}

/* v: the data behind p->x in another form, or NULL for p->x itself. */
static l1_program *open_program(random_problem *p, const view *v, const pare_ctx *ctx) {
    p->dense = mat_dense(p->n, p->d, p->x);
    p->all = view_all(&p->dense);
    l1_spec spec = {p->kind, v ? v : &p->all, p->y, p->cost, p->loss, p->intercept, 0, NULL, NULL};
    l1_program *program = NULL;
    assert_int_equal(l1_create(&program, &spec, ctx, NULL), PARE_OK);
    return program;
}

static void judge(random_problem *p, int *infeasible) {
    l1_program *program = open_program(p, NULL, NULL);
    l1_solution s;
    assert_int_equal(l1_solve(program, &s, NULL, NULL), PARE_OK);
    assert_int_equal(s.outcome, PARE_OPTIMAL);
    double optimum = full_program(p);
    assert_int_equal(s.infeasible, isnan(optimum));
    if (s.infeasible) {
        check_proof(p, &s);
        ++*infeasible;
    } else {
        check_close(s.objective, optimum, 1e-9);
        check_duality(p, &s, 2e-9);
    }
    l1_free(program);
}

static void sweep(l1_loss kind) {
    rng r;
    rng_seed(&r, 7, (uint64_t)kind);
    int infeasible = 0;
    for (int trial = 0; trial < 240; trial++) {
        int64_t n = 1 + rng_below(&r, 25), d = rng_below(&r, trial % 3 ? 30 : 200);
        random_problem p = make(&r, kind, n, d, (hardness)(trial % 3), trial & 1);
        judge(&p, &infeasible);
        drop(&p);
    }
    assert_true(infeasible >= 10 && infeasible <= 150);
}

static void both_losses_are_optimal(void **state) {
    (void)state;
    sweep(L1_MARGIN);
    sweep(L1_FIT);
}

/* Wide enough for several rounds of column generation. */
static void wide_is_optimal(void **state) {
    (void)state;
    rng r = rng_from(8);
    for (int trial = 0; trial < 4; trial++) {
        random_problem p = make(&r, (l1_loss)(trial % 2), 30, 1500, (hardness)(trial / 2), false);
        int infeasible = 0;
        judge(&p, &infeasible);
        assert_int_equal(infeasible, 0);
        drop(&p);
    }
}

/* Contradicting duplicate samples: inseparable whatever the width, with and without noise in the
 * pair. */
static void duplicates_prove_inseparability(void **state) {
    (void)state;
    rng r = rng_from(9);
    for (int trial = 0; trial < 4; trial++) {
        random_problem p = make(&r, L1_MARGIN, 20, 800, HARD, false);
        for (int64_t j = 0; j < p.d; j++) p.x[j * p.n + 1] = p.x[j * p.n];
        p.y[0] = 1;
        p.y[1] = -1;
        int infeasible = 0;
        judge(&p, &infeasible);
        assert_int_equal(infeasible, 1);
        drop(&p);
    }
}

static void one_class_needs_no_weights(void **state) {
    (void)state;
    rng r = rng_from(10);
    random_problem p = make(&r, L1_MARGIN, 12, 40, MIXED, false);
    for (int64_t i = 0; i < p.n; i++) p.y[i] = -1;
    p.intercept = true;
    l1_program *program = open_program(&p, NULL, NULL);
    l1_solution s;
    assert_int_equal(l1_solve(program, &s, NULL, NULL), PARE_OK);
    assert_true(s.n_weight == 0 && s.objective == 0 && s.b <= -1);
    l1_free(program);
    drop(&p);
}

/* The costs of successive linearisations: a warm program equals a fresh one each time. */
static void warm_equals_cold(void **state) {
    (void)state;
    rng r = rng_from(11);
    for (int trial = 0; trial < 6; trial++) {
        hardness hard = trial < 4 ? SOFT : HARD;
        random_problem p = make(&r, (l1_loss)(trial % 2), 20, 300, hard, trial & 1);
        for (int64_t i = 0; hard == HARD && i < p.n; i++)
            for (int64_t j = 0; j < p.d; j++) p.x[j * p.n + i] = rng_normal(&r);
        l1_program *warm = open_program(&p, NULL, NULL);
        for (int change = 0; change < 20; change++) {
            l1_solution s, t;
            assert_int_equal(l1_solve(warm, &s, NULL, NULL), PARE_OK);
            assert_false(s.infeasible);
            check_duality(&p, &s, 2e-9);
            l1_program *cold = open_program(&p, NULL, NULL);
            assert_int_equal(l1_solve(cold, &t, NULL, NULL), PARE_OK);
            check_close(s.objective, t.objective, 2e-9);
            l1_free(cold);
            for (int64_t j = 0; j < p.d; j++)
                p.cost[j] = rng_below(&r, 10) ? exp(2 * rng_normal(&r)) : INFINITY;
            for (int64_t i = 0; hard == SOFT && i < p.n; i++) p.loss[i] = exp(rng_normal(&r));
            l1_set_costs(warm, p.cost, p.loss);
        }
        l1_free(warm);
        drop(&p);
    }
}

/* Costs c exp(-5 |w|) at the last solution: used features become all but free. */
static void tiny_costs_are_solved(void **state) {
    (void)state;
    rng r = rng_from(17);
    double least = 1;
    for (int trial = 0; trial < 4; trial++) {
        random_problem p = make(&r, L1_FIT, 20, 300, SOFT, false);
        for (int64_t i = 0; i < p.n; i++) p.y[i] *= 15;
        for (int64_t j = 0; j < p.d; j++) p.cost[j] = 0.05;
        l1_program *warm = open_program(&p, NULL, NULL);
        for (int round = 0; round < 8; round++) {
            l1_solution s, t;
            l1_program *cold = open_program(&p, NULL, NULL);
            assert_int_equal(l1_solve(warm, &s, NULL, NULL), PARE_OK);
            assert_int_equal(l1_solve(cold, &t, NULL, NULL), PARE_OK);
            assert_true(s.outcome == PARE_OPTIMAL && t.outcome == PARE_OPTIMAL);
            assert_true(fabs(s.objective - t.objective) <= 1e-9 * t.objective);
            check_duality(&p, &s, 1e-6);
            check_duality(&p, &t, 1e-6);
            for (int64_t j = 0; j < p.d; j++) p.cost[j] = 0.25;
            for (int64_t k = 0; k < s.n_weight; k++) {
                double cost = 0.25 * fmax(1e-9, exp(-5 * fabs(s.weight[k].value)));
                p.cost[s.weight[k].feature] = cost;
                least = fmin(least, cost);
            }
            l1_set_costs(warm, p.cost, NULL);
            l1_free(cold);
        }
        l1_free(warm);
        drop(&p);
    }
    assert_true(least < 1e-9);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    rng r = rng_from(12);
    random_problem p = make(&r, L1_MARGIN, 30, 5000, SOFT, false);
    l1_program *program[2];
    l1_solution s[2];
    for (int k = 0; k < 2; k++) {
        pare_ctx ctx;
        pare_ctx_init(&ctx);
        ctx.threads = k ? 4 : 1;
        program[k] = open_program(&p, NULL, &ctx);
        assert_int_equal(l1_solve(program[k], &s[k], &ctx, NULL), PARE_OK);
    }
    assert_true(s[0].n_weight == s[1].n_weight && s[0].pivots == s[1].pivots);
    for (int64_t k = 0; k < s[0].n_weight; k++)
        assert_true(s[0].weight[k].feature == s[1].weight[k].feature &&
                    s[0].weight[k].value == s[1].weight[k].value);
    assert_memory_equal(s[0].dual, s[1].dual, sizeof(double) * (size_t)p.n);
    assert_true(s[0].objective == s[1].objective && s[0].bound == s[1].bound && s[0].b == s[1].b);
    for (int k = 0; k < 2; k++) l1_free(program[k]);
    drop(&p);
}

static int stop_at(void *user, const char *stage, double fraction) {
    (void)stage;
    (void)fraction;
    return --*(int *)user < 0;
}

/* Stopped after any number of rounds, the point and the bound still hold, and going on ends well.
 */
static void interruption_leaves_a_proven_gap(void **state) {
    (void)state;
    rng r = rng_from(13);
    for (int hard = 0; hard < 2; hard++) {
        random_problem p = make(&r, L1_MARGIN, 30, 2000, hard ? HARD : SOFT, false);
        l1_program *program = open_program(&p, NULL, NULL);
        l1_solution s;
        int cancelled = 0;
        for (int rounds = 0; rounds < 50; rounds++) {
            int left = rounds;
            pare_ctx ctx;
            pare_ctx_init(&ctx);
            ctx.progress = stop_at;
            ctx.user = &left;
            assert_int_equal(l1_solve(program, &s, &ctx, NULL), PARE_OK);
            if (!isnan(s.objective)) check_duality(&p, &s, INFINITY);
            if (s.outcome == PARE_OPTIMAL) break;
            assert_int_equal(s.outcome, PARE_CANCELLED);
            cancelled++;
        }
        assert_true(cancelled > 0);
        assert_int_equal(s.outcome, PARE_OPTIMAL);
        check_duality(&p, &s, 2e-9);
        l1_free(program);
        drop(&p);
    }
}

/* Columns, costs and losses over many orders of magnitude: the gap stays closed. */
static void scales_do_not_matter(void **state) {
    (void)state;
    rng r = rng_from(14);
    for (int trial = 0; trial < 30; trial++) {
        hardness hard = (hardness)(trial % 3);
        random_problem p = make(&r, (l1_loss)(trial % 2), 30, 300, hard, false);
        for (int64_t j = 0; j < p.d; j++) {
            double scale = pow(10, 8 * rng_uniform(&r) - 4);
            for (int64_t i = 0; i < p.n; i++) p.x[j * p.n + i] *= scale;
            p.cost[j] *= scale * exp(3 * rng_normal(&r));
        }
        double units = p.kind == L1_FIT ? pow(10, 8 * rng_uniform(&r) - 4) : 1;
        for (int64_t i = 0; i < p.n; i++) {
            p.y[i] *= units;
            p.loss[i] *= exp(3 * rng_normal(&r));
        }
        l1_program *program = open_program(&p, NULL, NULL);
        l1_solution s;
        assert_int_equal(l1_solve(program, &s, NULL, NULL), PARE_OK);
        assert_int_equal(s.outcome, PARE_OPTIMAL);
        assert_false(s.infeasible);
        assert_true(s.objective - s.bound <= 1e-8 * s.objective);
        if (p.kind == L1_MARGIN || hard == SOFT) check_duality(&p, &s, 1e-8);
        l1_free(program);
        drop(&p);
    }
}

/* Sparse storage, repeated rows and scaling are a view's business alone. */
static void views_are_seen_through(void **state) {
    (void)state;
    enum { ROWS = 25, D = 120 };
    rng r = rng_from(15);
    matrix sparse = random_sparse(&r, 40, D, 0.2);
    double *base = dense_of(&sparse), shift[D], scale[D], cost_of_view[D];
    int32_t rows[ROWS];
    for (int64_t j = 0; j < D; j++) {
        shift[j] = rng_normal(&r);
        scale[j] = 0.5 + rng_uniform(&r);
        cost_of_view[j] = 0.3 + rng_uniform(&r);
    }
    for (int i = 0; i < ROWS; i++) rows[i] = (int32_t)rng_below(&r, 40);
    for (int kind = 0; kind < 2; kind++) {
        random_problem p = make(&r, (l1_loss)kind, ROWS, D, SOFT, false);
        for (int64_t j = 0; j < D; j++) {
            p.cost[j] = cost_of_view[j];
            for (int64_t i = 0; i < ROWS; i++)
                p.x[j * ROWS + i] = (base[j * 40 + rows[i]] - shift[j]) * scale[j];
        }
        view v = view_all(&sparse);
        v.rows = rows;
        v.n = ROWS;
        v.shift = shift;
        v.scale = scale;
        l1_program *program = open_program(&p, &v, NULL);
        l1_solution s;
        assert_int_equal(l1_solve(program, &s, NULL, NULL), PARE_OK);
        check_duality(&p, &s, 2e-9);
        check_close(s.objective, full_program(&p), 1e-9);
        l1_free(program);
        drop(&p);
    }
    free(base);
    mat_free(&sparse, NULL);
}

static void time_limit_is_kept(void **state) {
    (void)state;
    rng r = rng_from(16);
    for (int hard = 0; hard < 2; hard++) {
        random_problem p = make(&r, L1_FIT, 30, 2000, hard ? HARD : SOFT, false);
        l1_program *program = open_program(&p, NULL, NULL);
        call late;
        assert_int_equal(call_begin(&late, NULL, NULL), PARE_OK);
        late.deadline_s = clock_now() - 1;
        l1_solution s;
        assert_int_equal(l1_solve(program, &s, &late.ctx, NULL), PARE_OK);
        call_end(&late);
        assert_int_equal(s.outcome, PARE_TIME_LIMIT);
        assert_true(s.bound >= 0);
        assert_int_equal(l1_solve(program, &s, NULL, NULL), PARE_OK);
        assert_int_equal(s.outcome, PARE_OPTIMAL);
        l1_free(program);
        drop(&p);
    }
}

TEST_FILE(test_l1_program) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_losses_are_optimal),
        cmocka_unit_test(wide_is_optimal),
        cmocka_unit_test(duplicates_prove_inseparability),
        cmocka_unit_test(one_class_needs_no_weights),
        cmocka_unit_test(warm_equals_cold),
        cmocka_unit_test(tiny_costs_are_solved),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(interruption_leaves_a_proven_gap),
        cmocka_unit_test(scales_do_not_matter),
        cmocka_unit_test(views_are_seen_through),
        cmocka_unit_test(time_limit_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
