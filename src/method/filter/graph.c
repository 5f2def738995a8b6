#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "method/filter/sample_pairs.h"

/* Squared distances from the Gram matrix, in its place. */
static void distances(double *K, int64_t n, double *square) {
    for (int64_t i = 0; i < n; i++) square[i] = K[i * n + i];
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            K[j * n + i] = i == j ? 0 : fmax(0, square[i] + square[j] - 2 * K[j * n + i]);
}

/* near[i * n + k]: k is among the nearest of i; equal distances by index. */
static void mark_nearest(bool *near, const double *D, int64_t n, int64_t k, ranked *heap) {
    for (int64_t i = 0; i < n; i++) {
        int64_t count = 0;
        for (int64_t j = 0; j < n; j++)
            if (j != i) keep_best(heap, &count, k, (ranked){-D[i * n + j], j});
        for (int64_t e = 0; e < count; e++) near[i * n + heap[e].index] = true;
    }
}

static bool joined(const bool *near, int64_t n, int64_t i, int64_t j) {
    return near[i * n + j] || near[j * n + i];
}

static pare_status list_edges(graph *g, arena *mem, const bool *near, const double *D,
                              pare_error *err) {
    pair_list *p = &g->edges;
    int64_t n = p->n, count = 0;
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++) count += joined(near, n, i, j);
    p->start = ARENA_ZERO(mem, int64_t, n + 1);
    p->other = ARENA_NEW(mem, int32_t, count);
    p->coef = ARENA_NEW(mem, double, count);
    if (!p->start || !p->other || !p->coef) return error_memory(err);
    count = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = i + 1; j < n; j++) {
            if (!joined(near, n, i, j)) continue;
            p->other[count] = (int32_t)j;
            sum += p->coef[count++] = D[i * n + j];
        }
        p->start[i + 1] = count;
    }
    double t = sum / (double)count;
    for (int64_t e = 0; e < count; e++) p->coef[e] = t > 0 ? exp(-p->coef[e] / t) : 1;
    return PARE_OK;
}

pare_status graph_make(graph *g, arena *mem, const fit_job *job, int64_t neighbours,
                       const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, k = neighbours < n - 1 ? neighbours : n - 1;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    double *K, *weight;
    bool *near;
    ranked *heap;
    *g = (graph){.edges.n = n};
    TRY(ctx_check_memory(ctx, 9 * (double)n * (double)n, "the distances of the samples", err));
    TRY_MEM(K = ARENA_NEW(&scratch, double, n *n));
    TRY_MEM(near = ARENA_ZERO(&scratch, bool, n *n));
    TRY_MEM(heap = ARENA_NEW(&scratch, ranked, k + 1));
    TRY_MEM(weight = fit_weights(&scratch, job->weight, n, NULL));
    TRY_MEM(g->degree = ARENA_ZERO(mem, double, n));
    view x = fit_centred(job);
    TRY(mat_gram(&x, NULL, NULL, K, ctx, err));
    distances(K, n, g->degree);
    memset(g->degree, 0, sizeof(double) * (size_t)n);
    if (k > 0) mark_nearest(near, K, n, k, heap);
    TRY(list_edges(g, mem, near, K, err));
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = g->edges.start[i]; e < g->edges.start[i + 1]; e++) {
            int64_t j = g->edges.other[e];
            double coef = g->edges.coef[e] *= weight[i] * weight[j];
            g->degree[i] += coef;
            g->degree[j] += coef;
            g->total += 2 * coef;
        }
done:
    arena_free(&scratch);
    return status;
}
