/* Statistics of columns, and what robust scaling needs of them, on the device: the bits of
 * la/pass/stats.c and la/pass/asinh_fit.c. */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "la/kind/cuda/cuda_operations.h"
#include "la/kind/cuda/cuda_source.h"

_Static_assert(sizeof(cuda_stats) == sizeof(col_stats) &&
                   offsetof(cuda_stats, beyond) == offsetof(col_stats, beyond) &&
                   offsetof(cuda_stats, nonzeros) == offsetof(col_stats, nonzeros),
               "the kernel writes col_stats");

enum { FIT_WARPS_EACH = 16 }; /* of a multiprocessor that sort columns at a time */

/* Views of the same columns, each with rows of its own. */
typedef struct sets_call {
    cuda_source s;
    int64_t count, total, most; /* sets, rows of all, most rows of one */
    const view *v;
    const double *const *weight;
    bool weighted;
    cuda_span rows, weights, factors, start, out;
} sets_call;

static void sets_open(sets_call *t, int64_t count, const view *v, const double *const *weight,
                      const pare_ctx *ctx) {
    *t = (sets_call){.count = count, .v = v, .weight = weight};
    cuda_source_open(&t->s, ctx_device(ctx), v, NULL, v->d, CUDA_RAW);
    for (int64_t q = 0; q < count; q++) {
        t->total += v[q].n;
        t->most = max64(t->most, v[q].n);
        t->weighted |= weight && weight[q];
    }
}

static void sets_plan(sets_call *t, cuda_plan *plan, int64_t chunk, size_t result) {
    t->rows = cuda_plan_input(plan, t->total, sizeof(int32_t));
    t->weights = cuda_plan_input(plan, t->weighted ? t->total : 0, sizeof(double));
    t->factors = cuda_plan_input(plan, t->s.by.row ? t->total : 0, sizeof(double));
    t->start = cuda_plan_input(plan, t->count + 1, sizeof(int64_t));
    cuda_source_plan(&t->s, plan, chunk);
    t->out = cuda_plan_output(plan, t->count * chunk, result);
}

static void sets_write(const sets_call *t, const cuda_lane *lane) {
    int32_t *rows = cuda_host(lane, t->rows);
    double *weights = cuda_host(lane, t->weights), *factors = cuda_host(lane, t->factors);
    int64_t *start = cuda_host(lane, t->start), at = 0;
    for (int64_t q = 0; q < t->count; q++) {
        cuda_source own = t->s;
        own.v = &t->v[q];
        start[q] = at;
        for (int64_t i = 0; i < own.v->n; i++, at++) {
            rows[at] = cuda_source_row(&own, i);
            if (t->weighted) weights[at] = t->weight[q] ? t->weight[q][i] : 1;
            if (own.by.row) factors[at] = cuda_source_factor(&own, i);
        }
    }
    start[t->count] = at;
}

static cuda_sets sets_of(const sets_call *t, const cuda_lane *lane) {
    return (cuda_sets){cuda_at(lane, t->rows),
                       cuda_at(lane, t->weights),
                       cuda_at(lane, t->factors),
                       cuda_at(lane, t->start),
                       t->count,
                       t->most};
}

/* Threads for every column and set. */
static int64_t sets_threads(const sets_call *t) {
    return t->count * ((t->s.now + WARP - 1) / WARP * WARP);
}

static pare_status stats_columns(sets_call *t, cuda_lane *lane, const cuda_plan *plan, int64_t from,
                                 int64_t count, col_stats *const *out, int threads,
                                 pare_error *err) {
    PASS(cuda_source_write(&t->s, lane, from, count, threads, err));
    PASS(cuda_upload(lane, plan->inputs, err));
    PASS(cuda_source_store(&t->s, lane, err));
    cuda_stats_args args = {cuda_source_columns(&t->s, lane), sets_of(t, lane),
                            cuda_at(lane, t->out)};
    PASS(cuda_run(lane, CUDA_stats, sets_threads(t), &args, err));
    PASS(cuda_download(lane, t->out, err));
    PASS(cuda_wait(lane, err));
    const col_stats *made = cuda_host(lane, t->out);
#pragma omp parallel for num_threads(threads)
    for (int64_t q = 0; q < t->count; q++)
        memcpy(out[q] + from, made + q * count, sizeof *made * (size_t)count);
    return PARE_OK;
}

pare_status cuda_stats_many(int64_t count, const view *v, const double *const *weight,
                            col_stats *const *out, const pare_ctx *ctx, pare_error *err) {
    sets_call t;
    cuda_plan plan = {0};
    cuda_lane *lane;
    pare_status status = PARE_OK;
    sets_open(&t, count, v, weight, ctx);
    int64_t chunk = cuda_source_chunk(&t.s, sizeof(col_stats) * (size_t)count, WARP);
    sets_plan(&t, &plan, chunk, sizeof(col_stats));
    TRY(cuda_take(&lane, t.s.d, &plan, "statistics of the features", err));
    sets_write(&t, lane);
    for (int64_t from = 0; from < v->d; from += chunk)
        TRY(stats_columns(&t, lane, &plan, from, min64(chunk, v->d - from), out,
                          work_threads(ctx, (double)v->d * (double)count), err));
done:
    cuda_give(lane);
    return status;
}

/* ---- robust scaling ---- */

typedef struct fit_call {
    sets_call t;
    double unit;
    int64_t warps;
    cuda_span var, scratch;
    const asinh_fit *out;
} fit_call;

static void fit_take(const fit_call *f, const cuda_lane *lane, int threads) {
    const cuda_fit *made = cuda_host(lane, f->t.out);
    int64_t from = f->t.s.from, now = f->t.s.now;
#pragma omp parallel for num_threads(threads) collapse(2)
    for (int64_t q = 0; q < f->t.count; q++)
        for (int64_t p = 0; p < now; p++) {
            const cuda_fit *own = &made[q * now + p];
            f->out[q].median[from + p] = own->median;
            f->out[q].spread[from + p] = own->spread;
            f->out[q].s[from + p].mean = own->mean;
            f->out[q].s[from + p].var = own->var;
        }
}

static pare_status fit_columns(fit_call *f, cuda_lane *lane, const cuda_plan *plan, int64_t from,
                               int64_t count, int threads, pare_error *err) {
    double *var = cuda_host(lane, f->var);
    PASS(cuda_source_write(&f->t.s, lane, from, count, threads, err));
#pragma omp parallel for num_threads(threads) collapse(2)
    for (int64_t q = 0; q < f->t.count; q++)
        for (int64_t p = 0; p < count; p++) var[q * count + p] = f->out[q].s[from + p].var;
    PASS(cuda_upload(lane, plan->inputs, err));
    PASS(cuda_source_store(&f->t.s, lane, err));
    cuda_fit_args args = {.x = cuda_source_columns(&f->t.s, lane),
                          .sets = sets_of(&f->t, lane),
                          .var = cuda_at(lane, f->var),
                          .unit = f->unit,
                          .scratch = cuda_at(lane, f->scratch),
                          .out = cuda_at(lane, f->t.out),
                          .warps = f->warps};
    PASS(cuda_run(lane, CUDA_fit, f->warps * WARP, &args, err));
    PASS(cuda_download(lane, f->t.out, err));
    PASS(cuda_wait(lane, err));
    fit_take(f, lane, threads);
    return PARE_OK;
}

pare_status cuda_asinh_fit_many(int64_t count, const view *v, double unit, const asinh_fit *out,
                                const pare_ctx *ctx, pare_error *err) {
    fit_call f = {.unit = unit, .out = out};
    cuda_plan plan = {0};
    cuda_lane *lane;
    pare_status status = PARE_OK;
    sets_open(&f.t, count, v, NULL, ctx);
    size_t each = (sizeof(cuda_fit) + sizeof(double)) * (size_t)count;
    int64_t chunk = cuda_source_chunk(&f.t.s, each, WARP);
    f.warps = min64(max64(1, FIT_WARPS_EACH * f.t.s.d->multiprocessors), count * (chunk / WARP));
    f.var = cuda_plan_input(&plan, count * chunk, sizeof(double));
    sets_plan(&f.t, &plan, chunk, sizeof(cuda_fit));
    f.scratch = cuda_plan_scratch(&plan, f.warps * WARP * f.t.most, sizeof(double));
    TRY(cuda_take(&lane, f.t.s.d, &plan, "the quantiles of the features", err));
    sets_write(&f.t, lane);
    for (int64_t from = 0; from < v->d; from += chunk)
        TRY(fit_columns(&f, lane, &plan, from, min64(chunk, v->d - from),
                        work_threads(ctx, (double)v->d * (double)count), err));
done:
    cuda_give(lane);
    return status;
}
