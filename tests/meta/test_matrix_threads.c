/* The number of threads never changes a bit, and storage kinds agree up to rounding. */
#include "support/views.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>

enum { C = 40, FOLDS = 3 };

/* The results of all operations on one view, end to end in one block. */
static double *run_all(const view *folds, const double *U, const double *W, const double *z,
                       int threads, int64_t *bytes) {
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.threads = threads;
    const view *v = &folds[0];
    int64_t n = v->n, d = v->d, nn = 0;
    for (int k = 0; k < FOLDS; k++) nn += folds[k].n * folds[k].n;
    int64_t total = 2 * nn + n * folds[1].n + 2 * d * (C + 1) + n * (C + 1) + n * d + 6 * d + n * d;
    double *block = calloc((size_t)total, sizeof *block), *at = block;
    assert_non_null(block);
    const double *zs[FOLDS] = {z, NULL, z};
    double *Ks[FOLDS];
    for (int k = 0; k < FOLDS; k++) {
        assert_int_equal(mat_gram(&folds[k], NULL, zs[k], at, &ctx, NULL), PARE_OK);
        at += folds[k].n * folds[k].n;
    }
    for (int k = 0; k < FOLDS; k++) {
        Ks[k] = at;
        at += folds[k].n * folds[k].n;
    }
    assert_int_equal(mat_gram_many(FOLDS, folds, zs, Ks, &ctx, NULL), PARE_OK);
    assert_int_equal(mat_gram(v, &folds[1], z, at, &ctx, NULL), PARE_OK);
    at += n * folds[1].n;
    for (int64_t c = 1; c <= C; c += C - 1) {
        assert_int_equal(mat_tmul(v, U, c, at, &ctx, NULL), PARE_OK);
        at += d * c;
        assert_int_equal(mat_tmul2(v, U, c, at, &ctx, NULL), PARE_OK);
        at += d * c;
        assert_int_equal(mat_mul(v, NULL, d, W, c, at, &ctx, NULL), PARE_OK);
        at += n * c;
    }
    assert_int_equal(mat_columns(v, NULL, d, at, &ctx, NULL), PARE_OK);
    at += n * d;
    col_stats *stats = calloc((size_t)d, sizeof *stats);
    assert_non_null(stats);
    assert_int_equal(mat_stats(v, NULL, stats, &ctx, NULL), PARE_OK);
    for (int64_t j = 0; j < d; j++, at += 6) {
        at[0] = stats[j].mean;
        at[1] = stats[j].var;
        at[2] = stats[j].min;
        at[3] = stats[j].max;
        at[4] = (double)stats[j].nonzeros;
        at[5] = (double)stats[j].missing;
    }
    free(stats);
    matrix small;
    assert_int_equal(mat_compact(&small, v, &ctx, NULL), PARE_OK);
    double *dense = dense_of(&small);
    memcpy(at, dense, (size_t)(n * d) * sizeof *at);
    free(dense);
    at += n * d;
    mat_free(&small, ctx_allocator(&ctx));
    assert_true(at == block + total);
    *bytes = total * (int64_t)sizeof *block;
    return block;
}

/* Three folds of x that leave out every third row, each with its own scaling. */
static void with_folds(rng *r, const matrix *x, const matrix *same, double near) {
    drawn w[FOLDS];
    view folds[FOLDS], duplicates[FOLDS];
    for (int k = 0; k < FOLDS; k++) {
        w[k] = view_draw(r, x, VIEW_ROWS | VIEW_SHIFT | VIEW_SCALE | VIEW_FILL);
        free(w[k].rows);
        w[k].rows = malloc(sizeof *w[k].rows * (size_t)x->n);
        assert_non_null(w[k].rows);
        int64_t n = 0;
        for (int64_t i = 0; i < x->n; i++)
            if (i % FOLDS != k) w[k].rows[n++] = (int32_t)i;
        w[k].v.rows = w[k].rows;
        w[k].v.n = n;
        folds[k] = duplicates[k] = w[k].v;
        duplicates[k].x = same;
    }
    double *U = random_normal(r, x->n, C), *W = random_normal(r, x->d, C);
    double *z = random_weights(r, x->d);
    int64_t bytes;
    double *one = run_all(folds, U, W, z, 1, &bytes);
    for (int k = 0; k < 4; k++) {
        double *more = run_all(folds, U, W, z, (int[]){2, 3, 4, 16}[k], &bytes);
        assert_memory_equal(one, more, (size_t)bytes);
        free(more);
    }
    if (same) {
        double *other = run_all(duplicates, U, W, z, 2, &bytes);
        for (int64_t i = 0; i < bytes / (int64_t)sizeof *one; i++)
            check_close(one[i], other[i], near);
        free(other);
    }
    free(one);
    free(U);
    free(W);
    free(z);
    for (int k = 0; k < FOLDS; k++) view_undraw(&w[k]);
}

static void test_threads(void **state) {
    (void)state;
    rng r = rng_from(31);
    int64_t sizes[][2] = {{40, 9000}, {600, 700}};
    for (int k = 0; k < 2; k++) {
        sample s = sample_dense(&r, sizes[k][0], sizes[k][1], 0);
        with_folds(&r, &s.x, NULL, 0);
        sample_free(&s);
        s = sample_sparse(&r, sizes[k][0], sizes[k][1], 0.2, 0);
        matrix dense = mat_dense(s.x.n, s.x.d, s.dense);
        with_folds(&r, &s.x, &dense, 1e-9);
        sample_free(&s);
    }
    sample s = sample_sparse(&r, 1600, 150, 0.2, 0); /* Grams that are too large for copies */
    with_folds(&r, &s.x, NULL, 0);
    sample_free(&s);
}

TEST_FILE(test_matrix_threads) {
    openblas_set_num_threads(1); /* as the executable does: BLAS must not divide the work again */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
