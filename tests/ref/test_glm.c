/* solve/glm against a slow solver of the test tree (support/glm_case.h) on random problems. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/glm_case.h"

typedef struct watcher {
    const glm_case *k;
    int64_t seen, products;
    double last;
} watcher;

static void unpack(const glm_case *k, const glm_point *point, double *B) {
    memset(B, 0, sizeof(double) * (size_t)(k->d * k->c));
    for (int64_t i = 0; i < point->n_features; i++)
        for (int64_t o = 0; o < k->c; o++) B[point->feature[i] * k->c + o] = point->B[i * k->c + o];
}

/* Every point of the path: its numbers are those of its coefficients, and the slow solver finds
 * nothing better. */
static pare_status judge(void *user, const glm_point *point, bool *stop, pare_error *err) {
    watcher *w = user;
    const glm_case *k = w->k;
    (void)stop;
    (void)err;
    double *B = calloc((size_t)(k->d * k->c), sizeof *B), *slow = calloc((size_t)(k->d * k->c), 8);
    double b[16];
    unpack(k, point, B);
    double own = glm_case_objective(k, point->lambda, B, point->b);
    check_close(own, point->objective, 1e-10);
    check_close(point->loss + point->lambda * point->penalty, point->objective, 1e-12);
    assert_int_equal(point->outcome, PARE_OPTIMAL);
    double gap = glm_case_gap(k, point->lambda, B, point->b);
    if (!(gap <= 2e-9 * fabs(own) + 1e-14))
        fail_msg("gap %g at lambda %g, objective %g", gap, point->lambda, own);
    double best = glm_case_solve(k, point->lambda, slow, b);
    if (!(fabs(own - best) <= 1e-7 * best))
        fail_msg("objective %.12g, the slow solver's %.12g", own, best);
    free(slow);
    free(B);
    w->seen++;
    w->products = point->products;
    w->last = point->lambda;
    return PARE_OK;
}

/* The number of products with systems that were not factored. */
static int64_t run(const glm_case *k, const double *share, int64_t count) {
    glm_solver *s;
    pare_error err;
    double lambda[16];
    watcher w = {.k = k};
    if (glm_open(&s, &k->p, NULL, &err) != PARE_OK) fail_msg("%s", err.message);
    assert_true(glm_lambda_max(s) > 0);
    for (int64_t i = 0; i < count; i++) lambda[i] = share[i] * glm_lambda_max(s);
    assert_int_equal(glm_run(s, lambda, count, judge, &w, &err), PARE_OK);
    assert_int_equal(w.seen, count);
    double up = 1.5 * glm_lambda_max(s); /* and back, from far away */
    assert_int_equal(glm_run(s, &up, 1, judge, &w, &err), PARE_OK);
    glm_close(s);
    return w.products;
}

static const int kinds[] = {
    0,
    CASE_WEIGHTS,
    CASE_OFFSET,
    CASE_ELASTIC,
    CASE_GROUPS,
    CASE_COSTS,
    CASE_FREE,
    CASE_DUPLICATES,
    CASE_NO_INTERCEPT,
    CASE_WEIGHTS | CASE_OFFSET | CASE_ELASTIC | CASE_COSTS,
    CASE_GROUPS | CASE_WEIGHTS | CASE_ELASTIC,
    CASE_GROUPS | CASE_DUPLICATES,
    CASE_DUPLICATES | CASE_ELASTIC | CASE_NO_INTERCEPT,
    CASE_FREE | CASE_WEIGHTS | CASE_OFFSET,
};
enum { MANY_PRODUCTS = 2500 };
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static void check_all(int64_t c, bool logistic, int more) {
    static const double share[] = {1.2, 0.8, 0.5, 0.3, 0.15};
    for (int i = 0; i < N_KINDS; i++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            rng r;
            glm_case k;
            int64_t n = 6 + 7 * (int64_t)seed, d = 25 - 8 * (int64_t)seed;
            if (kinds[i] & CASE_FREE && c > 1) n += 20; /* what is free must not separate */
            rng_seed(&r, seed, (uint64_t)(i + 100 * c));
            glm_case_draw(&k, &r, (glm_case_shape){n, d, c, logistic, kinds[i] | more});
            run(&k, share, 5);
            glm_case_free(&k);
        }
}

static void squared(void **state) {
    (void)state;
    check_all(1, false, 0);
}

static void binary(void **state) {
    (void)state;
    check_all(1, true, 0);
}

static void softmax_entries(void **state) {
    (void)state;
    check_all(3, true, 0);
    check_all(4, true, 0);
}

static void softmax_rows(void **state) {
    (void)state;
    check_all(4, true, CASE_ROWS);
}

/* Enough coordinates that Newton's systems are not factored, with dense and with sparse columns,
 * each alone or in groups. */
static void many_classes(void **state) {
    (void)state;
    static const double share[] = {0.7, 0.4, 0.2, 0.1, 0.05};
    static const int what[] = {CASE_WEIGHTS, CASE_GROUPS | CASE_ELASTIC,
                               CASE_DUPLICATES | CASE_COSTS, CASE_NO_INTERCEPT};
    for (int i = 0; i < 8; i++) {
        rng r;
        glm_case k;
        rng_seed(&r, 17, (uint64_t)i);
        glm_case_draw(&k, &r, (glm_case_shape){60, 30, 12, true, CASE_ROWS | what[i / 2]});
        matrix sparse = random_sparse(&r, 60, 30, 0.3);
        double *dense = dense_of(&sparse);
        if (i % 2) k.v.x = &sparse;
        if (i % 2) memcpy(k.x, dense, sizeof(double) * 60 * 30);
        assert_true(run(&k, share, 5) > 0);
        free(dense);
        mat_free(&sparse, NULL);
        glm_case_free(&k);
    }
}

static pare_status count_products(void *user, const glm_point *point, bool *stop, pare_error *err) {
    watcher *w = user;
    double *B = calloc((size_t)(w->k->d * w->k->c), sizeof *B);
    (void)stop;
    (void)err;
    unpack(w->k, point, B);
    double gap = glm_case_gap(w->k, point->lambda, B, point->b);
    if (!(gap <= 2e-9 * point->objective)) fail_msg("gap %g at lambda %g", gap, point->lambda);
    free(B);
    w->products = point->products;
    w->seen++;
    return PARE_OK;
}

/* Neighbouring columns that are almost one, as pixels are, and many classes: with a diagonal
 * preconditioner the path takes 7,850 products, with the shared one 1,353. */
static void alike_columns(void **state) {
    (void)state;
    rng r;
    glm_case k;
    glm_solver *s;
    pare_error err;
    rng_seed(&r, 19, 0);
    glm_case_draw(&k, &r, (glm_case_shape){100, 120, 15, true, CASE_ROWS});
    for (int64_t e = 100; e < 100 * 120; e++) k.x[e] = 0.97 * k.x[e - 100] + 0.25 * k.x[e];
    watcher w = {.k = &k};
    double lambda[12];
    assert_int_equal(glm_open(&s, &k.p, NULL, &err), PARE_OK);
    for (int i = 0; i < 12; i++) lambda[i] = glm_lambda_max(s) * pow(0.8, i);
    assert_int_equal(glm_run(s, lambda, 12, count_products, &w, &err), PARE_OK);
    assert_int_equal(w.seen, 12);
    if (w.products > MANY_PRODUCTS) fail_msg("%lld products", (long long)w.products);
    glm_close(s);
    glm_case_free(&k);
}

/* One sample, one column, more classes than samples of some, separable data down to small
 * lambdas. */
static void edges(void **state) {
    (void)state;
    static const double share[] = {1, 0.5, 0.1, 0.01};
    static const glm_case_shape edge[] = {
        {2, 1, 1, false, 0},
        {1, 3, 1, false, CASE_NO_INTERCEPT},
        {2, 7, 1, true, 0},
        {3, 1, 1, true, CASE_NO_INTERCEPT},
        {3, 5, 3, true, 0},
        {4, 1, 3, true, CASE_ROWS},
        {30, 6, 1, true, CASE_SEPARABLE},
        {30, 6, 3, true, CASE_SEPARABLE},
        {30, 6, 3, true, CASE_SEPARABLE | CASE_ROWS | CASE_GROUPS},
        {12, 40, 1, true, CASE_SEPARABLE | CASE_DUPLICATES},
    };
    for (size_t i = 0; i < sizeof edge / sizeof edge[0]; i++) {
        rng r;
        glm_case k;
        rng_seed(&r, 7, i);
        glm_case_draw(&k, &r, edge[i]);
        run(&k, share, 4);
        glm_case_free(&k);
    }
}

typedef struct kept_point {
    double lambda, objective, b[8];
    int64_t n_features, feature[64];
    double B[256], passes;
} kept_point;

typedef struct recorder {
    kept_point point[100];
    int64_t count, c;
} recorder;

static pare_status record(void *user, const glm_point *point, bool *stop, pare_error *err) {
    recorder *to = user;
    kept_point *k = &to->point[to->count++];
    (void)stop;
    (void)err;
    assert_int_equal(point->outcome, PARE_OPTIMAL);
    assert_true(point->n_features <= 64);
    *k = (kept_point){.lambda = point->lambda,
                      .objective = point->objective,
                      .n_features = point->n_features,
                      .passes = point->passes};
    memcpy(k->feature, point->feature, sizeof(int64_t) * (size_t)point->n_features);
    memcpy(k->B, point->B, sizeof(double) * (size_t)(point->n_features * to->c));
    memcpy(k->b, point->b, sizeof(double) * (size_t)to->c);
    return PARE_OK;
}

static void follow(recorder *to, const glm_problem *p, int64_t count, const pare_ctx *ctx) {
    glm_solver *s;
    pare_error err;
    double lambda[100];
    memset(to, 0, sizeof *to);
    to->c = p->loss.c;
    assert_int_equal(glm_open(&s, p, ctx, &err), PARE_OK);
    for (int64_t i = 0; i < count; i++)
        lambda[i] = glm_lambda_max(s) * pow(0.05, (double)i / (double)(count - 1));
    assert_int_equal(glm_run(s, lambda, count, record, to, &err), PARE_OK);
    assert_int_equal(to->count, count);
    glm_close(s);
}

/* Wide data: every point certified with far fewer passes than points; the same bytes with any number
 * of threads; a sparse matrix, shifted and scaled, gives what the same numbers give densely. */
static void wide_paths(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        rng r;
        glm_case k;
        pare_ctx one, four;
        pare_ctx_init(&one);
        pare_ctx_init(&four);
        one.threads = 1;
        four.threads = 4;
        rng_seed(&r, 11, (uint64_t)kind);
        glm_case_draw(
            &k, &r,
            (glm_case_shape){40, 6000, kind == 2 ? 3 : 1, kind > 0, kind == 2 ? CASE_ROWS : 0});
        recorder *a = malloc(sizeof *a), *b = malloc(sizeof *b);
        assert_true(a && b);
        follow(a, &k.p, 100, &one);
        follow(b, &k.p, 100, &four);
        assert_memory_equal(a, b, sizeof *a);
        if (a->point[99].passes > 30) fail_msg("%g passes for 100 points", a->point[99].passes);
        free(b);
        free(a);
        glm_case_free(&k);
    }
}

static void sparse_is_dense(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        rng r;
        glm_case k;
        rng_seed(&r, 13, (uint64_t)kind);
        glm_case_draw(
            &k, &r,
            (glm_case_shape){30, 200, kind == 2 ? 3 : 1, kind > 0,
                             kind == 3 ? CASE_NO_INTERCEPT | CASE_WEIGHTS : CASE_WEIGHTS});
        matrix sparse = random_sparse(&r, 30, 200, 0.1);
        double *dense = dense_of(&sparse), shift[200], scale[200];
        matrix same = mat_dense(30, 200, dense);
        for (int j = 0; j < 200; j++) {
            shift[j] = rng_normal(&r);
            scale[j] = 0.5 + rng_uniform(&r);
        }
        recorder *a = malloc(sizeof *a), *b = malloc(sizeof *b);
        assert_true(a && b);
        k.v.shift = shift;
        k.v.scale = scale;
        k.v.x = &sparse;
        follow(a, &k.p, 20, NULL);
        k.v.x = &same;
        follow(b, &k.p, 20, NULL);
        for (int64_t i = 0; i < 20; i++) {
            check_close(a->point[i].objective, b->point[i].objective, 1e-8);
            check_close(a->point[i].b[0], b->point[i].b[0], 1e-4);
        }
        free(b);
        free(a);
        free(dense);
        mat_free(&sparse, NULL);
        glm_case_free(&k);
    }
}

TEST_FILE(test_glm) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squared),         cmocka_unit_test(binary),
        cmocka_unit_test(softmax_entries), cmocka_unit_test(softmax_rows),
        cmocka_unit_test(edges),           cmocka_unit_test(wide_paths),
        cmocka_unit_test(sparse_is_dense), cmocka_unit_test(many_classes),
        cmocka_unit_test(alike_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
