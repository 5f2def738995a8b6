/* Every operation under failing allocations: it returns the error and leaks nothing. */
#include "support/views.h"

#include <stdlib.h>

enum { C = 6, N = 7, D = 12 };

typedef struct trial {
    view v, b;
    double *U, *W, *out; /* out: buffer for any result */
    col_stats stats[D];
} trial;

static pare_status call_gram(void *user, const pare_ctx *ctx) {
    trial *t = user;
    return mat_gram(&t->v, NULL, NULL, t->out, ctx, NULL);
}

static pare_status call_gram_two(void *user, const pare_ctx *ctx) {
    trial *t = user;
    double z[D] = {1, 0, 2};
    return mat_gram(&t->v, &t->b, z, t->out, ctx, NULL);
}

static pare_status call_gram_many(void *user, const pare_ctx *ctx) {
    trial *t = user;
    view both[2] = {t->v, t->b};
    double *K[2] = {t->out, t->out + 4 * N * N};
    return mat_gram_many(2, both, NULL, K, ctx, NULL);
}

static pare_status call_tmul(void *user, const pare_ctx *ctx) {
    trial *t = user;
    return mat_tmul(&t->v, t->U, 1, t->out, ctx, NULL);
}

static pare_status call_tmul2(void *user, const pare_ctx *ctx) {
    trial *t = user;
    return mat_tmul2(&t->v, t->U, C, t->out, ctx, NULL);
}

static pare_status call_mul(void *user, const pare_ctx *ctx) {
    trial *t = user;
    return mat_mul(&t->v, NULL, D, t->W, 1, t->out, ctx, NULL);
}

static pare_status call_mul_wide(void *user, const pare_ctx *ctx) {
    trial *t = user;
    return mat_mul(&t->v, NULL, D, t->W, C, t->out, ctx, NULL);
}

static pare_status call_columns(void *user, const pare_ctx *ctx) {
    trial *t = user;
    return mat_columns(&t->v, NULL, D, t->out, ctx, NULL);
}

static pare_status call_column(void *user, const pare_ctx *ctx) {
    trial *t = user;
    walk w;
    column c;
    pare_status status = walk_open(&w, &t->v, NULL, t->v.d, ctx, NULL);
    if (status == PARE_OK) walk_at(&w, 0, &c);
    return walk_end(&w, status, NULL);
}

static pare_status call_stats(void *user, const pare_ctx *ctx) {
    trial *t = user;
    return mat_stats(&t->v, NULL, t->stats, ctx, NULL);
}

static pare_status call_compact(void *user, const pare_ctx *ctx) {
    trial *t = user;
    matrix small;
    pare_status status = mat_compact(&small, &t->v, ctx, NULL);
    mat_free(&small, ctx_allocator(ctx));
    return status;
}

static void run(rng *r, const matrix *x) {
    drawn a = view_draw(r, x, VIEW_ROWS | VIEW_SHIFT), b = view_draw(r, x, VIEW_ROWS | VIEW_SCALE);
    trial t = {.v = a.v,
               .b = b.v,
               .U = random_normal(r, 2 * N, C),
               .W = random_normal(r, D, C),
               .out = random_normal(r, 8 * N, N * C)};
    pare_status (*calls[])(void *, const pare_ctx *) = {
        call_gram,     call_gram_two, call_gram_many, call_tmul,  call_tmul2,  call_mul,
        call_mul_wide, call_columns,  call_column,    call_stats, call_compact};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) check_oom(calls[k], &t);
    free(t.U);
    free(t.W);
    free(t.out);
    view_undraw(&a);
    view_undraw(&b);
}

static void test_oom(void **state) {
    (void)state;
    rng r = rng_from(41);
    sample s = sample_dense(&r, N, D, 0.1);
    run(&r, &s.x);
    sample_free(&s);
    s = sample_sparse(&r, N, D, 0.4, 0.1);
    run(&r, &s.x);
    sample_free(&s);
}

/* Results too large for copies are computed in another way. */
static void test_oom_large(void **state) {
    (void)state;
    enum { LARGE = 1100 };
    rng r = rng_from(42);
    trial t = {.out = random_normal(&r, LARGE, LARGE)};
    sample s = sample_dense(&r, LARGE, 2, 0);
    t.v = view_all(&s.x);
    check_oom(call_gram, &t);
    sample_free(&s);
    s = sample_sparse(&r, LARGE, 2, 0.1, 0);
    t.v = view_all(&s.x);
    check_oom(call_gram, &t);
    sample_free(&s);
    free(t.out);
}

TEST_FILE(test_matrix_oom) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_oom),
                                       cmocka_unit_test(test_oom_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
