/* Sigmoids for the predictors of a training fold at every size: folds of its samples, one curve on
 * each, and Platt's fit to the scores of the held-out samples. */
#include <math.h>

#include "base/error.h"
#include "task/class_weight.h"
#include "select/calibrate.h"
#include "select/curve.h"
#include "select/measure.h"

typedef struct left_out {
    int64_t n, outputs, size; /* samples of the training fold; size: number of scores of one
                                 point */
    int64_t *place;           /* of each row of the data in the training fold */
    int32_t *cls;
    const double *weight; /* class weights included; or NULL */
    double *F;            /* n_sets x n_sizes x (n x outputs) */
    double *score;        /* scratch of one curve */
    int64_t *used;
    double *part_F; /* n_sets x n_sizes x test samples x outputs */
} left_out;

static pare_status open_left_out(left_out *l, arena *mem, const curve_job *job, pare_error *err) {
    const cv_part *part = job->part;
    int64_t points = job->n_sets * job->n_sizes;
    l->n = part->n_train;
    l->outputs = target_scores(job->y);
    l->size = l->n * l->outputs;
    pare_status status = PARE_OK;
    TRY_MEM(l->place = ARENA_NEW(mem, int64_t, job->data->x.n));
    TRY_MEM(l->cls = ARENA_NEW(mem, int32_t, l->n));
    TRY_MEM(l->F = ARENA_NEW(mem, double, points * l->size));
    TRY_MEM(l->part_F = ARENA_NEW(mem, double, points * l->size));
    TRY_MEM(l->score = ARENA_NEW(mem, double, points *MAX_METRICS));
    TRY_MEM(l->used = ARENA_NEW(mem, int64_t, job->n_sizes));
    double *weight = NULL;
    if (job->data->weight) TRY_MEM(weight = ARENA_NEW(mem, double, l->n));
    for (int64_t i = 0; i < l->n; i++) {
        l->place[part->train[i]] = i;
        l->cls[i] = job->y->cls[part->train[i]];
        if (weight) weight[i] = job->data->weight[part->train[i]];
    }
    target y = *job->y;
    y.cls = l->cls;
    TRY(class_weight_apply(&l->weight, mem, &y, weight, l->n, job->set->common.class_weight, err));
done:
    return status;
}

/* Runs the curves of one fold, into l->F. */
static pare_status run_fold(left_out *l, curve *out, const curve_job *job, const cv_part *fold,
                            const pare_ctx *ctx, pare_error *err) {
    curve_job own = *job;
    int64_t points = job->n_sets * job->n_sizes, part = fold->n_test * l->outputs;
    own.part = fold;
    own.calibrates = false;
    own.n_shared = 0;
    for (int64_t i = 0; i < points * part; i++) l->part_F[i] = NAN;
    for (int64_t g = 0; g < job->n_sets; g++)
        out[g] = (curve){.score = l->score + g * job->n_sizes * MAX_METRICS,
                         .used = l->used,
                         .F = l->part_F + g * job->n_sizes * part};
    pare_status status = curve_run(out, &own, ctx, err);
    if (status != PARE_OK) return status;
    for (int64_t q = 0; q < points; q++)
        for (int64_t o = 0; o < l->outputs; o++)
            for (int64_t i = 0; i < fold->n_test; i++)
                l->F[q * l->size + o * l->n + l->place[fold->test[i]]] =
                    l->part_F[q * part + o * fold->n_test + i];
    return PARE_OK;
}

/* As many folds as the training fold allows, at most CALIBRATION_FOLDS. */
static pare_status make_plan(cv_plan *plan, arena *mem, const curve_job *job, const pare_ctx *ctx,
                             pare_error *err) {
    pare_status status = PARE_E_DATA;
    for (int64_t folds = CALIBRATION_FOLDS; folds >= 2 && status == PARE_E_DATA; folds--) {
        cv_request request = {.folds = folds, .repeats = 1, .group = job->group};
        status = plan_make(plan, mem, &request, job->y, job->part->train, job->part->n_train,
                           job->seed, ctx, err);
    }
    return status;
}

pare_status curve_calibrate(probability **out, arena *mem, const curve_job *job,
                            const pare_ctx *ctx, pare_error *err) {
    int64_t points = job->n_sets * job->n_sizes;
    left_out l = {0};
    cv_plan plan;
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    curve *curves = ARENA_NEW(&scratch, curve, job->n_sets);
    TRY_MEM(curves);
    TRY_MEM(*out = ARENA_ZERO(mem, probability, points));
    TRY(open_left_out(&l, &scratch, job, err));
    TRY(make_plan(&plan, &scratch, job, ctx, err));
    for (int64_t j = 0; j < plan.count; j++)
        TRY(run_fold(&l, curves, job, &plan.part[j], ctx, err));
    for (int64_t q = 0; q < points; q++) {
        bool there = !job->want || job->want[q];
        for (int64_t e = 0; there && e < l.size; e++) there = !isnan(l.F[q * l.size + e]);
        if (!there) continue;
        probability *how = &(*out)[q];
        TRY_MEM(how->a = ARENA_NEW(mem, double, l.outputs));
        TRY_MEM(how->b = ARENA_NEW(mem, double, l.outputs));
        TRY(calibrate_outputs(how->a, how->b, l.F + q * l.size, l.n, l.outputs, l.cls, l.weight,
                              ctx, err));
        how->kind = PROBABILITY_SIGMOID;
    }
done:
    arena_free(&scratch);
    return status;
}
