/* Grams of sparse columns: K = A diag(z) B', never densified.
 *
 * With S the stored entries times scale and r the rest of each column (what a value of 0 becomes),
 * A = S + 1 r', so K = S Z S' + (S Z r) 1' + 1 (S Z r)' + r'Z r: a sparse product, a vector and a
 * number. Columns pass in chunks. Each chunk is moved to the view's positions, weighted, and listed
 * once more by position; then the columns of K are shared out: column i of K collects, for every
 * entry of sample i in column order, that column's entries. One column of K fits in cache, nothing
 * is summed twice, and the order of the sums is that of the columns, whatever the threads.
 *
 * Symmetric: an entry meets only those after it in its column, so that each pair is met once, in one
 * of the two triangles, and the end adds the triangles; the diagonal is summed on its own.
 *
 * Cost: one pass over X, sum over columns of count^2 / 2. Memory: the chunks in hand. */
#include "la/csc.h"

#include <omp.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

enum {
    ENTRIES = 1 << 14, /* of a chunk, unless one column alone has more */
    COLUMNS = 1 << 14, /* of a chunk */
    CHUNKS = 16,       /* in hand at a time, shared by the products of a call */
    K_COLUMNS = 32     /* that a task fills */
};

typedef struct product {
    const view *a, *b; /* b NULL: symmetric */
    const double *z;
    int64_t na, nb;
    row_map map_a, map_b;
    bool shifted;
    double *qa, *qb, t; /* S_a Z r_b, S_b Z r_a and r_a'Z r_b */
    double *K;
} product;

/* The columns of a chunk at the positions of one view. Column k of the chunk has the entries start[k]
 * .. start[k+1] - 1 with values times scale and sqrt(z); rest[k] is its r times sqrt(z). */
typedef struct side {
    int32_t *start, *pos;
    double *value, *rest;
} side;

/* Sample i has `value` in some column, and there meets the left entries from .. stop - 1. */
typedef struct meeting {
    double value;
    int32_t from, stop;
} meeting;

/* A chunk as one product sees it. */
typedef struct chunk {
    side left, right; /* the same where symmetric */
    int32_t *row;     /* the meetings of sample i of the right side: row[i] .. row[i+1] - 1 */
    meeting *meeting;
    double *diagonal;   /* where symmetric */
    double *qa, *qb, t; /* this chunk's share */
} chunk;

static bool side_alloc(side *s, int64_t entries, arena *scratch) {
    s->start = ARENA_NEW(scratch, int32_t, COLUMNS + 1);
    s->pos = ARENA_NEW(scratch, int32_t, entries);
    s->value = ARENA_NEW(scratch, double, entries);
    s->rest = ARENA_NEW(scratch, double, COLUMNS);
    return s->start && s->pos && s->value && s->rest;
}

static bool chunk_alloc(chunk *c, const product *q, int64_t entries, arena *scratch) {
    *c = (chunk){0};
    if (!side_alloc(&c->left, entries, scratch)) return false;
    c->right = c->left;
    if (q->b && !side_alloc(&c->right, entries, scratch)) return false;
    c->row = ARENA_NEW(scratch, int32_t, q->nb + 1);
    c->meeting = ARENA_NEW(scratch, meeting, entries);
    c->diagonal = ARENA_NEW(scratch, double, q->na);
    c->qa = ARENA_NEW(scratch, double, q->na);
    c->qb = q->b ? ARENA_NEW(scratch, double, q->nb) : c->qa;
    return c->row && c->meeting && c->diagonal && c->qa && c->qb;
}

static void side_fill(side *s, const view *v, const row_map *map, const double *z, int64_t first,
                      int64_t last) {
    int64_t at = 0;
    for (int64_t j = first; j < last; j++) {
        int64_t base = view_base(v, j), k = j - first;
        transform t = view_transform(v, base);
        double factor = t.scale * (z ? sqrt(z[j]) : 1);
        s->start[k] = (int32_t)at;
        s->rest[k] = 0;
        if (z && z[j] == 0) continue;
        s->rest[k] = (0 - t.shift) * factor;
        at += csc_expand(v->x, base, map, t.fill, factor, s->pos + at, s->value + at);
    }
    s->start[last - first] = (int32_t)at;
}

/* q[pos] += entries of s times the other side's rest. */
static void side_times_rest(const side *s, const double *rest, int64_t columns, double *q) {
    for (int64_t k = 0; k < columns; k++)
        for (int32_t e = s->start[k]; e < s->start[k + 1]; e++) q[s->pos[e]] += s->value[e] * rest[k];
}

/* Lists the right entries by sample, columns ascending within one: a counting sort. */
static void chunk_list(chunk *c, const product *q, int64_t columns) {
    const side *s = &c->right;
    const int32_t *left = c->left.start;
    int32_t *row = c->row;
    memset(row, 0, (size_t)(q->nb + 1) * sizeof *row);
    for (int32_t e = 0; e < s->start[columns]; e++) row[s->pos[e] + 1]++;
    for (int64_t i = 0; i < q->nb; i++) row[i + 1] += row[i];
    for (int64_t k = 0; k < columns; k++)
        for (int32_t e = s->start[k]; e < s->start[k + 1]; e++)
            c->meeting[row[s->pos[e]]++] =
                (meeting){s->value[e], q->b ? left[k] : e + 1, left[k + 1]};
    memmove(row + 1, row, (size_t)q->nb * sizeof *row);
    row[0] = 0;
}

static void chunk_fill(chunk *c, const product *q, int64_t first, int64_t last) {
    int64_t columns = last - first;
    side_fill(&c->left, q->a, &q->map_a, q->z, first, last);
    if (q->b) side_fill(&c->right, q->b, &q->map_b, q->z, first, last);
    if (q->shifted) {
        memset(c->qa, 0, (size_t)q->na * sizeof *c->qa);
        side_times_rest(&c->left, c->right.rest, columns, c->qa);
        if (q->b) {
            memset(c->qb, 0, (size_t)q->nb * sizeof *c->qb);
            side_times_rest(&c->right, c->left.rest, columns, c->qb);
        }
        c->t = 0;
        for (int64_t k = 0; k < columns; k++) c->t += c->left.rest[k] * c->right.rest[k];
    }
    if (!q->b) {
        memset(c->diagonal, 0, (size_t)q->na * sizeof *c->diagonal);
        for (int32_t e = 0; e < c->left.start[columns]; e++)
            c->diagonal[c->left.pos[e]] += c->left.value[e] * c->left.value[e];
    }
    chunk_list(c, q, columns);
}

/* Column i of K takes what the chunk has for it. */
static void chunk_meet(const chunk *c, int64_t i, double *to) {
    const int32_t *pos = c->left.pos;
    const double *value = c->left.value;
    for (int32_t m = c->row[i]; m < c->row[i + 1]; m++) {
        meeting w = c->meeting[m];
        for (int32_t e = w.from; e < w.stop; e++) to[pos[e]] += w.value * value[e];
    }
}

/* K += q_a 1' + 1 q_b' + t, after adding the triangles where symmetric. */
static void product_finish(const product *q, int threads) {
    double *K = q->K;
    int64_t n = q->na;
    if (!q->b) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
        for (int64_t j = 1; j < n; j++)
            for (int64_t i = 0; i < j; i++) K[i + j * n] = K[j + i * n] = K[i + j * n] + K[j + i * n];
    }
    if (!q->shifted) return;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t j = 0; j < q->nb; j++)
        for (int64_t i = 0; i < n; i++) K[i + j * n] += (q->qa[i] + q->qb[j]) + q->t;
}

/* ---- a call ---- */

/* The end of the chunk that starts at column first: as many columns as surely fit, `most` being the
 * largest number of positions of one row in any view, `tallest` the largest view. */
static int64_t chunk_end(const view *v, int64_t first, int64_t most, int64_t tallest,
                         int64_t entries) {
    int64_t used = 0, j = first;
    for (; j < v->d && j - first < COLUMNS; j++) {
        int64_t base = view_base(v, j);
        used += min64(tallest, most * (v->x->col_ptr[base + 1] - v->x->col_ptr[base]));
        if (used > entries) break;
    }
    return j;
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

/* q has a, b, z and K set. */
static pare_status products_run(product *q, int64_t count, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    const matrix *x = q[0].a->x;
    int threads = work_threads(ctx, (double)(x->col_ptr[x->d] + q[0].a->d) * (double)count);
    int64_t most = 1, tallest = 1, widest = 1, d = q[0].a->d;
    int64_t hand = max64(1, CHUNKS / count), end[CHUNKS + 1];
    for (int64_t i = 0; i < count; i++) {
        TRY(map_make(&q[i].map_a, q[i].a, &most, &scratch, err));
        if (q[i].b) TRY(map_make(&q[i].map_b, q[i].b, &most, &scratch, err));
        q[i].na = q[i].a->n;
        q[i].nb = q[i].b ? q[i].b->n : q[i].na;
        q[i].shifted = q[i].a->shift || (q[i].b && q[i].b->shift);
        tallest = max64(tallest, max64(q[i].na, q[i].nb));
        widest = max64(widest, q[i].nb);
        TRY_MEM(q[i].qa = ARENA_ZERO(&scratch, double, q[i].na));
        q[i].qb = q[i].qa;
        if (q[i].b) TRY_MEM(q[i].qb = ARENA_ZERO(&scratch, double, q[i].nb));
        q[i].t = 0;
        memset(q[i].K, 0, (size_t)(q[i].na * q[i].nb) * sizeof(double));
    }
    int64_t entries = max64(ENTRIES, tallest), groups = (widest + K_COLUMNS - 1) / K_COLUMNS;
    chunk *chunks;
    TRY_MEM(chunks = ARENA_NEW(&scratch, chunk, count * hand));
    for (int64_t i = 0; i < count * hand; i++)
        TRY_MEM(chunk_alloc(&chunks[i], &q[i / hand], entries, &scratch));

    for (int64_t first = 0; first < d; first = end[hand]) {
        end[0] = first;
        for (int64_t h = 0; h < hand; h++)
            end[h + 1] = chunk_end(q[0].a, end[h], most, tallest, entries);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t i = 0; i < count * hand; i++)
            chunk_fill(&chunks[i], &q[i / hand], end[i % hand], end[i % hand + 1]);
        for (int64_t i = 0; i < count * hand; i++) {
            product *p = &q[i / hand];
            for (int64_t k = 0; !p->b && k < p->na; k++) p->K[k * (p->na + 1)] += chunks[i].diagonal[k];
            if (!p->shifted) continue;
            p->t += chunks[i].t;
            for (int64_t k = 0; k < p->na; k++) p->qa[k] += chunks[i].qa[k];
            for (int64_t k = 0; p->b && k < p->nb; k++) p->qb[k] += chunks[i].qb[k];
        }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t i = 0; i < count * groups; i++) {
            const product *p = &q[i / groups];
            int64_t from = i % groups * K_COLUMNS;
            for (int64_t h = 0; h < hand; h++)
                for (int64_t k = from; k < min64(p->nb, from + K_COLUMNS); k++)
                    chunk_meet(&chunks[i / groups * hand + h], k, p->K + k * p->na);
        }
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
