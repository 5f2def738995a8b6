/* Products that sum over the columns of a matrix that is distributed over ranks: Grams and X_S W.
 *
 * The sum is the tree of product.c, which depends on the number of columns only. A rank has a run
 * of nodes, and cuts it into the largest subtrees that lie in it, its pieces; product.c sums each
 * piece as a single process would. Every rank then adds one slice of all pieces, in the order of
 * the tree, and the slices are gathered: no rank waits for another's sum, and all links carry
 * equally much.
 *
 * Moved: a piece per subtree, at most 2 * (FAN - 1) per level and rank, each sent once; and the
 * result. Memory: those pieces, O(levels) results. */
#include "la/distributed/distributed.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/ranks.h"
#include "la/product/tile.h"

/* One result: rows x cols, the lower triangle only where symmetric. */
typedef struct result {
    int64_t rows, cols;
    bool symmetric;
    double *out;
    const double *z, *W; /* weights that select the columns, as in product.c; or NULL */
    int64_t at;          /* where it begins in a packed sum */
} result;

typedef struct sum {
    int64_t count;
    result *of;
    int64_t columns, nodes, length; /* length: numbers of a packed sum */
    int levels;
    /* out[i] = result i over columns from .. to - 1 */
    pare_status (*add)(const struct sum *s, int64_t from, int64_t to, double *const *out,
                       arena *mem, const pare_ctx *ctx, pare_error *err);
    const view *v, *b;
    const int64_t *S;
    const pare_ranks *ranks;
} sum;

/* Nodes from .. to - 1, which are unit number `unit` of a level (0: nodes). */
typedef struct piece {
    int64_t from, to, unit;
    int level;
} piece;

static int64_t packed_size(const result *r) {
    return r->symmetric ? r->rows * (r->rows + 1) / 2 : r->rows * r->cols;
}

static void pack(const result *r, const double *from, double *to) {
    for (int64_t j = 0; j < r->cols; j++) {
        int64_t i = r->symmetric ? j : 0;
        memcpy(to, from + j * r->rows + i, (size_t)(r->rows - i) * sizeof *to);
        to += r->rows - i;
    }
}

static void unpack(const result *r, const double *from) {
    for (int64_t j = 0; j < r->cols; j++)
        for (int64_t i = r->symmetric ? j : 0; i < r->rows; i++, from++) {
            r->out[i + j * r->rows] = *from;
            if (r->symmetric) r->out[j + i * r->rows] = *from;
        }
}

/* ---- pieces ---- */

/* The largest subtree that begins at a node and ends before `to`, or with the tree. */
static piece piece_at(const sum *s, int64_t node, int64_t to) {
    piece p = {node, node + 1, node, 0};
    int64_t width = 1;
    while (p.level < s->levels && node % (width * TREE_FAN) == 0) {
        int64_t end = min64(s->nodes, node + width * TREE_FAN);
        if (end > to) break;
        width *= TREE_FAN;
        p = (piece){node, end, node / width, p.level + 1};
    }
    return p;
}

static int64_t pieces_list(const sum *s, int64_t from, int64_t to, piece *list) {
    int64_t count = 0;
    while (from < to) {
        piece p = piece_at(s, from, to);
        if (list) list[count] = p;
        count++;
        from = p.to;
    }
    return count;
}

static bool column_counts(const sum *s, const result *r, int64_t p) {
    if (!r->W) return !r->z || r->z[p] > 0;
    for (int64_t k = 0; k < r->cols; k++)
        if (r->W[p + k * s->columns] != 0) return true;
    return false;
}

/* A piece without a column of nonzero weight is skipped, as in product.c. */
static bool piece_counts(const sum *s, const result *r, const piece *p) {
    int64_t last = min64(s->columns, p->to * TREE_NODE);
    for (int64_t j = p->from * TREE_NODE; j < last; j++)
        if (column_counts(s, r, j)) return true;
    return false;
}

/* ---- the tree above the pieces, for one slice ---- */

typedef struct tree {
    int levels;
    int64_t from, to; /* of the packed result that this slice holds: numbers from .. to - 1 */
    double *at[TREE_LEVELS];
    bool has[TREE_LEVELS];
} tree;

static void carry(tree *t, int level, const double *from) {
    for (int64_t i = 0; i < t->to - t->from; i++)
        t->at[level][i] = t->has[level] ? t->at[level][i] + from[i] : from[i];
    t->has[level] = true;
}

/* from NULL: the piece has no column of nonzero weight. */
static void piece_done(tree *t, const piece *p, const double *from) {
    int level = p->level < t->levels ? p->level : t->levels - 1;
    if (from) carry(t, level, from);
    for (int64_t unit = p->unit; level + 1 < t->levels && ++unit % TREE_FAN == 0; level++) {
        if (t->has[level]) carry(t, level + 1, t->at[level]);
        t->has[level] = false;
        unit = unit / TREE_FAN - 1;
    }
}

static void tree_done(tree *t, double *out) {
    for (int l = 0; l + 1 < t->levels; l++)
        if (t->has[l]) carry(t, l + 1, t->at[l]);
    for (int64_t i = 0; i < t->to - t->from; i++)
        out[i] = t->has[t->levels - 1] ? t->at[t->levels - 1][i] : 0;
}

/* ---- a call ---- */

static int64_t slice_at(const sum *s, int64_t rank) { return s->length * rank / s->ranks->count; }

/* pieces: those of this rank, packed one behind the other. */
static pare_status pieces_make(const sum *s, const piece *mine, int64_t count, double *pieces,
                               arena *mem, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    pare_ctx own = single_process_ctx(ctx);
    double **out = ARENA_NEW(mem, double *, s->count);
    TRY_MEM(out);
    for (int64_t i = 0; i < s->count; i++) /* where one piece is the result, it may be made there */
        out[i] = s->of[i].out;
    for (int64_t k = 0; k < count; k++) {
        arena scratch = arena_of(ctx);
        status = s->add(s, mine[k].from * TREE_NODE, min64(s->columns, mine[k].to * TREE_NODE), out,
                        &scratch, &own, err);
        arena_free(&scratch);
        if (status != PARE_OK) break;
        for (int64_t i = 0; i < s->count; i++)
            pack(&s->of[i], out[i], pieces + k * s->length + s->of[i].at);
    }
done:
    return status;
}

/* Slice r of all my pieces goes to rank r; slices of all pieces come, in the order of the tree. */
static pare_status pieces_send(const sum *s, int64_t mine, const double *pieces,
                               const int64_t *count, double *slices, arena *mem, pare_error *err) {
    int32_t ranks = s->ranks->count, me = s->ranks->index;
    int64_t *to = ARENA_ZERO(mem, int64_t, ranks + 1), *from = ARENA_ZERO(mem, int64_t, ranks + 1);
    double *packed = ARENA_NEW(mem, double, mine * s->length);
    if (!to || !from || !packed) return error_memory(err);
    double *at = packed;
    int64_t width = slice_at(s, me + 1) - slice_at(s, me);
    for (int32_t r = 0; r < ranks; r++) {
        int64_t first = slice_at(s, r), wide = slice_at(s, r + 1) - first;
        for (int64_t k = 0; k < mine; k++, at += wide)
            memcpy(at, pieces + k * s->length + first, (size_t)wide * sizeof *at);
        to[r + 1] = (int64_t)sizeof *at * (at - packed);
        from[r + 1] = from[r] + count[r] * width * (int64_t)sizeof *at;
    }
    return ranks_exchange(s->ranks, packed, to, slices, from, err);
}

/* One result's part of the slice, over all pieces. */
static pare_status slice_add(const sum *s, const result *r, const piece *list, int64_t count,
                             const double *slices, double *slice, arena *mem, pare_error *err) {
    int64_t first = slice_at(s, s->ranks->index), last = slice_at(s, s->ranks->index + 1);
    tree t = {.levels = s->levels};
    t.from = max64(first, r->at);
    t.to = min64(last, r->at + packed_size(r));
    if (t.from >= t.to) return PARE_OK;
    for (int l = 0; l < t.levels; l++) {
        t.at[l] = ARENA_NEW(mem, double, t.to - t.from);
        if (!t.at[l]) return error_memory(err);
    }
    for (int64_t k = 0; k < count; k++) {
        const double *from = slices + k * (last - first) + t.from - first;
        piece_done(&t, &list[k], piece_counts(s, r, &list[k]) ? from : NULL);
    }
    tree_done(&t, slice + t.from - first);
    return PARE_OK;
}

static pare_status sum_run(sum *s, const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    share h;
    s->ranks = ctx_ranks(ctx);
    s->nodes = (s->columns + TREE_NODE - 1) / TREE_NODE;
    s->levels = 1;
    for (int64_t above = s->nodes; above > TREE_FAN; above = (above + TREE_FAN - 1) / TREE_FAN)
        s->levels++;
    for (int64_t i = 0; i < s->count; i++) {
        s->of[i].at = s->length;
        s->length += packed_size(&s->of[i]);
    }
    int32_t ranks = s->ranks->count, me = s->ranks->index;
    int64_t total = 0, before = 0, *count, *start;
    piece *list;
    double *pieces, *slices, *all;
    TRY(share_make(&h, s->v, s->S, s->columns, TREE_NODE, &mem, ctx, err));
    TRY_MEM(count = ARENA_NEW(&mem, int64_t, ranks));
    TRY_MEM(start = ARENA_NEW(&mem, int64_t, ranks + 1));
    for (int32_t r = 0; r < ranks; r++) {
        if (r == me) before = total;
        total += count[r] = pieces_list(s, h.from[r], h.from[r + 1], NULL);
    }
    TRY_MEM(list = ARENA_NEW(&mem, piece, total));
    for (int32_t r = 0, at = 0; r < ranks; r++) {
        pieces_list(s, h.from[r], h.from[r + 1], list + at);
        at += (int32_t)count[r];
    }
    int64_t first = slice_at(s, me), last = slice_at(s, me + 1);
    TRY_MEM(pieces = ARENA_NEW(&mem, double, count[me] * s->length));
    TRY_MEM(slices = ARENA_NEW(&mem, double, total *(last - first)));
    TRY_MEM(all = ARENA_NEW(&mem, double, s->length));
    TRY(pieces_make(s, list + before, count[me], pieces, &mem, ctx, err));
    TRY(pieces_send(s, count[me], pieces, count, slices, &mem, err));
    for (int64_t i = 0; i < s->count; i++)
        TRY(slice_add(s, &s->of[i], list, total, slices, all + first, &mem, err));
    for (int32_t r = 0; r <= ranks; r++) start[r] = slice_at(s, r) * (int64_t)sizeof *all;
    TRY(ranks_gather(s->ranks, all, start, err));
    for (int64_t i = 0; i < s->count; i++) unpack(&s->of[i], all + s->of[i].at);
done:
    arena_free(&mem);
    return status;
}

/* ---- the operations ---- */

static pare_status gram_add(const sum *s, int64_t from, int64_t to, double *const *out, arena *mem,
                            const pare_ctx *ctx, pare_error *err) {
    view a, b;
    PASS(share_part(&a, s->v, NULL, from, to, mem, err));
    if (s->b) b = share_align(s->b, &a);
    return mat_gram(&a, s->b ? &b : NULL, s->of->z ? s->of->z + from : NULL, out[0], ctx, err);
}

pare_status distributed_gram(const view *a, const view *b, const double *z, double *K,
                             const pare_ctx *ctx, pare_error *err) {
    result r = {.rows = a->n, .cols = b ? b->n : a->n, .symmetric = !b, .out = K, .z = z};
    sum s = {.count = 1, .of = &r, .columns = a->d, .add = gram_add, .v = a, .b = b};
    return sum_run(&s, ctx, err);
}

static pare_status many_add(const sum *s, int64_t from, int64_t to, double *const *out, arena *mem,
                            const pare_ctx *ctx, pare_error *err) {
    view *v = ARENA_NEW(mem, view, s->count);
    const double **z = ARENA_NEW(mem, const double *, s->count);
    PASS_MEM(v && z);
    PASS(share_part(&v[0], &s->v[0], NULL, from, to, mem, err));
    for (int64_t i = 0; i < s->count; i++) {
        if (i > 0) v[i] = share_align(&s->v[i], &v[0]);
        z[i] = s->of[i].z ? s->of[i].z + from : NULL;
    }
    return mat_gram_many(s->count, v, z, out, ctx, err);
}

pare_status distributed_gram_many(int64_t count, const view *v, const double *const *z,
                                  double *const *K, const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    result *r = mem_zero(mem, count, sizeof *r);
    if (!r) return error_memory(err);
    for (int64_t i = 0; i < count; i++)
        r[i] = (result){
            .rows = v[i].n, .cols = v[i].n, .symmetric = true, .out = K[i], .z = z ? z[i] : NULL};
    sum s = {.count = count, .of = r, .columns = v[0].d, .add = many_add, .v = v};
    pare_status status = sum_run(&s, ctx, err);
    mem_free(mem, r);
    return status;
}

static pare_status mul_add(const sum *s, int64_t from, int64_t to, double *const *out, arena *mem,
                           const pare_ctx *ctx, pare_error *err) {
    const result *r = s->of;
    int64_t width = to - from;
    view part;
    double *W = ARENA_NEW(mem, double, width * r->cols);
    if (!W) return error_memory(err);
    for (int64_t k = 0; k < r->cols; k++)
        memcpy(W + k * width, r->W + from + k * s->columns, (size_t)width * sizeof *W);
    pare_status status = share_part(&part, s->v, s->S, from, to, mem, err);
    return status == PARE_OK ? mat_mul(&part, NULL, width, W, r->cols, out[0], ctx, err) : status;
}

pare_status distributed_mul(const view *v, const int64_t *S, int64_t s, const double *W, int64_t c,
                            double *F, const pare_ctx *ctx, pare_error *err) {
    result r = {.rows = v->n, .cols = c, .out = F, .W = W};
    sum all = {.count = 1, .of = &r, .columns = s, .add = mul_add, .v = v, .S = S};
    return sum_run(&all, ctx, err);
}
