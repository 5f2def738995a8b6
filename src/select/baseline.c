#include "select/baseline.h"

#include <math.h>

#include "base/error.h"
#include "select/summary.h"

pare_status baseline_of(double *out, const target *y, const double *weight, const cv_plan *plan,
                        const pare_ctx *ctx, pare_error *err) {
    int64_t metrics = y->task->n_metrics, outputs = target_scores(y);
    const probability own = {.kind = PROBABILITY_OWN};
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *value = ARENA_NEW(&mem, double, plan->count *metrics);
    double *score = ARENA_NEW(&mem, double, outputs);
    TRY_MEM(value && score);
    for (int64_t j = 0; j < plan->count; j++) {
        const cv_part *part = &plan->part[j];
        double *F = ARENA_NEW(&mem, double, part->n_test *outputs);
        TRY_MEM(F);
        y->task->guess(score, y, weight, part->train, part->n_train);
        for (int64_t o = 0; o < outputs; o++)
            for (int64_t i = 0; i < part->n_test; i++) F[o * part->n_test + i] = score[o];
        predictions of = measure_of(y, weight, part, F, outputs);
        if (y->task->timed) {
            double *F_train = ARENA_NEW(&mem, double, part->n_train);
            TRY_MEM(F_train);
            for (int64_t i = 0; i < part->n_train; i++) F_train[i] = score[0];
            of.F_train = F_train;
        }
        TRY(measure_all(value + j * metrics, &of, &own, ctx, err));
    }
    for (int64_t q = 0; q < metrics; q++)
        out[q] = summary_of(value + q, plan->count, metrics, plan->ratio).mean;
done:
    arena_free(&mem);
    return status;
}
