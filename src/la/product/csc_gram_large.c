/* Grams of sparse columns where K is larger than a cache.
 *
 * Columns pass in chunks. Each chunk is moved to the view's positions, weighted, and listed once
 * more by position; then the columns of K are shared out: column i of K collects, for every entry
 * of sample i in column order, that column's entries. One column of K fits in cache, there is one K
 * whatever the threads, and the order of its sums is that of the columns.
 *
 * Symmetric: an entry is multiplied only by those after it in its column; the diagonal is summed on
 * its own, for it would be one long chain of dependent additions.
 *
 * Memory: MAX_CHUNKS chunks. */
#include "la/product/csc_gram.h"

#include <omp.h>
#include <string.h>

#include "base/error.h"

enum {
    MAX_ENTRIES = 1 << 14, /* of a chunk in X, unless its only column has more */
    MAX_COLUMNS = 1 << 14, /* of a chunk */
    MAX_CHUNKS = 16,       /* in memory at a time, divided among the products of a call */
    K_COLUMNS = 32         /* that a task fills */
};

/* The columns of a chunk at the positions of one view. Column k of the chunk has the entries
 * start[k] .. start[k+1] - 1 with values times scale and sqrt(z); rest[k] is its r times
 * sqrt(z). */
typedef struct operand {
    int32_t *start, *pos;
    double *value, *rest;
} operand;

/* An entry of sample i in the right operand, and the left entries of its column,
 * from .. stop - 1. */
typedef struct pairing {
    double value;
    int32_t from, stop;
} pairing;

/* A chunk in the views of one product. */
typedef struct chunk {
    operand left, right; /* the same where symmetric */
    int32_t *row;        /* the pairings of sample i of the right operand: row[i] .. row[i+1] - 1 */
    pairing *pairing;
    double *diagonal;   /* where symmetric */
    double *qa, *qb, t; /* the sums of this chunk */
} chunk;

static bool operand_alloc(operand *s, int64_t entries, arena *scratch) {
    s->start = ARENA_NEW(scratch, int32_t, MAX_COLUMNS + 1);
    s->pos = ARENA_NEW(scratch, int32_t, entries);
    s->value = ARENA_NEW(scratch, double, entries);
    s->rest = ARENA_NEW(scratch, double, MAX_COLUMNS);
    return s->start && s->pos && s->value && s->rest;
}

static bool chunk_alloc(chunk *c, const product *q, int64_t entries, arena *scratch) {
    *c = (chunk){0};
    if (!operand_alloc(&c->left, entries, scratch)) return false;
    c->right = c->left;
    if (q->b && !operand_alloc(&c->right, entries, scratch)) return false;
    c->row = ARENA_NEW(scratch, int32_t, q->nb + 1);
    c->pairing = ARENA_NEW(scratch, pairing, entries);
    c->diagonal = ARENA_NEW(scratch, double, q->na);
    c->qa = ARENA_NEW(scratch, double, q->na);
    c->qb = q->b ? ARENA_NEW(scratch, double, q->nb) : c->qa;
    return c->row && c->pairing && c->diagonal && c->qa && c->qb;
}

static void operand_fill(operand *s, const view *v, const row_map *map, const double *z,
                         int64_t first, int64_t last) {
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

/* q[pos] += entries of s times the rest of the other operand. */
static void operand_times_rest(const operand *s, const double *rest, int64_t columns, double *q) {
    for (int64_t k = 0; k < columns; k++)
        for (int32_t e = s->start[k]; e < s->start[k + 1]; e++)
            q[s->pos[e]] += s->value[e] * rest[k];
}

/* Lists the right entries by sample, columns ascending within one: a counting sort. */
static void chunk_list(chunk *c, const product *q, int64_t columns) {
    const operand *s = &c->right;
    const int32_t *left = c->left.start;
    int32_t *row = c->row;
    memset(row, 0, (size_t)(q->nb + 1) * sizeof *row);
    for (int32_t e = 0; e < s->start[columns]; e++) row[s->pos[e] + 1]++;
    for (int64_t i = 0; i < q->nb; i++) row[i + 1] += row[i];
    for (int64_t k = 0; k < columns; k++)
        for (int32_t e = s->start[k]; e < s->start[k + 1]; e++)
            c->pairing[row[s->pos[e]]++] =
                (pairing){s->value[e], q->b ? left[k] : e + 1, left[k + 1]};
    memmove(row + 1, row, (size_t)q->nb * sizeof *row);
    row[0] = 0;
}

static void chunk_fill(chunk *c, const product *q, int64_t first, int64_t last) {
    int64_t columns = last - first;
    operand_fill(&c->left, q->a, &q->map_a, q->z, first, last);
    if (q->b) operand_fill(&c->right, q->b, &q->map_b, q->z, first, last);
    if (q->shifted) {
        memset(c->qa, 0, (size_t)q->na * sizeof *c->qa);
        operand_times_rest(&c->left, c->right.rest, columns, c->qa);
        if (q->b) {
            memset(c->qb, 0, (size_t)q->nb * sizeof *c->qb);
            operand_times_rest(&c->right, c->left.rest, columns, c->qb);
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

/* Adds the products of a chunk to column i of K. */
static void chunk_multiply(const chunk *c, int64_t i, double *to) {
    const int32_t *pos = c->left.pos;
    const double *value = c->left.value;
    for (int32_t m = c->row[i]; m < c->row[i + 1]; m++) {
        pairing w = c->pairing[m];
        for (int32_t e = w.from; e < w.stop; e++) to[pos[e]] += w.value * value[e];
    }
}

/* The chunk's own sums go to the product, in the order of the chunks. */
static void chunk_add(product *q, const chunk *c) {
    for (int64_t i = 0; !q->b && i < q->na; i++) q->K[i * (q->na + 1)] += c->diagonal[i];
    if (!q->shifted) return;
    q->t += c->t;
    for (int64_t i = 0; i < q->na; i++) q->qa[i] += c->qa[i];
    for (int64_t i = 0; q->b && i < q->nb; i++) q->qb[i] += c->qb[i];
}

/* The end of the chunk that starts at column first: as many columns as have no more than
 * MAX_ENTRIES entries in X, for all views the same; at least one. */
static int64_t chunk_end(const view *v, int64_t first) {
    const int64_t *col_ptr = csc_of(v->x)->col_ptr;
    int64_t used = 0, j = first;
    for (; j < v->d && j - first < MAX_COLUMNS; j++) {
        int64_t base = view_base(v, j);
        used += col_ptr[base + 1] - col_ptr[base];
        if (used > MAX_ENTRIES && j > first) break;
    }
    return j;
}

/* The most entries that a chunk has in the views of this product. */
static int64_t chunk_capacity(const product *q) {
    const view *v = q->a;
    const int64_t *col_ptr = csc_of(v->x)->col_ptr;
    int64_t capacity = 1, tallest = max64(q->na, q->nb);
    for (int64_t first = 0, end; first < v->d; first = end) {
        int64_t used = 0;
        end = chunk_end(v, first);
        for (int64_t j = first; j < end; j++) {
            int64_t base = view_base(v, j);
            used += min64(tallest, q->most * (col_ptr[base + 1] - col_ptr[base]));
        }
        capacity = max64(capacity, used);
    }
    return capacity;
}

pare_status csc_gram_large(products *p, arena *scratch, pare_error *err) {
    product *q = p->of;
    int64_t count = p->count, widest = 1, d = q[0].a->d;
    int64_t together = max64(1, MAX_CHUNKS / count), end[MAX_CHUNKS + 1];
    for (int64_t i = 0; i < count; i++) widest = max64(widest, q[i].nb);
    int64_t groups = (widest + K_COLUMNS - 1) / K_COLUMNS;
    chunk *chunks;
    PASS_MEM(chunks = ARENA_NEW(scratch, chunk, count * together));
    for (int64_t i = 0; i < count; i++) {
        int64_t capacity = chunk_capacity(&q[i]);
        for (int64_t h = 0; h < together; h++)
            PASS_MEM(chunk_alloc(&chunks[i * together + h], &q[i], capacity, scratch));
    }

    for (int64_t first = 0; first < d; first = end[together]) {
        end[0] = first;
        for (int64_t h = 0; h < together; h++) end[h + 1] = chunk_end(q[0].a, end[h]);
#pragma omp parallel for num_threads(p->threads) schedule(dynamic)
        for (int64_t i = 0; i < count * together; i++)
            chunk_fill(&chunks[i], &q[i / together], end[i % together], end[i % together + 1]);
        for (int64_t i = 0; i < count * together; i++) chunk_add(&q[i / together], &chunks[i]);
#pragma omp parallel for num_threads(p->threads) schedule(dynamic)
        for (int64_t i = 0; i < count * groups; i++) {
            const product *one = &q[i / groups];
            int64_t from = i % groups * K_COLUMNS;
            for (int64_t h = 0; h < together; h++)
                for (int64_t k = from; k < min64(one->nb, from + K_COLUMNS); k++)
                    chunk_multiply(&chunks[i / groups * together + h], k, one->K + k * one->na);
        }
    }
    return PARE_OK;
}
