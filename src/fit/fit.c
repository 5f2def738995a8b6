/* From data and settings to a model: target, scaling, the method, the choice of k, the final
 * classifier, raw units, certificates. Methods do none of this. */
#include "fit/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/p_values.h"
#include "base/number.h"
#include "fit/duration_notice.h"
#include "data/checksum.h"
#include "la/device.h"
#include "select/leaks.h"
#include "method/pipeline.h"
#include "problem/problem.h"
#include "model/baseline_hazard.h"
#include "model/feature_terms.h"
#include "model/hazard_tests.h"
#include "model/model_batch.h"
#include "select/batch_notes.h"
#include "select/max_correlation.h"
#include "select/fitting.h"

/* How many features to select, with a note if the user gave no number or one that is not
 * possible. */
static pare_status count_selected(pare_model *model, const fitting *f, const fit_result *r,
                                  pare_error *err) {
    int64_t d = f->x.d, kept = f->terms.n_kept, usable = d - f->sc.n_constant, k = f->set->common.k;
    bool limited = f->set->common.budget > 0;
    char note[160] = "";
    bool counted = !f->terms.group || choice_is(f->set->common.count, "groups");
    if (f->n_passed > 0)
        snprintf(note, sizeof note,
                 "passed over, as the correlation with a selected feature is above %g: %lld %s%s",
                 f->set->common.max_correlation, (long long)f->n_passed,
                 f->terms.group ? "group" : "feature", PLURAL(f->n_passed));
    else if (k > usable - kept && !f->terms.group)
        snprintf(note, sizeof note, "only %lld of the %lld feature%s %s not constant",
                 (long long)usable, (long long)d, PLURAL(d), usable == 1 ? "is" : "are");
    else if (k > f->n_picked && counted && !(r->limit > 0 && k > r->limit))
        snprintf(note, sizeof note, "only %lld group%s %s features that are not constant",
                 (long long)f->n_picked, PLURAL(f->n_picked), f->n_picked == 1 ? "has" : "have");
    if (k < 0) k = f->n_picked;
    if (f->set->common.k < 0 && !limited && !(r->n_outputs > 0 || r->n_support > 0 || r->support))
        snprintf(note, sizeof note, "k was not given: the best %lld of the ranking %s taken",
                 (long long)k, k == 1 ? "was" : "were");
    if (!r->n_outputs && k > 0 && !limited) model->selecting.common.k = k; /* in effect */
    if (note[0] && !strings_add(&model->notes, &model->mem.mem, note, (int64_t)strlen(note)))
        return error_memory(err);
    return PARE_OK;
}

static double *copy(arena *mem, const double *v, int64_t n) {
    double *out = ARENA_NEW(mem, double, n);
    if (out && n) memcpy(out, v, sizeof *out * (size_t)n);
    return out;
}

/* Tests of the risks on the training samples; x: the selected features in the predictor's units. */
static pare_status fill_tests(pare_model *model, const fitting *f, const view *x,
                              const double *risk, const pare_ctx *ctx, pare_error *err) {
    setting_value ties;
    bool named = settings_named(&ties, f->set, f->m->group, "ties");
    bool efron = named && choice_is(ties.text, "efron");
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    int64_t k = x->d <= MAX_TESTED_FEATURES ? x->d : 0;
    double *X = ARENA_NEW(&mem, double, x->n *k);
    TRY_MEM(X);
    TRY_MEM(model->tests = ARENA_ZERO(&model->mem, hazard_tests, 1));
    if (k > 0) TRY(mat_columns(x, NULL, k, X, ctx, err));
    TRY(hazard_tests_make(model->tests, &model->mem, X, x->n, x->d, &f->y, f->weight, risk, efron,
                          err));
done:
    arena_free(&mem);
    return status;
}

/* The baseline hazard, from the predictor's values of the training samples. */
static pare_status fill_baseline(pare_model *model, const fitting *f, const pare_ctx *ctx,
                                 pare_error *err) {
    arena *mem = &model->mem;
    view x = f->x;
    if (!f->y.task->timed) return PARE_OK;
    x.shift = x.scale = NULL; /* the predictor's units */
    x.cols = model->index;
    x.d = model->n_selected;
    model->baseline = ARENA_ZERO(mem, baseline, 1);
    double *risk = ARENA_NEW(mem, double, x.n);
    if (!model->baseline || !risk) return error_memory(err);
    PASS(predictor_apply(risk, &model->p, &x, ctx, err));
    for (int64_t i = 0; f->offset && i < x.n; i++) risk[i] += f->offset[i];
    PASS(baseline_make(model->baseline, mem, &f->y, x.n, f->weight, risk, err));
    return fill_tests(model, f, &x, risk, ctx, err);
}

/* The predictor of the result on the selected columns, in raw units, with their scaling and the
 * dual. */
static pare_status fill_predictor(pare_model *model, const fitting *f, const fit_result *r,
                                  bool refitted, const pare_ctx *ctx, pare_error *err) {
    int64_t k = model->n_selected;
    arena *mem = &model->mem;
    model->shift = ARENA_NEW(mem, double, k);
    model->scale = ARENA_NEW(mem, double, k);
    if (f->sc.fill) model->impute = ARENA_NEW(mem, double, k);
    if (f->sc.spread) model->median = ARENA_NEW(mem, double, k);
    if (f->sc.spread) model->spread = ARENA_NEW(mem, double, k);
    model->n_dual = r->n_dual;
    model->dual = copy(mem, r->dual, f->x.n * r->n_dual);
    if (!model->shift || !model->scale || !model->dual || (f->sc.fill && !model->impute))
        return error_memory(err);
    if (f->sc.spread && !(model->median && model->spread)) return error_memory(err);
    for (int64_t i = 0; i < k; i++) {
        int64_t j = model->index[i];
        if (f->sc.spread) model->median[i] = f->sc.median[j];
        if (f->sc.spread) model->spread[i] = f->sc.spread[j];
        model->shift[i] = f->sc.shift ? f->sc.shift[j] : 0;
        model->scale[i] = f->sc.scale ? f->sc.scale[j] : 1;
        if (f->sc.fill) model->impute[i] = (f->batch ? f->batch->fill : f->sc.impute)[j];
    }
    PASS(model_batch_keep(model, f->batch, f->data, err));
    model->predictor = (pare_report){r->objective, r->outcome, {PARE_CERT_NONE, NAN, NAN}};
    model->iterations = r->iterations;
    const method *final = refitted && ends_in_classifier(f->m, f->set) ? f->classifier : f->m;
    fitted from = {.r = r, .x = *fitting_view(f, final), .y = &f->y, .weight = f->weight};
    from.owner = model;
    from.x.cols = model->index;
    from.x.d = k;
    if (refitted) from.place = r->support;
    PASS(predictor_from_result(&model->p, mem, &from, ctx, err));
    return fill_baseline(model, f, ctx, err);
}

/* The solution of the selection problem, in raw units. */
static pare_status fill_point(pare_model *model, const fitting *f, const fit_result *r,
                              pare_error *err) {
    arena *mem = &model->mem;
    int64_t k = r->n_point, c = target_scores(&f->y);
    const view *x = fitting_view(f, f->m);
    if (!r->point) return PARE_OK;
    model->n_selection_coef = k;
    model->n_selection_outputs = c;
    model->selection_index = ARENA_NEW(mem, int64_t, k);
    model->selection_coef = ARENA_NEW(mem, double, k *c);
    model->selection_intercept = ARENA_NEW(mem, double, c);
    if (!model->selection_index || !model->selection_coef || !model->selection_intercept)
        return error_memory(err);
    for (int64_t i = 0; i < k; i++) model->selection_index[i] = r->point[i];
    for (int64_t o = 0; o < c; o++) {
        double b = r->point_b[o];
        for (int64_t i = 0; i < k; i++) {
            int64_t j = r->point[i];
            double coef = r->point_W[o * k + i] * (x->scale ? x->scale[j] : 1);
            model->selection_coef[o * k + i] = coef;
            b -= coef * (x->shift ? x->shift[j] : 0);
        }
        model->selection_intercept[o] = b;
    }
    return PARE_OK;
}

static pare_status fill_selection(pare_model *model, const fitting *f, const fit_result *r,
                                  pare_error *err) {
    arena *mem = &model->mem;
    model->has_selection = true;
    model->selection = (pare_report){r->objective, r->outcome, {PARE_CERT_NONE, NAN, NAN}};
    model->iterations += r->iterations;
    model->n_selection_dual = r->n_dual;
    model->n_selection_cols = r->n_cols;
    bool fine = true;
    if (r->n_dual) fine &= (model->selection_dual = copy(mem, r->dual, f->x.n * r->n_dual)) != NULL;
    if (r->z) fine &= (model->selection_z = copy(mem, r->z, r->n_cols)) != NULL;
    if (r->cols) {
        model->selection_cols = ARENA_NEW(mem, int64_t, r->n_cols);
        fine &= model->selection_cols != NULL;
        for (int64_t i = 0; fine && i < r->n_cols; i++) model->selection_cols[i] = r->cols[i];
    }
    if (!fine) return error_memory(err);
    return fill_point(model, f, r, err);
}

/* p-values, and their q-values among all features. */
static pare_status fill_p(pare_model *model, const fit_result *r, const int64_t *chosen,
                          pare_error *err) {
    int64_t d = model->n_ranked, k = model->n_selected;
    arena *mem = &model->mem;
    double *q = ARENA_NEW(mem, double, d);
    model->p_value = ARENA_NEW(mem, double, k);
    model->q_value = ARENA_NEW(mem, double, k);
    model->ranking_p = ARENA_NEW(mem, double, d);
    model->ranking_q = ARENA_NEW(mem, double, d);
    if (!q || !model->p_value || !model->q_value || !model->ranking_p || !model->ranking_q ||
        !false_discovery(q, r->p, d, &mem->mem))
        return error_memory(err);
    for (int64_t i = 0; i < k; i++) {
        model->p_value[i] = r->p[chosen[i]];
        model->q_value[i] = q[chosen[i]];
    }
    for (int64_t i = 0; i < d; i++) {
        model->ranking_p[i] = r->p[r->ranking[i]];
        model->ranking_q[i] = q[r->ranking[i]];
    }
    return PARE_OK;
}

static pare_status fill_features(pare_model *model, const fitting *f, const fit_result *r,
                                 const int64_t *chosen, pare_error *err) {
    int64_t d = f->x.d, k = model->n_selected;
    arena *mem = &model->mem;
    model->index = ARENA_NEW(mem, int64_t, k);
    model->name = ARENA_NEW(mem, const char *, k);
    model->score = ARENA_NEW(mem, double, k);
    model->n_ranked = d;
    model->ranking = ARENA_NEW(mem, int64_t, d);
    model->ranking_score = ARENA_NEW(mem, double, d);
    if (!model->index || !model->name || !model->score || !model->ranking || !model->ranking_score)
        return error_memory(err);
    for (int64_t i = 0; i < k; i++) {
        char made_up[32];
        model->index[i] = chosen[i];
        model->score[i] = r->score[chosen[i]];
        model->name[i] = arena_text(mem, pare_data_name(f->data, chosen[i], made_up));
        if (!model->name[i]) return error_memory(err);
    }
    for (int64_t i = 0; i < d; i++) {
        model->ranking[i] = r->ranking[i];
        model->ranking_score[i] = r->score[r->ranking[i]];
    }
    return r->p ? fill_p(model, r, chosen, err) : PARE_OK;
}

/* The features that were passed over for a correlation, each with the selected feature that it is
 * an alternative to. */
static pare_status fill_passed(pare_model *model, const fitting *f, pare_error *err) {
    int64_t k = model->n_selected, count = f->n_passed;
    arena *mem = &model->mem;
    if (!(f->set->common.max_correlation < 1)) return PARE_OK;
    model->substitute = ARENA_NEW(mem, model_substitute, count);
    if (!model->substitute) return error_memory(err);
    model->n_substitutes = count;
    for (int64_t q = 0; q < count; q++) {
        const passed_over *one = &f->passed[q];
        char made_up[32];
        int64_t at = 0;
        while (at < k && model->index[at] != one->chosen) at++;
        const char *name = arena_text(mem, pare_data_name(f->data, one->feature, made_up));
        if (!name) return error_memory(err);
        model->substitute[q] = (model_substitute){at, one->feature, name, one->correlation};
    }
    return PARE_OK;
}

/* The path over lambda, in raw units. */
static pare_status copy_path(pare_model *model, const fitting *f, const fit_result *r,
                             pare_error *err) {
    const fit_path *p = &r->path;
    const view *x = fitting_view(f, f->m);
    int64_t c = p->outputs;
    if (p->count == 0) return PARE_OK;
    pare_lambda_point *point = ARENA_NEW(&model->mem, pare_lambda_point, p->count);
    int64_t *start = ARENA_NEW(&model->mem, int64_t, p->count + 1);
    int64_t *index = ARENA_NEW(&model->mem, int64_t, p->rows);
    double *b = copy(&model->mem, p->b, p->count * c);
    double *coef = copy(&model->mem, p->coef, p->rows * c);
    if (!point || !start || !index || !b || !coef) return error_memory(err);
    memcpy(point, p->point, sizeof *point * (size_t)p->count);
    memcpy(start, p->start, sizeof *start * (size_t)p->count);
    if (p->rows) memcpy(index, p->index, sizeof *index * (size_t)p->rows);
    start[p->count] = p->rows;
    for (int64_t i = 0; i < p->count && !p->plain; i++)
        for (int64_t e = start[i]; e < start[i + 1]; e++)
            for (int64_t o = 0; o < c; o++) {
                coef[e * c + o] *= x->scale ? x->scale[index[e]] : 1;
                if (f->x.shift && !f->y.task->by_order)
                    b[i * c + o] -= coef[e * c + o] * f->x.shift[index[e]];
            }
    model->lambda_path = (pare_lambda_path){p->count, point, c, b, start, index, coef};
    return PARE_OK;
}

static pare_status copy_notes(pare_model *model, const fit_result *r, const char *where,
                              pare_error *err) {
    for (int64_t i = 0; i < r->notes.count; i++) {
        char note[1024];
        int length = snprintf(note, sizeof note, "%s%s", where, strings_at(&r->notes, i));
        if (length >= (int)sizeof note) length = (int)sizeof note - 1;
        if (!strings_add(&model->notes, &model->mem.mem, note, length)) return error_memory(err);
    }
    return PARE_OK;
}

static pare_status note_units(pare_model *model, const fitting *f, pare_error *err) {
    const char *note = f->sc.spread
                           ? "coefficients are per transformed unit, asinh((x - median) / spread)"
                       : f->batch ? "coefficients are of batch-adjusted features"
                                  : NULL;
    bool kept = !note || strings_add(&model->notes, &model->mem.mem, note, (int64_t)strlen(note));
    return kept ? PARE_OK : error_memory(err);
}

/* The parameters with which prediction scales whole rows. */
static pare_status fill_rows(pare_model *model, const fitting *f, pare_error *err) {
    int64_t d = f->data->x.d;
    char made_up[32];
    if (choice_is(f->identity.row_scale, "none")) return PARE_OK;
    model->row_named = f->data->names.count > 0;
    model->row_name = ARENA_NEW(&model->mem, const char *, d);
    if (!model->row_name) return error_memory(err);
    for (int64_t j = 0; j < d; j++) {
        model->row_name[j] = arena_text(&model->mem, pare_data_name(f->data, j, made_up));
        if (!model->row_name[j]) return error_memory(err);
    }
    if (f->idf) model->idf = copy(&model->mem, f->idf, d);
    return f->idf && !model->idf ? error_memory(err) : PARE_OK;
}

static pare_status fill_identity(pare_model *model, const fitting *f, pare_error *err) {
    model->group = f->m->group;
    model->method = f->m->name;
    model->task = f->y.task;
    model->n_features = f->data->x.d;
    model->n_kept = f->terms.n_kept;
    model->numbered = f->data->numbered;
    if (f->terms.cost && !(model->cost = copy(&model->mem, f->terms.cost, f->data->x.d)))
        return error_memory(err);
    model->offset = f->data->offset != NULL;
    model->n_classes = f->y.n_classes;
    model->classes = ARENA_NEW(&model->mem, const char *, f->y.n_classes);
    if (!model->classes) return error_memory(err);
    for (int64_t c = 0; c < f->y.n_classes; c++) {
        model->classes[c] = arena_text(&model->mem, f->y.classes[c]);
        if (!model->classes[c]) return error_memory(err);
    }
    return PARE_OK;
}

/* The settings in effect: of the selection, and of the predictor if that is a separate fit. */
static void settle_selection(pare_model *model, const fitting *f, const fit_result *r) {
    model->requested = *f->set;
    strcpy(model->requested.common.task, f->y.task->word); /* the resolved task, also when it
                                                                   was automatic */
    model->selecting = r->set;
    strcpy(model->selecting.common.task, f->y.task->word);
    strcpy(model->selecting.common.scale, f->identity.scale);
}

static void settle_predictor(pare_model *model, const fitting *f, const fit_result *r) {
    model->set = model->selecting;
    if (ends_in_classifier(f->m, f->set))
        classifier_in_effect(&model->set, f->classifier, &r->set);
    else
        settings_copy(&model->set, &r->set, f->m->group);
    model->selecting.common = model->set.common;
}

/* The method on all features, then the predictor: the method's own, or a refit on the chosen
 * features. */
static pare_status fit_model(pare_model *model, fitting *f, const pare_ctx *ctx, pare_error *err) {
    fit_result first, second;
    fit_result_init(&first, ctx);
    fit_result_init(&second, ctx);
    pare_status status = PARE_OK;

    TRY(fitting_run(f, &first, fitting_amount(f), ctx, err));
    settle_selection(model, f, &first);
    TRY(copy_notes(model, &first, "", err));
    TRY(note_units(model, f, err));
    TRY(copy_path(model, f, &first, err));
    int64_t *chosen;
    TRY(fitting_pick(&chosen, &model->n_selected, f, &first, fitting_amount(f), ctx, err));
    TRY(count_selected(model, f, &first, err));
    TRY(fill_features(model, f, &first, chosen, err));
    TRY(fill_passed(model, f, err));
    if (!fitting_refits(f, &first, chosen, model->n_selected)) {
        /* a k beyond the support adds features of weight 0 */
        settle_predictor(model, f, &first);
        TRY(fill_predictor(model, f, &first, false, ctx, err));
    } else {
        TRY(fitting_refit(f, &second, &first.set, f->set, chosen, model->n_selected, NULL, NULL,
                          ctx, err));
        settle_predictor(model, f, &second);
        TRY(copy_notes(model, &second, "on the chosen features: ", err));
        TRY(fill_predictor(model, f, &second, true, ctx, err));
        TRY(fill_selection(model, f, &first, err));
    }

done:
    fit_result_free(&second);
    fit_result_free(&first);
    return status;
}

/* Maps the duals of the fitted samples to those of all samples. */
static pare_status spread_duals(pare_model *m, const weighted_samples *here, pare_error *err) {
    m->n_samples = here->n;
    if (!here->rows) return PARE_OK;
    bool fine = !m->dual || (m->dual = weighted_samples_scatter(here, &m->mem, m->dual, m->n_dual));
    if (m->selection_dual)
        fine &= (m->selection_dual = weighted_samples_scatter(here, &m->mem, m->selection_dual,
                                                              m->n_selection_dual)) != NULL;
    return fine ? PARE_OK : error_memory(err);
}

static pare_status fit_within(pare_model **out, const pare_data *given,
                              const pare_settings *settings, bool warns, bool notes,
                              const pare_ctx *ctx, pare_error *err) {
    double start = clock_now();
    arena mem = arena_of(ctx);
    fitting f = {0};
    problem p = {0};
    pare_model *model = model_new(ctx);
    pare_status status = PARE_OK;

    TRY_MEM(model);
    TRY(problem_open(&p, &mem, given, &settings, 1, false, ctx, err));
    const problem_method *own = p.method;
    const all_settings *set = &own->set;
    const pare_data *used = own->data;
    if (own->m != own->named)
        pipeline_say(p.y.task, set, set->common.k > 0 ? set->common.k : 0, ctx);
    if (warns)
        duration_notice_log(&(duration_notice){own->m, set, used->x.n, set->common.k, 1}, used,
                            &p.y, ctx);
    TRY(fitting_begin(&f, used, &p.y, NULL, 0, own->m, own->classifier, set, ctx, err));
    TRY(fill_identity(model, &f, err));
    TRY(fill_rows(model, &f, err));
    TRY(fit_model(model, &f, ctx, err));
    TRY(model_certify(&model->predictor, &model->selection, model, used, &p.y, ctx, err));
    TRY(model_conclude(model, err));
    TRY(model_calibrate(model, &f, ctx, err));
    model_conclude_stop(model, ctx);
    TRY(model_summarise(model, used, ctx, err));
    TRY(model_find_alternatives(model, own->wide, ctx, err));
    TRY(model_on_expansion(model, own->wide, err));
    TRY(model_keep_terms(model, given, err)); /* terms of the given features */
    TRY(spread_duals(model, &p.samples, err));
    if (ctx->timing) model->seconds = clock_now() - start;
    TRY(data_checksum(given, ctx, model->sha256, err));
    if (notes) TRY(leaks_find(&model->notes, &model->mem.mem, p.data, &p.y, ctx, err));
    if (notes) TRY(batch_notes_find(&model->notes, &model->mem.mem, p.data, &p.y, ctx, err));
    TRY(model_seal(model, own->m->two_stage, err));
    *out = model;
    model = NULL;
done:
    pare_model_free(model);
    if (f.data) fitting_end(&f);
    problem_close(&p);
    arena_free(&mem);
    return status;
}

static pare_status fit(pare_model **out, const pare_data *data, const pare_settings *settings,
                       bool warns, bool notes, const pare_ctx *ctx, pare_error *err) {
    call c;
    *out = NULL;
    pare_status status = call_begin(&c, ctx, err);
    if (status == PARE_OK) call_reads(&c, mat_bytes(&data->x), mat_products(&data->x));
    if (status == PARE_OK) status = device_begin(&c, &data->x, err);
    if (status == PARE_OK) status = fit_within(out, data, settings, warns, notes, &c.ctx, err);
    device_end(&c);
    call_end(&c);
    return status;
}

pare_status pare_fit(pare_model **out, const pare_data *data, const pare_settings *settings,
                     const pare_ctx *ctx, pare_error *err) {
    return fit(out, data, settings, true, true, ctx, err);
}

pare_status fit_quietly(pare_model **out, const pare_data *data, const pare_settings *settings,
                        bool notes, const pare_ctx *ctx, pare_error *err) {
    return fit(out, data, settings, false, notes, ctx, err);
}
