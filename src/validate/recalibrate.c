/* Recalibration: the a and b by which log odds a + b z, or risks a + b z of survival, agree with what
 * was observed. intercept: b = 1. z is the model's own, before any earlier recalibration. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "data/checksum.h"
#include "validate/validation.h"

static pare_status by_classes(pare_validation *v, const cohort_samples *s, bool slope,
                              pare_error *err) {
    model_recalibration *r = &v->recalibration;
    probability own = s->model->calibration;
    double *Z = ARENA_NEW(&v->mem, double, 2 * s->n);
    PASS_MEM(Z);
    own.again = false;
    probability_log_odds(Z, &own, s->F, s->n, s->outputs);
    logistic_job job = {.n = s->n, .z = Z + s->n, .cls = s->y.cls, .positive = 1};
    r->b = slope ? logistic_slope(&job, &r->a).value : 1;
    if (!slope) r->a = logistic_intercept(&job).value;
    return PARE_OK;
}

static pare_status by_risks(pare_validation *v, const cohort_samples *s, bool slope,
                            const pare_ctx *ctx, pare_error *err) {
    model_recalibration *r = &v->recalibration;
    pare_estimate b = {1, 1, 1};
    double observed = 0, expected = 0;
    if (!s->hazard)
        return error_set(
            err, PARE_E_ARGUMENT,
            "`recalibrate`: the model has a hazard for each stratum; give the samples' "
            "with `strata`");
    if (slope) PASS(cox_slope(&b, &s->y, s->n, s->F, s->weight, ctx, err));
    for (int64_t i = 0; i < s->n; i++) {
        double w = s->weight ? s->weight[i] : 1;
        observed += w * s->y.event[i];
        expected += w * s->hazard[i] * exp(b.value * s->F[i]);
    }
    r->b = b.value;
    r->a = log(observed / expected);
    return PARE_OK;
}

static pare_status check_kind(const pare_model *m, const char *kind, pare_error *err) {
    const task_type *task = m->task;
    bool classes = task->classes && !task->several;
    if (!classes && !task->timed)
        return error_set(err, PARE_E_ARGUMENT,
                         "`recalibrate` %s: models of two classes and of survival can be "
                         "recalibrated, this one is of task %s",
                         kind, task->name);
    if (classes && m->calibration.kind == PROBABILITY_NONE)
        return error_set(err, PARE_E_ARGUMENT,
                         "`recalibrate` %s: the model has no probabilities; fit it again with "
                         "`probability`",
                         kind);
    return PARE_OK;
}

pare_status recalibrate(pare_validation *v, const cohort_samples *s, const char *kind,
                        const pare_ctx *ctx, pare_error *err) {
    bool slope = strcmp(kind, "slope") == 0;
    model_recalibration *r = &v->recalibration;
    PASS(check_kind(s->model, kind, err));
    PASS(s->model->task->timed ? by_risks(v, s, slope, ctx, err) : by_classes(v, s, slope, err));
    if (!isfinite(r->a) || !isfinite(r->b))
        return error_set(
            err, PARE_E_DATA,
            "`recalibrate` %s: the samples do not determine it: they have one outcome, "
            "equal predictions, or predictions that part the outcomes without error",
            kind);
    if (!(r->b > 0))
        return error_set(err, PARE_E_DATA,
                         "`recalibrate` slope: in these samples higher predictions go with fewer "
                         "events (slope %.3g); a recalibration would turn the model around",
                         r->b);
    r->kind = slope ? "slope" : "intercept";
    return data_checksum(s->of->given, ctx, r->sha256, err);
}
