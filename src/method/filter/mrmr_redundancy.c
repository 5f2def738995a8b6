#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/filter/filter_tally.h"
#include "method/filter/mrmr.h"

/* --- information of bins --- */

typedef struct workspace { /* of a thread */
    walk w;
    keyed *sorted;
    double *value, *weight, *table;
    int32_t *bin;
} workspace;

static pare_status open(workspace *b, int threads, arena *mem, const mrmr *s, const pare_ctx *ctx,
                        pare_error *err) {
    int64_t n = s->f.n;
    for (int t = 0; t < threads; t++) {
        PASS_MEM(b[t].sorted = ARENA_NEW(mem, keyed, 2 * n + 2));
        PASS_MEM(b[t].value = ARENA_NEW(mem, double, n + 1));
        PASS_MEM(b[t].weight = ARENA_NEW(mem, double, n + 1));
        PASS_MEM(b[t].bin = ARENA_NEW(mem, int32_t, n + 1));
        PASS_MEM(b[t].table = ARENA_NEW(mem, double, s->bins * s->bins));
    }
    for (int t = 0; t < threads; t++) PASS(walk_open(&b[t].w, &s->f.x, NULL, s->d, ctx, err));
    return PARE_OK;
}

/* sum g(samples in bin b of column j and bin k of the chosen), by counting bits. */
#define MASK_LOGS(name, how)                                                                       \
    how static double name(const mrmr *s, int64_t j) {                                             \
        int64_t words = s->words;                                                                  \
        const uint64_t *own = s->mask + j * s->bins * words;                                       \
        double sum = 0;                                                                            \
        for (int64_t b = 0; b < s->bins; b++, own += words)                                        \
            for (int64_t k = 0; k < s->n_chosen; k++) {                                            \
                const uint64_t *other = s->chosen_mask + k * words;                                \
                int count = 0;                                                                     \
                for (int64_t w = 0; w < words; w++)                                                \
                    count += __builtin_popcountll(own[w] & other[w]);                              \
                sum += s->f.log_table[count];                                                      \
            }                                                                                      \
        return sum;                                                                                \
    }
MASK_LOGS(mask_logs_any, )
#ifdef __x86_64__
MASK_LOGS(mask_logs_popcnt, __attribute__((target("popcnt"))))
static double mask_logs(const mrmr *s, int64_t j) {
    return __builtin_cpu_supports("popcnt") ? mask_logs_popcnt(s, j) : mask_logs_any(s, j);
}
#else
static double mask_logs(const mrmr *s, int64_t j) { return mask_logs_any(s, j); }
#endif

static void set_bit(uint64_t *mask, int64_t i) { mask[i / 64] |= (uint64_t)1 << (i % 64); }

/* The bin of sample i in column j. */
static int32_t masked(const mrmr *s, int64_t j, int64_t i) {
    int32_t b = 0;
    while (!(s->mask[(j * s->bins + b) * s->words + i / 64] >> (i % 64) & 1)) b++;
    return b;
}

static void mask_chosen(mrmr *s) {
    if (!s->mask) return;
    memset(s->chosen_mask, 0, sizeof(uint64_t) * (size_t)(s->n_chosen * s->words));
    for (int64_t i = 0; i < s->f.n; i++) set_bit(s->chosen_mask + s->chosen[i] * s->words, i);
}

static pare_status open_masks(mrmr *s, arena *mem, const pare_ctx *ctx, pare_error *err) {
    enum { MAX_COUNTED_BINS = 8 };                          /* beyond, a table is cheaper */
    bool ones = s->f.whole && s->f.total == (double)s->f.n; /* no sample weighs 0 */
    s->words = (s->f.n + 63) / 64;
    int64_t most = s->bins > s->f.c ? s->bins : s->f.c;
    if (!ones || mat_is_sparse(s->f.x.x) || !s->f.log_table || most > MAX_COUNTED_BINS)
        return PARE_OK;
    double bytes = 8 * (double)s->d * (double)(s->bins * s->words);
    PASS(ctx_check_memory(ctx, bytes, "the packed bins", err));
    s->mask = ARENA_ZERO(mem, uint64_t, s->d * s->bins * s->words);
    s->chosen_mask = ARENA_NEW(mem, uint64_t, most * s->words);
    return s->mask && s->chosen_mask ? PARE_OK : error_memory(err);
}

/* The bins of a column: of its stored entries, in that order, and of the others. */
static void bin_column(mrmr *s, workspace *b, int64_t j, const column *x) {
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
    for (int64_t e = 0; e < entries; e++) {
        if (s->mask)
            set_bit(s->mask + (j * s->bins + b->bin[e]) * s->words, v[e].place);
        else if (v[e].place >= 0)
            s->bin[s->start[j] + v[e].place] = (unsigned char)b->bin[e];
    }
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
    PASS(walk_open(&w, &s->f.x, NULL, s->d, ctx, err));
    s->start[0] = 0;
    while (walk_next(&w, &j, &x)) s->start[j + 1] = s->start[j] + x.count;
    return walk_close(&w, err);
}

pare_status mrmr_bins(mrmr *s, arena *mem, const fit_job *job, const pare_ctx *ctx,
                      pare_error *err) {
    int threads = ctx_threads(ctx);
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    workspace *b = ARENA_ZERO(&scratch, workspace, threads);
    TRY_MEM(b);
    s->bins = job->set->mrmr.bins;
    TRY(filter_open(&s->f, mem, job, s->bins, err));
    TRY(filter_logs(&s->f, mem, err));
    TRY_MEM(s->start = ARENA_NEW(mem, int64_t, s->d + 1));
    TRY_MEM(s->rest = ARENA_NEW(mem, unsigned char, s->d));
    TRY_MEM(s->margin = ARENA_NEW(mem, double, s->d));
    TRY_MEM(s->chosen = ARENA_NEW(mem, int32_t, s->f.n));
    TRY(count_listed(s, ctx, err));
    TRY(open_masks(s, mem, ctx, err));
    int64_t bytes = s->mask ? 0 : s->start[s->d];
    TRY(ctx_check_memory(ctx, (double)bytes, "the packed bins", err));
    TRY_MEM(s->bin = ARENA_NEW(mem, unsigned char, bytes));
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

/* The table of the bins of column j and those of the chosen, or classes: bins x n_chosen. */
static void count_table(const mrmr *s, int64_t j, const column *x, const double *by_bin,
                        double *table) {
    const filter *f = &s->f;
    const unsigned char *own = s->bin + s->start[j];
    const int32_t *chosen = s->chosen;
    int64_t C = s->n_chosen;
    memset(table, 0, sizeof *table * (size_t)(s->bins * C));
    if (!x) {
        for (int64_t i = 0; i < f->n; i++) table[own[i] * C + chosen[i]] += f->weight[i];
        return;
    }
    double *rest = table + s->rest[j] * C;
    for (int64_t k = 0; k < C; k++) rest[k] = by_bin[k];
    for (int64_t e = 0; e < x->count; e++) {
        int64_t i = x->index ? x->index[e] : e;
        rest[chosen[i]] -= f->weight[i];
    }
    for (int64_t k = 0; k < C; k++) rest[k] = fmax(0, rest[k]);
    for (int64_t e = 0; e < x->count; e++) {
        int64_t i = x->index ? x->index[e] : e;
        table[own[e] * C + chosen[i]] += f->weight[i];
    }
}

static double information(const mrmr *s, int64_t j, const column *x, const double *by_bin,
                          double *table, double margin) {
    const filter *f = &s->f;
    double sum = 0;
    if (s->mask) {
        sum = mask_logs(s, j);
    } else {
        count_table(s, j, x, by_bin, table);
        for (int64_t k = 0; k < s->bins * s->n_chosen; k++) sum += filter_log(f, table[k]);
    }
    sum += filter_log(f, f->total) - s->margin[j] - margin;
    return fmax(0, sum / f->total);
}

/* Adds the mutual information of every column with the chosen bins to `out`. */
static pare_status add_information(mrmr *s, double *out, const double *by_bin, double margin,
                                   const pare_ctx *ctx, pare_error *err) {
    int threads = ctx_threads(ctx);
    bool sparse = mat_is_sparse(s->f.x.x);
    mask_chosen(s);
    int64_t capacity = s->bins * s->n_chosen;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    walk *w = ARENA_ZERO(&mem, walk, threads);
    double *table = ARENA_NEW(&mem, double, threads *capacity);
    TRY_MEM(w && table);
    for (int t = 0; sparse && t < threads; t++)
        TRY(walk_open(&w[t], &s->f.x, NULL, s->d, ctx, err));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++)
        for (int64_t j = s->d * t / threads; j < s->d * (t + 1) / threads; j++) {
            column x;
            if (s->state[j] != MRMR_OPEN) continue;
            if (sparse && !walk_at(&w[t], j, &x)) break;
            out[j] += information(s, j, sparse ? &x : NULL, by_bin, table + t * capacity, margin);
        }
done:
    for (int t = 0; w && t < threads; t++) status = walk_end(&w[t], status, err);
    arena_free(&mem);
    return status;
}

pare_status mrmr_relevance(mrmr *s, arena *mem, const pare_ctx *ctx, pare_error *err) {
    double margin = 0;
    s->n_chosen = s->f.c;
    s->V = ARENA_ZERO(mem, double, s->d);
    if (!s->V) return error_memory(err);
    for (int64_t i = 0; i < s->f.n; i++) s->chosen[i] = s->f.cls[i];
    for (int64_t k = 0; k < s->f.c; k++) margin += filter_log(&s->f, s->f.class_weight[k]);
    return add_information(s, s->V, s->f.class_weight, margin, ctx, err);
}

/* The chosen column's bins, sample by sample. */
static pare_status spread_chosen(mrmr *s, int64_t at, double *by_bin, const pare_ctx *ctx,
                                 pare_error *err) {
    const unsigned char *own = s->bin + s->start[at];
    walk w;
    column x;
    PASS(walk_open(&w, &s->f.x, NULL, s->d, ctx, err));
    s->n_chosen = s->bins;
    for (int64_t i = 0; i < s->f.n; i++) s->chosen[i] = s->mask ? masked(s, at, i) : s->rest[at];
    if (!s->mask && walk_at(&w, at, &x))
        for (int64_t e = 0; e < x.count; e++) s->chosen[x.index ? x.index[e] : e] = own[e];
    memset(by_bin, 0, sizeof *by_bin * (size_t)s->bins);
    for (int64_t i = 0; i < s->f.n; i++) by_bin[s->chosen[i]] += s->f.weight[i];
    return walk_close(&w, err);
}

pare_status mrmr_compare(mrmr *s, int64_t at, const pare_ctx *ctx, pare_error *err) {
    double *by_bin = mem_alloc(ctx_allocator(ctx), s->bins, sizeof *by_bin);
    if (!by_bin) return error_memory(err);
    pare_status status = spread_chosen(s, at, by_bin, ctx, err);
    if (status == PARE_OK) status = add_information(s, s->R, by_bin, s->margin[at], ctx, err);
    mem_free(ctx_allocator(ctx), by_bin);
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
    PASS(mat_columns(&s->x, &at, 1, s->z, ctx, err));
    for (int64_t i = 0; i < s->x.n; i++) s->z[i] *= s->weight[i] * s->over[at];
    pare_status status = mat_tmul(&s->x, s->z, 1, s->product, ctx, err);
    for (int64_t j = 0; status == PARE_OK && j < s->d; j++)
        s->R[j] += fmin(1, fabs(s->product[j]) * s->over[j]);
    return status;
}
