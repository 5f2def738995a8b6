/* The master program itself: rows that come later, rows without features, and their proofs, on the
 * ranking programs that need them. Reference: CLP on the full program or on another form of it. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

#include <coin/Clp_C_Interface.h>

#include "solve/lp/lp.h"

enum { MOST = 64 }; /* rows and core variables of any program here */

/* A plain dense program: minimise q'z, lo <= Az <= hi, column by column. */
typedef struct plain {
    Clp_Simplex *clp;
    int rows;
} plain;

static plain plain_open(int rows, const double *lo, const double *hi) {
    plain p = {Clp_newModel(), rows};
    Clp_setLogLevel(p.clp, 0);
    Clp_setPrimalTolerance(p.clp, 1e-9);
    Clp_setDualTolerance(p.clp, 1e-9);
    Clp_resize(p.clp, rows, 0);
    for (int r = 0; r < rows; r++) {
        Clp_rowLower(p.clp)[r] = lo[r];
        Clp_rowUpper(p.clp)[r] = hi[r];
    }
    return p;
}

static void plain_add(plain *p, double lower, double cost, const double *entry) {
    int row[MOST];
    CoinBigIndex start[2] = {0, p->rows};
    double upper = INFINITY;
    for (int r = 0; r < p->rows; r++) row[r] = r;
    Clp_addColumns(p->clp, 1, &lower, &upper, &cost, start, row, entry);
}

/* The optimum, or NaN if infeasible. */
static double plain_solve(plain *p) {
    Clp_initialSolve(p->clp);
    double optimum = Clp_status(p->clp) == 0 ? Clp_objectiveValue(p->clp) : NAN;
    Clp_deleteModel(p->clp);
    return optimum;
}

/* m positives, then k negatives. */
typedef struct ranking {
    int64_t m, k, d;
    double *x, *cost, lambda;
} ranking;

static ranking make(rng *r, int64_t m, int64_t k, int64_t d, double shift) {
    ranking p = {m, k, d, random_normal(r, m + k, d), malloc(sizeof(double) * (size_t)d), 0.02};
    assert_non_null(p.cost);
    for (int64_t j = 0; j < d; j++) p.cost[j] = p.lambda;
    for (int64_t i = 0; i < m; i++) p.x[i] += shift;
    return p;
}

static void drop(ranking *p) {
    free(p->x);
    free(p->cost);
}

/* Infinite push with l1 on the full program: xi_i + w x_i - t >= 1, t - w x_j >= 0. */
static double push_full(const ranking *p) {
    int n = (int)(p->m + p->k);
    double lo[MOST], hi[MOST], entry[MOST];
    for (int i = 0; i < n; i++) {
        lo[i] = i < p->m ? 1 : 0;
        hi[i] = INFINITY;
    }
    plain lp = plain_open(n, lo, hi);
    for (int64_t j = 0; j < p->d; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int i = 0; i < n; i++) entry[i] = sign * (i < p->m ? 1 : -1) * p->x[j * n + i];
            plain_add(&lp, 0, p->cost[j], entry);
        }
    for (int i = 0; i < n; i++) entry[i] = i < p->m ? -1 : 1;
    plain_add(&lp, -INFINITY, 0, entry);
    for (int s = 0; s < p->m; s++) {
        for (int i = 0; i < n; i++) entry[i] = i == s;
        plain_add(&lp, 0, 1 / (double)p->m, entry);
    }
    return plain_solve(&lp);
}

/* The master of the same with the positives' rows only: core variable 0 is t, then the xi. */
static lp_master *push_open(const ranking *p, const view *v) {
    double lo[MOST], hi[MOST], core_cost[MOST], value[2 * MOST];
    int64_t ptr[MOST];
    int32_t index[2 * MOST];
    bool core_free[MOST];
    core_cost[0] = 0;
    core_free[0] = true;
    for (int64_t i = 0; i < p->m; i++) {
        lo[i] = 1;
        hi[i] = INFINITY;
        core_cost[i + 1] = 1 / (double)p->m;
        core_free[i + 1] = false;
        ptr[i] = 2 * i;
        index[2 * i] = 0;
        value[2 * i] = -1;
        index[2 * i + 1] = (int32_t)(i + 1);
        value[2 * i + 1] = 1;
    }
    ptr[p->m] = 2 * p->m;
    lp_spec spec = {.x = v,
                    .cost = p->cost,
                    .n_core = p->m + 1,
                    .core_cost = core_cost,
                    .core_free = core_free,
                    .rows = {.count = p->m,
                             .lo = lo,
                             .hi = hi,
                             .core_ptr = ptr,
                             .core_index = index,
                             .core_value = value}};
    lp_master *master = NULL;
    assert_int_equal(lp_create(&master, &spec, NULL, NULL), PARE_OK);
    return master;
}

static double decision(const ranking *p, const lp_result *s, int64_t i) {
    double f = 0;
    for (int64_t k = 0; k < s->n_weight; k++)
        f += s->weight[k].value * p->x[s->weight[k].feature * (p->m + p->k) + i];
    return f;
}

/* Rows t >= w x_j as they are violated; few of them should be needed. */
static void rows_are_generated(void **state) {
    (void)state;
    rng r = rng_from(21);
    for (int trial = 0; trial < 12; trial++) {
        ranking p = make(&r, 6 + trial, 40, 150, 1.5);
        matrix x = mat_dense(p.m + p.k, p.d, p.x);
        view v = view_all(&x);
        lp_master *master = push_open(&p, &v);
        lp_result s;
        int64_t added = 0;
        for (;;) {
            assert_int_equal(lp_solve(master, &s, NULL, NULL), PARE_OK);
            assert_int_equal(s.outcome, PARE_OPTIMAL);
            int32_t sample = -1, t = 0;
            double worst = 1e-10, zero = 0, infinity = INFINITY, minus = -1, one = 1;
            for (int64_t i = p.m; i < p.m + p.k; i++) {
                double excess = decision(&p, &s, i) - s.core[t];
                if (excess <= worst) continue;
                worst = excess;
                sample = (int32_t)i;
            }
            if (sample < 0) break;
            int64_t ptr[2] = {0, 1};
            lp_rows row = {.count = 1,
                           .lo = &zero,
                           .hi = &infinity,
                           .sample = &sample,
                           .factor = &minus,
                           .core_ptr = ptr,
                           .core_index = &t,
                           .core_value = &one};
            assert_int_equal(lp_add_rows(master, &row, NULL, NULL), PARE_OK);
            assert_true(++added <= p.k);
        }
        double largest = -INFINITY, objective = 0;
        for (int64_t i = p.m; i < p.m + p.k; i++) largest = fmax(largest, decision(&p, &s, i));
        for (int64_t i = 0; i < p.m; i++)
            objective += fmax(0, 1 - decision(&p, &s, i) + largest) / (double)p.m;
        for (int64_t k = 0; k < s.n_weight; k++) objective += p.lambda * fabs(s.weight[k].value);
        double optimum = push_full(&p);
        check_close(objective, optimum, 1e-8);
        check_close(s.bound, optimum, 1e-8);
        assert_true(added > 0 && added < p.k);
        lp_free(master);
        drop(&p);
    }
}

/* lambda_max of infinite push = min over beta in the simplex of |mean(x+) - X-'beta|_inf
 *     = 1 / min { |w|_1 : mean p - t = 1, p_i = w x_i, t >= w x_j },
 * one row of which has no features, and which is infeasible where lambda_max is 0. */
static double lambda_max_direct(const ranking *p) {
    int n = (int)(p->m + p->k), d = (int)p->d;
    double lo[MOST], hi[MOST], entry[MOST];
    for (int j = 0; j < d; j++) {
        double mean = 0;
        for (int i = 0; i < p->m; i++) mean += p->x[j * n + i] / (double)p->m;
        lo[j] = mean;
        hi[d + j] = mean;
        hi[j] = INFINITY;
        lo[d + j] = -INFINITY;
    }
    lo[2 * d] = hi[2 * d] = 1;
    plain lp = plain_open(2 * d + 1, lo, hi);
    for (int i = (int)p->m; i < n; i++) {
        for (int j = 0; j < d; j++) entry[j] = entry[d + j] = p->x[j * n + i];
        entry[2 * d] = 1;
        plain_add(&lp, 0, 0, entry);
    }
    for (int j = 0; j < d; j++) {
        entry[j] = 1;
        entry[d + j] = -1;
    }
    entry[2 * d] = 0;
    plain_add(&lp, 0, 1, entry);
    return plain_solve(&lp);
}

static double lambda_max_master(const ranking *p) {
    int64_t n = p->m + p->k, e = 0, ptr[MOST + 1];
    double lo[MOST], hi[MOST], factor[MOST], value[4 * MOST], core_cost[MOST] = {0}, cost[MOST];
    int32_t sample[MOST], index[4 * MOST];
    bool core_free[MOST];
    for (int64_t i = 0; i <= n; i++) {
        lo[i] = i == n ? 1 : 0;
        hi[i] = i < p->m ? 0 : i == n ? 1 : INFINITY;
        factor[i] = -1;
        sample[i] = i < n ? (int32_t)i : -1;
        ptr[i] = e;
        if (i < n) {
            index[e] = i < p->m ? (int32_t)i : (int32_t)p->m; /* p_i, or t */
            value[e++] = 1;
        }
    }
    for (int64_t i = 0; i <= p->m; i++) {
        core_free[i] = true;
        index[e] = (int32_t)i;
        value[e++] = i < p->m ? 1 / (double)p->m : -1;
    }
    ptr[n + 1] = e;
    for (int64_t j = 0; j < p->d; j++) cost[j] = 1;
    matrix x = mat_dense(n, p->d, p->x);
    view v = view_all(&x);
    lp_spec spec = {.x = &v,
                    .cost = cost,
                    .n_core = p->m + 1,
                    .core_cost = core_cost,
                    .core_free = core_free,
                    .rows = {.count = n + 1,
                             .lo = lo,
                             .hi = hi,
                             .sample = sample,
                             .factor = factor,
                             .core_ptr = ptr,
                             .core_index = index,
                             .core_value = value}};
    lp_master *master = NULL;
    lp_result s;
    assert_int_equal(lp_create(&master, &spec, NULL, NULL), PARE_OK);
    assert_int_equal(lp_solve(master, &s, NULL, NULL), PARE_OK);
    assert_int_equal(s.outcome, PARE_OPTIMAL);
    double answer = s.infeasible ? 0 : 1 / s.objective;
    if (s.infeasible) {
        assert_true(s.residual <= 1e-6);
        check_close(s.pi[n], 1, 1e-12);
        /* the proof is a convex combination of the negatives that gives mean(x+) */
        for (int64_t j = 0; j < p->d; j++) {
            double gap = 0;
            for (int64_t i = 0; i < p->m; i++) gap += p->x[j * n + i] / (double)p->m;
            for (int64_t i = p->m; i < n; i++) gap -= s.pi[i] * p->x[j * n + i];
            check_close(gap, 0, 1e-6);
        }
    } else {
        check_close(s.objective, s.bound, 1e-9);
    }
    lp_free(master);
    return answer;
}

static void lambda_max_agrees(void **state) {
    (void)state;
    rng r = rng_from(22);
    int zero = 0;
    for (int trial = 0; trial < 30; trial++) {
        ranking p = make(&r, 1 + trial % 5, 3 + trial % 20, 1 + trial % 9, 0.5);
        double direct = lambda_max_direct(&p);
        check_close(lambda_max_master(&p), direct, 1e-8);
        zero += direct < 1e-9;
        drop(&p);
    }
    assert_true(zero > 2 && zero < 28);
}

/* Rows that contradict what was solved: w x_1 >= 1 first, then w x_1 <= 1/2 and w x_2 >= 1. */
static void later_rows_may_contradict(void **state) {
    (void)state;
    double data[4] = {1, 2, 0, 1}, cost[2] = {1, 5}; /* samples (1, 0) and (2, 1) */
    matrix x = mat_dense(2, 2, data);
    view v = view_all(&x);
    double lo[1] = {1}, hi[1] = {INFINITY};
    int32_t first = 0, second = 1;
    int64_t ptr[2] = {0, 0};
    lp_spec spec = {.x = &v,
                    .cost = cost,
                    .rows = {.count = 1, .lo = lo, .hi = hi, .sample = &first, .core_ptr = ptr}};
    lp_master *master = NULL;
    lp_result s;
    assert_int_equal(lp_create(&master, &spec, NULL, NULL), PARE_OK);
    assert_int_equal(lp_solve(master, &s, NULL, NULL), PARE_OK);
    check_close(s.objective, 1, 1e-12); /* w = (1, 0) */
    assert_int_equal(s.n_weight, 1);
    /* 2 w1 + w2 >= 4: w = (2, 0) */
    double four[1] = {4};
    lp_rows row = {.count = 1, .lo = four, .hi = hi, .sample = &second, .core_ptr = ptr};
    assert_int_equal(lp_add_rows(master, &row, NULL, NULL), PARE_OK);
    assert_int_equal(lp_solve(master, &s, NULL, NULL), PARE_OK);
    check_close(s.objective, 2, 1e-12);
    /* w1 <= 3/2: w = (3/2, 1) costs 6.5 */
    double below[1] = {-INFINITY}, most[1] = {1.5};
    row = (lp_rows){.count = 1, .lo = below, .hi = most, .sample = &first, .core_ptr = ptr};
    assert_int_equal(lp_add_rows(master, &row, NULL, NULL), PARE_OK);
    assert_int_equal(lp_solve(master, &s, NULL, NULL), PARE_OK);
    check_close(s.objective, 6.5, 1e-12);
    check_close(s.bound, 6.5, 1e-12);
    /* w2 barred: no solution; allowed again: as before */
    double barred[2] = {1, INFINITY};
    lp_set_costs(master, barred, NULL);
    assert_int_equal(lp_solve(master, &s, NULL, NULL), PARE_OK);
    assert_true(s.infeasible);
    check_close(s.pi[0] + 4 * s.pi[1] + 1.5 * s.pi[2], 1, 1e-12);
    check_close(s.pi[0] + 2 * s.pi[1] + s.pi[2], 0, 1e-12);
    lp_set_costs(master, cost, NULL);
    assert_int_equal(lp_solve(master, &s, NULL, NULL), PARE_OK);
    assert_false(s.infeasible);
    check_close(s.objective, 6.5, 1e-12);
    /* w1 >= 1 and w1 <= -1: contradiction */
    double minus[1] = {-1};
    row.hi = minus;
    assert_int_equal(lp_add_rows(master, &row, NULL, NULL), PARE_OK);
    assert_int_equal(lp_solve(master, &s, NULL, NULL), PARE_OK);
    assert_true(s.infeasible && isnan(s.objective));
    lp_free(master);
}

TEST_FILE(test_lp) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_generated),
        cmocka_unit_test(lambda_max_agrees),
        cmocka_unit_test(later_rows_may_contradict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
