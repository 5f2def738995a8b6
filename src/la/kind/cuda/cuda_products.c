/* X'U and X W on the device. */
#include <string.h>

#include "base/error.h"
#include "la/kind/cuda/cuda_operations.h"
#include "la/kind/cuda/cuda_source.h"

/* ---- X'U ---- */

typedef struct tmul_call {
    cuda_source s;
    int64_t c;
    bool squared;
    cuda_span U, sum;
} tmul_call;

/* The sums are scaled on their way out, as on the processor. */
static void take_sums(const tmul_call *t, const cuda_lane *lane, double *out, int threads) {
    const double *sum = cuda_host(lane, t->sum), *scale = t->s.v->scale;
    int64_t from = t->s.from, now = t->s.now, d = t->s.count;
#pragma omp parallel for num_threads(threads) collapse(2)
    for (int64_t k = 0; k < t->c; k++)
        for (int64_t p = 0; p < now; p++) {
            double by = scale ? scale[view_base(t->s.v, from + p)] : 1;
            out[k * d + from + p] = (t->squared ? by * by : by) * sum[k * now + p];
        }
}

static pare_status tmul_columns(tmul_call *t, cuda_lane *lane, const cuda_plan *plan, int64_t from,
                                int64_t count, double *out, int threads, pare_error *err) {
    PASS(cuda_source_write(&t->s, lane, from, count, threads, err));
    PASS(cuda_upload(lane, plan->inputs, err));
    PASS(cuda_source_store(&t->s, lane, err));
    cuda_tmul_args args = {.x = cuda_source_columns(&t->s, lane),
                           .by = cuda_source_rows(&t->s, lane),
                           .shift = cuda_source_array(&t->s, lane, CUDA_SHIFT),
                           .U = cuda_at(lane, t->U),
                           .out = cuda_at(lane, t->sum),
                           .c = t->c,
                           .squared = t->squared};
    PASS(cuda_run(lane, CUDA_tmul, count, &args, err));
    PASS(cuda_download(lane, t->sum, err));
    PASS(cuda_wait(lane, err));
    take_sums(t, lane, out, threads);
    return PARE_OK;
}

pare_status cuda_tmul(const view *v, const double *U, int64_t c, bool squared, double *out,
                      const pare_ctx *ctx, pare_error *err) {
    tmul_call t = {.c = c, .squared = squared};
    cuda_plan plan = {0};
    cuda_lane *lane;
    double entries = (double)v->d * (double)c;
    pare_status status = PARE_OK;
    cuda_source_open(&t.s, ctx_device(ctx), v, NULL, v->d, CUDA_UNSCALED);
    int64_t chunk = cuda_source_chunk(&t.s, sizeof(double) * (size_t)c, WARP);
    t.U = cuda_plan_input(&plan, v->n * c, sizeof(double));
    cuda_source_plan(&t.s, &plan, chunk);
    t.sum = cuda_plan_output(&plan, chunk * c, sizeof(double));
    TRY(cuda_take(&lane, t.s.d, &plan, "X'U", err));
    memcpy(cuda_host(lane, t.U), U, sizeof *U * (size_t)(v->n * c));
    for (int64_t from = 0; from < v->d; from += chunk)
        TRY(tmul_columns(&t, lane, &plan, from, min64(chunk, v->d - from), out,
                         work_threads(ctx, entries), err));
done:
    cuda_give(lane);
    return status;
}

/* ---- X W ---- */

typedef struct mul_call {
    cuda_source s;
    const double *W; /* s x c */
    int64_t c;
    cuda_span weights, part, sum;
} mul_call;

static int64_t leaves(int64_t columns) { return (columns + PRODUCT_LEAF - 1) / PRODUCT_LEAF; }

/* Adds columns from .. to the sums; outputs k .. k + c - 1. */
static pare_status mul_columns(mul_call *m, cuda_lane *lane, const cuda_plan *plan, int64_t from,
                               int64_t count, int threads, pare_error *err) {
    double *weights = cuda_host(lane, m->weights);
    PASS(cuda_source_write(&m->s, lane, from, count, threads, err));
    for (int64_t k = 0; k < m->c; k++)
        memcpy(weights + k * count, m->W + k * m->s.count + from, sizeof *weights * (size_t)count);
    PASS(cuda_upload(lane, plan->inputs, err));
    PASS(cuda_source_store(&m->s, lane, err));
    int64_t size = m->s.v->n * WARP * m->c, parts = leaves(count);
    cuda_mul_args args = {.x = cuda_source_columns(&m->s, lane),
                          .by = cuda_source_rows(&m->s, lane),
                          .shift = cuda_source_array(&m->s, lane, CUDA_SHIFT),
                          .scale = cuda_source_array(&m->s, lane, CUDA_SCALE),
                          .W = cuda_at(lane, m->weights),
                          .out = cuda_at(lane, m->part),
                          .c = m->c,
                          .threads = parts * m->s.v->n * WARP};
    PASS(cuda_run(lane, CUDA_mul, args.threads, &args, err));
    cuda_sum_args add = {args.out, cuda_at(lane, m->sum), size, parts, from == 0};
    PASS(cuda_run(lane, CUDA_add, size, &add, err));
    return cuda_wait(lane, err);
}

/* F = the sums over the remainders modulo WARP. */
static void take_products(const mul_call *m, const cuda_lane *lane, double *F) {
    const double *sum = cuda_host(lane, m->sum);
    for (int64_t e = 0; e < m->c * m->s.v->n; e++) {
        F[e] = 0;
        for (int64_t k = 0; k < WARP; k++) F[e] += sum[e * WARP + k];
    }
}

static pare_status mul_outputs(mul_call *m, double *F, int threads, pare_error *err) {
    int64_t n = m->s.v->n, size = n * WARP * m->c;
    size_t each = sizeof(double) * (size_t)(m->c * (1 + (n * WARP - 1) / PRODUCT_LEAF + 1));
    int64_t chunk = cuda_source_chunk(&m->s, each, PRODUCT_LEAF);
    cuda_plan plan = {0};
    cuda_lane *lane;
    pare_status status = PARE_OK;
    m->weights = cuda_plan_input(&plan, chunk * m->c, sizeof(double));
    cuda_source_plan(&m->s, &plan, chunk);
    m->part = cuda_plan_scratch(&plan, leaves(chunk) * size, sizeof(double));
    m->sum = cuda_plan_output(&plan, size, sizeof(double));
    TRY(cuda_take(&lane, m->s.d, &plan, "X W", err));
    for (int64_t from = 0; from < m->s.count; from += chunk)
        TRY(mul_columns(m, lane, &plan, from, min64(chunk, m->s.count - from), threads, err));
    TRY(cuda_download(lane, m->sum, err));
    TRY(cuda_wait(lane, err));
    take_products(m, lane, F);
done:
    cuda_give(lane);
    return status;
}

pare_status cuda_mul(const view *v, const int64_t *S, int64_t s, const double *W, int64_t c,
                     double *F, const pare_ctx *ctx, pare_error *err) {
    mul_call m;
    double entries = (double)s;
    cuda_source_open(&m.s, ctx_device(ctx), v, S, s, CUDA_SCALED);
    for (int64_t k = 0; k < c; k += MAX_OUTPUTS) {
        m.W = W + k * s;
        m.c = min64(MAX_OUTPUTS, c - k);
        PASS(mul_outputs(&m, F + k * v->n, work_threads(ctx, entries), err));
    }
    return PARE_OK;
}
