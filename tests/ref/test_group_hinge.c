/* The Newton systems of solve/group_hinge against dense matrices from their definition. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/rng.h"
#include "solve/hinge/group_hinge_state.h"
#include "support/support.h"

enum { N = 9, C = 3, S = 6, NC = N * C };

typedef struct fixture {
    double x[N * S], sign[NC], target[NC], weight[N], A[NC];
    gh_problem p;
    gh_work w;
    pare_ctx ctx;
} fixture;

static double *zeros(arena *mem, int64_t count) {
    double *out = ARENA_ZERO(mem, double, count);
    assert_non_null(out);
    return out;
}

static void open_eval(gh_eval *e, arena *mem) {
    *e = (gh_eval){.G = zeros(mem, NC),
                   .q = zeros(mem, NC),
                   .z = zeros(mem, NC),
                   .norm = zeros(mem, N),
                   .keep = zeros(mem, N),
                   .U = zeros(mem, S * C),
                   .W = zeros(mem, S * C),
                   .U_norm = zeros(mem, S),
                   .U_keep = zeros(mem, S),
                   .b = zeros(mem, C)};
}

/* A random multiplier in a random proximal problem, and the direction from there. */
static void open_blocks(fixture *f, uint64_t seed, bool intercept, double sigma, double size,
                        const int64_t *start, int64_t n_blocks) {
    rng r = rng_from(seed);
    memset(f, 0, sizeof *f);
    pare_ctx_init(&f->ctx);
    for (int e = 0; e < N * S; e++) f->x[e] = rng_normal(&r) / 3;
    for (int i = 0; i < N; i++) {
        f->weight[i] = 0.5 + rng_uniform(&r);
        for (int k = 0; k < C; k++) {
            f->sign[k * N + i] = i % C == k ? 1 : -1;
            f->target[k * N + i] = i % C == k ? 1 : 0;
            f->A[k * N + i] = size * f->sign[k * N + i] * (rng_uniform(&r) - 0.3);
        }
    }
    f->p = (gh_problem){.n = N,
                        .c = C,
                        .sign = f->sign,
                        .target = f->target,
                        .weight = f->weight,
                        .intercept = intercept,
                        .lambda = 0.3,
                        .s = S,
                        .x = f->x,
                        .n_blocks = n_blocks,
                        .start = start};
    f->w = (gh_work){.problem = &f->p, .ctx = &f->ctx, .sigma = sigma, .sigma_loss = 3 * sigma};
    arena *mem = &f->w.mem;
    arena_init(mem, ctx_allocator(&f->ctx));
    f->w.z0 = zeros(mem, NC);
    f->w.W0 = zeros(mem, S * C);
    f->w.b0 = zeros(mem, C);
    f->w.step = zeros(mem, NC);
    f->w.A_trial = zeros(mem, NC);
    f->w.price = zeros(mem, S * C);
    open_eval(&f->w.now, mem);
    open_eval(&f->w.trial, mem);
    pare_error err;
    assert_int_equal(gh_system_open(&f->w.system, mem, &f->p, &err), PARE_OK);
    gh_evaluate(&f->w, f->A, &f->w.now);
    gh_newton_direction(&f->w, 1e-6);
}

static void open_fixture(fixture *f, uint64_t seed, bool intercept, double sigma, double size) {
    open_blocks(f, seed, intercept, sigma, size, NULL, 0);
}

/* Returns true if two active features are penalised by one norm. */
static bool together(const gh_system *s, int64_t j, int64_t q) {
    bool same = j == q;
    for (int64_t g = 0; s->first && g < s->units; g++)
        same |= s->first[g] <= j && j < s->first[g + 1] && s->first[g] <= q && q < s->first[g + 1];
    return same;
}

/* The entry of M between (i, k) and (l, o); with the intercept's part if `intercept`. */
static double entry(const fixture *f, int i, int k, int l, int o, bool intercept) {
    const gh_system *s = &f->w.system;
    double sum = intercept && f->p.intercept && k == o ? 1 : 0;
    for (int64_t j = 0; j < s->n_active; j++) {
        if (k == o) sum += s->alpha[j] * s->x[j * N + i] * s->x[j * N + l];
        for (int64_t q = 0; q < s->n_active; q++)
            if (together(s, j, q))
                sum += s->beta[j] * s->u[k * s->n_active + j] * s->x[j * N + i] *
                       s->u[o * s->n_active + q] * s->x[q * N + l];
    }
    if (i == l) sum += s->row_scale[i] * s->v[k * N + i] * s->v[o * N + i];
    if (i == l && k == o) sum += s->diagonal[k * N + i];
    return sum;
}

typedef enum part { WHOLE, OUTPUTS, ACTIVE } part;

/* What each factorization stands for. */
static double part_entry(const fixture *f, part which, int a, int b) {
    int i = a % N, k = a / N, l = b % N, o = b / N;
    bool both = f->w.now.q[a] > 0 && f->w.now.q[b] > 0;
    switch (which) {
    case WHOLE: return entry(f, i, k, l, o, true);
    case OUTPUTS: return k == o ? entry(f, i, k, l, o, true) : 0;
    case ACTIVE: break;
    }
    double ones = f->p.intercept && k == o ? 1 : 0;
    return ones + (both || a == b ? entry(f, i, k, l, o, false) : 0);
}

static void check_solve(const fixture *f, part which,
                        void (*solve)(const gh_work *, const double *, double *)) {
    double x[NC], r[NC] = {0}, y[NC];
    for (int e = 0; e < NC; e++) x[e] = sin(1 + 2 * e);
    for (int a = 0; a < NC; a++)
        for (int b = 0; b < NC; b++) r[a] += part_entry(f, which, a, b) * x[b];
    solve(&f->w, r, y);
    for (int e = 0; e < NC; e++) assert_true(fabs(y[e] - x[e]) <= 1e-6);
}

static void factorizations_invert_what_they_stand_for(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        fixture f;
        open_fixture(&f, seed, seed % 2 == 0, seed % 3 == 0 ? 1 : 20, seed % 5 == 0 ? 0.02 : 0.6);
        assert_true(gh_active_factor(&f.w));
        check_solve(&f, ACTIVE, gh_active_solve);
        assert_true(gh_blocks_factor(&f.w));
        check_solve(&f, OUTPUTS, gh_blocks_solve);
        assert_true(gh_woodbury_factor(&f.w));
        check_solve(&f, WHOLE, gh_woodbury_solve);
        arena_free(&f.w.mem);
    }
}

/* Three features in one block, one alone, two in another. */
static const int64_t blocks[] = {0, 3, 4, 6};

static void blocks_couple_their_features(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        fixture f;
        open_blocks(&f, seed, seed % 2 == 0, seed % 3 == 0 ? 1 : 20, 0.6, blocks, 3);
        assert_true(gh_woodbury_factor(&f.w));
        check_solve(&f, WHOLE, gh_woodbury_solve);
        arena_free(&f.w.mem);
    }
}

static void directions_solve_the_newton_system(void **state) {
    (void)state;
    for (uint64_t seed = 100; seed < 140; seed++) {
        fixture f;
        bool some = seed % 3 == 0;
        open_blocks(&f, seed, seed % 2 == 0, 5, seed % 5 == 0 ? 0.02 : 0.6, some ? blocks : NULL,
                    some ? 3 : 0);
        double error = 0, size = 0;
        for (int a = 0; a < NC; a++) {
            double right = f.w.now.G[a] / f.w.sigma, left = 0;
            for (int b = 0; b < NC; b++) left += part_entry(&f, WHOLE, a, b) * f.w.step[b];
            error += (left - right) * (left - right);
            size += right * right;
        }
        assert_true(sqrt(error) <= 0.011 * sqrt(size));
        arena_free(&f.w.mem);
    }
}

TEST_FILE(test_group_hinge) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factorizations_invert_what_they_stand_for),
        cmocka_unit_test(blocks_couple_their_features),
        cmocka_unit_test(directions_solve_the_newton_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
