#include "method/filter/filter_moments.h"

#include <math.h>
#include <omp.h>

#include "base/context.h"
#include "base/error.h"

pare_status moments_open(moments_buffer *buffer, arena *mem, const filter *f, pare_error *err) {
    buffer->m = ARENA_NEW(mem, class_moments, f->c);
    buffer->s = ARENA_ZERO(mem, col_stats, f->c);
    buffer->at = ARENA_NEW(mem, const col_stats *, f->c);
    buffer->value = ARENA_NEW(mem, double, f->n);
    buffer->spare = ARENA_NEW(mem, double, 4 * f->c + 4);
    bool fine = buffer->m && buffer->s && buffer->at && buffer->value && buffer->spare;
    return fine ? PARE_OK : error_memory(err);
}

/* Adds `fill` for the missing share of a class. Both values are distances from the mean: for values
 * far from 0 these keep the digits that the mean of a filled column, as the scaling computes it,
 * would lose. */
static void fill_in(class_moments *m, double share, double fill) {
    double mean = m->mean + share * (fill - m->mean), old = m->mean - mean, new = fill - mean;
    m->squares = (1 - share) * (m->squares + m->weight * old * old) + share * m->weight * new *new;
    m->mean = mean;
}

/* Of view column j, from the statistics s[k][at] of each class k. */
static const class_moments *moments_of(moments_buffer *buffer, const filter *f, int64_t j,
                                       const col_stats *const *s, int64_t at) {
    const col_stats *base = NULL;
    double fill = f->x.fill ? f->x.fill[f->x.cols ? f->x.cols[j] : j] : 0;
    for (int64_t k = 0; k < f->c; k++) {
        const col_stats *own = &s[k][at];
        double weight = f->class_weight[k];
        buffer->m[k] = (class_moments){0, 0, 0};
        if (!(weight > 0)) continue; /* the class is empty */
        if (!base) base = own;
        double mean = (own->mean - base->mean) + (own->beyond - base->beyond);
        buffer->m[k] = (class_moments){weight, mean, own->var * weight};
        if (own->missing > 0)
            fill_in(&buffer->m[k], (double)own->missing / weight,
                    (fill - base->mean) - base->beyond);
    }
    return buffer->m;
}

static const class_moments *of_dense(moments_buffer *buffer, const filter *f, int64_t j,
                                     const double *x) {
    for (int64_t e = 0; e < f->n; e++) buffer->value[e] = x[f->order[e]];
    for (int64_t k = 0; k < f->c; k++) {
        int64_t from = f->start[k];
        buffer->at[k] = &buffer->s[k];
        buffer->s[k] =
            values_stats(buffer->value + from, f->order_weight + from, f->start[k + 1] - from);
    }
    return moments_of(buffer, f, j, buffer->at, 0);
}

/* About the value that is not stored, then about the means: twice over the stored entries. */
static void of_sparse(const filter *f, const column *x, class_moments *out) {
    for (int64_t k = 0; k < f->c; k++) out[k] = (class_moments){f->class_weight[k], 0, 0};
    for (int64_t e = 0; e < x->count; e++) {
        int64_t i = x->index[e];
        out[f->cls[i]].mean += f->weight[i] * (x->value[e] - x->rest);
        out[f->cls[i]].squares += f->weight[i]; /* so far of the stored entries */
    }
    for (int64_t k = 0; k < f->c; k++) {
        class_moments *m = &out[k];
        if (!(m->weight > 0)) continue;
        double others = fmax(0, m->weight - m->squares);
        m->mean /= m->weight;
        m->squares = others * m->mean * m->mean;
    }
    for (int64_t e = 0; e < x->count; e++) {
        int64_t i = x->index[e];
        class_moments *m = &out[f->cls[i]];
        double off = x->value[e] - x->rest - m->mean;
        m->squares += f->weight[i] * off * off;
    }
}

/* Whether all values of a class are equal is decided by comparing bits, not sums. */
static void settle_equal(const filter *f, const column *x, class_moments *out, double *seen) {
    double *first = seen, *listed = seen + f->c;
    for (int64_t k = 0; k < f->c; k++) first[k] = NAN, listed[k] = 0;
    for (int64_t e = 0; e < x->count; e++) {
        int64_t k = f->cls[x->index[e]];
        if (!(f->weight[x->index[e]] > 0)) continue;
        if (listed[k]++ == 0) first[k] = x->value[e];
        if (first[k] != x->value[e]) first[k] = NAN;
    }
    for (int64_t k = 0; k < f->c; k++) {
        bool all = listed[k] == (double)f->present[k];
        if (all ? first[k] == first[k] : listed[k] == 0 || first[k] == x->rest) out[k].squares = 0;
        if (all && first[k] == first[k]) out[k].mean = first[k] - x->rest;
    }
}

const class_moments *moments_of_column(moments_buffer *buffer, const filter *f, int64_t j,
                                       const column *x) {
    if (!x->index) return of_dense(buffer, f, j, x->value);
    of_sparse(f, x, buffer->m);
    settle_equal(f, x, buffer->m, buffer->spare);
    return buffer->m;
}

/* ---- all columns ---- */

bool moments_read(const filter *f) {
    const matrix *x = f->x.x;
    return f->cls && !mat_is_sparse(x) && !mat_at_once(x) && !(x->missing && f->weighted);
}

view moments_seen(const filter *f) {
    view x = f->x;
    if (!mat_is_sparse(x.x) && !f->weighted) x.fill = NULL;
    return x;
}

static pare_status see(void *self, int64_t first, int64_t columns, const col_stats *const *s,
                       const pare_ctx *ctx, pare_error *err) {
    const moments_scores *own = self;
    int threads = omp_in_parallel() ? 1 : own->threads;
    (void)ctx, (void)err;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++)
        for (int64_t j = columns * t / threads, end = columns * (t + 1) / threads; j < end; j++) {
            const class_moments *m = moments_of(&own->buffer[t], own->f, first + j, s, j);
            for (int64_t i = 0; i < own->count; i++) {
                const moments_score *to = &own->to[i];
                filter_score at = to->kind->moments(own->f, m);
                to->score[first + j - own->from] = at.score;
                if (to->p) to->p[first + j - own->from] = at.p;
            }
        }
    return PARE_OK;
}

pare_status moments_reader(stats_reader *out, moments_scores *self, arena *mem, const pare_ctx *ctx,
                           pare_error *err) {
    const filter *f = self->f;
    view *rows = ARENA_NEW(mem, view, f->c);
    const double **weight = f->weighted ? ARENA_NEW(mem, const double *, f->c) : NULL;
    self->threads = ctx_threads(ctx);
    PASS_MEM(rows && (weight || !f->weighted));
    PASS_MEM(self->buffer = ARENA_ZERO(mem, moments_buffer, self->threads));
    for (int t = 0; t < self->threads; t++)
        PASS_MEM(self->buffer[t].m = ARENA_NEW(mem, class_moments, f->c));
    for (int64_t k = 0; k < f->c; k++) {
        int64_t n = f->start[k + 1] - f->start[k], from = n ? f->start[k] : 0;
        rows[k] = f->x;
        rows[k].rows = f->rows + from;
        rows[k].n = n ? n : 1; /* any row, if there is none */
        if (weight) weight[k] = f->order_weight + from;
    }
    *out = (stats_reader){f->c, rows, weight, see, self};
    return PARE_OK;
}
