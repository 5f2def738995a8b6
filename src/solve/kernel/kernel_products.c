#include "solve/kernel/kernel_products.h"

#include <cblas.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "la/product/dot.h"
#include "solve/kernel/kernel_factor.h"

enum { BLOCK = 256 }; /* columns of phi that a matrix product takes at a time */

void kernel_products_begin(kernel_products *p, const view *x, kernel_kind kind,
                           const pare_ctx *ctx) {
    *p = (kernel_products){.x = x, .kind = kind, .mem = ctx_allocator(ctx)};
}

void kernel_products_free(kernel_products *p) {
    mem_free(p->mem, p->M);
    mem_free(p->mem, p->phi);
    mem_free(p->mem, p->start);
}

/* Grows the capacity, and moves M to its new layout. */
static bool reserve(kernel_products *p, int64_t need) {
    int64_t before = p->capacity;
    if (need <= before) return true;
    int64_t capacity = 2 * before > need ? 2 * before : need;
    double *M = mem_alloc(p->mem, capacity * capacity, sizeof *M);
    if (!M || !mem_resize(p->mem, &p->start, capacity + 1, sizeof *p->start)) {
        mem_free(p->mem, M);
        return false;
    }
    for (int64_t k = 0; k < p->count; k++)
        memcpy(M + k * capacity, p->M + k * before, sizeof *M * (size_t)p->count);
    mem_free(p->mem, p->M);
    p->M = M;
    p->capacity = capacity;
    p->start[0] = 0;
    return true;
}

static bool append_factor(kernel_products *p, int64_t l, const double *factor, int64_t r) {
    int64_t n = p->x->n, need = p->start[l] + r;
    if (need > p->phi_capacity) {
        int64_t capacity = 2 * p->phi_capacity > need ? 2 * p->phi_capacity : need;
        if (!mem_resize(p->mem, &p->phi, capacity * n, sizeof *p->phi)) return false;
        p->phi_capacity = capacity;
    }
    memcpy(p->phi + p->start[l] * n, factor, sizeof *p->phi * (size_t)(r * n));
    p->start[l + 1] = need;
    return true;
}

/* The factors of the new features, as many at a time as there are threads. */
static pare_status add_factors(kernel_products *p, const int64_t *cols, int64_t more,
                               const double *s, const double *gamma, const double *trace,
                               const pare_ctx *ctx, pare_error *err) {
    int64_t n = p->x->n, l = p->count;
    int threads = ctx_threads(ctx);
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *factor = ARENA_NEW(&mem, double, threads *n *n),
           *x = ARENA_NEW(&mem, double, threads *n),
           *left = ARENA_NEW(&mem, double, threads *n * 2);
    int64_t *rank = ARENA_NEW(&mem, int64_t, threads);
    TRY_MEM(factor && x);
    TRY_MEM(left && rank);
    for (int64_t first = 0; first < more; first += threads) {
        int now = (int)(more - first < threads ? more - first : threads);
        TRY(mat_columns(p->x, cols + first, now, x, ctx, err));
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int t = 0; t < now; t++) {
            int64_t j = cols[first + t];
            rank[t] = kernel_factor(factor + t * n * n, left + 2 * t * n, x + t * n, s, n, p->kind,
                                    gamma[j], trace[j]);
        }
        for (int t = 0; t < now; t++) TRY_MEM(append_factor(p, l++, factor + t * n * n, rank[t]));
    }
done:
    arena_free(&mem);
    return status;
}

/* Where blocks of features begin, from feature `first` to `end`, each of BLOCK columns at most or
 * of one feature; their number. */
static int64_t cut_blocks(int64_t *begin, const kernel_products *p, int64_t first, int64_t end) {
    int64_t blocks = 0;
    for (int64_t l = first; l < end; l++)
        if (l == first || p->start[l + 1] - p->start[begin[blocks - 1]] > BLOCK)
            begin[blocks++] = l;
    begin[blocks] = end;
    return blocks;
}

static int64_t widest(const kernel_products *p, const int64_t *begin, int64_t blocks) {
    int64_t most = 0;
    for (int64_t b = 0; b < blocks; b++) {
        int64_t width = p->start[begin[b + 1]] - p->start[begin[b]];
        most = width > most ? width : most;
    }
    return most;
}

/* M of the features k0 .. k1-1 with l0 .. l1-1. */
static void fill_tile(kernel_products *p, int64_t k0, int64_t k1, int64_t l0, int64_t l1,
                      double *cross) {
    int64_t n = p->x->n, rows = p->start[k1] - p->start[k0], columns = p->start[l1] - p->start[l0];
    if (rows > 0 && columns > 0)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)rows, (int)columns, (int)n, 1,
                    p->phi + p->start[k0] * n, (int)n, p->phi + p->start[l0] * n, (int)n, 0, cross,
                    (int)rows);
    for (int64_t l = l0; l < l1; l++)
        for (int64_t k = k0; k < k1 && k <= l; k++) {
            double sum = 0;
            for (int64_t c = p->start[l]; c < p->start[l + 1]; c++) {
                const double *part = cross + (c - p->start[l0]) * rows + p->start[k] - p->start[k0];
                sum += la_dot(part, part, p->start[k + 1] - p->start[k]);
            }
            p->M[l * p->capacity + k] = p->M[k * p->capacity + l] = sum;
        }
}

/* The rows and columns of M of the features from p->count to `end`. */
static pare_status fill_products(kernel_products *p, int64_t end, const pare_ctx *ctx,
                                 pare_error *err) {
    int threads = ctx_threads(ctx);
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    int64_t *all = ARENA_NEW(&mem, int64_t, end + 1),
            *new = ARENA_NEW(&mem, int64_t, end - p->count + 1);
    TRY_MEM(all && new);
    int64_t n_all = cut_blocks(all, p, 0, end), n_new = cut_blocks(new, p, p->count, end);
    int64_t size = widest(p, all, n_all) * widest(p, new, n_new);
    double *cross = ARENA_NEW(&mem, double, threads *size);
    TRY_MEM(cross);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++)
        for (int64_t tile = t; tile < n_all * n_new; tile += threads) {
            int64_t a = tile / n_new, b = tile % n_new;
            if (all[a] < new[b + 1])
                fill_tile(p, all[a], all[a + 1], new[b], new[b + 1], cross + t * size);
        }
done:
    arena_free(&mem);
    return status;
}

pare_status kernel_products_add(kernel_products *p, const int64_t *cols, int64_t more,
                                const double *s, const double *gamma, const double *trace,
                                const pare_ctx *ctx, pare_error *err) {
    if (!reserve(p, p->count + more)) return error_memory(err);
    pare_status status = add_factors(p, cols, more, s, gamma, trace, ctx, err);
    if (status == PARE_OK) status = fill_products(p, p->count + more, ctx, err);
    if (status == PARE_OK) p->count += more;
    return status;
}
