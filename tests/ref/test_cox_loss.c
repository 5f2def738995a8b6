/* The Cox loss of solve/glm: value, gradient, curvature and dual against the definition over every
 * pair of samples (support/cox_case.h), finite differences and weak duality; the path over lambda
 * against the conditions of its solution. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/glm/glm.h"
#include "support/cox_case.h"

enum { N = COX_MAX_N, ROUNDS = 6 };

typedef struct ready {
    cox_case k;
    arena mem;
    risk_sets risk;
    glm_loss loss;
} ready;

static void make_loss(ready *c) {
    const cox_case *k = &c->k;
    arena_init(&c->mem, ctx_allocator(NULL));
    assert_int_equal(risk_sets_open(&c->risk, &c->mem, k->n, k->time, k->event,
                                    k->what & COX_STRATA ? k->stratum : NULL, k->n_strata,
                                    k->what & COX_WEIGHTS ? k->weight : NULL, k->what & COX_EFRON,
                                    NULL),
                     PARE_OK);
    c->loss = (glm_loss){.kind = &loss_cox,
                         .n = k->n,
                         .c = 1,
                         .share = k->share,
                         .offset = k->what & COX_OFFSET ? k->offset : NULL,
                         .risk = &c->risk};
}

/* Each kind of problem, with many, some and no ties. */
static void each(void (*look)(ready *c, rng *r, const double *f)) {
    static const int64_t times[] = {1, 4, 12, 1000000};
    for (int what = 0; what < COX_KINDS; what++)
        for (int round = 0; round < ROUNDS; round++) {
            rng r;
            ready c;
            double f[N];
            rng_seed(&r, (uint64_t)what, (uint64_t)round);
            cox_case_draw(&c.k, &r, round == 0 ? 1 : 5 + 7 * round, times[round % 4], what, NULL);
            double size = round == 5 ? 30 : 1; /* far from even */
            for (int64_t i = 0; i < c.k.n; i++) f[i] = size * rng_normal(&r);
            make_loss(&c);
            look(&c, &r, f);
            arena_free(&c.mem);
        }
}

static void is_the_definition(ready *c, rng *r, const double *f) {
    int64_t n = c->k.n;
    double U[N], P[N], h[N], T[N], v[N], gradient[N], *H = calloc((size_t)(n * n), sizeof *H);
    double loss = c->loss.kind->point(&c->loss, f, U, P, NULL), sum = 0;
    check_close(loss, cox_case_loss(&c->k, f, gradient, H), 1e-13);
    assert_true(loss >= loss_least(&c->loss) - 1e-12);
    c->loss.kind->diagonal(&c->loss, P, h);
    for (int64_t i = 0; i < n; i++) {
        check_close(U[i], -gradient[i], 1e-14);
        check_close(h[i], H[i * n + i], 1e-14);
        v[i] = T[i] = rng_normal(r);
        sum += U[i];
    }
    check_close(sum, 0, 1e-14);
    c->loss.kind->curve(&c->loss, P, T);
    for (int64_t i = 0; i < n; i++) {
        double product = 0;
        for (int64_t j = 0; j < n; j++) product += H[i * n + j] * v[j];
        check_close(T[i], product, 1e-14);
    }
    free(H);
}

static void follows_differences(ready *c, rng *r, const double *f) {
    const double STEP = 1e-5;
    int64_t n = c->k.n;
    double U[N], P[N], T[N], d[N], up[N], down[N], U_up[N], U_down[N], slope = 0;
    c->loss.kind->point(&c->loss, f, U, P, NULL);
    for (int64_t i = 0; i < n; i++) {
        T[i] = d[i] = rng_normal(r);
        up[i] = f[i] + STEP * d[i];
        down[i] = f[i] - STEP * d[i];
        slope -= U[i] * d[i];
    }
    c->loss.kind->curve(&c->loss, P, T);
    double rise = c->loss.kind->point(&c->loss, up, U_up, P, NULL) -
                  c->loss.kind->point(&c->loss, down, U_down, P, NULL);
    check_close(rise / (2 * STEP), slope, 1e-7);
    for (int64_t i = 0; i < n; i++) check_close((U_down[i] - U_up[i]) / (2 * STEP), T[i], 1e-7);
}

static void bounds_the_loss(ready *c, rng *r, const double *f) {
    static const double share[] = {0, 0.3, 0.999, 1};
    double U[N], P[N], other[N], there[N];
    double loss = c->loss.kind->point(&c->loss, f, U, P, NULL), along = 0;
    for (int64_t i = 0; i < c->k.n; i++) along += U[i] * f[i];
    check_close(c->loss.kind->dual(&c->loss, f, U, 1), loss + along, 1e-12); /* Fenchel */
    for (int s = 0; s < 4; s++) {
        double dual = c->loss.kind->dual(&c->loss, f, U, share[s]);
        check_close(dual, cox_case_dual(&c->k, f, share[s]), 1e-12);
        for (int draw = 0; draw < 20; draw++) {
            double least = 0;
            for (int64_t i = 0; i < c->k.n; i++) {
                other[i] = draw % 2 ? f[i] + rng_normal(r) / 10 : 3 * rng_normal(r);
                least += share[s] * U[i] * other[i];
            }
            least += c->loss.kind->point(&c->loss, other, there, P, NULL);
            if (!(dual <= least + 1e-12)) fail_msg("%g above %g at %g", dual, least, share[s]);
        }
    }
}

static void value_and_curvature(void **state) {
    (void)state;
    each(is_the_definition);
}

static void differences(void **state) {
    (void)state;
    each(follows_differences);
}

static void dual_is_below(void **state) {
    (void)state;
    each(bounds_the_loss);
}

/* Whole weights are copies with breslow. */
static void weights_are_copies(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        rng r = rng_from(seed);
        ready once, twice;
        double f[N], g[N], U[N], P[N], V[N];
        int64_t at = 0;
        cox_case_draw(&once.k, &r, 20, 6, COX_WEIGHTS | COX_STRATA, NULL);
        twice.k = once.k;
        for (int64_t i = 0; i < once.k.n; i++) {
            int64_t copies = 1 + (int64_t)(rng_next(&r) % 3);
            once.k.weight[i] = (double)copies;
            f[i] = rng_normal(&r);
            for (int64_t e = 0; e < copies; e++, at++) {
                twice.k.time[at] = once.k.time[i];
                twice.k.event[at] = once.k.event[i];
                twice.k.stratum[at] = once.k.stratum[i];
                twice.k.weight[at] = 1;
                g[at] = f[i];
            }
        }
        twice.k.n = at;
        for (int64_t i = 0; i < at; i++) twice.k.share[i] = 1 / (double)at;
        for (int64_t i = 0; i < 20; i++) once.k.share[i] = once.k.weight[i] / (double)at;
        make_loss(&once);
        make_loss(&twice);
        check_close(loss_cox.point(&once.loss, f, U, P, NULL),
                    loss_cox.point(&twice.loss, g, V, P, NULL), 1e-13);
        arena_free(&once.mem);
        arena_free(&twice.mem);
    }
}

/* At every lambda of a path the conditions of a solution hold, by the gradient of the definition. */
typedef struct watcher {
    const cox_case *k;
    const double *x; /* n x d */
    const penalty *pen;
    int64_t d, seen;
} watcher;

static pare_status judge(void *user, const glm_point *point, bool *stop, pare_error *err) {
    watcher *w = user;
    int64_t n = w->k->n;
    double f[N] = {0}, gradient[N], *B = calloc((size_t)w->d, 8), *g = calloc((size_t)w->d, 8);
    (void)stop;
    (void)err;
    assert_int_equal(point->outcome, PARE_OPTIMAL);
    assert_true(point->b[0] == 0);
    for (int64_t i = 0; i < point->n_features; i++) {
        B[point->feature[i]] = point->B[i];
        for (int64_t r = 0; r < n; r++) f[r] += point->B[i] * w->x[point->feature[i] * n + r];
    }
    check_close(point->loss, cox_case_loss(w->k, f, gradient, NULL), 1e-10);
    for (int64_t j = 0; j < w->d; j++)
        for (int64_t r = 0; r < n; r++) g[j] += w->x[j * n + r] * gradient[r];
    for (int64_t b = 0; b < w->pen->n_blocks; b++) {
        double own[8], slope[8];
        for (int64_t k = 0; k < penalty_size(w->pen, b); k++) {
            own[k] = B[w->pen->member[w->pen->start[b] + k]];
            slope[k] = g[w->pen->member[w->pen->start[b] + k]];
        }
        double off = penalty_distance(w->pen, b, point->lambda, own, slope);
        if (!(off <= 3e-5 * (1 + point->lambda))) /* the root of the gap */
            fail_msg("block %d is off by %g at lambda %g", (int)b, off, point->lambda);
    }
    free(g);
    free(B);
    w->seen++;
    return PARE_OK;
}

/* Wide and narrow, sparse, with groups, costs, an elastic net and a free feature. */
static void path_solves(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 48; seed++) {
        rng r = rng_from(seed);
        int64_t n = 25 + (int64_t)(seed % 4) * 12, d = seed % 3 == 0 ? 6 : 40, group[40];
        bool sparse = seed % 5 == 4;
        matrix m = {0};
        double *x, effect[N], cost[40], lambda[8];
        if (sparse) {
            m = random_sparse(&r, n, d, 0.4);
            x = dense_of(&m);
        } else {
            x = random_normal(&r, n, d);
            m = mat_dense(n, d, x);
        }
        for (int64_t i = 0; i < n; i++) effect[i] = x[i] - x[n + i];
        ready c;
        cox_case_draw(&c.k, &r, n, seed % 2 ? 8 : 500, (int)(seed % COX_KINDS), effect);
        make_loss(&c);
        for (int64_t j = 0; j < d; j++) {
            group[j] = j / 4;
            cost[j] = seed % 7 == 3 ? 0.5 + rng_uniform(&r) : 1;
        }
        bool groups = seed % 6 == 5;
        if (seed % 4 == 2 && !groups) cost[3] = 0;
        penalty pen;
        pare_error err;
        glm_solver *s;
        view v = view_all(&m);
        double alpha = seed % 3 == 1 ? 0.4 : 1;
        assert_int_equal(penalty_open(&pen, &c.mem, d, 1, alpha, false, groups ? group : NULL,
                                      (d + 3) / 4, cost, &err),
                         PARE_OK);
        glm_problem p = {.x = &v, .loss = c.loss, .penalty = &pen, .tol_rel = 1e-9};
        if (glm_open(&s, &p, NULL, &err) != PARE_OK) fail_msg("%s", err.message);
        for (int i = 0; i < 8; i++) lambda[i] = glm_lambda_max(s) * pow(0.7, i);
        watcher w = {&c.k, x, &pen, d, 0};
        assert_int_equal(glm_run(s, lambda, 8, judge, &w, &err), PARE_OK);
        assert_int_equal(w.seen, 8);
        glm_close(s);
        arena_free(&c.mem);
        if (sparse) mat_free(&m, NULL);
        free(x);
    }
}

TEST_FILE(test_cox_loss) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_and_curvature), cmocka_unit_test(differences),
        cmocka_unit_test(dual_is_below), cmocka_unit_test(weights_are_copies),
        cmocka_unit_test(path_solves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
