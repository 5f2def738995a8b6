/* The task ranking: two labels, and samples of the last are to come first. One score, of which only
 * the order counts. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "task/labels.h"
#include "task/metrics.h"

static const metric_info metrics[] = {
    {"auc", true, false, false, 0, 1, PROPORTION_CLASS, "AUC"},
    {"average_precision", true, false, false, 0, 1, PROPORTION_NONE, "average precision"},
    {"top_rate", true, false, false, 0, 1, PROPORTION_NONE, "top rate"},
    {"top_count", true, false, false, 0, INFINITY, PROPORTION_NONE, "top count"},
    {"precision_at_k", true, false, false, 0, 1, PROPORTION_NONE, "precision at k"}};

/* No order. */
static void guess(double *score, const target *y, const double *weight, const int32_t *rows,
                  int64_t n) {
    (void)y, (void)weight, (void)rows, (void)n;
    score[0] = 0;
}

static pare_status measure(double *out, const predictions *p, const pare_ctx *ctx,
                           pare_error *err) {
    ranking_metrics r = {0};
    bool *positive = mem_alloc(ctx_allocator(ctx), p->n, sizeof *positive);
    if (!positive) return error_memory(err);
    for (int64_t i = 0; i < p->n; i++) positive[i] = p->y->cls[p->rows[i]] == 1;
    pare_status status = metrics_ranking(&r, p->n, positive, p->F, 0, ctx, err);
    const double all[] = {r.auc, r.average_precision, r.top_rate, r.top_count, r.precision_at_k};
    memcpy(out, all, sizeof all);
    mem_free(ctx_allocator(ctx), positive);
    return status;
}

const task_type task_ranking = {.kind = TASK_RANKING,
                                .name = "ranking",
                                .word = "rank",
                                .has_target = true,
                                .by_order = true,
                                .least_classes = 2,
                                .most_classes = 2,
                                .metric = metrics,
                                .n_metrics = sizeof metrics / sizeof metrics[0],
                                .baseline = "baseline without any order",
                                .read = labels_read,
                                .guess = guess,
                                .measure = measure};
