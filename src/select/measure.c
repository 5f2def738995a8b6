#include "select/measure.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "model/predictor.h"
#include "select/metrics.h"

static const measure_info of_classes[] = {
    {"accuracy", true, false}, {"balanced_accuracy", true, false},
    {"auc", true, false},      {"f1", true, false},
    {"mcc", true, false},      {"log_loss", false, true},
    {"brier", false, true}};
static const measure_info of_rankings[] = {{"auc", true, false},
                                           {"average_precision", true, false},
                                           {"top_rate", true, false},
                                           {"top_count", true, false},
                                           {"precision_at_k", true, false}};
static const measure_info of_regression[] = {{"mean_absolute_error", false, false},
                                             {"mean_squared_error", false, false},
                                             {"r2", true, false},
                                             {"root_mean_squared_error", false, false}};

static const measure_info *table_of(task_kind task, int64_t *count) {
    switch (task) {
    case TASK_RANKING: *count = sizeof of_rankings / sizeof of_rankings[0]; return of_rankings;
    case TASK_REGRESSION:
        *count = sizeof of_regression / sizeof of_regression[0];
        return of_regression;
    case TASK_BINARY:
    case TASK_MULTICLASS:
    case TASK_NONE: break;
    }
    *count = sizeof of_classes / sizeof of_classes[0];
    return of_classes;
}

int64_t measure_count(task_kind task) {
    int64_t count;
    table_of(task, &count);
    return count;
}

measure_info measure_at(task_kind task, int64_t i) {
    int64_t count;
    return table_of(task, &count)[i];
}

int64_t measure_find(task_kind task, const char *name) {
    int64_t count;
    const measure_info *table = table_of(task, &count);
    for (int64_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0) return i;
    return -1;
}

static pare_status measure_classes(double *out, const int32_t *truth, int64_t n, int64_t n_classes,
                                   const double *F, int64_t outputs, int32_t *predicted,
                                   bool *positive, const pare_ctx *ctx, pare_error *err) {
    double sum = 0, defined = 0;
    for (int64_t i = 0; i < n; i++) predicted[i] = (int32_t)predictor_decide(F + i, outputs, n);
    out[0] = metrics_accuracy(n, truth, predicted);
    pare_status status =
        metrics_balanced_accuracy(&out[1], n, n_classes, truth, predicted, ctx, err);
    for (int64_t o = 0; o < outputs && status == PARE_OK; o++) {
        ranking_metrics r;
        for (int64_t i = 0; i < n; i++) positive[i] = truth[i] == (outputs == 1 ? 1 : o);
        status = metrics_ranking(&r, n, positive, F + o * n, 0, ctx, err);
        if (status != PARE_OK || isnan(r.auc)) continue;
        sum += r.auc;
        defined++;
    }
    out[2] = defined > 0 ? sum / defined : NAN;
    if (status == PARE_OK)
        status = metrics_agreement(&out[3], &out[4], n, n_classes, truth, predicted, ctx, err);
    return status;
}

static pare_status measure_ranking(double *out, const int32_t *truth, int64_t n, const double *F,
                                   bool *positive, const pare_ctx *ctx, pare_error *err) {
    ranking_metrics r = {0};
    for (int64_t i = 0; i < n; i++) positive[i] = truth[i] == 1;
    pare_status status = metrics_ranking(&r, n, positive, F, 0, ctx, err);
    const double all[] = {r.auc, r.average_precision, r.top_rate, r.top_count, r.precision_at_k};
    memcpy(out, all, sizeof all);
    return status;
}

pare_status measure_all(double *out, const target *y, const int32_t *rows, int64_t n,
                        const double *F, int64_t outputs, const probability *how,
                        const pare_ctx *ctx, pare_error *err) {
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    if (y->task == TASK_REGRESSION) {
        double *truth = ARENA_NEW(&mem, double, n);
        TRY_MEM(truth);
        for (int64_t i = 0; i < n; i++) truth[i] = y->value[rows[i]];
        regression_metrics r = metrics_regression(n, truth, F);
        out[0] = r.mean_absolute_error;
        out[1] = r.root_mean_squared_error * r.root_mean_squared_error;
        out[2] = r.r2;
        out[3] = r.root_mean_squared_error;
        goto done;
    }
    int32_t *truth = ARENA_NEW(&mem, int32_t, n), *predicted = ARENA_NEW(&mem, int32_t, n);
    bool *positive = ARENA_NEW(&mem, bool, n);
    TRY_MEM(truth);
    TRY_MEM(predicted);
    TRY_MEM(positive);
    for (int64_t i = 0; i < n; i++) truth[i] = y->cls[rows[i]];
    if (y->task == TASK_RANKING)
        TRY(measure_ranking(out, truth, n, F, positive, ctx, err));
    else
        TRY(measure_classes(out, truth, n, y->n_classes, F, outputs, predicted, positive, ctx,
                            err));
    if (y->task == TASK_RANKING) goto done;
    out[5] = out[6] = NAN;
    if (!how || how->kind == PROBABILITY_NONE) goto done;
    double *P = ARENA_NEW(&mem, double, n * y->n_classes);
    TRY_MEM(P);
    probability_of(P, how, F, n, outputs);
    metrics_probability(&out[5], &out[6], n, y->n_classes, truth, P);

done:
    arena_free(&mem);
    return status;
}
