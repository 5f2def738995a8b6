#include "data/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Imputes one column that has missing values and brings its statistics to what they are then. */
static double impute(col_stats *s, const column *c, int64_t n, const double *weight, bool median,
                     double *present) {
    double total = 0, absent = 0;
    int64_t count = 0;
    for (int64_t i = 0, e = 0; i < n; i++) {
        bool listed = e < c->count && (!c->index || c->index[e] == i);
        double x = listed ? c->value[e++] : c->rest, w = weight ? weight[i] : 1;
        if (w == 0) continue;
        total += w;
        if (isnan(x))
            absent += w;
        else
            present[count++] = x;
    }
    double fill = s->mean;
    if (median && count > 0) {
        qsort(present, (size_t)count, sizeof *present, by_value);
        fill = (present[(count - 1) / 2] + present[count / 2]) / 2;
    }
    if (total > 0) {
        double share = absent / total, mean = s->mean + share * (fill - s->mean);
        double old = s->mean - mean, new = fill - mean;
        s->var = (1 - share) * (s->var + old * old) + share * new *new;
        s->mean = mean;
    }
    return fill;
}

static void set_scale(scaling *out, int64_t j, const col_stats *s, const char *kind) {
    double shift = 0, scale = 1;
    if (strcmp(kind, "standard") == 0) {
        shift = s->mean;
        scale = 1 / sqrt(s->var);
    } else if (strcmp(kind, "unit") == 0) {
        scale = 1 / sqrt(s->var + s->mean * s->mean);
    } else if (strcmp(kind, "minmax") == 0) {
        shift = s->min;
        scale = 1 / (s->max - s->min);
    }
    bool constant = s->min == s->max || !isfinite(scale);
    out->n_constant += constant;
    if (out->shift) out->shift[j] = shift;
    if (out->scale) out->scale[j] = constant ? 0 : scale;
}

pare_status scaling_fit(scaling *out, arena *mem, const view *rows, const double *weight,
                        const char *kind, const char *missing, const pare_ctx *ctx,
                        pare_error *err) {
    memset(out, 0, sizeof *out);
    int64_t d = rows->d;
    bool median = strcmp(missing, "median") == 0, imputes = median || strcmp(missing, "mean") == 0;
    bool shifts = strcmp(kind, "standard") == 0 || strcmp(kind, "minmax") == 0;
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    column_reader reader;
    bool reading = false;
    pare_status status = PARE_OK;

    col_stats *stats = ARENA_NEW(&scratch, col_stats, d);
    TRY_MEM(stats);
    TRY(mat_stats(rows, weight, stats, ctx, err));
    if (shifts) TRY_MEM(out->shift = ARENA_NEW(mem, double, d));
    TRY_MEM(out->scale = ARENA_NEW(mem, double, d));
    if (imputes && rows->x->missing) {
        double *present = ARENA_NEW(&scratch, double, rows->n);
        TRY_MEM(present);
        TRY_MEM(out->fill = ARENA_NEW(mem, double, d));
        TRY(column_open(&reader, rows, ctx, err));
        reading = true;
        for (int64_t j = 0; j < d; j++) {
            out->fill[j] = stats[j].mean;
            if (stats[j].missing == 0) continue;
            column c;
            mat_column(&reader, j, &c);
            out->fill[j] = impute(&stats[j], &c, rows->n, weight, median, present);
        }
    }
    for (int64_t j = 0; j < d; j++) set_scale(out, j, &stats[j], kind);
    if (strcmp(kind, "none") == 0 && out->n_constant == 0) out->scale = NULL;

done:
    if (reading) column_close(&reader);
    arena_free(&scratch);
    return status;
}
