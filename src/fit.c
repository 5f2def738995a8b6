/* From data and settings to a model: target, scaling, the method, the choice of k, the final
 * classifier, raw units, certificates. Methods know none of this. */
#include "fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "data/checksum.h"
#include "data/scaling.h"

enum { DEFAULT_K = 50 }; /* of a ranking without a support of its own */

typedef struct fitting {
    const pare_data *data;
    const method *m;
    all_settings set;
    target y;
    scaling sc;
    view x;
    arena mem;
} fitting;

static void resolve_scale(fitting *f) {
    char *scale = f->set.common.scale;
    if (strcmp(scale, "auto") != 0) return;
    strcpy(scale, f->y.task == TASK_REGRESSION    ? "none"
                  : mat_is_sparse(&f->data->x) ? "unit"
                                               : "standard");
}

static pare_status check_request(const fitting *f, pare_error *err) {
    int64_t d = f->data->x.d, k = f->set.common.k;
    if (k > d)
        return error_set(err, PARE_E_ARGUMENT, "k: %lld features cannot be selected from %lld",
                         (long long)k, (long long)d);
    const char *missing = f->set.common.missing;
    if (f->data->x.missing && strcmp(missing, "mean") != 0 && strcmp(missing, "median") != 0)
        return error_set(err, PARE_E_DATA, "the data have missing values: choose --missing mean, median or drop");
    return PARE_OK;
}

/* How many of the ranking's first features to keep. Constant columns are never selected. */
static int64_t count_selected(const fitting *f, const fit_result *r, pare_model *model,
                              pare_status *status, pare_error *err) {
    int64_t d = f->x.d, usable = d - f->sc.n_constant, k = f->set.common.k;
    char note[160] = "";
    if (k > usable)
        snprintf(note, sizeof note, "only %lld of the %lld features are not constant",
                 (long long)usable, (long long)d);
    if (k < 0 && r->n_outputs > 0) return r->n_support;
    if (k < 0) {
        k = d < DEFAULT_K ? d : DEFAULT_K;
        snprintf(note, sizeof note, "k was not given: the best %lld of the ranking were taken",
                 (long long)(k < usable ? k : usable));
    }
    if (note[0] && !strings_add(&model->notes, &model->mem.mem, note, (int64_t)strlen(note)))
        *status = error_memory(err);
    return k < usable ? k : usable;
}

/* The first `count` usable features of the ranking, as base columns. */
static int64_t *pick(const fitting *f, const fit_result *r, int64_t count, arena *mem) {
    int64_t *chosen = ARENA_NEW(mem, int64_t, count), taken = 0;
    for (int64_t i = 0; chosen && taken < count; i++) {
        int64_t j = r->ranking[i];
        if (!f->sc.scale || f->sc.scale[j] != 0) chosen[taken++] = j;
    }
    return chosen;
}

/* Runs the final classifier (of a pure selector) or the method itself on the chosen columns. */
static pare_status refit(fit_result *out, fitting *f, const int64_t *chosen, int64_t count,
                         const pare_ctx *ctx, pare_error *err) {
    view small = f->x;
    small.cols = chosen;
    small.d = count;
    all_settings set = f->set;
    fit_job job = {.x = &small, .y = &f->y, .weight = f->data->weight, .set = &set, .k = count};
    const method *m = f->m;
    if (m->selects_only) {
        m = method_of_group(GROUP_svm);
        classifier_settings(&set, &f->set);
        job.auto_ridge = true;
    }
    pare_status status = m->fit(out, &job, ctx, err);
    if (f->m->selects_only)
        f->set.common.classifier_ridge = set.svm.ridge;
    else
        f->set = set;
    return status;
}

/* Weights of the result, found by view column of the refit (or of all columns), to raw units. */
static pare_status fill_predictor(pare_model *model, const fitting *f, const fit_result *r,
                                  bool refitted, pare_error *err) {
    int64_t k = model->n_selected, c = r->n_outputs, n = f->x.n;
    arena *mem = &model->mem;
    model->n_outputs = c;
    model->coef = ARENA_ZERO(mem, double, k *c);
    model->intercept = ARENA_NEW(mem, double, c);
    model->shift = ARENA_NEW(mem, double, k);
    model->scale = ARENA_NEW(mem, double, k);
    if (f->sc.fill) model->impute = ARENA_NEW(mem, double, k);
    model->n_dual = r->n_dual;
    model->dual = ARENA_NEW(mem, double, n *r->n_dual);
    if (!model->coef || !model->intercept || !model->shift || !model->scale || !model->dual ||
        (f->sc.fill && !model->impute))
        return error_memory(err);
    for (int64_t i = 0; i < k; i++) {
        int64_t j = model->index[i];
        model->shift[i] = f->sc.shift ? f->sc.shift[j] : 0;
        model->scale[i] = f->sc.scale ? f->sc.scale[j] : 1;
        if (model->impute) model->impute[i] = f->sc.fill[j];
    }
    for (int64_t o = 0; o < c; o++) {
        double b = r->b[o];
        for (int64_t s = 0; s < r->n_support; s++) {
            int64_t i = refitted ? r->support[s] : s; /* not refitted: the support comes first */
            double coef = r->W[o * r->n_support + s] * model->scale[i];
            model->coef[o * k + i] = coef;
            b -= coef * model->shift[i];
        }
        model->intercept[o] = b;
    }
    if (r->n_dual) memcpy(model->dual, r->dual, sizeof(double) * (size_t)(n * r->n_dual));
    model->predictor = (pare_report){r->objective, r->outcome, {PARE_CERT_NONE, NAN, NAN}};
    model->iterations = r->iterations;
    return PARE_OK;
}

static pare_status fill_features(pare_model *model, const fitting *f, const fit_result *r,
                                 const int64_t *chosen, pare_error *err) {
    int64_t d = f->x.d, k = model->n_selected;
    arena *mem = &model->mem;
    model->index = ARENA_NEW(mem, int64_t, k);
    model->name = ARENA_NEW(mem, const char *, k);
    model->score = ARENA_NEW(mem, double, k);
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
    return PARE_OK;
}

static pare_status copy_notes(pare_model *model, const fit_result *r, pare_error *err) {
    for (int64_t i = 0; i < r->notes.count; i++) {
        const char *note = strings_at(&r->notes, i);
        if (!strings_add(&model->notes, &model->mem.mem, note, (int64_t)strlen(note)))
            return error_memory(err);
    }
    return PARE_OK;
}

static pare_status fill_identity(pare_model *model, const fitting *f, pare_error *err) {
    model->group = f->m->group;
    model->method = f->m->name;
    model->task = f->y.task;
    model->n_samples = f->data->x.n;
    model->n_features = f->data->x.d;
    model->n_classes = f->y.n_classes;
    model->classes = ARENA_NEW(&model->mem, const char *, f->y.n_classes);
    if (!model->classes) return error_memory(err);
    for (int64_t c = 0; c < f->y.n_classes; c++) {
        model->classes[c] = arena_text(&model->mem, f->y.classes[c]);
        if (!model->classes[c]) return error_memory(err);
    }
    return PARE_OK;
}

/* The method on all features, then the predictor: the method's own, or a refit on the chosen. */
static pare_status fit_model(pare_model *model, fitting *f, const pare_ctx *ctx, pare_error *err) {
    fit_result first, second;
    fit_result_init(&first, ctx);
    fit_result_init(&second, ctx);
    pare_status status = PARE_OK;
    fit_job job = {.x = &f->x, .y = &f->y, .weight = f->data->weight, .set = &f->set,
                   .k = f->set.common.k > 0 ? f->set.common.k : 0};

    TRY(f->m->fit(&first, &job, ctx, err));
    TRY(copy_notes(model, &first, err));
    model->n_selected = count_selected(f, &first, model, &status, err);
    if (status != PARE_OK) goto done;
    const int64_t *chosen = pick(f, &first, model->n_selected, &f->mem);
    TRY_MEM(chosen);
    TRY(fill_features(model, f, &first, chosen, err));
    bool needs_refit = f->m->selects_only || model->n_selected < first.n_support;
    if (!needs_refit) { /* a k beyond the support adds features of weight 0 */
        TRY(fill_predictor(model, f, &first, false, err));
    } else {
        TRY(refit(&second, f, chosen, model->n_selected, ctx, err));
        TRY(copy_notes(model, &second, err));
        TRY(fill_predictor(model, f, &second, true, err));
        model->has_selection = true;
        model->selection = (pare_report){first.objective, first.outcome, {PARE_CERT_NONE, NAN, NAN}};
        model->iterations += first.iterations;
        if (first.n_dual) {
            size_t bytes = sizeof(double) * (size_t)(f->x.n * first.n_dual);
            model->n_selection_dual = first.n_dual;
            TRY_MEM(model->selection_dual = arena_alloc(&model->mem, (int64_t)bytes, 1));
            memcpy(model->selection_dual, first.dual, bytes);
        }
    }
    if (f->set.common.k > 0) f->set.common.k = model->n_selected;

done:
    fit_result_free(&second);
    fit_result_free(&first);
    return status;
}

pare_status pare_fit(pare_model **out, const pare_data *data, const pare_settings *settings,
                     const pare_ctx *ctx, pare_error *err) {
    *out = NULL;
    pare_ctx own = ctx_begin(ctx);
    double start = clock_now();
    fitting f = {.data = data, .m = method_of_group(settings->group), .set = settings->v};
    arena_init(&f.mem, ctx_allocator(&own));
    pare_model *model = model_new(&own);
    pare_status status = PARE_OK;

    TRY_MEM(model);
    TRY(target_resolve(&f.y, &f.mem, data, f.m->tasks, f.set.common.task, f.set.common.positive, err));
    strcpy(f.set.common.task, f.y.task == TASK_REGRESSION ? "regress"
                              : f.y.task == TASK_RANKING  ? "rank"
                                                          : "classify");
    resolve_scale(&f);
    TRY(check_request(&f, err));
    f.x = view_all(&data->x);
    TRY(scaling_fit(&f.sc, &f.mem, &f.x, data->weight, f.set.common.scale, f.set.common.missing, &own, err));
    f.x.shift = f.sc.shift;
    f.x.scale = f.sc.scale;
    f.x.fill = f.sc.fill;
    TRY(fill_identity(model, &f, err));
    TRY(fit_model(model, &f, &own, err));
    model->set = f.set;
    TRY(model_certify(&model->predictor, &model->selection, model, data, &f.y, &own, err));
    if (own.timing) model->seconds = clock_now() - start;
    TRY(data_checksum(data, &own, model->sha256, err));
    *out = model;
    model = NULL;

done:
    pare_model_free(model);
    arena_free(&f.mem);
    return status;
}
