/* The solvers of the infinite push and of pairwise ranking against CLP on the full programs, against
 * each other, and their sums over pairs against all pairs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <coin/Clp_C_Interface.h>

#include "solve/rank/push.h"
#include "solve/rank/pair_losses.h"
#include "support/support.h"

enum { MAX_ROWS = 400 };

/* m positives, then n negatives, with equal costs, groups of three. */
typedef struct ranking {
    double *x, *cost, *w, *dual;
    int64_t *group;
    matrix X;
    view v;
    push_problem p;
} ranking;

static void make(ranking *k, rng *r, int64_t m, int64_t n, int64_t d, double signal,
                 push_penalty penalty) {
    int64_t N = m + n;
    k->x = random_normal(r, N, d);
    k->cost = malloc(sizeof(double) * (size_t)N);
    k->dual = malloc(sizeof(double) * (size_t)N);
    k->w = malloc(sizeof(double) * (size_t)d);
    k->group = malloc(sizeof(int64_t) * (size_t)d);
    assert_true(k->cost && k->dual && k->w && k->group);
    for (int64_t j = 0; j < d; j++) {
        k->group[j] = j / 3;
        for (int64_t i = 0; i < m && j < 4; i++) k->x[j * N + i] += signal;
    }
    for (int64_t i = 0; i < N; i++) k->cost[i] = 1 / (double)(i < m ? m : n);
    k->X = mat_dense(N, d, k->x);
    k->v = view_all(&k->X);
    k->p = (push_problem){.x = &k->v,
                          .m = m,
                          .n = n,
                          .cost = k->cost,
                          .penalty = penalty,
                          .lambda = 0.03,
                          .mix = 0.4,
                          .group = k->group,
                          .n_groups = (d + 2) / 3,
                          .tol_rel = 1e-5};
}

static void drop(ranking *k) {
    free(k->x);
    free(k->cost);
    free(k->dual);
    free(k->w);
    free(k->group);
}

static push_solution solution(ranking *k) { return (push_solution){.w = k->w, .dual = k->dual}; }

/* The solvers, to their tolerance. */
static void by_interior(push_solution *s, const ranking *k, bool generate) {
    assert_int_equal(push_interior(s, &k->p, generate, NULL, NULL), PARE_OK);
    assert_int_equal(s->outcome, PARE_OPTIMAL);
}

static void by_directions(push_solution *s, const ranking *k) {
    assert_int_equal(push_admm(s, &k->p, NULL, NULL), PARE_OK);
    assert_int_equal(s->outcome, PARE_OPTIMAL);
}

/* minimise cost'z over z >= lower, A z >= need, entry by entry. */
static double program(int rows, const double *need, int cols, const double *A, const double *cost,
                      const double *lower) {
    Clp_Simplex *lp = Clp_newModel();
    double upper = INFINITY;
    int row[MAX_ROWS];
    CoinBigIndex start[2] = {0, rows};
    Clp_setLogLevel(lp, 0);
    Clp_resize(lp, rows, 0);
    for (int i = 0; i < rows; i++) {
        row[i] = i;
        Clp_rowLower(lp)[i] = need[i];
        Clp_rowUpper(lp)[i] = INFINITY;
    }
    for (int c = 0; c < cols; c++)
        Clp_addColumns(lp, 1, &lower[c], &upper, &cost[c], start, row, A + c * rows);
    Clp_initialSolve(lp);
    assert_int_equal(Clp_status(lp), 0);
    double value = Clp_objectiveValue(lp);
    Clp_deleteModel(lp);
    return value;
}

/* The paper's problem as it stands, l1: s >= mean_i xi_ij for each j, xi_ij >= 1 - w(x_i - x_j). */
static double paper_optimum(const ranking *k) {
    int m = (int)k->p.m, n = (int)k->p.n, d = (int)k->v.d, N = m + n, pairs = m * n;
    int rows = pairs + n, cols = 2 * d + 1 + pairs;
    double *A = calloc((size_t)(rows * cols), sizeof *A),
           *cost = calloc((size_t)cols, sizeof *cost);
    double *need = calloc((size_t)rows, sizeof *need), *lower = calloc((size_t)cols, sizeof *lower);
    assert_true(A && cost && need && lower && rows <= MAX_ROWS);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            int r = j * m + i;
            need[r] = 1;
            for (int c = 0; c < d; c++) {
                double off = k->x[c * N + i] - k->x[c * N + m + j];
                A[2 * c * rows + r] = off;
                A[(2 * c + 1) * rows + r] = -off;
            }
            A[(2 * d + 1 + r) * rows + r] = 1;
            A[(2 * d + 1 + r) * rows + pairs + j] = -1.0 / m;
            A[2 * d * rows + pairs + j] = 1;
        }
    for (int c = 0; c < 2 * d; c++) cost[c] = k->p.lambda;
    cost[2 * d] = 1;
    double value = program(rows, need, cols, A, cost, lower);
    free(A);
    free(cost);
    free(need);
    free(lower);
    return value;
}

/* mean over pairs of the hinge + lambda |w|_1. */
static double pairs_optimum(const ranking *k) {
    int m = (int)k->p.m, n = (int)k->p.n, d = (int)k->v.d, N = m + n, rows = m * n;
    int cols = 2 * d + rows;
    double *A = calloc((size_t)(rows * cols), sizeof *A),
           *cost = calloc((size_t)cols, sizeof *cost);
    double *need = calloc((size_t)rows, sizeof *need), *lower = calloc((size_t)cols, sizeof *lower);
    assert_true(A && cost && need && lower && rows <= MAX_ROWS);
    for (int r = 0; r < rows; r++) {
        need[r] = 1;
        for (int c = 0; c < d; c++) {
            double off = k->x[c * N + r % m] - k->x[c * N + m + r / m];
            A[2 * c * rows + r] = off;
            A[(2 * c + 1) * rows + r] = -off;
        }
        A[(2 * d + r) * rows + r] = 1;
        cost[2 * d + r] = 1.0 / rows;
    }
    for (int c = 0; c < 2 * d; c++) cost[c] = k->p.lambda;
    double value = program(rows, need, cols, A, cost, lower);
    free(A);
    free(cost);
    free(need);
    free(lower);
    return value;
}

static void the_reduced_problem_is_the_papers(void **state) {
    (void)state;
    rng r = rng_from(5);
    for (int trial = 0; trial < 12; trial++) {
        ranking k;
        int64_t m = 1 + rng_below(&r, 14), n = 1 + rng_below(&r, 14), d = 1 + rng_below(&r, 25);
        make(&k, &r, m, n, d, 1.5 * rng_uniform(&r), PUSH_L1);
        double reference = paper_optimum(&k);
        push_solution s = solution(&k);
        for (int generate = 0; generate < 2; generate++) {
            by_interior(&s, &k, generate);
            check_close(s.objective, reference, 1e-6);
            assert_true(s.bound <= reference + 1e-7);
        }
        by_directions(&s, &k);
        check_close(s.objective, reference, 2e-5);
        k.p.tol_rel = 1e-3;
        assert_int_equal(push_pairwise(&s, &k.p, NULL, NULL), PARE_OK);
        assert_int_equal(s.outcome, PARE_OPTIMAL);
        check_close(s.objective, reference, 1e-3);
        drop(&k);
    }
}

/* No reference program for squares and groups: two methods, and bounds that must not cross. */
static void solvers_agree(void **state) {
    (void)state;
    rng r = rng_from(6);
    static const int64_t sizes[][3] = {{20, 30, 10}, {15, 20, 90}, {40, 300, 12}, {9, 12, 400}};
    for (int t = 0; t < 4; t++)
        for (push_penalty penalty = PUSH_L1; penalty <= PUSH_L1L2; penalty++) {
            ranking k;
            make(&k, &r, sizes[t][0], sizes[t][1], sizes[t][2], 1, penalty);
            push_solution s = solution(&k);
            k.p.lambda = 0.1;
            k.p.tol_rel =
                penalty == PUSH_L1 ? 1e-3 : 1e-5; /* alternating directions are slow there */
            by_directions(&s, &k);
            double objective = s.objective, bound = s.bound;
            assert_true(bound <= objective);
            for (int generate = 0; generate < 2; generate++) {
                by_interior(&s, &k, generate);
                assert_true(s.objective <= objective * (1 + 0.1 * k.p.tol_rel));
                assert_true(s.bound >= bound - 1e-7);
                assert_true(s.bound <= s.objective * (1 + 1e-12));
            }
            drop(&k);
        }
}

/* Enough positives to begin with a sample of them and to stand without rows of their own. */
static void many_samples_need_few_rows(void **state) {
    (void)state;
    rng r = rng_from(11);
    for (int t = 0; t < 4; t++) {
        ranking k;
        make(&k, &r, 4200, t < 2 ? 500 : 4000, 6, t % 2 ? 0.3 : 2, t == 3 ? PUSH_L2 : PUSH_L1);
        push_solution s = solution(&k);
        k.p.lambda = t % 2 ? 0.01 : 0.1;
        by_interior(&s, &k, false);
        double objective = s.objective;
        by_interior(&s, &k, true);
        check_close(s.objective, objective, 1e-6);
        assert_true(push_gap(&s) < 1e-6);
        drop(&k);
    }
}

static int64_t support(const ranking *k) {
    int64_t count = 0;
    for (int64_t j = 0; j < k->v.d; j++) count += k->w[j] != 0;
    return count;
}

static void the_model_is_empty_from_lambda_max_on(void **state) {
    (void)state;
    rng r = rng_from(7);
    for (int trial = 0; trial < 12; trial++) {
        push_penalty penalty = trial % 3 == 0 ? PUSH_L1 : trial % 3 == 1 ? PUSH_L1L2 : PUSH_GROUP;
        ranking k;
        make(&k, &r, 10, 12, 5 + 8 * trial, 1, penalty);
        push_limit limit = {.dual = k.dual};
        assert_int_equal(push_lambda_max(&limit, &k.p, NULL, NULL), PARE_OK);
        assert_true(limit.lambda_max >= 0 && limit.lambda_max <= limit.bound * (1 + 1e-9));
        push_solution s = solution(&k);
        k.p.lambda = limit.lambda_max > 0 ? 1.001 * limit.lambda_max : 1e-3 * limit.bound;
        assert_int_equal(push_admm(&s, &k.p, NULL, NULL), PARE_OK);
        check_close(s.objective, 1, 1e-5);
        if (limit.lambda_max > 0) {
            k.p.lambda = 0.8 * limit.lambda_max;
            assert_int_equal(push_admm(&s, &k.p, NULL, NULL), PARE_OK);
            assert_true(s.objective < 1 - 1e-3 && support(&k) > 0);
        }
        drop(&k);
    }
}

/* Losses, slopes and second derivatives over all pairs, one by one. */
static void sums_over_pairs(void **state) {
    (void)state;
    rng r = rng_from(8);
    enum { MOST = 40 };
    for (int trial = 0; trial < 300; trial++) {
        int64_t m = 1 + rng_below(&r, MOST / 2), n = 1 + rng_below(&r, MOST / 2), N = m + n;
        double cost[MOST], f[MOST], v[MOST], slope[MOST], curve[MOST];
        double slow_slope[MOST] = {0}, slow_curve[MOST] = {0};
        rank_sums sums, slow = {0, 0, 0, 0, 0};
        bool bent = trial % 3 > 0;
        double width = bent ? pow(10, -rng_uniform(&r)) : 0.5;
        for (int64_t i = 0; i < N; i++) {
            cost[i] = 0.1 + rng_uniform(&r);
            v[i] = rng_normal(&r);
            f[i] = trial % 2 ? rng_normal(&r) : (double)rng_below(&r, 4); /* ties and kinks */
        }
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = m; j < N; j++) {
                double h = 1 - f[i] + f[j], c = cost[i] * cost[j];
                if (!(h > 0)) continue;
                bool parabola = !bent || h < width;
                double down = parabola ? h / width : 1;
                slow.hinge += c * h;
                slow.squared += c * h * h;
                slow.smooth += c * (parabola ? h * h / (2 * width) : h - width / 2);
                slow.total += c * down;
                slow.open += c * (parabola ? h - h * down : 0);
                slow_slope[i] += c * down;
                slow_slope[j] += c * down;
                if (!parabola) continue;
                slow_curve[i] += c * (v[i] - v[j]) / width;
                slow_curve[j] += c * (v[j] - v[i]) / width;
            }
        arena mem;
        arena_init(&mem, ctx_allocator(NULL));
        rank_pairs pairs;
        assert_int_equal(rank_pairs_init(&pairs, &mem, m, n, cost, bent, NULL), PARE_OK);
        pairs.width = width;
        rank_pairs_sums(&pairs, f, &sums, slope);
        rank_pairs_curve(&pairs, v, curve);
        check_close(sums.hinge, slow.hinge, 1e-12);
        check_close(sums.squared, slow.squared, 1e-12);
        check_close(sums.smooth, slow.smooth, 1e-12);
        check_close(sums.total, slow.total, 1e-12);
        if (bent) assert_true(fabs(sums.open - slow.open) < 1e-11);
        for (int64_t i = 0; i < N; i++) {
            check_close(slope[i], slow_slope[i], 1e-11);
            assert_true(fabs(curve[i] - slow_curve[i]) < 1e-10);
        }
        rank_pairs_sums(&pairs, f, &sums, slope);
        rank_pairs_narrow(&pairs, width, slope); /* the same width: nothing moves */
        for (int64_t i = 0; i < N; i++) check_close(slope[i], slow_slope[i], 1e-11);
        arena_free(&mem);
    }
}

static void hinge_pairs_reach_the_full_program(void **state) {
    (void)state;
    rng r = rng_from(9);
    for (int trial = 0; trial < 10; trial++) {
        ranking k;
        int64_t m = 1 + rng_below(&r, 12), n = 1 + rng_below(&r, 12), d = 1 + rng_below(&r, 20);
        make(&k, &r, m, n, d, rng_uniform(&r), PUSH_L1);
        double reference = pairs_optimum(&k);
        push_solution s = solution(&k);
        assert_int_equal(rank_svm_solve(&s, &k.p, false, NULL, NULL), PARE_OK);
        assert_int_equal(s.outcome, PARE_OPTIMAL);
        check_close(s.objective, reference, 1e-5);
        assert_true(s.bound <= reference + 1e-8);
        drop(&k);
    }
}

/* Squared pairs, l2: the gradient over all pairs vanishes. */
static void squared_pairs_are_stationary(void **state) {
    (void)state;
    rng r = rng_from(10);
    static const int64_t sizes[][3] = {{12, 15, 6}, {6, 9, 40}, {1, 1, 3}};
    for (int t = 0; t < 3; t++) {
        ranking k;
        make(&k, &r, sizes[t][0], sizes[t][1], sizes[t][2], 0.5, PUSH_L2);
        int64_t m = k.p.m, N = m + k.p.n;
        push_solution s = solution(&k);
        k.p.tol_rel = 1e-9;
        assert_int_equal(rank_svm_solve(&s, &k.p, true, NULL, NULL), PARE_OK);
        for (int64_t c = 0; c < k.v.d; c++) {
            double gradient = k.p.lambda * k.w[c];
            for (int64_t i = 0; i < m; i++)
                for (int64_t j = m; j < N; j++) {
                    double h = 1;
                    for (int64_t l = 0; l < k.v.d; l++)
                        h -= k.w[l] * (k.x[l * N + i] - k.x[l * N + j]);
                    gradient -=
                        2 * k.cost[i] * k.cost[j] * fmax(0, h) * (k.x[c * N + i] - k.x[c * N + j]);
                }
            assert_true(fabs(gradient) < 1e-4);
        }
        drop(&k);
    }
}

/* Both losses, all penalties, tall and wide: the gap closes, and a warm start ends at the same value. */
static void pairs_close_the_gap(void **state) {
    (void)state;
    rng r = rng_from(12);
    static const int64_t sizes[][3] = {{60, 80, 10}, {15, 20, 90}, {1, 4, 3}, {9, 12, 1600}};
    for (int t = 0; t < 4; t++)
        for (push_penalty penalty = PUSH_L1; penalty <= PUSH_L1L2; penalty++)
            for (int squared = 0; squared < 2; squared++) {
                ranking k;
                make(&k, &r, sizes[t][0], sizes[t][1], sizes[t][2], 0.7, penalty);
                push_solution s = solution(&k);
                k.p.tol_rel = 1e-5;
                k.p.lambda = 0.2;
                assert_int_equal(rank_svm_solve(&s, &k.p, squared, NULL, NULL), PARE_OK);
                k.p.lambda = 0.1;
                k.p.warm = true;
                assert_int_equal(rank_svm_solve(&s, &k.p, squared, NULL, NULL), PARE_OK);
                k.p.warm = false;
                assert_int_equal(s.outcome, PARE_OPTIMAL);
                assert_true(s.bound <= s.objective * (1 + 1e-12));
                double warm = s.objective;
                assert_int_equal(rank_svm_solve(&s, &k.p, squared, NULL, NULL), PARE_OK);
                assert_int_equal(s.outcome, PARE_OPTIMAL);
                check_close(s.objective, warm, 2e-5);
                drop(&k);
            }
}

TEST_FILE(test_push) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reduced_problem_is_the_papers),
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(many_samples_need_few_rows),
        cmocka_unit_test(the_model_is_empty_from_lambda_max_on),
        cmocka_unit_test(sums_over_pairs),
        cmocka_unit_test(hinge_pairs_reach_the_full_program),
        cmocka_unit_test(squared_pairs_are_stationary),
        cmocka_unit_test(pairs_close_the_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
