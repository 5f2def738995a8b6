#include "data/feature/batch_adjust.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/ranks.h"
#include "data/feature/combat.h"
#include "data/feature/scaling.h"

pare_status batch_check(const pare_data *data, const char *missing, const pare_ctx *ctx,
                        pare_error *err) {
    if (!data->batch.count) return PARE_OK;
    if (mat_is_sparse(&data->x))
        return error_set(err, PARE_E_DATA,
                         "`batch` shifts every number, zeros too, and sparse data would become "
                         "dense: read them with `storage dense`");
    if (ctx_ranks(ctx))
        return error_set(err, PARE_E_ARGUMENT, "`batch` is not possible across ranks");
    if (strcmp(missing, "indicator") == 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "`batch` is not possible with `missing indicator`: choose `missing` mean "
                         "or median");
    return PARE_OK;
}

pare_status batch_show(view *x, const int32_t *of, const double *shift, const double *scale,
                       const double *fill, arena *mem, pare_error *err) {
    batched_view *by = ARENA_NEW(mem, batched_view, 1);
    matrix *shown = ARENA_NEW(mem, matrix, 1);
    if (!by || !shown) return error_memory(err);
    *by = (batched_view){x->x, of, shift, scale, fill};
    *shown = mat_batched(by);
    x->x = shown;
    return PARE_OK;
}

/* The rows of a batch, of `rows` (n; NULL: 0 .. n-1); returns how many. */
static int64_t rows_of(int32_t *out, const int32_t *of, int32_t batch, const int32_t *rows,
                       int64_t n) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t row = rows ? rows[i] : (int32_t)i;
        if (of[row] == batch) out[count++] = row;
    }
    return count;
}

pare_status batch_adapt(double *shift, double *scale, const batch_rows *of, const double *mean,
                        const double *deviation, const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    col_stats *stats = ARENA_NEW(&mem, col_stats, of->d);
    int32_t *rows = ARENA_NEW(&mem, int32_t, of->x->n);
    TRY_MEM(stats && rows);
    view own = view_all(of->x);
    TRY(batch_show(&own, of->of, NULL, NULL, of->fill, &mem, err));
    own.rows = rows;
    own.n = rows_of(rows, of->of, of->batch, NULL, of->x->n);
    own.cols = of->cols;
    own.d = of->d;
    TRY(mat_stats(&own, NULL, stats, ctx, err));
    for (int64_t j = 0; j < of->d; j++) {
        double n = (double)own.n, s = sqrt(stats[j].var * n / (n - 1));
        bool stays = !(deviation[j] > 0) || !(stats[j].max > stats[j].min);
        scale[j] = stays ? 1 : deviation[j] / s;
        shift[j] = stays ? 0 : stats[j].mean - mean[j] / scale[j];
    }
done:
    arena_free(&mem);
    return status;
}

/* The training samples of each batch, and their moments. */
typedef struct moments {
    int64_t count;  /* batches that have some */
    int32_t *batch; /* count: their numbers */
    double *size;   /* count: the weight of their samples */
    double total;
    view *x; /* count */
    const double **weight;
    col_stats **stats; /* count x d */
} moments;

/* The next batch, of n training samples. */
static pare_status add_batch(moments *m, int32_t batch, int32_t *rows, int64_t n, const view *x,
                             const double *weight, arena *mem, pare_error *err) {
    int64_t at = m->count++;
    m->batch[at] = batch;
    m->x[at] = *x;
    m->x[at].rows = rows;
    m->x[at].n = n;
    m->size[at] = (double)n;
    PASS_MEM(m->stats[at] = ARENA_NEW(mem, col_stats, x->d));
    if (weight) {
        double *own = ARENA_NEW(mem, double, n);
        PASS_MEM(own);
        m->size[at] = 0;
        for (int64_t i = 0; i < n; i++) m->size[at] += own[i] = weight[rows[i]];
        m->weight[at] = own;
    }
    m->total += m->size[at];
    return PARE_OK;
}

static pare_status moments_make(moments *m, const batch_list *of, const view *x,
                                const double *weight, arena *mem, const pare_ctx *ctx,
                                pare_error *err) {
    *m = (moments){0};
    PASS_MEM(m->batch = ARENA_NEW(mem, int32_t, of->count));
    PASS_MEM(m->size = ARENA_NEW(mem, double, of->count));
    PASS_MEM(m->x = ARENA_NEW(mem, view, of->count));
    PASS_MEM(m->weight = ARENA_ZERO(mem, const double *, of->count));
    PASS_MEM(m->stats = ARENA_NEW(mem, col_stats *, of->count));
    for (int32_t b = 0; b < of->count; b++) {
        int32_t *rows = ARENA_NEW(mem, int32_t, of->size[b]);
        PASS_MEM(rows);
        int64_t n = rows_of(rows, of->of, b, x->rows, x->n);
        if (n == 0) continue;
        if (n == 1) return batch_refuse_single(of->name[b], err);
        PASS(add_batch(m, b, rows, n, x, weight, mem, err));
    }
    return mat_stats_many(m->count, m->x, m->weight, m->stats, ctx, err);
}

/* Grand mean and pooled deviation; 0 where the feature is constant within a batch. */
static void pool(batch_adjustment *out, const moments *m) {
    for (int64_t j = 0; j < out->d; j++) {
        double mean = 0, var = 0;
        bool varies = true;
        for (int64_t b = 0; b < m->count; b++) {
            const col_stats *s = &m->stats[b][j];
            mean += m->size[b] / m->total * s->mean;
            var += m->size[b] / m->total * s->var;
            varies = varies && s->max > s->min;
        }
        out->mean[j] = mean;
        out->deviation[j] = varies ? sqrt(var) : 0;
    }
}

/* Each batch's mean goes to the overall one. */
static void center(batch_adjustment *out, const moments *m) {
    for (int64_t b = 0; b < m->count; b++)
        for (int64_t j = 0; j < out->d; j++)
            if (out->deviation[j] > 0)
                out->shift[m->batch[b] * out->d + j] = m->stats[b][j].mean - out->mean[j];
}

static pare_status combat(batch_adjustment *out, const moments *m, arena *mem, pare_error *err) {
    int64_t d = out->d, g = 0;
    int64_t *col = ARENA_NEW(mem, int64_t, d);
    PASS_MEM(col);
    for (int64_t j = 0; j < d; j++)
        if (out->deviation[j] > 0) col[g++] = j;
    if (g < 2)
        return error_set(err, PARE_E_DATA,
                         "`batch_method combat` compares features: %" PRId64 " of the %" PRId64
                         " vary in every batch, two or more must; choose center",
                         g, d);
    double *mean, *var, *shift, *scale, *grand, *deviation;
    PASS_MEM(ARENA_NEWS(mem, double, m->count *g, &mean, &var, &shift, &scale));
    PASS_MEM(ARENA_NEWS(mem, double, g, &grand, &deviation));
    for (int64_t q = 0; q < g; q++) {
        grand[q] = out->mean[col[q]];
        deviation[q] = out->deviation[col[q]];
        for (int64_t b = 0; b < m->count; b++) {
            mean[b * g + q] = m->stats[b][col[q]].mean;
            var[b * g + q] = m->stats[b][col[q]].var;
        }
    }
    combat_moments of = {m->count, g, m->size, mean, var, grand, deviation};
    PASS(combat_fit(shift, scale, &of, mem, err));
    for (int64_t b = 0; b < m->count; b++)
        for (int64_t q = 0; q < g; q++) {
            out->shift[m->batch[b] * d + col[q]] = shift[b * g + q];
            out->scale[m->batch[b] * d + col[q]] = scale[b * g + q];
        }
    return PARE_OK;
}

/* Batches without training samples. */
static pare_status see_unseen(batch_adjustment *out, const moments *m, const matrix *x,
                              const pare_data *data, const pare_ctx *ctx, pare_error *err) {
    const batch_list *all = &out->batches;
    for (int32_t b = 0, seen = 0; b < all->count; b++) {
        if (seen < m->count && m->batch[seen] == b) {
            seen++;
            continue;
        }
        if (data->unseen == UNSEEN_REFUSE) return batch_refuse_unseen(all->name[b], err);
        if (data->unseen == UNSEEN_POOLED) continue;
        PASS(batch_check_adapt(all->name[b], all->size[b], err));
        batch_rows own = {.x = x, .fill = out->fill, .d = out->d, .of = all->of, .batch = b};
        PASS(batch_adapt(out->shift + b * out->d, out->scale + b * out->d, &own, out->mean,
                         out->deviation, ctx, err));
    }
    return PARE_OK;
}

static pare_status alloc_adjustment(batch_adjustment *out, const pare_data *data, arena *mem,
                                    pare_error *err) {
    PASS(batches_of(&out->batches, mem, data, err));
    int64_t count = out->batches.count;
    PASS_MEM(out->shift = ARENA_ZERO(mem, double, count * out->d));
    PASS_MEM(out->scale = ARENA_NEW(mem, double, count * out->d));
    PASS_MEM(ARENA_NEWS(mem, double, out->d, &out->mean, &out->deviation));
    for (int64_t i = 0; i < count * out->d; i++) out->scale[i] = 1;
    return PARE_OK;
}

/* The fill of every column, where missing values are filled. */
static pare_status find_fill(batch_adjustment *out, const view *x, const double *weight,
                             const char *missing, arena *mem, const pare_ctx *ctx,
                             pare_error *err) {
    scaling sc;
    double *own = NULL;
    if (!scaling_imputes(missing)) return PARE_OK;
    if (weight) {
        PASS_MEM(own = ARENA_NEW(mem, double, x->n));
        for (int64_t i = 0; i < x->n; i++) own[i] = weight[x->rows ? x->rows[i] : i];
    }
    PASS(scaling_fit(&sc, mem, x, own, "none", missing, ctx, err));
    out->fill = sc.impute;
    return PARE_OK;
}

pare_status batch_adjust(batch_adjustment **made, view *x, const pare_data *data,
                         const char *missing, arena *mem, const pare_ctx *ctx, pare_error *err) {
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    moments m;
    batch_adjustment *out = NULL;
    *made = NULL;
    if (!data->batch.count) return PARE_OK;
    TRY_MEM(out = ARENA_ZERO(mem, batch_adjustment, 1));
    out->d = x->d;
    TRY(alloc_adjustment(out, data, mem, err));
    TRY(find_fill(out, x, data->weight, missing, mem, ctx, err));
    view filled = *x;
    TRY(batch_show(&filled, out->batches.of, NULL, NULL, out->fill, &scratch, err));
    TRY(moments_make(&m, &out->batches, &filled, data->weight, &scratch, ctx, err));
    pool(out, &m);
    if (m.count > 1 && data->batch_by == BATCH_CENTER) center(out, &m);
    if (m.count > 1 && data->batch_by == BATCH_COMBAT) TRY(combat(out, &m, &scratch, err));
    TRY(see_unseen(out, &m, x->x, data, ctx, err));
    TRY(batch_show(x, out->batches.of, out->shift, out->scale, out->fill, mem, err));
    *made = out;
done:
    arena_free(&scratch);
    return status;
}
