#include "method/filter/filter.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "method/filter/filter_moments.h"
#include "method/filter/filter_tally.h"

enum { MAX_TABLE = 1 << 16 }; /* integer weights up to which t ln t is tabulated */

/* --- state that all columns share --- */

static pare_status by_class(filter *f, arena *mem, pare_error *err) {
    int64_t *start = ARENA_ZERO(mem, int64_t, f->c + 1), *at = ARENA_NEW(mem, int64_t, f->c);
    int32_t *order = ARENA_NEW(mem, int32_t, f->n);
    double *weight = ARENA_NEW(mem, double, f->n), *sum = ARENA_ZERO(mem, double, f->c);
    int32_t *rows = ARENA_NEW(mem, int32_t, f->n);
    int64_t *present = ARENA_ZERO(mem, int64_t, f->c);
    if (!start || !at || !order || !weight || !sum || !rows || !present) return error_memory(err);
    for (int64_t i = 0; i < f->n; i++) {
        start[f->cls[i] + 1]++;
        sum[f->cls[i]] += f->weight[i];
        present[f->cls[i]] += f->weight[i] > 0;
    }
    for (int64_t k = 0; k < f->c; k++) {
        start[k + 1] += start[k];
        at[k] = start[k];
    }
    for (int64_t i = 0; i < f->n; i++) {
        int64_t to = at[f->cls[i]]++;
        order[to] = (int32_t)i;
        rows[to] = f->x.rows ? f->x.rows[i] : (int32_t)i;
        weight[to] = f->weight[i];
    }
    f->start = start;
    f->order = order;
    f->rows = rows;
    f->order_weight = weight;
    f->present = present;
    f->class_weight = sum;
    return PARE_OK;
}

/* The target about its mean. */
static pare_status centre_value(filter *f, arena *mem, const double *y, pare_error *err) {
    double *value = ARENA_NEW(mem, double, f->n), sum = 0;
    if (!value) return error_memory(err);
    for (int64_t i = 0; i < f->n; i++) sum += f->weight[i] * (y[i] - y[0]);
    double mean = y[0] + sum / f->total;
    f->value_squares = 0;
    for (int64_t i = 0; i < f->n; i++) {
        value[i] = y[i] - mean;
        f->value_squares += f->weight[i] * value[i] * value[i];
    }
    f->value = value;
    return PARE_OK;
}

/* Quantile bins of the target replace the classes. */
static pare_status bin_value(filter *f, arena *mem, int64_t bins, pare_error *err) {
    int64_t n = f->n;
    keyed *sorted = ARENA_NEW(mem, keyed, 2 * n);
    double *value = ARENA_NEW(mem, double, n), *weight = ARENA_NEW(mem, double, n);
    int32_t *bin = ARENA_NEW(mem, int32_t, n), *cls = ARENA_NEW(mem, int32_t, n);
    if (!sorted || !value || !weight || !bin || !cls) return error_memory(err);
    for (int64_t i = 0; i < n; i++) sorted[i] = (keyed){f->value[i], (int32_t)i};
    const keyed *by_value = sort_keyed(sorted, n, sorted + n);
    for (int64_t e = 0; e < n; e++) {
        value[e] = by_value[e].key;
        weight[e] = f->weight[by_value[e].place];
    }
    f->c = quantile_bins(value, weight, n, f->total, f->whole, bins, bin);
    for (int64_t e = 0; e < n; e++) cls[by_value[e].place] = bin[e];
    f->cls = cls;
    return by_class(f, mem, err);
}

pare_status filter_open(filter *f, arena *mem, const fit_job *job, int64_t bins, pare_error *err) {
    *f = (filter){.x = *job->raw, .n = job->raw->n, .bins = bins, .whole = true, .left = job->left};
    f->weighted = job->weight != NULL;
    f->scored = job->scored;
    f->weight = fit_weights(mem, job->weight, f->n, &f->total);
    if (!f->weight) return error_memory(err);
    for (int64_t i = 0; i < f->n; i++) f->whole &= f->weight[i] == floor(f->weight[i]);
    if (job->y->cls) {
        f->cls = job->y->cls;
        f->c = job->y->n_classes;
        return by_class(f, mem, err);
    }
    pare_status status = centre_value(f, mem, job->y->value, err);
    return status == PARE_OK && bins > 0 ? bin_value(f, mem, bins, err) : status;
}

pare_status filter_logs(filter *f, arena *mem, pare_error *err) {
    if (!f->whole || !(f->total <= MAX_TABLE)) return PARE_OK;
    int64_t most = (int64_t)f->total;
    double *table = ARENA_NEW(mem, double, most + 1);
    if (!table) return error_memory(err);
    for (int64_t t = 0; t <= most; t++) table[t] = t > 0 ? (double)t * log((double)t) : 0;
    f->log_table = table;
    return PARE_OK;
}

double filter_log(const filter *f, double t) {
    if (f->log_table) return f->log_table[(int64_t)t];
    return t > 0 ? t * log(t) : 0;
}

/* --- moments --- */

filter_squares squares_of(const filter *f, const class_moments *m) {
    filter_squares s = {0, 0};
    double mean = 0;
    for (int64_t k = 0; k < f->c; k++) mean += m[k].weight * m[k].mean;
    mean /= f->total;
    int64_t some = 0;
    while (some + 1 < f->c && !(m[some].weight > 0)) some++;
    bool equal = true; /* equal up to the rounding of sums */
    for (int64_t k = 0; k < f->c; k++) {
        s.between += m[k].weight * (m[k].mean - mean) * (m[k].mean - mean);
        s.within += m[k].squares;
        equal &= m[k].mean == m[some].mean || !(m[k].weight > 0);
    }
    if (equal) s.between = 0;
    return s;
}

filter_squares squares_left(const filter *f, const column *x) {
    filter_squares s = {0, 0};
    double all = 0;
    for (int64_t i = 0; i < x->count; i++) all += f->weight[i] * x->value[i] * x->value[i];
    for (int64_t q = 0; q < f->left->rank; q++) {
        const double *basis = f->left->basis + q * f->n;
        double along = 0;
        for (int64_t i = 0; i < x->count; i++) along += basis[i] * x->value[i];
        s.between += along * along;
    }
    s.within = fmax(all - s.between, 0);
    return s;
}

/* --- the walk --- */

typedef struct workspace { /* of a thread */
    walk w;
    moments_buffer moments;
    double *spare;
    tally_buffer buffer;
    tally counted;
} workspace;

static pare_status benches_open(workspace *b, int threads, arena *mem, const filter *f,
                                const filter_kind *kind, const view *x, const pare_ctx *ctx,
                                pare_error *err) {
    for (int t = 0; t < threads; t++) {
        if (kind->moments) PASS(moments_open(&b[t].moments, mem, f, err));
        PASS_MEM(b[t].spare = ARENA_NEW(mem, double, 4 * f->c + 4));
        if (kind->tally) PASS(tally_open(&b[t].buffer, mem, f, err));
    }
    for (int t = 0; t < threads; t++) PASS(walk_open(&b[t].w, x, NULL, x->d, ctx, err));
    return PARE_OK;
}

static filter_score score_column(const filter *f, const filter_kind *kind, workspace *b, int64_t j,
                                 const column *x) {
    if (kind->column) return kind->column(f, x, b->spare);
    if (kind->moments) return kind->moments(f, moments_of_column(&b->moments, f, j, x));
    b->counted = tally_column(&b->buffer, f, x);
    b->counted.spare = b->spare;
    return kind->tally(f, &b->counted);
}

static pare_status score_walked(fit_result *r, const filter *f, const filter_kind *kind,
                                const pare_ctx *ctx, pare_error *err) {
    int threads = ctx_threads(ctx);
    view seen = kind->moments ? moments_seen(f) : f->x;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    workspace *b = ARENA_ZERO(&scratch, workspace, threads);
    TRY_MEM(b);
    TRY(benches_open(b, threads, &scratch, f, kind, &seen, ctx, err));
    span own = mat_share(&f->x, 1, ctx);
    int64_t mine = own.to - own.from;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++)
        for (int64_t j = own.from + mine * t / threads, end = own.from + mine * (t + 1) / threads;
             j < end; j++) {
            column x;
            if (!walk_at(&b[t].w, j, &x)) break;
            filter_score s = score_column(f, kind, &b[t], j, &x);
            r->score[j] = s.score;
            if (kind->has_p) r->p[j] = s.p;
        }
done:
    for (int t = 0; b && t < threads; t++) status = walk_end(&b[t].w, status, err);
    arena_free(&scratch);
    if (status == PARE_OK) status = mat_join(&f->x, 1, r->score, sizeof *r->score, ctx, err);
    if (status == PARE_OK && r->p) status = mat_join(&f->x, 1, r->p, sizeof *r->p, ctx, err);
    return status;
}

static pare_status score_read(fit_result *r, const filter *f, const filter_kind *kind,
                              const pare_ctx *ctx, pare_error *err) {
    moments_score to = {kind, r->score, r->p};
    moments_scores own = {.f = f, .to = &to, .count = 1};
    stats_reader reader;
    arena scratch = arena_of(ctx);
    pare_status status = moments_reader(&reader, &own, &scratch, ctx, err);
    if (status == PARE_OK) status = stats_read(&reader, 1, ctx, err);
    arena_free(&scratch);
    return status;
}

pare_status filter_run(fit_result *r, const filter *f, const filter_kind *kind, const pare_ctx *ctx,
                       pare_error *err) {
    int64_t d = f->x.d;
    pare_status status = PARE_OK;
    TRY_MEM(r->score = ARENA_NEW(&r->mem, double, d));
    if (!fit_take_scores(r, f->scored, d)) {
        bool reads = kind->moments && moments_read(f);
        if (kind->has_p) TRY_MEM(r->p = ARENA_NEW(&r->mem, double, d));
        TRY((reads ? score_read : score_walked)(r, f, kind, ctx, err));
    }
    r->outcome = PARE_OPTIMAL;
    status = (kind->column ? fit_rank : fit_rank_first)(r, d, err); /* some p-values may be NaN */
done:
    return status;
}

pare_status filter_fit(fit_result *r, const fit_job *job, const filter_kind *kind,
                       const pare_ctx *ctx, pare_error *err) {
    filter f;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY(filter_open(&f, &mem, job, 0, err));
    TRY(filter_logs(&f, &mem, err));
    TRY(filter_run(r, &f, kind, ctx, err));
done:
    arena_free(&mem);
    return status;
}
