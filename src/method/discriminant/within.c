#include "method/discriminant/within.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"

static const double FLOOR =
    CLASS_FLOOR; /* of the total variance: features constant within classes */

/* One column; of_listed: c scratch. Sums run over the listed samples first, the rest by class. */
static void see_column(within *s, int64_t j, const column *col, const int32_t *cls,
                       double *of_listed) {
    int64_t c = s->c, d = s->d;
    double *M = s->M + j, mean = 0, inside = 0, between = 0;
    memset(of_listed, 0, sizeof *of_listed * (size_t)c);
    for (int64_t k = 0; k < c; k++) M[k * d] = 0;
    for (int64_t e = 0; e < col->count; e++) {
        int64_t i = col->index ? col->index[e] : e;
        of_listed[cls[i]] += s->weight[i];
        M[cls[i] * d] += s->weight[i] * (col->value[e] - col->rest);
    }
    for (int64_t k = 0; k < c; k++) {
        mean += M[k * d] / s->total;
        M[k * d] /= s->of_class[k];
    }
    for (int64_t e = 0; e < col->count; e++) {
        int64_t i = col->index ? col->index[e] : e;
        double off = col->value[e] - col->rest - M[cls[i] * d];
        inside += s->weight[i] * off * off;
    }
    for (int64_t k = 0; k < c; k++) {
        double others = col->index ? s->of_class[k] - of_listed[k] : 0;
        inside += fmax(others, 0) * M[k * d] * M[k * d];
        M[k * d] -= mean;
        between += s->of_class[k] * M[k * d] * M[k * d];
    }
    s->mean[j] = mean + col->rest;
    s->dev[j] = sqrt(fmax(inside / (s->total - (double)c), FLOOR * (inside + between) / s->total));
}

static pare_status see_columns(within *s, const fit_job *job, arena *mem, const pare_ctx *ctx,
                               pare_error *err) {
    int threads = ctx_threads(ctx);
    walk *walks = ARENA_NEW(mem, walk, threads);
    double *scratch = ARENA_NEW(mem, double, threads * s->c);
    if (!walks || !scratch) return error_memory(err);
    pare_status status = walks_open(walks, threads, job->x, NULL, s->d, ctx, err);
    if (status != PARE_OK) return status;
    span own = mat_share(job->x, 1, ctx);
    int64_t mine = own.to - own.from;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) /* a column's result does not depend on its thread */
        for (int64_t j = own.from + mine * t / threads, end = own.from + mine * (t + 1) / threads;
             j < end; j++) {
            column col;
            if (!walk_at(&walks[t], j, &col)) break;
            see_column(s, j, &col, job->y->cls, scratch + t * s->c);
        }
    TRY(walks_end(walks, threads, PARE_OK, err));
    TRY(mat_join(job->x, 1, s->mean, sizeof *s->mean, ctx, err));
    TRY(mat_join(job->x, 1, s->dev, sizeof *s->dev, ctx, err));
    for (int64_t k = 0; k < s->c; k++)
        TRY(mat_join(job->x, 1, s->M + k * s->d, sizeof *s->M, ctx, err));
done:
    return status;
}

pare_status within_make(within *out, arena *mem, const fit_job *job, const pare_ctx *ctx,
                        pare_error *err) {
    int64_t n = job->x->n, d = job->x->d, c = job->y->n_classes;
    *out = (within){.n = n, .d = d, .c = c};
    PASS_MEM(out->weight = fit_weights(mem, job->weight, n, &out->total));
    PASS_MEM(out->of_class = ARENA_ZERO(mem, double, c));
    PASS_MEM(ARENA_NEWS(mem, double, d, &out->mean, &out->dev));
    PASS_MEM(out->M = ARENA_NEW(mem, double, d *c));
    if (!(out->total > (double)c))
        return error_set(err, PARE_E_DATA,
                         "%g samples of %lld classes leave nothing to estimate the variance within "
                         "classes from",
                         out->total, (long long)c);
    for (int64_t i = 0; i < n; i++) out->of_class[job->y->cls[i]] += out->weight[i];
    phase before = ctx_phase(ctx, PHASE_COLUMNS);
    pare_status status = see_columns(out, job, mem, ctx, err);
    ctx_phase(ctx, before);
    return status;
}
