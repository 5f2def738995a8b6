#include "data/scaling.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "data/quantile.h"
#include "data/robust.h"

static const double ROUNDING =
    4 * DBL_EPSILON; /* of a column's values: what differs by less is constant */

/* What replaces a missing value of the column: the mean or the median of those that are there. */
static double fill_value(const col_stats *s, const column *c, int64_t n, const double *weight,
                         bool median, ranked *present) {
    if (s->min == s->max) return s->min; /* not one rounding away, as the mean may be */
    if (!median) return s->mean;
    int64_t count = 0;
    for (int64_t i = 0, e = 0; i < n; i++) {
        bool listed = e < c->count && (!c->index || c->index[e] == i);
        double x = listed ? c->value[e++] : c->rest;
        if (!isnan(x)) present[count++] = (ranked){x, i};
    }
    sort_least_first(present, count);
    return quantile_of(present, count, weight, 0.5);
}

/* Brings the statistics of the present values to those of the imputed column; total is the weight
 * of all samples. */
static void impute_stats(col_stats *s, const column *c, const double *weight, double total,
                         double fill) {
    double absent = 0;
    for (int64_t e = 0; e < c->count; e++)
        if (isnan(c->value[e])) absent += weight ? weight[c->index ? c->index[e] : e] : 1;
    double share = absent / total, mean = s->mean + share * (fill - s->mean);
    double old = s->mean - mean, new = fill - mean;
    s->var = (1 - share) * (s->var + old * old) + share * (new *new);
    s->mean = mean;
}

/* The fill of every column, as new data may lack what the training data have. */
static pare_status impute(double *fill, col_stats *stats, const view *rows, const double *weight,
                          bool median, arena *scratch, const pare_ctx *ctx, pare_error *err) {
    ranked *present = ARENA_NEW(scratch, ranked, rows->n);
    double total = 0;
    if (!present) return error_memory(err);
    for (int64_t i = 0; i < rows->n; i++) total += weight ? weight[i] : 1;
    walk w;
    pare_status status = walk_open(&w, rows, NULL, rows->d, ctx, err);
    if (status != PARE_OK) return status;
    span own = mat_share(rows, 1, ctx);
    for (int64_t j = own.from; j < own.to; j++) {
        column c = {0};
        if ((median || stats[j].missing > 0) && !walk_at(&w, j, &c)) break;
        fill[j] = fill_value(&stats[j], &c, rows->n, weight, median, present);
        if (stats[j].missing > 0) impute_stats(&stats[j], &c, weight, total, fill[j]);
    }
    status = walk_close(&w, err);
    if (status == PARE_OK) status = mat_join(rows, 1, fill, sizeof *fill, ctx, err);
    if (status == PARE_OK) status = mat_join(rows, 1, stats, sizeof *stats, ctx, err);
    return status;
}

/* false: the numbers are too large or too close for their squares to be numbers. */
static bool set_scale(scaling *out, int64_t j, const col_stats *s, const char *kind) {
    double shift = 0, scale = 1;
    if (strcmp(kind, "standard") == 0 || strcmp(kind, "robust") == 0) {
        shift = s->mean;
        scale = 1 / sqrt(s->var);
    } else if (strcmp(kind, "unit") == 0) {
        scale = 1 / sqrt(s->var + s->mean * s->mean);
    } else if (strcmp(kind, "minmax") == 0) {
        shift = s->min;
        scale = 1 / (s->max - s->min);
    }
    bool constant = s->max - s->min <= ROUNDING * fmax(fabs(s->min), fabs(s->max));
    out->n_constant += constant;
    out->mean[j] = constant ? s->min : s->mean;
    if (out->shift) out->shift[j] = shift;
    if (out->scale) out->scale[j] = constant ? 0 : scale;
    return constant || (isfinite(scale) && scale > 0 && isfinite(s->var));
}

/* Medians and spreads; what is imputed becomes transformed too. */
static pare_status transform(scaling *out, arena *mem, col_stats *stats, const view *rows,
                             const double *weight, const pare_ctx *ctx, pare_error *err) {
    int64_t d = rows->d;
    out->median = ARENA_NEW(mem, double, d);
    out->spread = ARENA_NEW(mem, double, d);
    out->impute = out->fill;
    if (out->fill) out->fill = ARENA_NEW(mem, double, d);
    if (!out->median || !out->spread || (out->impute && !out->fill)) return error_memory(err);
    pare_status status =
        robust_fit(out->median, out->spread, stats, rows, weight, out->impute, ctx, err);
    for (int64_t j = 0; status == PARE_OK && out->fill && j < d; j++)
        out->fill[j] = asinh_value(out->impute[j], out->median[j], out->spread[j]);
    return status;
}

bool scaling_imputes(const char *missing) {
    return strcmp(missing, "mean") == 0 || strcmp(missing, "median") == 0 ||
           strcmp(missing, "indicator") == 0;
}

pare_status scaling_fit(scaling *out, arena *mem, const view *rows, const double *weight,
                        const char *kind, const char *missing, const pare_ctx *ctx,
                        pare_error *err) {
    memset(out, 0, sizeof *out);
    int64_t d = rows->d;
    bool median = strcmp(missing, "median") == 0, imputes = scaling_imputes(missing);
    bool robust = strcmp(kind, "robust") == 0,
         shifts = robust || strcmp(kind, "standard") == 0 || strcmp(kind, "minmax") == 0;
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;

    col_stats *stats = ARENA_NEW(&scratch, col_stats, d);
    TRY_MEM(stats);
    TRY(mat_stats(rows, weight, stats, ctx, err));
    if (shifts) TRY_MEM(out->shift = ARENA_NEW(mem, double, d));
    TRY_MEM(out->scale = ARENA_NEW(mem, double, d));
    if (imputes) {
        TRY_MEM(out->fill = ARENA_NEW(mem, double, d));
        TRY(impute(out->fill, stats, rows, weight, median, &scratch, ctx, err));
    }
    out->impute = out->fill;
    if (robust) TRY(transform(out, mem, stats, rows, weight, ctx, err));
    TRY_MEM(out->mean = ARENA_NEW(mem, double, d));
    for (int64_t j = 0; j < d; j++) {
        if (set_scale(out, j, &stats[j], kind)) continue;
        status =
            error_at(err, PARE_E_DATA, 0, j + 1, -1,
                     "feature %lld runs from %g to %g: its numbers cannot be squared or scaled, "
                     "change its unit",
                     (long long)j + 1, stats[j].min, stats[j].max);
        goto done;
    }
    if (strcmp(kind, "none") == 0 && out->n_constant == 0) out->scale = NULL;

done:
    arena_free(&scratch);
    return status;
}
