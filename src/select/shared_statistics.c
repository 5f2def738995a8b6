#include "select/shared_statistics.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "data/sample/batches.h"
#include "method/filter/filter_moments.h"

/* Bytes for the shared statistics that are in memory at once: a share of X, within the two
 * bounds. */
static const double MEMORY_SHARE = 1.0 / 24, MIN_MEMORY = 64e6, MAX_MEMORY = 256e6;
static const double POLL_FLOPS = 4e10; /* of Grams between two polls of the context */

static pare_status poll_stop(const pare_ctx *ctx, pare_error *err) {
    if (ctx_poll(ctx, "folds", -1) == INTERRUPT_NONE) return PARE_OK;
    return error_set(err, PARE_E_CANCELLED, "stopped before the folds were prepared");
}

static double gram_flops(const view *v) { return (double)v->n * (double)v->n * (double)v->d; }

bool scores_from_statistics(const method *m, const statistics_identity *id, const pare_data *data) {
    bool weighted = data->weight || !choice_is(id->class_weight, "none");
    return m->by_moments && id->task->classes &&
           scaling_reads(&data->x, weighted, id->scale, id->missing) &&
           choice_is(id->row_scale, "none") && !mat_is_sparse(&data->x) &&
           !(data->x.missing && weighted) && terms_count_kept(data) == 0;
}

static bool separation_from_statistics(const method *m, const statistics_identity *id,
                                       const pare_data *data) {
    return m->by_separation && id->task->classes && choice_is(id->scale, "robust") &&
           terms_count_kept(data) == 0;
}

static void add_filter(shared_kind *kind, const method *m) {
    for (int64_t i = 0; i < kind->n_filters; i++)
        if (kind->filter[i] == m) return;
    kind->filter[kind->n_filters++] = m;
}

/* The kind of that identity; a new one if there is none yet. */
static shared_kind *kind_of(shared_kind *kind, int64_t *n_kinds, statistics_identity identity,
                            const method **filters) {
    for (int64_t k = 0; k < *n_kinds; k++)
        if (identity_same(&kind[k].identity, &identity)) return &kind[k];
    kind[*n_kinds] = (shared_kind){.identity = identity, .filter = filters};
    return &kind[(*n_kinds)++];
}

pare_status shared_kinds(shared_kind **out, int64_t *n_kinds, arena *mem, const path_setup *p,
                         const path_method *m, int64_t count, const task_type *task,
                         pare_error *err) {
    int64_t most = 0;
    bool wants[GRAM_KINDS];
    *n_kinds = 0;
    for (int64_t i = 0; i < count; i++) most += m[i].n_grid;
    const method **filters = ARENA_NEW(mem, const method *, most *count); /* of filters of each
                                                                             kind */
    if (!filters || !(*out = ARENA_NEW(mem, shared_kind, most))) return error_memory(err);
    for (int64_t i = 0; i < count; i++)
        for (int64_t g = 0; g < m[i].n_grid; g++) {
            const all_settings *set = &m[i].grid[g];
            shared_kind *kind = kind_of(*out, n_kinds, identity_of(m[i].m, set, m[i].data, task),
                                        filters + *n_kinds * count);
            if (scores_from_statistics(m[i].m, &kind->identity, m[i].data))
                add_filter(kind, m[i].m);
            if (!kind->separated && separation_from_statistics(m[i].m, &kind->identity, m[i].data))
                kind->separated = m[i].m;
            kind->m = m[i].m;
            kind->classifier = m[i].classifier;
            kind->set = set;
            bool whole = p->sizes[p->n_sizes - 1] + m[i].n_kept == m[i].d;
            grams_needed(wants, m[i].m, m[i].classifier, set, &kind->identity, m[i].data, whole);
            for (int c = 0; c < GRAM_KINDS; c++) kind->gram[c] |= wants[c];
        }
    return PARE_OK;
}

double shared_statistics_bytes(int64_t n, int64_t classes, const shared_kind *kind,
                               int64_t n_kinds) {
    double bytes = 0;
    for (int64_t k = 0; k < n_kinds; k++) { /* the mean is separate where it is not the shift */
        bool standard = choice_is(kind[k].identity.scale, "standard");
        bool robust = choice_is(kind[k].identity.scale, "robust"); /* with median and spread */
        bool fills = scaling_imputes(kind[k].identity.missing);
        int64_t d = kind[k].identity.data->x.d;
        bytes += 8 *
                 (double)((standard ? 2
                           : robust ? 4
                                    : 3) +
                          fills + kind[k].n_filters + (kind[k].separated != NULL)) *
                 (double)d;
        if (kind[k].identity.data->batch.count)
            bytes += 16 * (double)d * (double)(1 + batches_count(kind[k].identity.data));
        if (kind[k].n_filters > 0) /* the samples class by class, and their statistics */
            bytes +=
                24 * (double)n + (double)(classes * MIN_STATS_COLUMNS) * (double)sizeof(col_stats);
        for (int c = 0; c < GRAM_KINDS; c++)
            bytes += 8 * (double)kind[k].gram[c] * (double)n * (double)n;
    }
    return bytes;
}

int64_t shared_statistics_at_once(double bytes, const matrix *x, const pare_ctx *ctx) {
    double memory = fmin(fmax(MEMORY_SHARE * mat_bytes(x), MIN_MEMORY), MAX_MEMORY);
    if (ctx && ctx->memory_bytes > 0 && (double)ctx->memory_bytes / 4 < memory)
        memory = (double)ctx->memory_bytes / 4;
    return bytes < memory ? (int64_t)(memory / bytes) : 1;
}

/* The filters' scores on a split, and how they read the statistics. */
typedef struct scoring {
    const fitting *shared;
    filter f;
    moments_score *to;
    moments_scores own;
    stats_reader scores;
} scoring;

/* Runs after the scaling, which sets the fill values. */
static pare_status see_scaled(void *self, int64_t first, int64_t columns, const col_stats *const *s,
                              const pare_ctx *ctx, pare_error *err) {
    scoring *own = self;
    own->f.x.fill = own->shared->sc.fill;
    return own->scores.receive(&own->own, first, columns, s, ctx, err);
}

/* The scores of one kind on a split. */
static pare_status open_scores(stats_reader *reader, fitting *shared, const shared_kind *kind,
                               arena *scratch, const pare_ctx *ctx, pare_error *err) {
    scoring *s = ARENA_ZERO(scratch, scoring, 1);
    PASS_MEM(s);
    PASS_MEM(s->to = ARENA_ZERO(scratch, moments_score, kind->n_filters));
    PASS_MEM(shared->scored = ARENA_ZERO(&shared->mem, fit_scores, kind->n_filters));
    shared->n_scored = kind->n_filters;
    for (int64_t i = 0; i < kind->n_filters; i++) {
        fit_scores *own = &shared->scored[i];
        own->m = kind->filter[i];
        PASS_MEM(own->score = mem_alloc(ctx_allocator(ctx), shared->x.d, sizeof *own->score));
        s->to[i] = (moments_score){.kind = own->m->by_moments, .score = own->score};
    }
    fit_job job = {.raw = &shared->x, .y = &shared->y, .weight = shared->weight};
    PASS(filter_open(&s->f, scratch, &job, 0, err));
    s->f.bare = true;
    s->shared = shared;
    s->own = (moments_scores){.f = &s->f, .to = s->to, .count = kind->n_filters};
    PASS(moments_reader(&s->scores, &s->own, scratch, ctx, err));
    *reader = s->scores;
    reader->receive = see_scaled;
    reader->self = s;
    return PARE_OK;
}

/* Where the scaling leaves the separation of the classes. */
static pare_status open_separation(fitting *shared, const shared_kind *kind, const pare_ctx *ctx,
                                   pare_error *err) {
    if (!kind->separated ||
        !scaling_separates(&shared->x, shared->weight, kind->identity.scale, ctx))
        return PARE_OK;
    PASS_MEM(shared->scored = ARENA_ZERO(&shared->mem, fit_scores, 1));
    shared->n_scored = 1;
    shared->scored->m = kind->separated;
    shared->scored->score = mem_alloc(ctx_allocator(ctx), shared->x.d, sizeof(double));
    PASS_MEM(shared->scored->score);
    shared->sc.classes = (asinh_classes){shared->y.cls, shared->y.n_classes, shared->scored->score};
    return PARE_OK;
}

/* The scalings of one kind on all splits, with the filters' scores: one pass over X, except that
 * transformed splits need a pass each. shared: that of the first split, the next is n_kinds on. */
static pare_status scale_kind(fitting *shared, int64_t count, const shared_kind *kind,
                              int64_t n_kinds, arena *scratch, const pare_ctx *ctx,
                              pare_error *err) {
    bool scores = kind->n_filters > 0;
    scaling **sc = ARENA_NEW(scratch, scaling *, count);
    arena **mem = ARENA_NEW(scratch, arena *, count);
    view *rows = ARENA_NEW(scratch, view, count);
    const double **weight = ARENA_NEW(scratch, const double *, count);
    stats_reader *reader = ARENA_NEW(scratch, stats_reader, count);
    PASS_MEM(sc && mem && rows && weight && reader);
    for (int64_t from = 0, to; from < count; from = to) {
        const statistics_identity *id = &shared->identity;
        for (to = from; to < count && shared[to * n_kinds].x.x == shared[from * n_kinds].x.x;
             to++) {
            fitting *f = &shared[to * n_kinds];
            sc[to] = &f->sc;
            mem[to] = &f->mem;
            rows[to] = f->x;
            weight[to] = f->weight;
            PASS(open_separation(f, kind, ctx, err));
            if (scores) PASS(open_scores(&reader[to], f, kind, scratch, ctx, err));
        }
        PASS(poll_stop(ctx, err));
        PASS(scaling_fit_many(to - from, sc + from, mem + from, rows + from, weight + from,
                              id->scale, id->missing, reader + from, scores ? to - from : 0, ctx,
                              err));
    }
    return PARE_OK;
}

/* The Grams of all splits and kinds, as many in a pass as keep the time between two polls short. */
static pare_status make_grams(fitting *shared, int64_t count, const shared_kind *kind,
                              int64_t n_kinds, arena *scratch, const pare_ctx *ctx,
                              pare_error *err) {
    int64_t grams = 0;
    view *v = ARENA_NEW(scratch, view, GRAM_KINDS * count);
    double **K = ARENA_NEW(scratch, double *, GRAM_KINDS *count);
    PASS_MEM(v && K);
    for (int c = 0; c < GRAM_KINDS; c++)
        for (int64_t i = 0; i < count; i++) {
            fitting *f = &shared[i];
            if (!kind[i % n_kinds].gram[c]) continue;
            v[grams] = f->x;
            if (c == GRAM_CENTRED) v[grams].shift = f->mean;
            v[grams].single_precision = c == GRAM_SINGLE;
            PASS_MEM(K[grams] = ARENA_NEW(&f->mem, double, f->x.n * f->x.n));
            f->gram[c] = K[grams++];
        }
    for (int64_t from = 0, to; from < grams;
         from = to) { /* a split may have a transform of its own */
        double flops = gram_flops(&v[from]);
        for (to = from + 1;
             to < grams && v[to].x == v[from].x &&
             v[to].single_precision == v[from].single_precision && flops < POLL_FLOPS;
             to++)
            flops += gram_flops(&v[to]);
        PASS(poll_stop(ctx, err));
        PASS(mat_gram_many(to - from, v + from, NULL, K + from, ctx, err));
    }
    return PARE_OK;
}

pare_status shared_statistics_make(fitting *out, const cv_part *part, int64_t count,
                                   const shared_kind *kind, int64_t n_kinds, const target *y,
                                   const pare_ctx *ctx, pare_error *err) {
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    for (int64_t i = 0; i < count * n_kinds; i++) {
        const shared_kind *own = &kind[i % n_kinds];
        const cv_part *on = &part[i / n_kinds];
        TRY(poll_stop(ctx, err));
        TRY(fitting_open(&out[i], own->identity.data, y, on->train, on->n_train, own->m,
                         own->classifier, own->set, ctx, err));
    }
    for (int64_t k = 0; k < n_kinds; k++) {
        TRY(scale_kind(out + k, count, &kind[k], n_kinds, &scratch, ctx, err));
        arena_free(&scratch);
    }
    for (int64_t i = 0; i < count * n_kinds; i++) TRY(fitting_scaled(&out[i], err));
    TRY(make_grams(out, count * n_kinds, kind, n_kinds, &scratch, ctx, err));
done:
    arena_free(&scratch);
    return status;
}

void shared_statistics_free(fitting *shared, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        for (int64_t s = 0; s < shared[i].n_scored; s++)
            mem_free(&shared[i].mem.mem, shared[i].scored[s].score);
        if (shared[i].data) fitting_end(&shared[i]);
    }
}
