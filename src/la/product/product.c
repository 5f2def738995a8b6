/* Products that sum over columns, for any kind that loads them: K = A diag(z) B' and F = X_S W.
 *
 * Columns pass in tiles: transformed (missing -> fill, minus shift, times scale and sqrt(z)) into a
 * buffer, then multiplied there by BLAS. The shift is subtracted before the product, because raw
 * intensities would cancel after it. A tile serves all products of a call, so X is read once.
 *
 * The sum is a fixed tree, which depends on the number of columns only, so that neither threads nor
 * the kind nor a division of the columns among machines show in its bits:
 *   a leaf is the product of the next LEAF active columns (of nonzero weight) of its node;
 *   a node is NODE columns in a row: its leaves are added in order;
 *   above, FAN neighbours are added in order, and so on up to the root.
 * A leaf may be in single precision (view.single_precision): twice as fast; the sums above it never
 * are. Nodes without an active column are skipped. Ways to share the work, all with the same sums:
 *   small results, few nodes: the leaves of a node, each into its own copy;
 *   small results, many nodes: FAN nodes at a time, each into its own copy;
 *   large results: one leaf at a time, loaded together, its blocks of the results shared out.
 * Memory: FAN copies of at most MAX_SMALL numbers, or a result per level above the nodes (two for
 * a million columns); columns of weight 0 are not read. */
#include "la/product/tile.h"

#include <cblas.h>
#include <omp.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

enum { LEAF = TREE_LEAF, NODE = TREE_NODE, NODE_LEAVES = NODE / LEAF, FAN = TREE_FAN };
enum { LEVELS = TREE_LEVELS };
enum { MAX_SMALL = 1 << 18, BLOCK = 512, MIN_BLOCK = 128, MIN_TASKS = 16 };
enum { STRIP = 32 }; /* columns of a tile that one task loads */

/* out = sum over columns p of left_p right_p', out na x nb. */
typedef struct product {
    const view *a, *b; /* b NULL: right = left, unless W is given */
    const double *z;   /* weight of column p, or NULL */
    const double *W;   /* right_p = row p of W (s x nb), or NULL */
    int64_t s, na, nb;
    bool single_precision;
    double *out;
    const int64_t *active; /* the columns of nonzero weight, ascending; NULL: all */
    const int64_t *start;  /* nodes + 1: where each node begins in `active` */
    int64_t width;         /* columns that BLAS sees at a time */
    double *sum[LEVELS];   /* of the nodes so far, by level; the last is out */
    bool has[LEVELS];      /* something was added */
    double *node;          /* the current node, unless it is the first of its parent */
} product;

/* What a call works on: products over the same columns of one matrix. */
typedef struct job {
    int64_t count;
    product *product;
    const int64_t *S; /* the view column of column p, NULL: p */
    int64_t nodes, total;
    int levels, threads;
    failure *failed;
} job;

static bool is_symmetric(const product *q) { return !q->b && !q->W; }

static int64_t job_base(const job *g, const view *v, int64_t p) {
    return view_base(v, g->S ? g->S[p] : p);
}

/* Column 0 of X where X's own memory serves as the tile, else NULL. */
static const double *direct_of(const job *g, const product *q, int64_t *stride) {
    return q->a->cols || g->S || q->active || q->z || q->single_precision
               ? NULL
               : tile_direct(q->a, stride);
}

/* ---- a leaf ---- */

/* A tile of one product: left is na x k, right nb x k. */
typedef struct tile {
    double *left, *right;
    int64_t *used; /* its k columns p */
    int64_t k;
    const double *direct; /* left in X itself: column 0, and the distance to the next */
    int64_t stride;
    float *single,
        *sum; /* in single precision: na x k, and na x na; left then holds one strip only */
} tile;

static bool tile_alloc(tile *t, const job *g, const product *q, int64_t width, arena *scratch) {
    *t = (tile){.stride = q->na};
    t->direct = direct_of(g, q, &t->stride);
    t->used = ARENA_NEW(scratch, int64_t, width);
    t->left =
        ARENA_NEW(scratch, double, t->direct ? 1 : q->na *(q->single_precision ? STRIP : width));
    if (q->single_precision) {
        t->single = ARENA_NEW(scratch, float, q->na *width);
        t->sum = ARENA_NEW(scratch, float, q->na * q->na);
        if (!t->single || !t->sum) return false;
    }
    t->right = is_symmetric(q) ? t->left : ARENA_NEW(scratch, double, q->nb *width);
    return t->used && t->left && t->right;
}

/* Active columns from .. to - 1. */
static void tile_gather(tile *t, const product *q, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++) t->used[i - from] = q->active ? q->active[i] : i;
    t->k = to - from;
}

/* The active columns of leaf `leaf` of a node; false: it has none. */
static bool leaf_range(const product *q, int64_t node, int64_t leaf, int64_t *from, int64_t *to) {
    *from = q->start[node] + leaf * LEAF;
    *to = min64(q->start[node + 1], *from + LEAF);
    return *from < *to;
}

/* Columns from .. to - 1 of the tile, at most STRIP. */
static pare_status tile_strip(tile *t, const job *g, const product *q, int64_t from, int64_t to,
                              pare_error *err) {
    int64_t base[STRIP], count = to - from;
    double root[STRIP];
    for (int64_t i = 0; i < count; i++) {
        base[i] = job_base(g, q->a, t->used[from + i]);
        root[i] = q->z ? sqrt(q->z[t->used[from + i]]) : 1;
    }
    const double *factor = q->z ? root : NULL;
    if (q->single_precision)
        PASS(tile_load_single(q->a, base, count, factor, t->left, t->single + from * q->na, err));
    else if (!t->direct)
        PASS(tile_load(q->a, base, count, factor, t->left + from * q->na, err));
    if (q->b) PASS(tile_load(q->b, base, count, factor, t->right + from * q->nb, err));
    for (int64_t i = from; q->W && i < to; i++)
        for (int64_t k = 0; k < q->nb; k++) t->right[i * q->nb + k] = q->W[t->used[i] + k * q->s];
    return PARE_OK;
}

static void tile_fill(tile *t, const job *g, const product *q, int64_t from, int64_t to) {
    pare_error error;
    for (; from < to; from += STRIP) {
        pare_status status = tile_strip(t, g, q, from, min64(to, from + STRIP), &error);
        if (status != PARE_OK) failure_note(g->failed, status, &error);
    }
}

/* A block of a result: rows i.., columns j... */
typedef struct task {
    int64_t product, i, rows, j, cols;
} task;

/* at = the tile's product there, or += unless fresh; the lower triangle where symmetric. */
static void tile_multiply(const tile *t, const product *q, const task *k, bool fresh, double *at,
                          int64_t stride) {
    for (int64_t c = 0; c < t->k; c += q->width, fresh = false) {
        const double *left = t->direct ? t->direct + t->used[c] * t->stride : t->left + c * q->na;
        const double *right = is_symmetric(q) ? left : t->right + c * q->nb;
        int ld = (int)t->stride, ld_right = is_symmetric(q) ? ld : (int)q->nb;
        int wide = (int)min64(q->width, t->k - c);
        if (is_symmetric(q) && k->i == k->j)
            cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)k->rows, wide, 1, left + k->i,
                        ld, !fresh, at, (int)stride);
        else
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)k->rows, (int)k->cols, wide,
                        1, left + k->i, ld, right + k->j, ld_right, !fresh, at, (int)stride);
    }
}

/* to += from, or = where fresh: a block of `rows` rows; the lower triangle where symmetric. */
static void block_add(double *to, int64_t stride, const double *from, int64_t from_stride,
                      int64_t rows, int64_t cols, bool lower, bool fresh) {
    for (int64_t j = 0; j < cols; j++) {
        double *t = to + j * stride;
        const double *f = from + j * from_stride;
        for (int64_t i = lower ? j : 0; i < rows; i++) t[i] = fresh ? f[i] : t[i] + f[i];
    }
}

/* The whole result, by threads. */
static void result_add(const product *q, double *to, const double *from, bool fresh, int threads) {
    bool lower = is_symmetric(q);
    if (q->na * q->nb < 1 << 15) threads = 1;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t j = 0; j < q->nb; j++) {
        int64_t i = lower ? j : 0;
        block_add(to + i + j * q->na, q->na, from + i + j * q->na, q->na, q->na - i, 1, false,
                  fresh);
    }
}

/* ---- above the nodes ---- */

/* Where the leaves of the next node are added up. */
static double *node_target(const product *q) { return q->has[0] ? q->node : q->sum[0]; }

static void carry(product *q, int level, const double *from, int threads) {
    if (from != q->sum[level]) result_add(q, q->sum[level], from, !q->has[level], threads);
    q->has[level] = true;
}

/* Node number `node` is done: its sum is at from; NULL: no active column. */
static void node_done(const job *g, product *q, int64_t node, const double *from) {
    if (from) carry(q, 0, from, g->threads);
    for (int l = 0; l + 1 < g->levels && ++node % FAN == 0; l++, node = node / FAN - 1) {
        if (q->has[l]) carry(q, l + 1, q->sum[l], g->threads);
        q->has[l] = false;
    }
}

/* All nodes are done: adds the partial sums up to the root, and fills the upper triangle. */
static void product_done(const job *g, product *q) {
    int top = g->levels - 1;
    for (int l = 0; l < top; l++)
        if (q->has[l]) carry(q, l + 1, q->sum[l], g->threads);
    if (!q->has[top]) memset(q->out, 0, (size_t)(q->na * q->nb) * sizeof(double));
    double *K = q->out;
    int64_t n = q->na;
    if (!is_symmetric(q) || !q->has[top]) return;
#pragma omp parallel for num_threads(g->threads) schedule(dynamic, 16)
    for (int64_t j = 1; j < n; j++)
        for (int64_t i = 0; i < j; i++) K[i + j * n] = K[j + i * n];
}

/* ---- small results: a copy per leaf or per node ---- */

/* One leaf, in tiles of the product's width. */
static void leaf_run(const job *g, const product *q, tile *t, int64_t from, int64_t to,
                     double *out) {
    task whole = {0, 0, q->na, 0, q->nb};
    int n = (int)q->na;
    for (int64_t at = from; at < to; at += q->width) {
        tile_gather(t, q, at, min64(to, at + q->width));
        tile_fill(t, g, q, 0, t->k);
        if (!q->single_precision)
            tile_multiply(t, q, &whole, at == from, out, q->na);
        else
            cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, n, (int)t->k, 1, t->single, n,
                        at != from, t->sum, n);
    }
    for (int64_t j = 0; q->single_precision && j < n; j++)
        for (int64_t i = j; i < n; i++) out[i + j * n] = (double)t->sum[i + j * n];
}

/* One node; leaf: buffer of a result. false: no active column. */
static bool node_run(const job *g, const product *q, tile *t, int64_t node, double *leaf,
                     double *out) {
    int64_t from, to;
    for (int64_t l = 0; l < NODE_LEAVES && leaf_range(q, node, l, &from, &to); l++) {
        leaf_run(g, q, t, from, to, l == 0 ? out : leaf);
        if (l > 0) block_add(out, q->na, leaf, q->na, q->na, q->nb, is_symmetric(q), false);
    }
    return q->start[node] < q->start[node + 1];
}

/* Nodes first .. first + FAN - 1, or the leaves of the one node first. */
static void round_add(const job *g, bool by_node, int64_t first, int64_t items,
                      double *const *copy) {
    int64_t from, to;
    for (int64_t i = 0; i < g->count; i++) {
        product *q = &g->product[i];
        double *target = by_node ? NULL : node_target(q);
        bool any = false;
        for (int64_t k = 0; k < items; k++) {
            const double *made = copy[k * g->count + i];
            bool some = leaf_range(q, by_node ? first + k : first, by_node ? 0 : k, &from, &to);
            if (by_node) node_done(g, q, first + k, some ? made : NULL);
            if (!by_node && some) result_add(q, target, made, k == 0, g->threads);
            any = any || some;
        }
        if (!by_node) node_done(g, q, first, any ? target : NULL);
    }
}

static pare_status run_small(const job *g, arena *scratch, pare_error *err) {
    bool by_node = g->nodes >= FAN || g->threads == 1;
    int64_t items = by_node ? min64(FAN, g->nodes) : NODE_LEAVES, step = by_node ? items : 1;
    int threads = (int)min64(g->threads, items);
    tile *tiles;
    double **copy, **leaf;
    PASS_MEM(tiles = ARENA_NEW(scratch, tile, threads * g->count));
    PASS_MEM(leaf = ARENA_NEW(scratch, double *, threads * g->count));
    PASS_MEM(copy = ARENA_NEW(scratch, double *, items * g->count));
    for (int64_t k = 0; k < threads * g->count; k++) {
        const product *q = &g->product[k % g->count];
        PASS_MEM(tile_alloc(&tiles[k], g, q, q->width, scratch));
        PASS_MEM(leaf[k] = ARENA_NEW(scratch, double, by_node ? q->na * q->nb : 1));
    }
    for (int64_t k = 0; k < items * g->count; k++) {
        const product *q = &g->product[k % g->count];
        PASS_MEM(copy[k] = ARENA_NEW(scratch, double, q->na * q->nb));
    }
    for (int64_t first = 0; first < g->nodes; first += step) {
        int64_t now = by_node ? min64(items, g->nodes - first) : items;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t k = 0; k < now; k++)
            for (int64_t i = 0, from, to; i < g->count; i++) {
                const product *q = &g->product[i];
                int64_t own = omp_get_thread_num() * g->count + i;
                double *out = copy[k * g->count + i];
                if (by_node)
                    node_run(g, q, &tiles[own], first + k, leaf[own], out);
                else if (leaf_range(q, first, k, &from, &to))
                    leaf_run(g, q, &tiles[own], from, to, out);
            }
        round_add(g, by_node, first, now, copy);
    }
    return PARE_OK;
}

/* ---- large results: leaf by leaf, blocks shared out ---- */

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

/* A block of the leaf, added to the node's; own: buffer of a block. */
static void task_run(const product *q, const tile *t, const task *k, bool fresh, double *target,
                     double *own) {
    double *at = target + k->i + k->j * q->na;
    if (t->k == 0) return;
    tile_multiply(t, q, k, true, fresh ? at : own, fresh ? q->na : k->rows);
    if (!fresh)
        block_add(at, q->na, own, k->rows, k->rows, k->cols, is_symmetric(q) && k->i == k->j,
                  false);
}

static pare_status run_large(const job *g, arena *scratch, pare_error *err) {
    int threads = g->threads;
    int64_t block = BLOCK, strips = LEAF / STRIP, from, to;
    while (block > MIN_BLOCK && tasks_list(g, block, NULL) < MIN_TASKS) block /= 2;
    int64_t tasks = tasks_list(g, block, NULL);
    task *list;
    tile *tiles;
    double *own, **target;
    PASS_MEM(list = ARENA_NEW(scratch, task, tasks));
    tasks_list(g, block, list);
    PASS_MEM(own = ARENA_NEW(scratch, double, threads *block *block));
    PASS_MEM(target = ARENA_NEW(scratch, double *, g->count));
    PASS_MEM(tiles = ARENA_NEW(scratch, tile, g->count));
    for (int64_t i = 0; i < g->count; i++)
        PASS_MEM(tile_alloc(&tiles[i], g, &g->product[i], LEAF, scratch));
    for (int64_t node = 0; node < g->nodes; node++) {
        for (int64_t i = 0; i < g->count; i++) target[i] = node_target(&g->product[i]);
        for (int64_t leaf = 0; leaf < NODE_LEAVES; leaf++) {
            for (int64_t i = 0; i < g->count; i++)
                if (leaf_range(&g->product[i], node, leaf, &from, &to))
                    tile_gather(&tiles[i], &g->product[i], from, to);
                else
                    tiles[i].k = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
            for (int64_t i = 0; i < g->count * strips; i++) {
                tile *t = &tiles[i % g->count];
                int64_t first = min64(t->k, i / g->count * STRIP);
                tile_fill(t, g, &g->product[i % g->count], first, min64(t->k, first + STRIP));
            }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
            for (int64_t i = 0; i < tasks; i++)
                task_run(&g->product[list[i].product], &tiles[list[i].product], &list[i], leaf == 0,
                         target[list[i].product], own + omp_get_thread_num() * block * block);
        }
        for (int64_t i = 0; i < g->count; i++) {
            const product *q = &g->product[i];
            node_done(g, &g->product[i], node,
                      q->start[node] < q->start[node + 1] ? target[i] : NULL);
        }
    }
    return PARE_OK;
}

/* ---- the operations ---- */

static bool counts(const product *q, int64_t p) {
    if (!q->W) return !q->z || q->z[p] > 0;
    for (int64_t k = 0; k < q->nb; k++)
        if (q->W[p + k * q->s] != 0) return true;
    return false;
}

/* Lists the active ones of `columns` columns by node. */
static pare_status product_list(product *q, const job *g, int64_t columns, arena *scratch,
                                pare_error *err) {
    int64_t *start = ARENA_NEW(scratch, int64_t, g->nodes + 1), used = 0, *active = NULL;
    if (!start) return error_memory(err);
    for (int64_t p = 0; p < columns; p++) {
        if (p % NODE == 0) start[p / NODE] = used;
        used += counts(q, p);
    }
    start[g->nodes] = used;
    q->start = start;
    if (used == columns) return PARE_OK;
    q->active = active = ARENA_NEW(scratch, int64_t, used);
    if (!active) return error_memory(err);
    for (int64_t p = 0, at = 0; p < columns; p++)
        if (counts(q, p)) active[at++] = p;
    return PARE_OK;
}

/* Buffers of the sums above the nodes. */
static pare_status product_alloc(product *q, const job *g, arena *scratch, pare_error *err) {
    int top = g->levels - 1;
    bool small = g->total <= MAX_SMALL;
    q->sum[top] = q->out;
    for (int l = 0; l < top; l++) PASS_MEM(q->sum[l] = ARENA_NEW(scratch, double, q->na * q->nb));
    if (g->nodes > 1 && !(small && g->nodes >= FAN))
        PASS_MEM(q->node = ARENA_NEW(scratch, double, q->na * q->nb));
    return PARE_OK;
}

static pare_status job_run(job *g, int64_t columns, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    failure failed = {0};
    arena scratch = arena_of(ctx);
    g->failed = &failed; /* cppcheck-suppress autoVariables ; not read after this call */
    g->nodes = (columns + NODE - 1) / NODE;
    g->levels = 1;
    for (int64_t above = g->nodes; above > FAN; above = (above + FAN - 1) / FAN) g->levels++;
    for (int64_t i = 0; i < g->count; i++) g->total += g->product[i].na * g->product[i].nb;
    int64_t used = 0;
    for (int64_t i = 0; i < g->count; i++) {
        product *q = &g->product[i];
        q->width = q->na * q->nb <= MAX_SMALL ? tile_width(max64(q->na, q->nb)) : LEAF;
        TRY(product_list(q, g, columns, &scratch, err));
        TRY(product_alloc(q, g, &scratch, err));
        used = max64(used, q->start[g->nodes]);
    }
    g->threads = work_threads(ctx, (double)g->total * (double)used);
    TRY((g->total <= MAX_SMALL ? run_small : run_large)(g, &scratch, err));
    TRY(failure_end(&failed, err));
    for (int64_t i = 0; i < g->count; i++) product_done(g, &g->product[i]);
done:
    g->failed = NULL;
    arena_free(&scratch);
    return status;
}

static product product_gram(const view *a, const view *b, const double *z, double *K) {
    product q = {.a = a, .b = b, .z = z, .na = a->n, .nb = b ? b->n : a->n, .out = K};
    q.single_precision = a->single_precision && !b && q.na * q.nb <= MAX_SMALL;
    return q;
}

pare_status tile_gram(const view *a, const view *b, const double *z, double *K, const pare_ctx *ctx,
                      pare_error *err) {
    product q = product_gram(a, b, z, K);
    job g = {.count = 1, .product = &q};
    return job_run(&g, a->d, ctx, err);
}

pare_status tile_gram_many(int64_t count, const view *v, const double *const *z, double *const *K,
                           const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    pare_status status = PARE_OK;
    product *q = mem_alloc(mem, count, sizeof *q);
    if (!q) return error_memory(err);
    for (int64_t i = 0; i < count; i++) q[i] = product_gram(&v[i], NULL, z ? z[i] : NULL, K[i]);
    for (int64_t from = 0, to; from < count && status == PARE_OK; from = to) {
        int64_t total = 0;
        for (to = from; to < count && q[to].single_precision == q[from].single_precision; to++) {
            total += q[to].na * q[to].nb;
            if (q[to].single_precision && total > MAX_SMALL)
                break; /* only run_small has single-precision leaves */
        }
        job g = {.count = to - from, .product = q + from};
        status = job_run(&g, v[0].d, ctx, err);
    }
    mem_free(mem, q);
    return status;
}

pare_status tile_mul(const view *v, const int64_t *S, int64_t s, const double *W, int64_t c,
                     double *F, const pare_ctx *ctx, pare_error *err) {
    product q = {.a = v, .W = W, .s = s, .na = v->n, .nb = c, .out = F};
    job g = {.count = 1, .product = &q, .S = S};
    return job_run(&g, s, ctx, err);
}
