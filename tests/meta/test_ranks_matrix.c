/* A matrix distributed over 1, 2, 3, 4 and 8 ranks: every operation has the bits of a single
 * process, for views of all kinds, whatever the distribution of the columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/ranks.h"
#include "la/matrix.h"
#include "support/ranks.h"
#include "support/support.h"

enum { N = 7, MANY = 145001, SETS = 6, C = 9, WALKED = 300 };

/* What all operations gave, one after the other: kept of a single process, compared with that (`wanted`) of a rank. */
typedef struct outcome {
    const struct outcome *wanted;
    double *value;
    int64_t size, buffer;
    char failed[200];
} outcome;

typedef struct case_ {
    int64_t d;
    const double *x;
    outcome one, rank[8];
} case_;

static void expect(outcome *o, const double *from, int64_t count) {
    const double *wanted = o->wanted->value + o->size;
    size_t bytes = sizeof *from * (size_t)count;
    if (o->failed[0]) return;
    if (o->size + count > o->wanted->size)
        snprintf(o->failed, sizeof o->failed, "more than %lld numbers", (long long)o->wanted->size);
    else if (memcmp(wanted, from, bytes) != 0)
        for (int64_t e = 0; !o->failed[0]; e++)
            if (memcmp(&wanted[e], &from[e], sizeof *from) != 0)
                snprintf(o->failed, sizeof o->failed, "number %lld is %.17g, not %.17g",
                         (long long)(o->size + e), from[e], wanted[e]);
    o->size += count;
}

static void take(outcome *o, const double *from, int64_t count) {
    if (o->wanted) {
        expect(o, from, count);
        return;
    }
    if (o->size + count > o->buffer) {
        o->buffer = 2 * (o->size + count);
        o->value = realloc(o->value, sizeof *from * (size_t)o->buffer);
    }
    memcpy(o->value + o->size, from, sizeof *from * (size_t)count);
    o->size += count;
}

/* Views: all; some rows, shifted and scaled; every third column; the columns from behind; a few
 * columns; a random half. */
static view view_of(const matrix *x, int which, int64_t *cols, const int32_t *rows,
                    const double *shift, const double *scale) {
    view v = view_all(x);
    int64_t d = 0;
    rng r = rng_from(5);
    if (which >= 1) {
        v.rows = rows;
        v.n = N - 2;
        v.shift = shift;
        v.scale = scale;
    }
    if (which < 2) return v;
    for (int64_t j = 0; j < x->d; j++) {
        bool in = which == 2   ? j % 3 == 1
                  : which == 3 ? true
                  : which == 4 ? j % (x->d / 5 + 1) == 0
                               : rng_below(&r, 2) == 0;
        if (in) cols[d++] = which == 3 ? x->d - 1 - j : j;
    }
    v.cols = cols;
    v.d = d;
    return v;
}

static pare_status try_all(outcome *o, const matrix *x, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    const int32_t rows[N] = {6, 0, 3, 3, 1};
    int64_t d = x->d, *cols = malloc(sizeof *cols * (size_t)d);
    double *big = malloc(sizeof *big * (size_t)(C * d + N * d)), K[2][N * N], *Ks[2] = {K[0], K[1]};
    double *shift = malloc(sizeof *shift * (size_t)d), *z = malloc(sizeof *z * (size_t)d);
    double *W = malloc(sizeof *W * (size_t)(2 * d)), U[N * C], *stats = big;
    for (int64_t j = 0; j < d; j++) shift[j] = 1 + 1.0 / (double)(j + 1);
    for (int64_t j = 0; j < d; j++) z[j] = j / 3000 % 3 == 1 ? 0 : 0.5 + (double)(j % 7);
    for (int64_t j = 0; j < 2 * d; j++) W[j] = j % 5 ? 1.0 / (double)(j + 1) : 0;
    for (int i = 0; i < N * C; i++) U[i] = 1.0 / (i + 1);
    for (int which = 0; which < SETS; which++) {
        view v = view_of(x, which, cols, rows, shift, z), other = v;
        other.rows = rows + 1;
        other.n = 3;
        view two[2] = {v, v};
        two[1].rows = rows;
        two[1].n = 4;
        const double *zs[2] = {NULL, z};
        int64_t S[5] = {v.d - 1, 0, v.d / 2, v.d / 3, 0};
        TRY(mat_gram(&v, NULL, NULL, K[0], ctx, err));
        take(o, K[0], v.n * v.n);
        view single_precision = v;
        single_precision.single_precision = true;
        TRY(mat_gram(&single_precision, NULL, z, K[0], ctx, err));
        take(o, K[0], v.n * v.n);
        TRY(mat_gram(&v, &other, z, K[0], ctx, err));
        take(o, K[0], v.n * other.n);
        TRY(mat_gram_many(2, two, zs, Ks, ctx, err));
        take(o, K[0], v.n * v.n);
        take(o, K[1], 16);
        TRY(mat_mul(&v, NULL, v.d, W, 2, K[0], ctx, err));
        take(o, K[0], v.n * 2);
        TRY(mat_mul(&v, S, 5, W, 2, K[0], ctx, err));
        take(o, K[0], v.n * 2);
        for (int64_t c = 1; c <= C; c += 4) {
            TRY(mat_tmul(&v, U, c, big, ctx, err));
            take(o, big, v.d * c);
            if (c == 5) TRY(mat_tmul2(&v, U, c, big, ctx, err));
            if (c == 5) take(o, big, v.d * c);
        }
        TRY(mat_stats(&v, NULL, (col_stats *)(void *)stats, ctx, err));
        take(o, stats, v.d * (int64_t)(sizeof(col_stats) / sizeof *stats));
        TRY(mat_columns(&v, S, 5, big, ctx, err));
        take(o, big, v.n * 5);
        walk w;
        column c;
        int64_t p;
        int64_t along[WALKED], walked = v.d < WALKED ? v.d : WALKED;
        for (int64_t k = 0; k < walked; k++) along[k] = v.d - walked + k;
        TRY(walk_open(&w, &v, along, walked, ctx, err));
        while (walk_next(&w, &p, &c)) take(o, c.value, v.n);
        TRY(walk_close(&w, err));
    }
done:
    free(cols);
    free(big);
    free(shift);
    free(z);
    free(W);
    return status;
}

static void on_rank(const pare_ranks *ranks, void *user) {
    case_ *k = user;
    outcome *o = &k->rank[ranks->index];
    int64_t from, to;
    pare_ctx ctx;
    pare_error err = {0};
    matrix x, own;
    pare_ctx_init(&ctx);
    ctx.threads = 2;
    ctx.ranks = ranks;
    mat_distributed_range(k->d, ranks->count, ranks->index, &from, &to);
    own = mat_dense(N, to - from, k->x + from * N);
    pare_status status =
        mat_distributed(&x, k->d, &own, from, false, ranks, ctx_allocator(NULL), &err);
    if (status == PARE_OK) status = try_all(o, &x, &ctx, &err);
    if (status != PARE_OK) snprintf(o->failed, sizeof o->failed, "%.190s", err.message);
    mat_free(&x, NULL);
}

static void compare(int64_t d) {
    rng r = rng_from(3);
    double *x = malloc(sizeof *x * (size_t)(N * d));
    for (int64_t i = 0; i < N * d; i++) x[i] = rng_normal(&r);
    case_ k = {.d = d, .x = x};
    matrix whole = mat_dense(N, d, x);
    pare_error err;
    assert_int_equal(try_all(&k.one, &whole, NULL, &err), PARE_OK);
    for (int count = 1; count <= 8; count = count < 4 ? count + 1 : 2 * count) {
        if (count > d) break;
        for (int i = 0; i < count; i++) k.rank[i] = (outcome){.wanted = &k.one};
        ranks_run(count, 1, on_rank, &k);
        for (int i = 0; i < count; i++) {
            if (k.rank[i].failed[0])
                fail_msg("%lld columns, rank %d of %d: %s", (long long)d, i, count,
                         k.rank[i].failed);
            assert_int_equal(k.rank[i].size, k.one.size);
        }
    }
    free(k.one.value);
    free(x);
}

static void few_columns(void **state) {
    (void)state;
    compare(9);
    compare(100);
}

static void one_node(void **state) {
    (void)state;
    compare(3000);
}

/* More than two units on the second level of the tree in which products are summed. */
static void many_columns(void **state) {
    (void)state;
    compare(MANY);
}

TEST_FILE(test_ranks_matrix) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_columns), cmocka_unit_test(one_node),
                                       cmocka_unit_test(many_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
