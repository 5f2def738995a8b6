/* Survival curves: S(t) = exp(-H(t) exp(risk)), H the baseline hazard of the sample's stratum. */
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/number.h"
#include "model/model.h"
#include "task/hazard.h"

static pare_status check_times(const double *times, int64_t count, pare_error *err) {
    for (int64_t k = 0; k < count; k++)
        if (!(times[k] >= 0 && times[k] < INFINITY))
            return error_set(err, PARE_E_ARGUMENT,
                             "`times`: %g is not allowed; times are finite numbers, at least 0",
                             times[k]);
    return PARE_OK;
}

double model_recalibrated_risk(const pare_model *m, double risk) {
    const model_recalibration *r = &m->recalibration;
    return r->kind ? r->a + r->b * risk : risk;
}

void model_apply_recalibration(pare_model *m) {
    m->calibration.again = m->recalibration.kind && m->task->classes;
    m->calibration.again_a = m->recalibration.a;
    m->calibration.again_b = m->recalibration.b;
}

pare_status model_curve(const baseline_curve **out, const pare_model *m, const pare_data *data,
                        int64_t i, pare_error *err) {
    const strings *strata = &data->target.strata;
    const baseline_curve *first = &m->baseline->stratum[0];
    char id[32];
    *out = first;
    if (!first->name) return PARE_OK;
    if (strata->count == 0)
        return error_set(
            err, PARE_E_ARGUMENT,
            "the model was fitted with strata, each with a baseline hazard of its own: "
            "give those of these samples with `strata`");
    *out = baseline_find(m->baseline, strings_at(strata, i));
    if (*out) return PARE_OK;
    return error_set(err, PARE_E_DATA,
                     "the stratum \"%.64s\" of sample %.64s is not one of the %lld that the model "
                     "was fitted to (\"%.64s\", ...)",
                     strings_at(strata, i), pare_data_id(data, i, id),
                     (long long)m->baseline->n_strata, first->name);
}

/* A curve is held after its last time. */
static void note_ends(const pare_model *m, const double *times, int64_t count,
                      const pare_ctx *ctx) {
    char digits[2][32];
    double last = INFINITY, largest = 0;
    for (int64_t k = 0; k < m->baseline->n_strata; k++) {
        const baseline_curve *c = &m->baseline->stratum[k];
        last = fmin(last, c->count > 0 ? c->time[c->count - 1] : 0);
    }
    for (int64_t k = 0; k < count; k++) largest = fmax(largest, times[k]);
    if (!(largest > last)) return;
    number_format(largest, digits[0]);
    number_format(last, digits[1]);
    ctx_log(ctx, PARE_LOG_INFO,
            "time %s is after the last event of the training samples, %s%s: S is held there",
            digits[0], digits[1], m->baseline->n_strata > 1 ? " in a stratum" : "");
}

static void note_strata(const pare_model *m, const pare_data *data, const pare_ctx *ctx) {
    if (!m->baseline->stratum[0].name && data->target.strata.count > 0)
        ctx_log(
            ctx, PARE_LOG_INFO,
            "the model was fitted without strata, which make no difference to what it predicts");
}

pare_status pare_predict_survival(double *survival, double *median, const pare_model *m,
                                  const pare_data *data, const double *times, int64_t n_times,
                                  const pare_ctx *ctx, pare_error *err) {
    int64_t n = data->x.n;
    const baseline_curve *curve;
    double *risk = NULL;
    pare_status status = PARE_OK;
    if (!m->baseline)
        return error_set(err, PARE_E_ARGUMENT,
                         "a model of task %s has no survival curves: only those of survival have",
                         m->task->name);
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    TRY(check_times(times, n_times, err));
    note_strata(m, data, ctx);
    TRY_MEM(risk = mem_alloc(ctx_allocator(ctx), n, sizeof *risk));
    TRY(pare_predict(risk, m, data, ctx, err));
    for (int64_t i = 0; i < n; i++) {
        risk[i] = model_recalibrated_risk(m, risk[i]);
        TRY(model_curve(&curve, m, data, i, err));
        for (int64_t k = 0; k < n_times; k++)
            survival[k * n + i] = baseline_survival(curve, risk[i], times[k]);
        if (median) median[i] = baseline_median(curve, risk[i]);
    }
    note_ends(m, times, n_times, ctx);
done:
    mem_free(ctx_allocator(ctx), risk);
    return status;
}
