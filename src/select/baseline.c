#include "select/baseline.h"

#include <math.h>

#include "base/error.h"
#include "select/summary.h"

/* The scores that every test sample gets: log odds of the classes' proportions in the training
 * fold, or its mean. */
static void baseline_scores(double *score, const target *y, const double *weight,
                            const cv_part *part) {
    int64_t outputs = y->n_classes > 2 ? y->n_classes : 1;
    double total = 0;
    for (int64_t o = 0; o < outputs; o++) score[o] = 0;
    for (int64_t i = 0; i < part->n_train; i++) {
        int64_t row = part->train[i];
        double w = weight ? weight[row] : 1;
        total += w;
        if (y->task == TASK_REGRESSION)
            score[0] += w * y->value[row];
        else if (outputs > 1)
            score[y->cls[row]] += w;
        else
            score[0] += y->cls[row] == 1 ? w : 0;
    }
    if (y->task == TASK_REGRESSION)
        score[0] /= total;
    else if (y->task == TASK_RANKING)
        score[0] = 0;
    else if (outputs == 1)
        score[0] = log(score[0] / (total - score[0]));
    for (int64_t o = 0; outputs > 1 && o < outputs; o++) score[o] = log(score[o] / total);
}

pare_status baseline_of(double *out, const target *y, const double *weight, const cv_plan *plan,
                        const pare_ctx *ctx, pare_error *err) {
    int64_t metrics = measure_count(y->task), outputs = y->n_classes > 2 ? y->n_classes : 1;
    const probability own = {.kind = PROBABILITY_OWN};
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    double *value = ARENA_NEW(&mem, double, plan->count *metrics);
    double *score = ARENA_NEW(&mem, double, outputs);
    TRY_MEM(value);
    TRY_MEM(score);
    for (int64_t j = 0; j < plan->count; j++) {
        const cv_part *part = &plan->part[j];
        double *F = ARENA_NEW(&mem, double, part->n_test *outputs);
        TRY_MEM(F);
        baseline_scores(score, y, weight, part);
        for (int64_t o = 0; o < outputs; o++)
            for (int64_t i = 0; i < part->n_test; i++) F[o * part->n_test + i] = score[o];
        TRY(measure_all(value + j * metrics, y, part->test, part->n_test, F, outputs, &own, ctx,
                        err));
    }
    for (int64_t q = 0; q < metrics; q++)
        out[q] = summary_of(value + q, plan->count, metrics, plan->ratio).mean;
done:
    arena_free(&mem);
    return status;
}
