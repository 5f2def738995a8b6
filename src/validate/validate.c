#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "problem/problem.h"
#include "select/plan.h"
#include "task/hazard.h"
#include "validate/validation.h"

enum { PURPOSE_VALIDATE = 0x76616c69 };

void pare_validate_options_init_sized(pare_validate_options *o, size_t struct_size) {
    const pare_validate_options defaults = {.struct_size = sizeof defaults,
                                            .absent = "refuse",
                                            .prevalence = NAN,
                                            .cut = NAN,
                                            .at = NAN,
                                            .recalibrate = "none"};
    options_give(o, struct_size, &defaults, sizeof defaults);
}

pare_status validation_note(pare_validation *v, pare_error *err, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ctx_log(v->ctx, PARE_LOG_INFO, "%s", text);
    bool kept = strings_add(&v->notes, &v->mem.mem, text, (int64_t)strlen(text));
    return kept ? PARE_OK : error_memory(err);
}

/* --- what can be asked of which model --- */

static pare_status check_share(double x, const char *name, bool probable, const pare_model *m,
                               pare_error *err) {
    if (isnan(x)) return PARE_OK;
    if (!m->task->classes || m->task->several)
        return error_set(err, PARE_E_ARGUMENT,
                         "`%s` is for models of two classes, this one is of task %s", name,
                         m->task->name);
    if (!probable)
        return error_set(err, PARE_E_ARGUMENT,
                         "`%s` needs probabilities, which the model does not have: fit it again "
                         "with `probability`",
                         name);
    if (!(x > 0 && x < 1))
        return error_set(err, PARE_E_ARGUMENT, "`%s`: %g is not allowed; it is between 0 and 1",
                         name, x);
    return PARE_OK;
}

static pare_status check_word(const char *word, const char *name, const char *const *allowed,
                              pare_error *err) {
    for (int i = 0; i < 3; i++)
        if (strcmp(word, allowed[i]) == 0) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT, "`%s`: \"%.64s\" is not allowed; expected %s, %s or %s",
                     name, word, allowed[0], allowed[1], allowed[2]);
}

static pare_status check_same_outcome(const pare_model *m, const pare_model *other,
                                      pare_error *err) {
    bool same = m->task == other->task && m->n_classes == other->n_classes;
    for (int64_t c = 0; same && c < m->n_classes; c++)
        same = strcmp(m->classes[c], other->classes[c]) == 0;
    if (same) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT,
                     "`against`: the models are of different outcomes: task %s and %s, or other "
                     "classes, or these in another order",
                     m->task->name, other->task->name);
}

static pare_status check_options(const pare_model *m, const pare_validate_options *o, int64_t count,
                                 pare_error *err) {
    static const char *const absent[] = {"refuse", "mean", "alternative"};
    static const char *const recalibrations[] = {"none", "intercept", "slope"};
    bool probable = m->calibration.kind != PROBABILITY_NONE;
    PASS(check_word(o->absent, "absent", absent, err));
    PASS(check_word(o->recalibrate, "recalibrate", recalibrations, err));
    PASS(check_share(o->prevalence, "prevalence", probable, m, err));
    PASS(check_share(o->cut, "cut", probable, m, err));
    if (!isnan(o->at) && !m->task->timed)
        return error_set(err, PARE_E_ARGUMENT,
                         "`at` is for models of survival, this one is of "
                         "task %s",
                         m->task->name);
    if (!isnan(o->at) && !(o->at >= 0 && o->at < INFINITY))
        return error_set(err, PARE_E_ARGUMENT,
                         "`at`: %g is not allowed; times are finite numbers, at least 0", o->at);
    if (count < 1) return error_set(err, PARE_E_ARGUMENT, "there are no data to validate with");
    if (count > 1 && o->by_group)
        return error_set(err, PARE_E_ARGUMENT,
                         "`cohort` parts one data set; %lld were given, which are a cohort each",
                         (long long)count);
    if (count > 1 && strcmp(o->recalibrate, "none") != 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "`recalibrate` goes by one data set; %lld were given", (long long)count);
    return o->against ? check_same_outcome(m, o->against, err) : PARE_OK;
}

/* --- a data set, and what the model predicts of it --- */

static bool lacks_strata(const pare_model *m, const pare_data *data) {
    return m->baseline->stratum[0].name && data->target.strata.count == 0;
}

static pare_status predict_times(pare_validation *v, validated_data *of, const pare_model *m,
                                 double at, const pare_ctx *ctx, pare_error *err) {
    int64_t n = of->known.x.n;
    const baseline_curve *curve;
    if (lacks_strata(m, &of->known) && isnan(at))
        return validation_note(v, err,
                               "observed / expected of \"%.64s\" needs the hazard of each stratum: "
                               "give the samples' with `strata`",
                               of->name);
    PASS_MEM(of->hazard = ARENA_NEW(&v->mem, double, n));
    for (int64_t i = 0; i < n; i++) {
        PASS(model_curve(&curve, m, &of->known, i, err));
        of->hazard[i] = baseline_hazard(curve, of->y.time[i]);
    }
    if (isnan(at)) return PARE_OK;
    PASS_MEM(of->event_by = ARENA_NEW(&v->mem, double, n));
    PASS(pare_predict_survival(of->event_by, NULL, m, &of->known, &at, 1, ctx, err));
    for (int64_t i = 0; i < n; i++) of->event_by[i] = 1 - of->event_by[i];
    return PARE_OK;
}

static pare_status predict_data(pare_validation *v, validated_data *of, const pare_model *m,
                                const pare_validate_options *o, const pare_ctx *ctx,
                                pare_error *err) {
    int64_t n = of->given->x.n;
    PASS(absent_fill(v, of, m, o->absent, ctx, err));
    PASS(problem_against(&of->y, &v->mem, m, &of->known, err));
    PASS_MEM(of->F = ARENA_NEW(&v->mem, double, n *predictor_width(&m->p)));
    return pare_predict(of->F, m, &of->known, ctx, err);
}

/* The error of one data set among several, with its name. */
static pare_status named(pare_status status, const validated_data *of, int64_t count,
                         pare_error *err) {
    char message[sizeof err->message];
    if (status == PARE_OK || !err || count < 2 || strstr(err->message, of->name)) return status;
    memcpy(message, err->message, sizeof message);
    snprintf(err->message, sizeof err->message, "%.128s: %.880s", of->name, message);
    return status;
}

/* --- a cohort: some samples of a data set --- */

static pare_status take_scores(cohort_samples *s, arena *mem, pare_error *err) {
    int64_t n = s->n, all = s->of->given->x.n;
    s->outputs = predictor_width(&s->model->p);
    PASS_MEM(s->F = ARENA_NEW(mem, double, n * s->outputs));
    for (int64_t o = 0; o < s->outputs; o++)
        for (int64_t i = 0; i < n; i++) s->F[o * n + i] = s->of->F[o * all + s->rows[i]];
    return PARE_OK;
}

static pare_status take_values(double **out, const double *from, const cohort_samples *s,
                               arena *mem, pare_error *err) {
    if (!from) return PARE_OK;
    PASS_MEM(*out = ARENA_NEW(mem, double, s->n));
    for (int64_t i = 0; i < s->n; i++) (*out)[i] = from[s->rows[i]];
    return PARE_OK;
}

static pare_status take_probabilities(cohort_samples *s, arena *mem, pare_error *err) {
    const pare_model *m = s->model;
    if (m->calibration.kind == PROBABILITY_NONE) return PARE_OK;
    PASS_MEM(s->Z = ARENA_NEW(mem, double, s->n * m->n_classes));
    PASS_MEM(s->P = ARENA_NEW(mem, double, s->n * m->n_classes));
    probability_log_odds(s->Z, &m->calibration, s->F, s->n, s->outputs);
    probability_of(s->P, &m->calibration, s->F, s->n, s->outputs);
    return PARE_OK;
}

/* s->model, of, rows, n and at are set. */
static pare_status take_cohort(cohort_samples *s, arena *mem, pare_error *err) {
    PASS(target_take(&s->y, mem, &s->of->y, s->rows, s->n, err));
    PASS(take_scores(s, mem, err));
    if (s->model->task->classes) return take_probabilities(s, mem, err);
    if (!s->model->task->timed) return PARE_OK;
    PASS(take_values(&s->weight, s->of->given->weight, s, mem, err));
    PASS(take_values(&s->hazard, s->of->hazard, s, mem, err));
    PASS(take_values(&s->P, s->of->event_by, s, mem, err));
    PASS(take_values(&s->Z, s->of->F, s, mem, err));
    for (int64_t i = 0; i < s->n; i++) s->Z[i] = model_recalibrated_risk(s->model, s->Z[i]);
    return PARE_OK;
}

static int64_t count_events(const cohort_samples *s) {
    int64_t count = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (s->model->task->timed) count += s->y.event[i];
        if (s->y.cls && s->model->n_classes == 2) count += s->y.cls[i];
    }
    return count;
}

/* What of a cohort leaves numbers undefined. */
static pare_status note_limits(pare_validation *v, const pare_cohort *c, const cohort_samples *s,
                               pare_error *err) {
    bool equal = true, one = s->y.cls != NULL;
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t o = 0; o < s->outputs; o++) equal &= s->F[o * s->n + i] == s->F[o * s->n];
        one = one && s->y.cls[i] == s->y.cls[0];
    }
    if (one)
        return validation_note(
            v, err,
            "all %lld samples of \"%.64s\" are of class \"%.64s\": what compares "
            "classes is not defined there",
            (long long)s->n, c->name, s->y.classes[s->y.cls[0]]);
    if (s->model->task->timed && c->n_events == 0)
        return validation_note(v, err,
                               "no sample of \"%.64s\" has an event: what compares risks is not "
                               "defined there",
                               c->name);
    if (equal && s->n > 1)
        return validation_note(v, err,
                               "all predictions in \"%.64s\" are equal: they tell no sample from "
                               "another",
                               c->name);
    for (int64_t k = 0; k < c->n_calibrations; k++)
        if (isnan(c->calibration[k].slope.value) && s->n > 2)
            return validation_note(v, err,
                                   "the predictions part the outcomes of \"%.64s\" without error: "
                                   "no finite calibration slope describes that",
                                   c->name);
    return PARE_OK;
}

typedef struct validating {
    pare_validation *v;
    const pare_validate_options *o;
    const pare_model *model;
    const double **draws; /* of each cohort */
    uint64_t seed;
} validating;

static pare_status judge_cohort(validating *job, int64_t at, const char *name, cohort_samples *s,
                                const validated_data *other, const pare_ctx *ctx, pare_error *err) {
    pare_validation *v = job->v;
    pare_cohort *c = (pare_cohort *)&v->info.cohort[at];
    cohort_samples against = *s;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *draws = ARENA_NEW(&v->mem, double, v->n_metrics *VALIDATION_DRAWS);
    TRY_MEM(draws);
    job->draws[at] = draws;
    TRY_MEM(c->name = arena_text(&v->mem, name));
    TRY(take_cohort(s, &mem, err));
    if (other) {
        against.of = other;
        against.model = job->o->against;
        TRY(take_scores(&against, &mem, err));
    }
    c->n = s->n;
    c->n_events = count_events(s);
    c->n_absent = s->of->n_absent;
    c->absent = s->of->absent;
    TRY(metrics_fill(v, c, draws, s, other ? &against : NULL,
                     plan_seed(job->seed, PURPOSE_VALIDATE + (uint64_t)at), ctx, err));
    TRY(calibration_fill(v, c, s, err));
    TRY(decision_fill(v, c, s, err));
    TRY(confusion_fill(v, c, s, job->o->cut, err));
    TRY(shift_fill(v, c, s, ctx, err));
    TRY(note_limits(v, c, s, err));
done:
    arena_free(&mem);
    return status;
}

/* Rows of each of `count` groups, one after the other. */
static pare_status judge_groups(validating *job, const validated_data *of,
                                const validated_data *other, const pare_ctx *ctx, pare_error *err) {
    const strings *names = &of->given->fold_group;
    int64_t n = of->given->x.n, count;
    arena *mem = &job->v->mem;
    int32_t *number = ARENA_NEW(mem, int32_t, n), *rows = ARENA_NEW(mem, int32_t, n);
    PASS_MEM(number && rows);
    PASS(plan_number(number, &count, names, ctx, err));
    pare_cohort *cohort = ARENA_ZERO(mem, pare_cohort, count);
    PASS_MEM(cohort && (job->draws = ARENA_NEW(mem, const double *, count)));
    job->v->info.cohort = cohort;
    job->v->info.n_cohorts = count;
    for (int64_t g = 0; g < count; g++) {
        cohort_samples s = {.model = job->model, .of = of, .rows = rows, .at = job->o->at};
        for (int64_t i = 0; i < n; i++)
            if (number[i] == g) rows[s.n++] = (int32_t)i;
        PASS(judge_cohort(job, g, strings_at(names, rows[0]), &s, other, ctx, err));
    }
    return PARE_OK;
}

static int32_t *all_rows(arena *mem, int64_t n) {
    int32_t *rows = ARENA_NEW(mem, int32_t, n);
    for (int64_t i = 0; rows && i < n; i++) rows[i] = (int32_t)i;
    return rows;
}

/* All samples of the data, for the recalibration. */
static pare_status recalibrate_all(validating *job, const validated_data *of, const pare_ctx *ctx,
                                   pare_error *err) {
    arena mem = arena_of(ctx);
    cohort_samples s = {.model = job->model, .of = of, .n = of->given->x.n, .at = job->o->at};
    pare_status status = PARE_OK;
    TRY_MEM(s.rows = all_rows(&mem, s.n));
    TRY(take_cohort(&s, &mem, err));
    TRY(recalibrate(job->v, &s, job->o->recalibrate, ctx, err));
done:
    arena_free(&mem);
    return status;
}

static pare_status judge_data(validating *job, validated_data *of, validated_data *other,
                              int64_t at, int64_t count, const pare_ctx *ctx, pare_error *err) {
    pare_validation *v = job->v;
    PASS(named(predict_data(v, of, job->model, job->o, ctx, err), of, count, err));
    if (job->model->task->timed)
        PASS(named(predict_times(v, of, job->model, job->o->at, ctx, err), of, count, err));
    if (other)
        PASS(named(predict_data(v, other, job->o->against, job->o, ctx, err), of, count, err));
    if (strcmp(job->o->recalibrate, "none") != 0) PASS(recalibrate_all(job, of, ctx, err));
    if (job->o->by_group) return judge_groups(job, of, other, ctx, err);
    cohort_samples s = {.model = job->model,
                        .of = of,
                        .rows = all_rows(&v->mem, of->given->x.n),
                        .n = of->given->x.n,
                        .at = job->o->at};
    PASS_MEM(s.rows);
    return judge_cohort(job, at, of->name, &s, other, ctx, err);
}

/* The metrics that these samples can have: not those relative to the training samples, nor without
 * probabilities those of probabilities. */
static pare_status begin(pare_validation *v, const pare_model *m, const pare_validate_options *o,
                         pare_error *err) {
    const char **name = ARENA_NEW(&v->mem, const char *, m->task->n_metrics);
    PASS_MEM(name);
    for (int64_t i = 0; i < m->task->n_metrics; i++) {
        const metric_info *of = &m->task->metric[i];
        bool probable = m->calibration.kind != PROBABILITY_NONE &&
                        (!o->against || o->against->calibration.kind != PROBABILITY_NONE);
        if (of->relative || (of->probable && !probable)) continue;
        name[v->n_metrics] = of->name;
        v->metric[v->n_metrics++] = i;
    }
    v->info = (pare_validation_info){.task = m->task->name,
                                     .n_metrics = v->n_metrics,
                                     .metric = name,
                                     .n_classes = m->n_classes,
                                     .prevalence = o->prevalence,
                                     .at = o->at};
    const char **classes = ARENA_NEW(&v->mem, const char *, m->n_classes);
    PASS_MEM(classes);
    for (int64_t c = 0; c < m->n_classes; c++)
        PASS_MEM(classes[c] = arena_text(&v->mem, m->classes[c]));
    v->info.classes = classes;
    if (!m->task->classes || m->calibration.kind != PROBABILITY_NONE) return PARE_OK;
    return validation_note(v, err,
                           "calibration and net benefit need probabilities, which the model does "
                           "not have: fit it again with `probability`");
}

static pare_status end(pare_validation *v, pare_error *err) {
    const char **notes = ARENA_NEW(&v->mem, const char *, v->notes.count);
    PASS_MEM(notes);
    for (int64_t i = 0; i < v->notes.count; i++) notes[i] = strings_at(&v->notes, i);
    v->info.n_notes = v->notes.count;
    v->info.notes = notes;
    v->ctx = NULL;
    return PARE_OK;
}

static pare_status validate_within(pare_validation *v, const pare_model *m,
                                   const pare_data *const *data, const char *const *names,
                                   int64_t count, const pare_validate_options *o,
                                   const pare_ctx *ctx, pare_error *err) {
    validating job = {.v = v, .o = o, .model = m, .seed = ctx->seed};
    validated_data of = {0}, other = {0};
    pare_status status = PARE_OK;
    TRY(check_options(m, o, count, err));
    if (o->by_group && data[0]->fold_group.count == 0) {
        status =
            error_set(err, PARE_E_ARGUMENT, "`cohort`: the data name no cohort of the samples");
        goto done;
    }
    TRY(begin(v, m, o, err));
    pare_cohort *cohort = ARENA_ZERO(&v->mem, pare_cohort, count);
    TRY_MEM(cohort && (job.draws = ARENA_NEW(&v->mem, const double *, count)));
    v->info.cohort = cohort;
    v->info.n_cohorts = count;
    for (int64_t i = 0; i < count; i++) {
        of = (validated_data){.name = names[i], .given = data[i]};
        other = of;
        status = judge_data(&job, &of, o->against ? &other : NULL, i, count, ctx, err);
        strings_free(&of.names, &v->mem.mem);
        strings_free(&other.names, &v->mem.mem);
        if (status != PARE_OK) goto done;
    }
    TRY(pooled_fill(v, m->task, job.draws, err));
    TRY(end(v, err));
done:
    return status;
}

pare_status pare_validate(pare_validation **out, const pare_model *model,
                          const pare_data *const *data, const char *const *names, int64_t count,
                          const pare_validate_options *options, const pare_ctx *ctx,
                          pare_error *err) {
    pare_validate_options own;
    call c;
    *out = NULL;
    pare_validate_options_init(&own);
    PASS(options_take(&own, options, sizeof own, "pare_validate_options_init", err));
    pare_status status = call_begin(&c, ctx, err);
    pare_validation *v = status == PARE_OK ? mem_zero(ctx_allocator(ctx), 1, sizeof *v) : NULL;
    if (status == PARE_OK && !v) status = error_memory(err);
    if (v) {
        arena_init(&v->mem, ctx_allocator(ctx));
        v->ctx = &c.ctx;
        status = validate_within(v, model, data, names, count, &own, &c.ctx, err);
    }
    call_end(&c);
    if (status == PARE_OK)
        *out = v;
    else
        pare_validation_free(v);
    return status;
}

void pare_validation_free(pare_validation *v) {
    if (!v) return;
    pare_allocator mem = v->mem.mem;
    strings_free(&v->notes, &mem);
    arena_free(&v->mem);
    mem_free(&mem, v);
}

const pare_validation_info *pare_validation_get(const pare_validation *v) { return &v->info; }
