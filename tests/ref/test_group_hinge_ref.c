/* The two solvers of the group hinge, which share no step, against each other and against the
 * definitions: both sides of the gap from the raw numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "solve/hinge/group_hinge_interior.h"
#include "solve/hinge/group_hinge_state.h"
#include "support/support.h"

enum { N = 50, C = 40, S = 20, PROBLEMS = 16 };
#define TOL 1e-6

typedef struct fixture {
    gh_problem p;
    gh_point at;
    double x[N * S], sign[N * C], target[N * C], weight[N];
    double W[S * C], b[C], f[N * C], A[N * C];
} fixture;

typedef pare_status (*solver)(gh_point *, const gh_problem *, double, const pare_ctx *,
                              pare_error *);

static int64_t draw(rng *r, int64_t from, int64_t to) {
    return from + (int64_t)(rng_uniform(r) * (double)(to - from + 1));
}

/* Classes of very different sizes; some weights zero; features that repeat, vanish or tell all. */
static void open_fixture(fixture *x, uint64_t seed) {
    rng r = rng_from(seed);
    memset(x, 0, sizeof *x);
    int64_t n = draw(&r, 20, N), c = draw(&r, 2, C), s = draw(&r, 0, 9) == 0 ? 0 : draw(&r, 1, S);
    double apart = seed % 3 == 0 ? 3 : 0.5;
    for (int64_t i = 0; i < n; i++) {
        int64_t own = i < c ? i : seed % 2 ? draw(&r, 0, c - 1) : draw(&r, 0, 1);
        x->weight[i] = draw(&r, 0, 7) == 0 ? 0 : seed % 4 ? 1 : 0.1 + 2 * rng_uniform(&r);
        for (int64_t k = 0; k < c; k++) {
            x->sign[k * n + i] = k == own ? 1 : -1;
            x->target[k * n + i] = k == own ? 1 : 0;
        }
        for (int64_t j = 0; j < s; j++) {
            double v = rng_normal(&r) + (j % c == own ? apart : 0);
            if (j == 1) v = x->x[i];
            if (j == 2) v = 0;
            x->x[j * n + i] = v / sqrt((double)n);
        }
    }
    x->weight[0] = 1;
    x->p = (gh_problem){.n = n,
                        .c = c,
                        .sign = x->sign,
                        .target = x->target,
                        .weight = x->weight,
                        .intercept = seed % 5 != 0,
                        .lambda = 0.5 * pow(10, -3 * rng_uniform(&r)),
                        .s = s,
                        .x = x->x};
    x->at = (gh_point){.W = x->W, .b = x->b, .f = x->f, .A = x->A};
}

/* The gap from the definitions. */
static double true_gap(const fixture *x, double *primal) {
    const gh_problem *p = &x->p;
    int64_t n = p->n, c = p->c;
    double value = 0, dual = 0, scale = 1;
    for (int64_t i = 0; i < n; i++) {
        double loss2 = 0, norm2 = 0;
        for (int64_t k = 0; k < c; k++) {
            double f = x->b[k], a = x->A[k * n + i] * p->sign[k * n + i];
            for (int64_t j = 0; j < p->s; j++) f += p->x[j * n + i] * x->W[k * p->s + j];
            double residual = fmax(0, p->target[k * n + i] - p->sign[k * n + i] * f);
            loss2 += residual * residual;
            norm2 += a * a;
            assert_true(a >= 0);
            dual += p->target[k * n + i] * a;
        }
        value += p->weight[i] * sqrt(loss2);
        assert_true(sqrt(norm2) <= p->weight[i] * (1 + 1e-12));
    }
    for (int64_t k = 0; k < c && p->intercept; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += x->A[k * n + i];
        assert_true(fabs(sum) <= 1e-11 * (double)n);
    }
    for (int64_t k = 0; k < c && !p->intercept; k++) assert_true(x->b[k] == 0);
    for (int64_t j = 0; j < p->s; j++) {
        double norm2 = 0, price2 = 0;
        for (int64_t k = 0; k < c; k++) {
            double price = 0;
            for (int64_t i = 0; i < n; i++) price += p->x[j * n + i] * x->A[k * n + i];
            norm2 += x->W[k * p->s + j] * x->W[k * p->s + j];
            price2 += price * price;
        }
        value += p->lambda * sqrt(norm2);
        if (sqrt(price2) > p->lambda) scale = fmin(scale, p->lambda / sqrt(price2));
    }
    *primal = value;
    return value - scale * dual;
}

/* Solves and checks what the solver says of its point; returns whether it got there. */
static bool solves(uint64_t seed, solver solve, fixture *x, const pare_ctx *ctx) {
    pare_error err;
    open_fixture(x, seed);
    assert_int_equal(solve(&x->at, &x->p, TOL, ctx, &err), PARE_OK);
    double primal, gap = true_gap(x, &primal);
    check_close(x->at.primal, primal, 1e-12);
    assert_true(fabs(x->at.primal - x->at.dual - gap) <= 1e-11 * primal);
    if (x->at.outcome != PARE_OPTIMAL) return false;
    assert_true(gap <= 1.001 * TOL * primal);
    return true;
}

static void both_solvers_agree(void **state) {
    (void)state;
    fixture *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    assert_true(a && b);
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.threads = 1;
    int given_up = 0;
    for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
        bool inside = solves(seed, gh_interior_solve, a, &ctx);
        assert_true(solves(seed, gh_proximal_solve, b, &ctx));
        given_up += !inside;
        if (inside) assert_true(fabs(a->at.primal - b->at.primal) <= 1.001 * TOL * a->at.primal);
        assert_true(solves(seed, gh_solve, a, &ctx)); /* goes on where the first gives up */
    }
    assert_true(given_up <= PROBLEMS / 6);
    free(b);
    free(a);
}

static bool row_is_zero(const fixture *x, int64_t j) {
    for (int64_t k = 0; k < x->p.c; k++)
        if (x->W[k * x->p.s + j] != 0) return false;
    return true;
}

/* A feature of zeros, and at a large lambda all of them. */
static void rows_that_are_zero_are_exactly_zero(void **state) {
    (void)state;
    fixture *x = malloc(sizeof *x);
    assert_non_null(x);
    pare_ctx ctx;
    pare_error err;
    pare_ctx_init(&ctx);
    for (uint64_t seed = 1; seed < 6; seed++) {
        open_fixture(x, seed);
        if (x->p.s < 3) continue;
        assert_int_equal(gh_interior_solve(&x->at, &x->p, TOL, &ctx, &err), PARE_OK);
        assert_true(row_is_zero(x, 2));
        open_fixture(x, seed);
        x->p.lambda = 1e3;
        assert_int_equal(gh_interior_solve(&x->at, &x->p, TOL, &ctx, &err), PARE_OK);
        for (int64_t j = 0; j < x->p.s; j++) assert_true(row_is_zero(x, j));
    }
    free(x);
}

static pare_status solve_again(void *user, const pare_ctx *ctx) {
    pare_error err;
    fixture *x = user;
    open_fixture(x, 2);
    return gh_interior_solve(&x->at, &x->p, 0.1, ctx, &err);
}

static void no_memory_is_lost(void **state) {
    (void)state;
    fixture *x = malloc(sizeof *x);
    assert_non_null(x);
    check_oom(solve_again, x);
    free(x);
}

TEST_FILE(test_group_hinge_ref) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_solvers_agree),
                                       cmocka_unit_test(rows_that_are_zero_are_exactly_zero),
                                       cmocka_unit_test(no_memory_is_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
