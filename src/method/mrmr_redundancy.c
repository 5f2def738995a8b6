#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/filter_tally.h"
#include "method/mrmr.h"

/* --- information of bins --- */

typedef struct bench { /* a thread's */
    walk w;
    keyed *sorted;
    double *value, *weight, *table;
    int32_t *bin;
} bench;

static pare_status open(bench *b, int threads, arena *mem, const mrmr *s, const pare_ctx *ctx,
                        pare_error *err) {
    int64_t n = s->f.n;
    pare_status status = PARE_OK;
    for (int t = 0; t < threads; t++) {
        TRY_MEM(b[t].sorted = ARENA_NEW(mem, keyed, 2 * n + 2));
        TRY_MEM(b[t].value = ARENA_NEW(mem, double, n + 1));
        TRY_MEM(b[t].weight = ARENA_NEW(mem, double, n + 1));
        TRY_MEM(b[t].bin = ARENA_NEW(mem, int32_t, n + 1));
        TRY_MEM(b[t].table = ARENA_NEW(mem, double, s->bins * s->bins));
    }
    for (int t = 0; t < threads; t++) TRY(walk_open(&b[t].w, &s->f.x, NULL, s->d, ctx, err));
done:
    return status;
}

/* The bins of a column: of what it lists, in that order, and of the rest. */
static void bin_column(mrmr *s, bench *b, int64_t j, const column *x) {
    const filter *f = &s->f;
    int64_t count = 0, entries = x->count, rest = -1;
    double left = f->total;
    for (int64_t e = 0; e < entries; e++) {
        b->sorted[e] = (keyed){x->value[e], (int32_t)e};
        left -= f->weight[x->index ? x->index[e] : e];
    }
    if (x->index && entries < f->n) b->sorted[entries++] = (keyed){x->rest, -1};
    const keyed *v = sort_keyed(b->sorted, entries, b->sorted + entries);
    for (; count < entries; count++) {
        int64_t e = v[count].place;
        b->value[count] = v[count].key;
        b->weight[count] = e < 0 ? fmax(0, left) : f->weight[x->index ? x->index[e] : e];
        if (e < 0) rest = count;
    }
    int64_t used = quantile_bins(b->value, b->weight, entries, f->total, f->whole, s->bins, b->bin);
    double *sum = b->table, margin = 0;
    memset(sum, 0, sizeof *sum * (size_t)s->bins);
    for (int64_t e = 0; e < entries; e++) sum[b->bin[e]] += b->weight[e];
    for (int64_t k = 0; k < used; k++) margin += filter_log(f, sum[k]);
    s->margin[j] = margin;
    if (used < 2) s->state[j] = MRMR_CONSTANT;
    s->rest[j] = rest < 0 ? 0 : (unsigned char)b->bin[rest];
    for (int64_t e = 0; e < entries; e++)
        if (v[e].place >= 0) s->bin[s->start[j] + v[e].place] = (unsigned char)b->bin[e];
}

/* Where each column's bins begin. */
static pare_status count_listed(mrmr *s, const pare_ctx *ctx, pare_error *err) {
    walk w;
    column x;
    int64_t j;
    if (!mat_is_sparse(s->f.x.x)) {
        for (j = 0; j <= s->d; j++) s->start[j] = j * s->f.n;
        return PARE_OK;
    }
    pare_status status = walk_open(&w, &s->f.x, NULL, s->d, ctx, err);
    if (status != PARE_OK) return status;
    s->start[0] = 0;
    while (walk_next(&w, &j, &x)) s->start[j + 1] = s->start[j] + x.count;
    return walk_close(&w, err);
}

pare_status mrmr_bins(mrmr *s, arena *mem, const fit_job *job, const pare_ctx *ctx,
                      pare_error *err) {
    int threads = ctx_threads(ctx);
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    bench *b = ARENA_ZERO(&scratch, bench, threads);
    TRY_MEM(b);
    s->bins = job->set->mrmr.bins;
    TRY(filter_open(&s->f, mem, job, s->bins, err));
    TRY(filter_logs(&s->f, mem, err));
    TRY_MEM(s->start = ARENA_NEW(mem, int64_t, s->d + 1));
    TRY_MEM(s->rest = ARENA_NEW(mem, unsigned char, s->d));
    TRY_MEM(s->margin = ARENA_NEW(mem, double, s->d));
    TRY_MEM(s->chosen = ARENA_NEW(mem, unsigned char, s->f.n));
    TRY(count_listed(s, ctx, err));
    TRY(ctx_room(ctx, (double)s->start[s->d], "the packed bins", err));
    TRY_MEM(s->bin = ARENA_NEW(mem, unsigned char, s->start[s->d]));
    TRY(open(b, threads, &scratch, s, ctx, err));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++)
        for (int64_t j = s->d * t / threads; j < s->d * (t + 1) / threads; j++) {
            column x;
            if (!walk_at(&b[t].w, j, &x)) break;
            bin_column(s, &b[t], j, &x);
        }
done:
    for (int t = 0; b && t < threads; t++) status = walk_end(&b[t].w, status, err);
    arena_free(&scratch);
    return status;
}

/* sum over the table of bins of the chosen and of column j. */
static double information(const mrmr *s, int64_t j, const column *x, const double *by_bin,
                          double *table, double margin) {
    const filter *f = &s->f;
    const unsigned char *own = s->bin + s->start[j], *chosen = s->chosen;
    int64_t B = s->bins;
    double sum = 0;
    memset(table, 0, sizeof *table * (size_t)(B * B));
    if (!x) {
        for (int64_t i = 0; i < f->n; i++) table[own[i] * B + chosen[i]] += f->weight[i];
    } else {
        double *rest = table + s->rest[j] * B;
        for (int64_t k = 0; k < B; k++) rest[k] = by_bin[k];
        for (int64_t e = 0; e < x->count; e++) {
            int64_t i = x->index ? x->index[e] : e;
            rest[chosen[i]] -= f->weight[i];
        }
        for (int64_t k = 0; k < B; k++) rest[k] = fmax(0, rest[k]);
        for (int64_t e = 0; e < x->count; e++) {
            int64_t i = x->index ? x->index[e] : e;
            table[own[e] * B + chosen[i]] += f->weight[i];
        }
    }
    for (int64_t k = 0; k < B * B; k++) sum += filter_log(f, table[k]);
    sum += filter_log(f, f->total) - s->margin[j] - margin;
    return fmax(0, sum / f->total);
}

/* The chosen column's bins, sample by sample. */
static pare_status spread_chosen(mrmr *s, int64_t at, double *by_bin, const pare_ctx *ctx,
                                 pare_error *err) {
    const unsigned char *own = s->bin + s->start[at];
    walk w;
    column x;
    pare_status status = walk_open(&w, &s->f.x, NULL, s->d, ctx, err);
    if (status != PARE_OK) return status;
    memset(s->chosen, s->rest[at], (size_t)s->f.n);
    if (walk_at(&w, at, &x))
        for (int64_t e = 0; e < x.count; e++) s->chosen[x.index ? x.index[e] : e] = own[e];
    memset(by_bin, 0, sizeof *by_bin * (size_t)s->bins);
    for (int64_t i = 0; i < s->f.n; i++) by_bin[s->chosen[i]] += s->f.weight[i];
    return walk_close(&w, err);
}

pare_status mrmr_compare(mrmr *s, int64_t at, const pare_ctx *ctx, pare_error *err) {
    int threads = ctx_threads(ctx);
    bool sparse = mat_is_sparse(s->f.x.x);
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    int64_t room = s->bins * s->bins;
    walk *w = ARENA_ZERO(&mem, walk, threads);
    double *table = ARENA_NEW(&mem, double, threads *room), *by_bin;
    TRY_MEM(w);
    TRY_MEM(table);
    TRY_MEM(by_bin = ARENA_NEW(&mem, double, s->bins));
    TRY(spread_chosen(s, at, by_bin, ctx, err));
    for (int t = 0; sparse && t < threads; t++)
        TRY(walk_open(&w[t], &s->f.x, NULL, s->d, ctx, err));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++)
        for (int64_t j = s->d * t / threads; j < s->d * (t + 1) / threads; j++) {
            column x;
            if (s->state[j] != MRMR_OPEN) continue;
            if (sparse && !walk_at(&w[t], j, &x)) break;
            s->R[j] +=
                information(s, j, sparse ? &x : NULL, by_bin, table + t * room, s->margin[at]);
        }
done:
    for (int t = 0; w && t < threads; t++) status = walk_end(&w[t], status, err);
    arena_free(&mem);
    return status;
}

/* --- correlation --- */

pare_status mrmr_moments(mrmr *s, arena *mem, const fit_job *job, const pare_ctx *ctx,
                         pare_error *err) {
    int64_t n = job->raw->n;
    col_stats *stats = ARENA_NEW(mem, col_stats, s->d);
    double *mean = ARENA_NEW(mem, double, s->d), total;
    s->over = ARENA_NEW(mem, double, s->d);
    s->product = ARENA_NEW(mem, double, s->d);
    s->z = ARENA_NEW(mem, double, n);
    s->weight = fit_weights(mem, job->weight, n, &total);
    if (!stats || !mean || !s->over || !s->product || !s->z || !s->weight) return error_memory(err);
    pare_status status = mat_stats(job->raw, job->weight, stats, ctx, err);
    for (int64_t j = 0; status == PARE_OK && j < s->d; j++) {
        mean[j] = stats[j].mean;
        s->over[j] = stats[j].var > 0 ? 1 / sqrt(stats[j].var * total) : 0;
        if (s->over[j] == 0) s->state[j] = MRMR_CONSTANT;
    }
    s->x = *job->raw;
    s->x.shift = mean;
    return status;
}

pare_status mrmr_correlate(mrmr *s, int64_t at, const pare_ctx *ctx, pare_error *err) {
    pare_status status = mat_columns(&s->x, &at, 1, s->z, ctx, err);
    if (status != PARE_OK) return status;
    for (int64_t i = 0; i < s->x.n; i++) s->z[i] *= s->weight[i] * s->over[at];
    status = mat_tmul(&s->x, s->z, 1, s->product, ctx, err);
    for (int64_t j = 0; status == PARE_OK && j < s->d; j++)
        s->R[j] += fmin(1, fabs(s->product[j]) * s->over[j]);
    return status;
}
