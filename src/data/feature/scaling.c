#include "data/feature/scaling.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "data/feature/quantile.h"
#include "data/feature/robust.h"

static const double ROUNDING =
    4 * DBL_EPSILON; /* of a column's values: a column that varies by less is constant */

enum { MIN_PARALLEL_COLUMNS = 1 << 10 }; /* fewer are set sooner than threads start */

/* The replacement for missing values of the column: mean or median of the others. Only the median
 * reads the column. */
static double fill_value(const col_stats *s, const column *c, int64_t n, const double *weight,
                         bool median, ranked *values) {
    if (s->min == s->max) return s->min; /* exactly, without the rounding of the mean */
    if (!median) return s->mean;
    int64_t count = 0;
    for (int64_t i = 0, e = 0; i < n; i++) {
        bool listed = e < c->count && (!c->index || c->index[e] == i);
        double x = listed ? c->value[e++] : c->rest;
        if (!isnan(x)) values[count++] = (ranked){x, i};
    }
    sort_least_first(values, count);
    return quantile_of(values, count, weight, 0.5);
}

static double absent_weight(const column *c, const double *weight) {
    double absent = 0;
    for (int64_t e = 0; e < c->count; e++)
        if (isnan(c->value[e])) absent += weight ? weight[c->index ? c->index[e] : e] : 1;
    return absent;
}

/* Turns the statistics of the values into those of the imputed column; share: weight of the missing
 * values over the weight of all samples. */
static void impute_stats(col_stats *s, double share, double fill) {
    double mean = s->mean + share * (fill - s->mean);
    double old = s->mean - mean, new = fill - mean;
    s->var = (1 - share) * (s->var + old * old) + share * (new *new);
    s->mean = mean;
}

/* The fill of every column, also of those without missing values, as new data may have some.
 * Columns are read only where their statistics do not determine the fill. */
static pare_status impute(double *fill, col_stats *stats, const view *rows, const double *weight,
                          bool median, arena *scratch, const pare_ctx *ctx, pare_error *err) {
    int threads = ctx_threads(ctx), open = 0;
    pare_status status = PARE_OK;
    double total = 0;
    ranked *values = ARENA_NEW(scratch, ranked, threads * rows->n);
    walk *w = ARENA_NEW(scratch, walk, threads);
    TRY_MEM(values && w);
    for (int64_t i = 0; i < rows->n; i++) total += weight ? weight[i] : 1;
    TRY(walks_open(w, threads, rows, NULL, rows->d, ctx, err));
    open = threads;
    span own = mat_share(rows, 1, ctx);
    int64_t mine = own.to - own.from;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++)
        for (int64_t j = own.from + mine * t / threads, end = own.from + mine * (t + 1) / threads;
             j < end; j++) {
            column c = {0};
            col_stats *s = &stats[j];
            bool looks = median || (weight && s->missing > 0);
            if (looks && !walk_at(&w[t], j, &c)) break;
            fill[j] = fill_value(s, &c, rows->n, weight, median, values + t * rows->n);
            double absent = weight ? absent_weight(&c, weight) : (double)s->missing;
            if (s->missing > 0) impute_stats(s, absent / total, fill[j]);
        }
    open = 0;
    TRY(walks_end(w, threads, PARE_OK, err));
    TRY(mat_join(rows, 1, fill, sizeof *fill, ctx, err));
    TRY(mat_join(rows, 1, stats, sizeof *stats, ctx, err));
done:
    return walks_end(w, open, status, err);
}

static bool is_standard(const char *kind) {
    return strcmp(kind, "standard") == 0 || strcmp(kind, "robust") == 0;
}

/* false: squares of the values, or of their differences, overflow or underflow. */
static bool set_scale(scaling *out, int64_t j, const col_stats *s, const char *kind) {
    double shift = 0, scale = 1;
    bool constant = s->max - s->min <= ROUNDING * fmax(fabs(s->min), fabs(s->max));
    if (is_standard(kind)) {
        shift = constant ? s->min : s->mean;
        scale = 1 / sqrt(s->var);
    } else if (strcmp(kind, "unit") == 0) {
        scale = 1 / sqrt(s->var + s->mean * s->mean);
    } else if (strcmp(kind, "minmax") == 0) {
        shift = s->min;
        scale = 1 / (s->max - s->min);
    }
    out->n_constant += constant;
    out->mean[j] = constant ? s->min : s->mean;
    if (out->shift) out->shift[j] = shift;
    if (out->scale) out->scale[j] = constant ? 0 : scale;
    return constant || (isfinite(scale) && scale > 0 && isfinite(s->var));
}

/* The columns from `first` on, `count` of them. */
static pare_status set_scales(scaling *out, int64_t first, int64_t count, const col_stats *s,
                              const char *kind, pare_error *err) {
    for (int64_t j = 0; j < count; j++)
        if (!set_scale(out, first + j, &s[j], kind))
            return error_at(err, PARE_E_DATA, 0, first + j + 1, -1,
                            "feature %lld runs from %g to %g: its numbers cannot be squared or "
                            "scaled, change its unit",
                            (long long)(first + j) + 1, s[j].min, s[j].max);
    return PARE_OK;
}

/* The arrays of a transform. Imputed values are transformed too: `impute` keeps what they were. */
static pare_status alloc_transform(scaling *out, robust_rows *of, arena *mem, int64_t d,
                                   pare_error *err) {
    of->median = out->median = ARENA_NEW(mem, double, d);
    of->spread = out->spread = ARENA_NEW(mem, double, d);
    of->fill = out->impute = out->fill;
    of->classes = out->classes;
    if (out->fill) out->fill = ARENA_NEW(mem, double, d);
    if (!out->median || !out->spread || (out->impute && !out->fill)) return error_memory(err);
    return PARE_OK;
}

static void transform_fill(scaling *out, int64_t first, int64_t count) {
    for (int64_t j = first; out->fill && j < first + count; j++)
        out->fill[j] = asinh_value(out->impute[j], out->median[j], out->spread[j]);
}

/* Medians and spreads of all columns. */
static pare_status transform(scaling *out, arena *mem, col_stats *stats, const view *rows,
                             const double *weight, arena *scratch, const pare_ctx *ctx,
                             pare_error *err) {
    robust r;
    span own = mat_share(rows, 1, ctx);
    pare_status status = robust_open(&r, scratch, 1, rows, &weight, ctx, err);
    if (status == PARE_OK) status = alloc_transform(out, r.of, mem, rows->d, err);
    if (status == PARE_OK)
        status = robust_columns(&r, own.from, own.to - own.from, stats + own.from, 0, ctx, err);
    if (status == PARE_OK) status = mat_join(rows, 1, out->median, sizeof *out->median, ctx, err);
    if (status == PARE_OK) status = mat_join(rows, 1, out->spread, sizeof *out->spread, ctx, err);
    if (status == PARE_OK) status = mat_join(rows, 1, stats, sizeof *stats, ctx, err);
    if (status == PARE_OK) transform_fill(out, 0, rows->d);
    return status;
}

bool scaling_imputes(const char *missing) {
    return strcmp(missing, "mean") == 0 || strcmp(missing, "median") == 0 ||
           strcmp(missing, "indicator") == 0;
}

/* Allocates shift, scale, fill, and mean, which is the shift itself where columns are centred. */
static pare_status scaling_alloc(scaling *out, arena *mem, int64_t d, const char *kind,
                                 const char *missing, pare_error *err) {
    *out = (scaling){.classes = out->classes};
    if (scaling_imputes(missing) && !(out->fill = ARENA_NEW(mem, double, d)))
        return error_memory(err);
    out->impute = out->fill;
    bool shifts = is_standard(kind) || strcmp(kind, "minmax") == 0;
    if (shifts && !(out->shift = ARENA_NEW(mem, double, d))) return error_memory(err);
    out->scale = ARENA_NEW(mem, double, d);
    out->mean = is_standard(kind) ? out->shift : ARENA_NEW(mem, double, d);
    return out->scale && out->mean ? PARE_OK : error_memory(err);
}

/* Nothing is left to scale. */
static void drop_ones(scaling *out, const char *kind) {
    if (strcmp(kind, "none") == 0 && out->n_constant == 0) out->scale = NULL;
}

/* The fit where columns themselves are needed, or where the statistics of all columns come at
 * once. */
static pare_status fit_whole(scaling *out, arena *mem, const view *rows, const double *weight,
                             const char *kind, const char *missing, const pare_ctx *ctx,
                             pare_error *err) {
    int64_t d = rows->d;
    bool median = strcmp(missing, "median") == 0;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;

    col_stats *stats = ARENA_NEW(&scratch, col_stats, d);
    TRY_MEM(stats);
    TRY(scaling_alloc(out, mem, d, kind, missing, err));
    TRY(mat_stats(rows, weight, stats, ctx, err));
    if (out->fill) TRY(impute(out->fill, stats, rows, weight, median, &scratch, ctx, err));
    if (strcmp(kind, "robust") == 0)
        TRY(transform(out, mem, stats, rows, weight, &scratch, ctx, err));
    TRY(set_scales(out, 0, d, stats, kind, err));
    drop_ones(out, kind);

done:
    arena_free(&scratch);
    return status;
}

/* The fit from statistics of some columns at a time. */
typedef struct joint_fit {
    int64_t count;
    scaling *const *out;
    const view *rows;
    const char *kind;
    robust transform; /* count 0: none */
    arena *scratch;
    col_stats *own; /* count x most: of the imputed, and then transformed, values */
    int64_t most;   /* columns at a time, which come first */
} joint_fit;

/* The statistics of imputed columns. Missing values of equal weight are replaced by the mean of the
 * others. */
static void impute_some(const joint_fit *t, int64_t i, int64_t first, int64_t columns,
                        const col_stats *s) {
    const robust_rows *of = t->transform.count ? &t->transform.of[i] : NULL;
    double *fill = of ? t->out[i]->impute : t->out[i]->fill;
    for (int64_t j = 0; j < columns; j++) {
        col_stats *own = &t->own[i * t->most + j];
        *own = s[j];
        if (!fill) continue;
        fill[first + j] = fill_value(own, NULL, 0, NULL, false, NULL);
        if (own->missing > 0)
            impute_stats(own, (double)own->missing / (double)t->rows[i].n, fill[first + j]);
    }
}

static pare_status set_some(void *self, int64_t first, int64_t columns, const col_stats *const *s,
                            const pare_ctx *ctx, pare_error *err) {
    joint_fit *t = self;
    int threads = columns < MIN_PARALLEL_COLUMNS ? 1 : ctx_threads(ctx);
    int64_t failed = t->count; /* the first set of rows that cannot be scaled */
    pare_status status = PARE_OK;
    if (!t->own) t->own = ARENA_NEW(t->scratch, col_stats, t->count * (t->most = columns));
    if (!t->own) return error_memory(err);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t i = 0; i < t->count; i++) impute_some(t, i, first, columns, s[i]);
    if (t->transform.count)
        status = robust_columns(&t->transform, first, columns, t->own, t->most, ctx, err);
    if (status != PARE_OK) return status;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(min : failed)
    for (int64_t i = 0; i < t->count; i++) {
        const col_stats *own = &t->own[i * t->most];
        if (t->transform.count) transform_fill(t->out[i], first, columns);
        if (set_scales(t->out[i], first, columns, own, t->kind, NULL) != PARE_OK)
            failed = i < failed ? i : failed;
    }
    if (failed == t->count) return PARE_OK;
    return set_scales(t->out[failed], first, columns, &t->own[failed * t->most], t->kind, err);
}

/* Whether the columns can be scaled some at a time. */
static bool joins(const matrix *x, bool weighted, const char *missing) {
    bool needs_column = strcmp(missing, "median") == 0 || (scaling_imputes(missing) && weighted);
    return !needs_column && !mat_at_once(x);
}

bool scaling_reads(const matrix *x, bool weighted, const char *kind, const char *missing) {
    return strcmp(kind, "robust") != 0 && joins(x, weighted, missing);
}

bool scaling_separates(const view *rows, bool weighted, const char *kind, const pare_ctx *ctx) {
    return strcmp(kind, "robust") == 0 && !weighted && mat_asinh_separates(rows, ctx);
}

static pare_status fit_jointly(int64_t count, scaling *const *out, arena *const *mem,
                               const view *rows, const double *const *weight, const char *kind,
                               const char *missing, const stats_reader *also, int64_t n_also,
                               arena *scratch, const pare_ctx *ctx, pare_error *err) {
    joint_fit t = {.count = count, .out = out, .rows = rows, .kind = kind, .scratch = scratch};
    int64_t d = rows[0].d;
    for (int64_t i = 0; i < count; i++) PASS(scaling_alloc(out[i], mem[i], d, kind, missing, err));
    if (strcmp(kind, "robust") == 0) {
        PASS(robust_open(&t.transform, scratch, count, rows, weight, ctx, err));
        for (int64_t i = 0; i < count; i++)
            PASS(alloc_transform(out[i], &t.transform.of[i], mem[i], d, err));
    }
    stats_reader *all = ARENA_NEW(scratch, stats_reader, n_also + 1);
    PASS_MEM(all);
    all[0] = (stats_reader){count, rows, weight, set_some, &t};
    for (int64_t r = 0; r < n_also; r++) all[r + 1] = also[r];
    PASS(stats_read(all, n_also + 1, ctx, err));
    for (int64_t i = 0; i < count; i++) drop_ones(out[i], kind);
    return PARE_OK;
}

pare_status scaling_fit_many(int64_t count, scaling *const *out, arena *const *mem,
                             const view *rows, const double *const *weight, const char *kind,
                             const char *missing, const stats_reader *also, int64_t n_also,
                             const pare_ctx *ctx, pare_error *err) {
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    bool weighted = false;
    phase before = ctx_phase(ctx, PHASE_STATISTICS);
    for (int64_t i = 0; i < count; i++) weighted |= weight[i] != NULL;
    if (count > 0 && joins(rows[0].x, weighted, missing))
        status = fit_jointly(count, out, mem, rows, weight, kind, missing, also, n_also, &scratch,
                             ctx, err);
    else
        for (int64_t i = 0; i < count && status == PARE_OK; i++)
            status = fit_whole(out[i], mem[i], &rows[i], weight[i], kind, missing, ctx, err);
    ctx_phase(ctx, before);
    arena_free(&scratch);
    return status;
}

pare_status scaling_fit(scaling *out, arena *mem, const view *rows, const double *weight,
                        const char *kind, const char *missing, const pare_ctx *ctx,
                        pare_error *err) {
    return scaling_fit_many(1, &out, &mem, rows, &weight, kind, missing, NULL, 0, ctx, err);
}
