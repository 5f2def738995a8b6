/* The task regression: the outcome is a number, and so is its prediction, the one score. */
#include <math.h>

#include "base/error.h"
#include "task/labels.h"
#include "task/metrics.h"

static const metric_info metrics[] = {
    {"mean_absolute_error", false, false, false, 0, INFINITY, PROPORTION_NONE,
     "mean absolute error"},
    {"mean_squared_error", false, false, false, 0, INFINITY, PROPORTION_NONE, "mean squared error"},
    {"r2", true, false, false, -INFINITY, 1, PROPORTION_NONE, "R2"},
    {"root_mean_squared_error", false, false, false, 0, INFINITY, PROPORTION_NONE,
     "root mean squared error"}};

/* The mean. */
static void guess(double *score, const target *y, const double *weight, const int32_t *rows,
                  int64_t n) {
    double total = 0;
    score[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = weight ? weight[rows[i]] : 1;
        total += w;
        score[0] += w * y->value[rows[i]];
    }
    score[0] /= total;
}

static pare_status measure(double *out, const predictions *p, const pare_ctx *ctx,
                           pare_error *err) {
    double *truth = mem_alloc(ctx_allocator(ctx), p->n, sizeof *truth);
    if (!truth) return error_memory(err);
    for (int64_t i = 0; i < p->n; i++) truth[i] = p->y->value[p->rows[i]];
    regression_metrics r = metrics_regression(p->n, truth, p->F);
    out[0] = r.mean_absolute_error;
    out[1] = r.root_mean_squared_error * r.root_mean_squared_error;
    out[2] = r.r2;
    out[3] = r.root_mean_squared_error;
    mem_free(ctx_allocator(ctx), truth);
    return PARE_OK;
}

static pare_status read(target *out, const pare_data *data, arena *mem, pare_error *err) {
    int64_t n = data->x.n;
    out->value = ARENA_NEW(mem, double, n);
    if (!out->value) return error_memory(err);
    for (int64_t i = 0; i < n; i++)
        if (!target_column_number(&data->target, i, &out->value[i]))
            return labels_refuse(data, i, "not a number", err);
    return PARE_OK;
}

const task_type task_regression = {.kind = TASK_REGRESSION,
                                   .name = "regression",
                                   .word = "regress",
                                   .has_target = true,
                                   .real = true,
                                   .metric = metrics,
                                   .n_metrics = sizeof metrics / sizeof metrics[0],
                                   .baseline = "mean baseline",
                                   .read = read,
                                   .guess = guess,
                                   .measure = measure};
