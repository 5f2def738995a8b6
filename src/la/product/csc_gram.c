/* Grams of sparse columns: K = A diag(z) B', never densified.
 *
 * With S the stored entries times scale and r the rest of each column (what a value of 0 becomes),
 * A = S + 1 r', so K = S Z S' + (S Z r) 1' + 1 (S Z r)' + r'Z r: a sparse product, a vector and a
 * number. Symmetric: each pair of entries is visited once, in one of the two triangles, and the end
 * adds the triangles. A small K is filled at random (csc_gram_small.c), a large one column by
 * column (csc_gram_large.c); the choice depends on sizes only.
 *
 * Cost: one pass over X, sum over columns of count^2 / 2. */
#include "la/product/csc_gram.h"

#include <string.h>

#include "base/error.h"

enum { MAX_SMALL = 1 << 20 }; /* numbers of a K that a cache can hold */

/* K += q_a 1' + 1 q_b' + t, after adding the triangles where symmetric. */
static void product_finish(const product *q, int threads) {
    double *K = q->K;
    int64_t n = q->na;
    if (!q->b) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
        for (int64_t j = 1; j < n; j++)
            for (int64_t i = 0; i < j; i++)
                K[i + j * n] = K[j + i * n] = K[i + j * n] + K[j + i * n];
    }
    if (!q->shifted) return;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t j = 0; j < q->nb; j++)
        for (int64_t i = 0; i < n; i++) K[i + j * n] += (q->qa[i] + q->qb[j]) + q->t;
}

static pare_status map_make(row_map *map, const view *v, int64_t *most, arena *scratch,
                            pare_error *err) {
    *map = (row_map){NULL, NULL, true};
    if (!v->rows) return PARE_OK;
    int32_t *start = ARENA_NEW(scratch, int32_t, v->x->n + 1);
    int32_t *pos = ARENA_NEW(scratch, int32_t, v->n);
    if (!start || !pos) return error_memory(err);
    *map = csc_map_fill(v, start, pos);
    for (int64_t r = 0; r < v->x->n; r++) *most = max64(*most, start[r + 1] - start[r]);
    return PARE_OK;
}

static pare_status product_begin(product *q, arena *scratch, pare_error *err) {
    q->na = q->a->n;
    q->nb = q->b ? q->b->n : q->na;
    q->shifted = q->a->shift || (q->b && q->b->shift);
    q->t = 0;
    q->most = 1;
    PASS(map_make(&q->map_a, q->a, &q->most, scratch, err));
    if (q->b) PASS(map_make(&q->map_b, q->b, &q->most, scratch, err));
    PASS_MEM(q->qa = ARENA_ZERO(scratch, double, q->na));
    q->qb = q->qa;
    if (q->b) PASS_MEM(q->qb = ARENA_ZERO(scratch, double, q->nb));
    memset(q->K, 0, (size_t)(q->na * q->nb) * sizeof(double));
    return PARE_OK;
}

static bool is_small(const product *q) { return q->na * q->nb <= MAX_SMALL; }

/* q has a, b, z and K set. The way a product is computed, and the order of its sums, do not depend
 * on the other products of the call, nor do its bits. */
static pare_status products_run(product *q, int64_t count, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    arena scratch = arena_of(ctx);
    const matrix *x = q[0].a->x;
    int threads = work_threads(ctx, (double)(csc_of(x)->col_ptr[x->d] + q[0].a->d) * (double)count);
    for (int64_t i = 0; i < count; i++) TRY(product_begin(&q[i], &scratch, err));
    for (int64_t i = 0, same; i < count; i += same) {
        for (same = 1; i + same < count && is_small(&q[i + same]) == is_small(&q[i]);) same++;
        products p = {same, q + i, threads};
        TRY(is_small(&q[i]) ? csc_gram_small(&p, &scratch, err)
                            : csc_gram_large(&p, &scratch, err));
    }
    for (int64_t i = 0; i < count; i++) product_finish(&q[i], threads);
done:
    arena_free(&scratch);
    return status;
}

pare_status csc_gram(const view *a, const view *b, const double *z, double *K, const pare_ctx *ctx,
                     pare_error *err) {
    product q = {.a = a, .b = b, .z = z, .K = K};
    return products_run(&q, 1, ctx, err);
}

pare_status csc_gram_many(int64_t count, const view *v, const double *const *z, double *const *K,
                          const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    product *q = mem_alloc(mem, count, sizeof *q);
    if (!q) return error_memory(err);
    for (int64_t i = 0; i < count; i++)
        q[i] = (product){.a = &v[i], .z = z ? z[i] : NULL, .K = K[i]};
    pare_status status = products_run(q, count, ctx, err);
    mem_free(mem, q);
    return status;
}
