/* What a path of times to an event has besides: the time of its calibration, the follow-up, and notes
 * on folds without comparable pairs and on too few events. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "base/p_values.h"
#include "data/feature/quantile.h"
#include "model/hazard_tests.h"
#include "model/model.h"
#include "path/path_setup.h"
#include "task/censoring.h"

/* The median time of the events. */
static pare_status median_event(double *out, const pare_path *p, const pare_ctx *ctx,
                                pare_error *err) {
    int64_t events = 0;
    ranked *list = mem_alloc(ctx_allocator(ctx), p->n, sizeof *list);
    PASS_MEM(list);
    for (int64_t i = 0; i < p->n; i++)
        if (p->y.event[i]) list[events++] = (ranked){p->y.time[i], i};
    sort_least_first(list, events);
    *out = quantile_of(list, events, p->source->weight, 0.5);
    mem_free(ctx_allocator(ctx), list);
    return PARE_OK;
}

/* Reverse Kaplan-Meier: the first time at which half of the samples would have been censored, had none
 * had an event. */
static pare_status follow_up(double *out, const pare_path *p, const pare_ctx *ctx,
                             pare_error *err) {
    censoring g;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    int32_t *rows = ARENA_NEW(&mem, int32_t, p->n);
    *out = NAN;
    TRY_MEM(rows);
    for (int64_t i = 0; i < p->n; i++) rows[i] = (int32_t)i;
    TRY(censoring_make(&g, &mem, &p->y, p->source->weight, rows, p->n, err));
    for (int64_t e = g.count - 1; e >= 0; e--)
        if (g.left[e] <= 0.5) *out = g.time[e];
done:
    arena_free(&mem);
    return status;
}

pare_status path_set_times(pare_path *p, const pare_path_options *o, const pare_ctx *ctx,
                           pare_error *err) {
    double last = 0;
    p->events = p->follow_up = p->setup.at = NAN;
    if (!p->y.task->timed) {
        if (o->at == 0) return PARE_OK;
        return error_set(err, PARE_E_ARGUMENT,
                         "`at` is a time to an event, and the task is %s: leave it out",
                         p->y.task->name);
    }
    p->events = 0;
    for (int64_t i = 0; i < p->n; i++) {
        if (p->y.event[i]) p->events += p->source->weight ? p->source->weight[i] : 1;
        last = fmax(last, p->y.time[i]);
    }
    if (o->at != 0 && !(o->at > 0 && o->at <= last))
        return error_set(err, PARE_E_ARGUMENT,
                         "`at`: %g is not allowed; a time above 0 and up to the last one, %g",
                         o->at, last);
    p->setup.at = o->at;
    if (o->at == 0) PASS(median_event(&p->setup.at, p, ctx, err));
    return follow_up(&p->follow_up, p, ctx, err);
}

/* Names the folds of a run in which the metric is not defined. */
static pare_status note_folds(pare_path *p, int64_t m, const pare_ctx *ctx, pare_error *err) {
    enum { NAMED = 10 };
    char names[NAMED * 22] = "";
    int64_t count = 0, s = p->run[m].chosen;
    for (int64_t j = 0; s >= 0 && j < p->plan.count; j++) {
        const fold_result *r = &p->round.result[j * p->setup.n_methods + m];
        if (!r->done || !isnan(r->score[s * p->setup.n_metrics + p->setup.metric])) continue;
        size_t length = strlen(names);
        if (++count <= NAMED)
            snprintf(names + length, sizeof names - length, "%s%lld", count > 1 ? ", " : "",
                     (long long)(j + 1));
    }
    if (count == 0) return PARE_OK;
    const char *metric = p->y.task->metric[p->setup.metric].words;
    ctx_log(ctx, PARE_LOG_INFO,
            "%s: fold%s %s%s left out of the means: no two samples of the test fold are comparable "
            "in %s",
            p->run[m].name, count > 1 ? "s" : "", names, count > NAMED ? ", ..." : "", metric);
    return path_note(p, err,
                     "%s: fold%s %s%s left out of the means: no two samples of the test "
                     "fold are comparable in %s",
                     p->run[m].name, count > 1 ? "s" : "", names, count > NAMED ? ", ..." : "",
                     metric);
}

pare_status path_note_times(pare_path *p, const pare_ctx *ctx, pare_error *err) {
    for (int64_t m = 0; p->y.task->timed && m < p->setup.n_methods; m++)
        PASS(note_folds(p, m, ctx, err));
    return PARE_OK;
}

/* The interval of a forced-in covariate alone: for features that were chosen by these samples it would
 * be too narrow, and too far from 1. */
static void fill_feature(path_feature *f, const pare_model *model, int64_t i) {
    static const double NORMAL_975 = 1.959963984540054;
    double deviation = f->coef[0] != 0 ? f->weight[0] / f->coef[0] : NAN;
    f->hazard_ratio = exp(f->weight[0]);
    if (i >= model->n_selected || model->n_selected > MAX_TESTED_FEATURES) return;
    f->ph_chi2 = model->tests->feature_chi2[i];
    f->ph_p = chi2_p_value(f->ph_chi2, 1);
    if (!f->kept || isnan(deviation)) return;
    double half = NORMAL_975 * fabs(deviation) * model->tests->se[i];
    f->hazard_low = exp(f->weight[0] - half);
    f->hazard_high = exp(f->weight[0] + half);
}

pare_status path_describe_hazards(pare_path *p, path_run *run, const pare_model *model,
                                  const pare_ctx *ctx, pare_error *err) {
    static const double FEWEST = 10; /* events for each feature */
    if (!p->y.task->timed || !model->tests || run->n_outputs != 1) return PARE_OK;
    run->hazards = (path_hazards){model->tests->chi2, model->tests->df, model->tests->p};
    for (int64_t i = 0; i < run->n_feature; i++) fill_feature(&run->feature[i], model, i);
    if (model->n_selected == 0) return PARE_OK;
    run->events_per_feature = p->events / (double)model->n_selected;
    if (run->events_per_feature >= FEWEST) return PARE_OK;
    ctx_log(ctx, PARE_LOG_WARNING,
            "warning: %s has %.3g events for each of its %lld features, fewer than 10: its "
            "coefficients are uncertain",
            run->name, run->events_per_feature, (long long)model->n_selected);
    return path_note(p, err,
                     "%s has %.3g events for each of its %lld features, fewer than 10: its "
                     "coefficients are uncertain",
                     run->name, run->events_per_feature, (long long)model->n_selected);
}
