#include "method/filter/sample_pairs.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"

enum { TILE = 32 }; /* columns whose values stay in cache with a row of distances */

typedef struct workspace { /* of a thread */
    walk w;
    double *x;
} workspace;

static double sum_pairs(const pair_list *p, const double *x, bool squared) {
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double own = 0;
        for (int64_t e = p->start[i]; e < p->start[i + 1]; e++) {
            double off = x[i] - x[p->other[e]];
            own += p->coef[e] * (squared ? off * off : fabs(off));
        }
        sum += own;
    }
    return sum;
}

pare_status pairs_run(fit_result *r, const view *x, const pair_list *p, bool squared,
                      pair_score *score, const void *user, const pare_ctx *ctx, pare_error *err) {
    int64_t d = x->d, n = x->n;
    int threads = ctx_threads(ctx);
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    workspace *b = ARENA_ZERO(&mem, workspace, threads);
    TRY_MEM(b);
    TRY_MEM(r->score = ARENA_NEW(&r->mem, double, d));
    for (int t = 0; t < threads; t++) TRY_MEM(b[t].x = ARENA_NEW(&mem, double, n));
    for (int t = 0; t < threads; t++) TRY(walk_open(&b[t].w, x, NULL, d, ctx, err));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++)
        for (int64_t j = d * t / threads; j < d * (t + 1) / threads; j++) {
            column col;
            if (!walk_at(&b[t].w, j, &col)) break;
            column_spread(&col, n, b[t].x);
            r->score[j] = score(user, b[t].x, sum_pairs(p, b[t].x, squared));
        }
    r->outcome = PARE_OPTIMAL;
done:
    for (int t = 0; b && t < threads; t++) status = walk_end(&b[t].w, status, err);
    arena_free(&mem);
    return status == PARE_OK ? fit_rank(r, d, err) : status;
}

/* --- distances in the 1-norm --- */

/* Row i behind the diagonal, four columns of the tile at a time. Eight samples are one step, for
 * wide registers; every sample's sum has the same order of operations as without them. */
static inline __attribute__((always_inline)) void
add_four(double *restrict row, const double *restrict a, int64_t n, int64_t i) {
    enum { SIMD_COLUMNS = 8 };
    const double *b = a + n, *c = b + n, *d = c + n;
    double ai = a[i], bi = b[i], ci = c[i], di = d[i];
    int64_t k = i + 1;
    for (; k + SIMD_COLUMNS <= n; k += SIMD_COLUMNS)
        for (int q = 0; q < SIMD_COLUMNS; q++)
            row[k + q] += (fabs(a[k + q] - ai) + fabs(b[k + q] - bi)) +
                          (fabs(c[k + q] - ci) + fabs(d[k + q] - di));
    for (; k < n; k++)
        row[k] += (fabs(a[k] - ai) + fabs(b[k] - bi)) + (fabs(c[k] - ci) + fabs(d[k] - di));
}

#define ADD_TILE(name, how)                                                                        \
    how static void name(double *row, const double *tile, int64_t width, int64_t n, int64_t i) {   \
        int64_t c = 0;                                                                             \
        for (; c + 4 <= width; c += 4) add_four(row, tile + c * n, n, i);                          \
        for (; c < width; c++)                                                                     \
            for (int64_t k = i + 1; k < n; k++) row[k] += fabs(tile[c * n + k] - tile[c * n + i]); \
    }
ADD_TILE(add_tile_plain, )
#ifdef __x86_64__
ADD_TILE(add_tile_avx2, __attribute__((target("avx2"))))
ADD_TILE(add_tile_avx512, __attribute__((target("avx512f,avx512dq"))))
#define ADD(...)                                                                                   \
    (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")                       \
         ? add_tile_avx512(__VA_ARGS__)                                                            \
     : __builtin_cpu_supports("avx2") ? add_tile_avx2(__VA_ARGS__)                                 \
                                      : add_tile_plain(__VA_ARGS__))
#else
#define ADD(...) add_tile_plain(__VA_ARGS__)
#endif

static pare_status manhattan_dense(double *D, const view *x, arena *mem, const pare_ctx *ctx,
                                   pare_error *err) {
    int64_t n = x->n, d = x->d;
    int threads = ctx_threads(ctx);
    int64_t S[TILE];
    double *tile = ARENA_NEW(mem, double, n *TILE);
    if (!tile) return error_memory(err);
    for (int64_t first = 0; first < d; first += TILE) {
        int64_t width = d - first < TILE ? d - first : TILE;
        for (int64_t c = 0; c < width; c++) S[c] = first + c;
        PASS(mat_columns(x, S, width, tile, ctx, err));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8)
        for (int64_t i = 0; i < n; i++) ADD(D + i * n, tile, width, n, i);
    }
    return PARE_OK;
}

/* With u the distance from the value that is not stored: |u_i| + |u_k|, corrected where both are
 * stored. One thread handles all pairs of sample i, column by column. */
static pare_status manhattan_sparse(double *D, const view *x, arena *mem, const pare_ctx *ctx,
                                    pare_error *err) {
    int64_t n = x->n, d = x->d;
    int threads = ctx_threads(ctx);
    walk *w = ARENA_NEW(mem, walk, threads);
    double *sum = ARENA_ZERO(mem, double, n);
    if (!w || !sum) return error_memory(err);
    PASS(walks_open(w, threads, x, NULL, d, ctx, err));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) {
        column c;
        int64_t j;
        while (walk_next(&w[t], &j, &c))
            for (int64_t a = 0; a < c.count; a++) {
                int64_t i = c.index ? c.index[a] : a;
                double own = c.value[a] - c.rest;
                if (i % threads != t) continue;
                sum[i] += fabs(own);
                for (int64_t b = a + 1; b < c.count; b++) {
                    double other = c.value[b] - c.rest;
                    D[i * n + (c.index ? c.index[b] : b)] +=
                        fabs(own - other) - fabs(own) - fabs(other);
                }
            }
    }
    pare_status status = walks_end(w, threads, PARE_OK, err);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = i + 1; k < n; k++) D[i * n + k] = fmax(0, D[i * n + k] + sum[i] + sum[k]);
    return status;
}

pare_status manhattan(double *D, const view *x, const pare_ctx *ctx, pare_error *err) {
    int64_t n = x->n;
    arena mem = arena_of(ctx);
    memset(D, 0, sizeof *D * (size_t)(n * n));
    pare_status status = mat_is_sparse(x->x) ? manhattan_sparse(D, x, &mem, ctx, err)
                                             : manhattan_dense(D, x, &mem, ctx, err);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = i + 1; k < n; k++) D[k * n + i] = D[i * n + k];
    arena_free(&mem);
    return status;
}
