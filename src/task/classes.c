/* The tasks binary and multiclass: samples belong to classes, one of which is predicted. Two classes
 * have one score, log odds or the like, positive for the last class; several one score each. */
#include <math.h>

#include "base/error.h"
#include "task/labels.h"
#include "task/metrics.h"

static const metric_info metrics[] = {
    {"accuracy", true, false, false, 0, 1, PROPORTION_SAMPLES, "accuracy"},
    {"balanced_accuracy", true, false, false, 0, 1, PROPORTION_CLASS, "balanced accuracy"},
    {"auc", true, false, false, 0, 1, PROPORTION_CLASS, "AUC"},
    {"f1", true, false, false, 0, 1, PROPORTION_CLASS, "F1"},
    {"mcc", true, false, false, -1, 1, PROPORTION_NONE, "Matthews correlation"},
    {"log_loss", false, true, false, 0, INFINITY, PROPORTION_NONE, "log loss"},
    {"brier", false, true, false, 0, INFINITY, PROPORTION_NONE, "Brier score"}};
enum { N_METRICS = sizeof metrics / sizeof metrics[0] };

/* Log odds of the last of two classes, or the logarithms of several classes' proportions. */
static void guess(double *score, const target *y, const double *weight, const int32_t *rows,
                  int64_t n) {
    int64_t outputs = target_scores(y);
    double total = 0;
    for (int64_t o = 0; o < outputs; o++) score[o] = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = weight ? weight[rows[i]] : 1;
        int32_t c = y->cls[rows[i]];
        total += w;
        if (outputs > 1)
            score[c] += w;
        else
            score[0] += c == 1 ? w : 0;
    }
    if (outputs == 1) score[0] = log(score[0] / (total - score[0]));
    for (int64_t o = 0; outputs > 1 && o < outputs; o++) score[o] = log(score[o] / total);
}

/* The AUC of two classes; of several the mean over classes of each against the rest. */
static pare_status mean_auc(double *out, const int32_t *truth, bool *positive, int64_t n,
                            const double *F, int64_t outputs, const pare_ctx *ctx,
                            pare_error *err) {
    double sum = 0, defined = 0;
    for (int64_t o = 0; o < outputs; o++) {
        ranking_metrics r;
        for (int64_t i = 0; i < n; i++) positive[i] = truth[i] == (outputs == 1 ? 1 : o);
        PASS(metrics_ranking(&r, n, positive, F + o * n, 0, ctx, err));
        if (isnan(r.auc)) continue;
        sum += r.auc;
        defined++;
    }
    *out = defined > 0 ? sum / defined : NAN;
    return PARE_OK;
}

static pare_status measure(double *out, const predictions *p, const pare_ctx *ctx,
                           pare_error *err) {
    const target *y = p->y;
    const int32_t *rows = p->rows;
    const double *F = p->F;
    int64_t n = p->n, outputs = p->outputs;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    int32_t *truth = ARENA_NEW(&mem, int32_t, n), *predicted = ARENA_NEW(&mem, int32_t, n);
    bool *positive = ARENA_NEW(&mem, bool, n);
    TRY_MEM(truth && predicted && positive);
    for (int64_t i = 0; i < n; i++) {
        truth[i] = y->cls[rows[i]];
        predicted[i] = (int32_t)scores_decide(F + i, outputs, n);
    }
    out[0] = metrics_accuracy(n, truth, predicted);
    TRY(metrics_balanced_accuracy(&out[1], n, y->n_classes, truth, predicted, ctx, err));
    TRY(mean_auc(&out[2], truth, positive, n, F, outputs, ctx, err));
    TRY(metrics_agreement(&out[3], &out[4], n, y->n_classes, truth, predicted, ctx, err));
    out[5] = out[6] = NAN;
    if (p->P) metrics_probability(&out[5], &out[6], n, y->n_classes, truth, p->P);
done:
    arena_free(&mem);
    return status;
}

const task_type task_binary = {.kind = TASK_BINARY,
                               .name = "binary",
                               .word = "classify",
                               .has_target = true,
                               .classes = true,
                               .least_classes = 2,
                               .most_classes = 2,
                               .metric = metrics,
                               .n_metrics = N_METRICS,
                               .baseline = "majority-class baseline",
                               .read = labels_read,
                               .guess = guess,
                               .measure = measure};

const task_type task_multiclass = {.kind = TASK_MULTICLASS,
                                   .name = "multiclass",
                                   .word = "classify",
                                   .has_target = true,
                                   .classes = true,
                                   .several = true,
                                   .least_classes = 3,
                                   .most_classes = INT32_MAX,
                                   .metric = metrics,
                                   .n_metrics = N_METRICS,
                                   .baseline = "majority-class baseline",
                                   .read = labels_read,
                                   .guess = guess,
                                   .measure = measure};
