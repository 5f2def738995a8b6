/* Grams of sparse columns where K fits in a cache: the outer product of each column's entries goes
 * straight into K.
 *
 * To share the work, columns are cut into parts that have a K each, added in order at the end: as
 * many parts as the product's size justifies, since clearing and adding a K must stay cheaper than
 * filling it. The columns pass in blocks that fit in cache, all products working on one block, or
 * as many as MAX_GROUP_COPIES numbers of copies allow. */
#include "la/product/csc_gram.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/error.h"

enum {
    MAX_PARTS = 16,
    MAX_PRODUCT_COPIES = 1 << 22,
    MAX_GROUP_COPIES = 1 << 25,
    BLOCK_ENTRIES = 1 << 20
};

/* The sums of one part of one product. */
typedef struct part {
    double *K, *qa, *qb, t;
} part;

/* One column at the positions of a view, times sqrt(z). */
typedef struct entries {
    int32_t *pos;
    double *value, rest;
    int64_t count;
} entries;

static void entries_load(entries *e, const view *v, const row_map *map, int64_t j, double root) {
    int64_t base = view_base(v, j);
    transform t = view_transform(v, base);
    double factor = t.scale * root;
    e->rest = (0 - t.shift) * factor;
    e->count = csc_expand(v->x, base, map, t.fill, factor, e->pos, e->value);
}

/* Symmetric: each pair once, with the later entry's position as the row. */
static void outer_own(const entries *a, int64_t n, double *K) {
    for (int64_t k = 0; k < a->count; k++) {
        double w = a->value[k], *to = K + n * a->pos[k];
        for (int64_t e = k; e < a->count; e++) to[a->pos[e]] += w * a->value[e];
    }
}

static void outer_two(const entries *a, const entries *b, int64_t n, double *K) {
    for (int64_t k = 0; k < b->count; k++) {
        double w = b->value[k], *to = K + n * b->pos[k];
        for (int64_t e = 0; e < a->count; e++) to[a->pos[e]] += w * a->value[e];
    }
}

static void part_run(part *s, const product *q, entries *a, entries *b, int64_t first,
                     int64_t last) {
    for (int64_t j = first; j < last; j++) {
        double z = q->z ? q->z[j] : 1, root = sqrt(z);
        if (z == 0) continue;
        entries_load(a, q->a, &q->map_a, j, root);
        if (q->b) entries_load(b, q->b, &q->map_b, j, root);
        if (q->b)
            outer_two(a, b, q->na, s->K);
        else
            outer_own(a, q->na, s->K);
        if (!q->shifted) continue;
        double rest_b = q->b ? b->rest : a->rest;
        for (int64_t e = 0; e < a->count; e++) s->qa[a->pos[e]] += a->value[e] * rest_b;
        for (int64_t e = 0; q->b && e < b->count; e++) s->qb[b->pos[e]] += b->value[e] * a->rest;
        s->t += a->rest * rest_b;
    }
}

static bool part_alloc(part *s, const product *q, bool own, arena *scratch) {
    if (!own) { /* the first part writes to the product itself */
        *s = (part){q->K, q->qa, q->qb, 0};
        return true;
    }
    s->t = 0;
    s->K = ARENA_ZERO(scratch, double, q->na * q->nb);
    s->qa = ARENA_ZERO(scratch, double, q->na);
    s->qb = q->b ? ARENA_ZERO(scratch, double, q->nb) : s->qa;
    return s->K && s->qa && s->qb;
}

/* Entries of a column of X, on average. */
static double column_entries(const matrix *x) {
    return (double)csc_of(x)->col_ptr[x->d] / (double)max64(1, x->d);
}

static int64_t parts_of(const product *q) {
    double size = (double)max64(1, q->na * q->nb), per_column = column_entries(q->a->x);
    double pairs = (double)q->a->d * per_column * per_column / 2;
    return max64(1, min64(MAX_PARTS, (int64_t)fmin(MAX_PRODUCT_COPIES / size, pairs / size)));
}

/* A part of a product, to be filled. */
typedef struct share {
    const product *of;
    part sum;
    int64_t number, parts;
} share;

/* The parts of one product, in order. */
static void parts_add(product *q, const share *s, int threads) {
    int64_t parts = s[0].parts;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t j = 0; j < q->nb; j++)
        for (int64_t k = 1; k < parts; k++)
            for (int64_t i = 0; i < q->na; i++) q->K[i + j * q->na] += s[k].sum.K[i + j * q->na];
    q->t = s[0].sum.t;
    for (int64_t k = 1; k < parts; k++) {
        q->t += s[k].sum.t;
        for (int64_t i = 0; i < q->na; i++) q->qa[i] += s[k].sum.qa[i];
        for (int64_t i = 0; q->b && i < q->nb; i++) q->qb[i] += s[k].sum.qb[i];
    }
}

static void shares_run(share *s, int64_t count, entries *own, int threads) {
    const view *v = s[0].of->a;
    int64_t block = max64(MAX_PARTS, (int64_t)(BLOCK_ENTRIES / (column_entries(v->x) + 1)));
    for (int64_t first = 0; first < v->d; first += block) {
        int64_t wide = min64(block, v->d - first);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t i = 0; i < count; i++) {
            entries *mine = own + 2 * omp_get_thread_num();
            int64_t k = s[i].number, parts = s[i].parts;
            part_run(&s[i].sum, s[i].of, mine, mine + 1, first + wide * k / parts,
                     first + wide * (k + 1) / parts);
        }
    }
}

/* Computes `count` products together. */
static pare_status group_run(product *q, int64_t count, entries *own, int threads, arena *scratch,
                             pare_error *err) {
    share *s;
    int64_t total = 0;
    for (int64_t i = 0; i < count; i++) total += parts_of(&q[i]);
    PASS_MEM(s = ARENA_NEW(scratch, share, total));
    for (int64_t i = 0, at = 0; i < count; i++)
        for (int64_t k = 0, parts = parts_of(&q[i]); k < parts; k++, at++) {
            s[at] = (share){.of = &q[i], .number = k, .parts = parts};
            PASS_MEM(part_alloc(&s[at].sum, &q[i], k > 0, scratch));
        }
    shares_run(s, total, own, threads);
    for (int64_t at = 0, i = 0; i < count; at += s[at].parts, i++)
        parts_add(&q[i], s + at, threads);
    return PARE_OK;
}

pare_status csc_gram_small(products *p, arena *scratch, pare_error *err) {
    pare_status status = PARE_OK;
    int64_t tallest = 1;
    entries *own;
    for (int64_t i = 0; i < p->count; i++)
        tallest = max64(tallest, max64(p->of[i].na, p->of[i].nb));
    TRY_MEM(own = ARENA_NEW(scratch, entries, 2 * p->threads));
    for (int i = 0; i < 2 * p->threads; i++) {
        TRY_MEM(own[i].pos = ARENA_NEW(scratch, int32_t, tallest));
        TRY_MEM(own[i].value = ARENA_NEW(scratch, double, tallest));
    }
    for (int64_t i = 0, group; i < p->count && status == PARE_OK; i += group) {
        arena copies;
        arena_init(&copies, &scratch->mem);
        int64_t left = MAX_GROUP_COPIES;
        for (group = 0; i + group < p->count; group++) {
            const product *q = &p->of[i + group];
            left -= parts_of(q) * q->na * q->nb;
            if (group > 0 && left < 0) break;
        }
        status = group_run(p->of + i, group, own, p->threads, &copies, err);
        arena_free(&copies);
    }
done:
    return status;
}
