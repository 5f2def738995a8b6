/* Grams of sparse columns where K fits in a cache: the outer product of each column's entries goes
 * straight into K.
 *
 * To share the work, columns are cut into parts that have a K each, added in order at the end: as
 * many parts as sizes justify, since clearing and adding a K must stay cheaper than filling it. The
 * columns pass in blocks that fit in cache, all products working on one block. */
#include "la/csc_gram.h"

#include <omp.h>
#include <string.h>

#include "base/error.h"

enum { PARTS = 16, COPIES = 1 << 22, BLOCK_ENTRIES = 1 << 20 };

/* What one part of one product adds up. */
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

static void parts_add(product *q, const part *s, int64_t parts, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t j = 0; j < q->nb; j++)
        for (int64_t k = 1; k < parts; k++)
            for (int64_t i = 0; i < q->na; i++) q->K[i + j * q->na] += s[k].K[i + j * q->na];
    q->t = s[0].t;
    for (int64_t k = 1; k < parts; k++) {
        q->t += s[k].t;
        for (int64_t i = 0; i < q->na; i++) q->qa[i] += s[k].qa[i];
        for (int64_t i = 0; q->b && i < q->nb; i++) q->qb[i] += s[k].qb[i];
    }
}

pare_status csc_gram_small(products *p, arena *scratch, pare_error *err) {
    pare_status status = PARE_OK;
    int64_t d = p->of[0].a->d, total = 0, tallest = 1;
    for (int64_t i = 0; i < p->count; i++) {
        const product *q = &p->of[i];
        total += q->na * q->nb;
        tallest = max64(tallest, max64(q->na, q->nb));
    }
    const matrix *x = p->of[0].a->x;
    double per_column = (double)csc_of(x)->col_ptr[x->d] / (double)max64(1, x->d);
    double pairs = (double)d * per_column * per_column * (double)p->count / 2;
    int64_t parts = max64(1, min64(PARTS, COPIES / max64(1, total)));
    if (pairs < (double)parts * (double)total) parts = max64(1, (int64_t)(pairs / (double)total));
    int64_t block = max64(parts, (int64_t)(BLOCK_ENTRIES / (per_column + 1)));

    part *part_of;
    entries *own;
    TRY_MEM(part_of = ARENA_NEW(scratch, part, p->count * parts));
    for (int64_t i = 0; i < p->count * parts; i++)
        TRY_MEM(part_alloc(&part_of[i], &p->of[i / parts], i % parts > 0, scratch));
    TRY_MEM(own = ARENA_NEW(scratch, entries, 2 * p->threads));
    for (int i = 0; i < 2 * p->threads; i++) {
        TRY_MEM(own[i].pos = ARENA_NEW(scratch, int32_t, tallest));
        TRY_MEM(own[i].value = ARENA_NEW(scratch, double, tallest));
    }
    for (int64_t first = 0; first < d; first += block) {
        int64_t wide = min64(block, d - first);
#pragma omp parallel for num_threads(p->threads) schedule(dynamic)
        for (int64_t i = 0; i < p->count * parts; i++) {
            entries *mine = own + 2 * omp_get_thread_num();
            int64_t k = i % parts;
            part_run(&part_of[i], &p->of[i / parts], mine, mine + 1, first + wide * k / parts,
                     first + wide * (k + 1) / parts);
        }
    }
    for (int64_t i = 0; i < p->count; i++)
        parts_add(&p->of[i], part_of + i * parts, parts, p->threads);
done:
    return status;
}
