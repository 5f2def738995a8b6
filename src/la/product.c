/* Products that sum over columns, for any kind that loads them: K = A diag(z) B' and F = X_S W.
 *
 * Columns pass in tiles: transformed (missing -> fill, minus shift, times scale and sqrt(z)) into a
 * buffer, then multiplied there by BLAS. The shift is subtracted before the product, because raw
 * intensities would cancel after it. A tile serves all products of a call, so X is read once.
 *
 * Two ways to share the work, chosen by sizes alone, so that the bits do not depend on threads:
 *   small results: PARTS ranges of columns, each into its own copy of the results, added in order;
 *   large results: one tile at a time, loaded together, its blocks of the results shared out.
 * Memory: PARTS copies of at most SMALL numbers, or a tile; columns of weight 0 are not read. */
#include "la/tile.h"

#include <cblas.h>
#include <omp.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

enum { PARTS = 16, SMALL = 1 << 18, BLOCK = 512, BLOCK_LEAST = 128, TASKS_WANTED = 16 };
enum { STRIP = 32 }; /* columns of a tile that one task loads */

/* out += sum over columns p of left_p right_p', out na x nb. */
typedef struct product {
    const view *a, *b; /* b NULL: right = left, unless W is given */
    const double *z;   /* weight of column p, or NULL */
    const double *W;   /* right_p = row p of W (s x nb), or NULL */
    int64_t s, na, nb;
    double *out;
} product;

/* What a call works on: products over the same columns of one matrix. */
typedef struct job {
    int64_t count;
    const product *product;
    const int64_t *S;    /* the view column of column p, NULL: p */
    const int64_t *live; /* the p to visit, ascending; NULL: all */
    int64_t columns;     /* how many to visit */
    int64_t width;       /* of a tile */
    int threads;
    failure *failed;
} job;

static bool is_symmetric(const product *q) { return !q->b && !q->W; }

static int64_t job_column(const job *g, int64_t i) { return g->live ? g->live[i] : i; }

static int64_t job_base(const job *g, const view *v, int64_t p) {
    return view_base(v, g->S ? g->S[p] : p);
}

/* X's own memory is the tile: its column 0, else NULL. */
static const double *direct_of(const job *g, const product *q, int64_t *stride) {
    return q->a->cols || g->S || g->live || q->z ? NULL : tile_direct(q->a, stride);
}

/* A tile of one product: left is na x k, right nb x k. */
typedef struct tile {
    double *left, *right;
    int64_t *used; /* its k columns p */
    int64_t k;
    const double *direct; /* where left is in X itself: column 0, and the way to the next */
    int64_t stride;
} tile;

static bool tile_alloc(tile *t, const job *g, const product *q, arena *scratch) {
    *t = (tile){.stride = q->na};
    t->direct = direct_of(g, q, &t->stride);
    t->used = ARENA_NEW(scratch, int64_t, g->width);
    t->left = ARENA_NEW(scratch, double, t->direct ? 1 : q->na * g->width);
    t->right = is_symmetric(q) ? t->left : ARENA_NEW(scratch, double, q->nb * g->width);
    return t->used && t->left && t->right;
}

/* The columns of visits first .. first + width - 1 that count in this product. */
static void tile_pick(tile *t, const job *g, const product *q, int64_t first) {
    int64_t last = min64(first + g->width, g->columns);
    t->k = 0;
    for (int64_t i = first; i < last; i++) {
        int64_t p = job_column(g, i);
        if (!q->z || q->z[p] > 0) t->used[t->k++] = p;
    }
}

/* Columns from .. to - 1 of the tile, at most STRIP. */
static pare_status tile_strip(tile *t, const job *g, const product *q, int64_t from, int64_t to,
                              pare_error *err) {
    int64_t base[STRIP], count = to - from;
    double root[STRIP];
    pare_status status = PARE_OK;
    for (int64_t i = 0; i < count; i++) {
        base[i] = job_base(g, q->a, t->used[from + i]);
        root[i] = q->z ? sqrt(q->z[t->used[from + i]]) : 1;
    }
    const double *factor = q->z ? root : NULL;
    if (!t->direct) TRY(tile_load(q->a, base, count, factor, t->left + from * q->na, err));
    if (q->b) TRY(tile_load(q->b, base, count, factor, t->right + from * q->nb, err));
    for (int64_t i = from; q->W && i < to; i++)
        for (int64_t k = 0; k < q->nb; k++) t->right[i * q->nb + k] = q->W[t->used[i] + k * q->s];
done:
    return status;
}

static void tile_fill(tile *t, const job *g, const product *q, int64_t from, int64_t to) {
    pare_error error;
    for (; from < to; from += STRIP) {
        pare_status status = tile_strip(t, g, q, from, min64(to, from + STRIP), &error);
        if (status != PARE_OK) failure_note(g->failed, status, &error);
    }
}

/* out[rows i.., columns j..] += the tile's product there; the lower triangle where symmetric. */
static void tile_multiply(const tile *t, const product *q, int64_t i, int64_t rows, int64_t j,
                          int64_t cols, double *out) {
    if (t->k == 0) return;
    const double *left = t->direct ? t->direct + t->used[0] * t->stride : t->left;
    const double *right = is_symmetric(q) ? left : t->right;
    int ld = (int)t->stride, ld_right = is_symmetric(q) ? ld : (int)q->nb;
    double *at = out + i + j * q->na;
    if (is_symmetric(q) && i == j)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)rows, (int)t->k, 1, left + i, ld,
                    1, at, (int)q->na);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)rows, (int)cols, (int)t->k, 1,
                    left + i, ld, right + j, ld_right, 1, at, (int)q->na);
}

/* ---- small results: a copy per range of columns ---- */

static void range_run(const job *g, tile *tiles, int64_t first, int64_t last, double *const *out) {
    for (int64_t q = 0; q < g->count; q++)
        memset(out[q], 0, (size_t)(g->product[q].na * g->product[q].nb) * sizeof(double));
    for (int64_t at = first; at < last; at += g->width)
        for (int64_t i = 0; i < g->count; i++) {
            const product *q = &g->product[i];
            tile_pick(&tiles[i], g, q, at);
            tile_fill(&tiles[i], g, q, 0, tiles[i].k);
            tile_multiply(&tiles[i], q, 0, q->na, 0, q->nb, out[i]);
        }
}

static pare_status run_parts(const job *g, arena *scratch, pare_error *err) {
    pare_status status = PARE_OK;
    int64_t tiles_all = (g->columns + g->width - 1) / g->width, total = 0;
    int64_t parts = max64(1, min64(PARTS, tiles_all));
    int threads = (int)min64(g->threads, parts);
    for (int64_t i = 0; i < g->count; i++) total += g->product[i].na * g->product[i].nb;
    tile *tiles;
    double **out, *copies;
    TRY_MEM(tiles = ARENA_NEW(scratch, tile, threads * g->count));
    for (int64_t i = 0; i < threads * g->count; i++)
        TRY_MEM(tile_alloc(&tiles[i], g, &g->product[i % g->count], scratch));
    TRY_MEM(out = ARENA_NEW(scratch, double *, parts * g->count));
    TRY_MEM(copies = ARENA_NEW(scratch, double, (parts - 1) * total));
    for (int64_t part = 0; part < parts; part++)
        for (int64_t i = 0; i < g->count; i++) {
            out[part * g->count + i] = part == 0 ? g->product[i].out : copies;
            if (part > 0) copies += g->product[i].na * g->product[i].nb;
        }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t part = 0; part < parts; part++)
        range_run(g, tiles + omp_get_thread_num() * g->count, g->width * (tiles_all * part / parts),
                  min64(g->columns, g->width * (tiles_all * (part + 1) / parts)),
                  out + part * g->count);
    for (int64_t i = 0; i < g->count; i++) {
        int64_t size = g->product[i].na * g->product[i].nb;
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int64_t e = 0; e < size; e++) {
            double sum = out[i][e];
            for (int64_t part = 1; part < parts; part++) sum += out[part * g->count + i][e];
            out[i][e] = sum;
        }
    }
done:
    return status;
}

/* ---- large results: tile by tile, blocks shared out ---- */

typedef struct task {
    int64_t product, i, rows, j, cols;
} task;

static int64_t tasks_list(const job *g, int64_t block, task *list) {
    int64_t count = 0;
    for (int64_t q = 0; q < g->count; q++) {
        const product *p = &g->product[q];
        for (int64_t j = 0; j < p->nb; j += block)
            for (int64_t i = is_symmetric(p) ? j : 0; i < p->na; i += block) {
                if (list)
                    list[count] = (task){q, i, min64(block, p->na - i), j, min64(block, p->nb - j)};
                count++;
            }
    }
    return count;
}

static pare_status run_blocks(const job *g, arena *scratch, pare_error *err) {
    pare_status status = PARE_OK;
    int threads = g->threads;
    int64_t block = BLOCK, strips = (g->width + STRIP - 1) / STRIP;
    while (block > BLOCK_LEAST && tasks_list(g, block, NULL) < TASKS_WANTED) block /= 2;
    int64_t tasks = tasks_list(g, block, NULL);
    task *list;
    tile *tiles;
    TRY_MEM(list = ARENA_NEW(scratch, task, tasks));
    tasks_list(g, block, list);
    TRY_MEM(tiles = ARENA_NEW(scratch, tile, g->count));
    for (int64_t i = 0; i < g->count; i++) {
        const product *q = &g->product[i];
        TRY_MEM(tile_alloc(&tiles[i], g, q, scratch));
        memset(q->out, 0, (size_t)(q->na * q->nb) * sizeof(double));
    }
    for (int64_t at = 0; at < g->columns; at += g->width) {
        for (int64_t i = 0; i < g->count; i++) tile_pick(&tiles[i], g, &g->product[i], at);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t i = 0; i < g->count * strips; i++) {
            tile *t = &tiles[i % g->count];
            int64_t from = min64(t->k, i / g->count * STRIP), to = min64(t->k, from + STRIP);
            tile_fill(t, g, &g->product[i % g->count], from, to);
        }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t i = 0; i < tasks; i++) {
            const task *k = &list[i];
            const product *q = &g->product[k->product];
            tile_multiply(&tiles[k->product], q, k->i, k->rows, k->j, k->cols, q->out);
        }
    }
done:
    return status;
}

/* ---- the operations ---- */

static bool counts_somewhere(const job *g, int64_t p) {
    for (int64_t i = 0; i < g->count; i++) {
        const product *q = &g->product[i];
        if (q->W)
            for (int64_t k = 0; k < q->nb; k++)
                if (q->W[p + k * q->s] != 0) return true;
        if (!q->W && (!q->z || q->z[p] > 0)) return true;
    }
    return false;
}

/* Leaves out the columns that no product uses. columns: all of them. */
static pare_status job_prune(job *g, int64_t columns, arena *scratch, pare_error *err) {
    int64_t used = 0;
    for (int64_t p = 0; p < columns; p++) used += counts_somewhere(g, p);
    g->columns = used;
    if (used == columns) return PARE_OK;
    int64_t *live = ARENA_NEW(scratch, int64_t, used), at = 0;
    if (!live) return error_memory(err);
    for (int64_t p = 0; p < columns; p++)
        if (counts_somewhere(g, p)) live[at++] = p;
    g->live = live;
    return PARE_OK;
}

static pare_status job_run(job *g, int64_t columns, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    int64_t total = 0, tallest = 1;
    failure failed = {0};
    g->failed = &failed;
    for (int64_t i = 0; i < g->count; i++) {
        const product *q = &g->product[i];
        total += q->na * q->nb;
        tallest = max64(tallest, max64(q->na, q->nb));
    }
    TRY(job_prune(g, columns, &scratch, err));
    bool small = total <= SMALL;
    g->width = small ? tile_width(tallest) : 512;
    g->threads = work_threads(ctx, (double)total * (double)g->columns);
    TRY(small ? run_parts(g, &scratch, err) : run_blocks(g, &scratch, err));
    TRY(failure_end(&failed, err));
    for (int64_t q = 0; q < g->count; q++) {
        if (!is_symmetric(&g->product[q])) continue;
        double *K = g->product[q].out;
        int64_t n = g->product[q].na;
#pragma omp parallel for num_threads(g->threads) schedule(dynamic, 16)
        for (int64_t j = 1; j < n; j++)
            for (int64_t i = 0; i < j; i++) K[i + j * n] = K[j + i * n];
    }
done:
    arena_free(&scratch);
    return status;
}

pare_status tile_gram(const view *a, const view *b, const double *z, double *K, const pare_ctx *ctx,
                      pare_error *err) {
    product q = {.a = a, .b = b, .z = z, .na = a->n, .nb = b ? b->n : a->n, .out = K};
    job g = {.count = 1, .product = &q};
    return job_run(&g, a->d, ctx, err);
}

pare_status tile_gram_many(int64_t count, const view *v, const double *const *z, double *const *K,
                           const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    product *q = mem_alloc(mem, count, sizeof *q);
    if (!q) return error_memory(err);
    for (int64_t i = 0; i < count; i++)
        q[i] = (product){.a = &v[i], .z = z ? z[i] : NULL, .na = v[i].n, .nb = v[i].n, .out = K[i]};
    job g = {.count = count, .product = q};
    pare_status status = job_run(&g, v[0].d, ctx, err);
    mem_free(mem, q);
    return status;
}

pare_status tile_mul(const view *v, const int64_t *S, int64_t s, const double *W, int64_t c,
                     double *F, const pare_ctx *ctx, pare_error *err) {
    product q = {.a = v, .W = W, .s = s, .na = v->n, .nb = c, .out = F};
    job g = {.count = 1, .product = &q, .S = S};
    return job_run(&g, s, ctx, err);
}
