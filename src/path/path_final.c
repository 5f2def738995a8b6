/* The fits on all samples, each at the number of features that its method chose: what the report
 * says of the selected features is of them. */
#include <math.h>
#include <string.h>

#include <pare/model.h>

#include "base/context.h"
#include "base/error.h"
#include "base/ranks.h"
#include "fit/fit.h"
#include "model/model.h"
#include "path/path_setup.h"
#include "select/jobs.h"
#include "select/substitutes.h"

enum { FEATURES_LISTED = 1000 };

/* The proportion of the splits that selected a feature at the chosen size. */
static double share_of(const path_run *run, int64_t index) {
    for (int64_t i = 0; i < run->n_frequency; i++)
        if (run->frequency[i].index == index) return run->frequency[i].share[run->chosen];
    return 0;
}

static pare_status keep_features(pare_path *p, path_run *run, const pare_model *model,
                                 pare_error *err) {
    int64_t k = model->n_selected < FEATURES_LISTED ? model->n_selected : FEATURES_LISTED;
    run->feature = ARENA_ZERO(&p->mem, path_feature, k);
    if (!run->feature) return error_memory(err);
    run->n_selected = model->n_selected;
    run->n_outputs = model->p.coef ? model->p.n_outputs : 0;
    run->pairs = model->p.pairs;
    for (int64_t i = 0; i < k; i++) {
        path_feature *f = &run->feature[i];
        double *coef = ARENA_NEW(&p->mem, double, run->n_outputs);
        double *weight = ARENA_NEW(&p->mem, double, run->n_outputs);
        if (!coef || !weight) return error_memory(err);
        f->index = model->index[i];
        f->score = model->score[i];
        f->hazard_ratio = f->hazard_low = f->hazard_high = f->ph_chi2 = f->ph_p = NAN;
        f->kept = i < run->method->n_kept;
        f->share = f->kept ? 1 : share_of(run, f->index);
        for (int64_t o = 0; o < run->n_outputs; o++)
            coef[o] = model->p.coef[o * model->n_selected + i];
        f->coef = coef;
        f->weight = weight; /* of transformed values until path_keep_values divides it */
        for (int64_t o = 0; o < run->n_outputs; o++) weight[o] = coef[o] / model->scale[i];
    }
    run->n_feature = k;
    return PARE_OK;
}

static bool is_listed(const path_feature *f, int64_t index) {
    for (int64_t q = 0; q < f->n_substitutes; q++)
        if (f->substitute[q].index == index) return true;
    return false;
}

/* Features that the fit passed over because they correlate too much with a selected one: whatever
 * an exchange costs, they are alternatives. */
static pare_status list_passed(pare_path *p, path_run *run, const pare_model *model,
                               pare_error *err) {
    for (int64_t i = 0; i < run->n_feature; i++) {
        path_feature *f = &run->feature[i];
        int64_t more = 0, before = f->n_substitutes;
        for (int64_t q = 0; q < model->n_substitutes; q++) more += model->substitute[q].of == i;
        if (more == 0) continue;
        path_substitute *all = ARENA_NEW(&p->mem, path_substitute, before + more);
        if (!all) return error_memory(err);
        if (before) memcpy(all, f->substitute, sizeof *all * (size_t)before);
        f->substitute = all;
        for (int64_t q = 0; q < model->n_substitutes; q++) {
            const model_substitute *one = &model->substitute[q];
            if (one->of != i || is_listed(f, one->index)) continue;
            all[f->n_substitutes++] = (path_substitute){one->index, NULL, one->correlation, NAN};
        }
    }
    return PARE_OK;
}

/* The final fits, to all samples. */
typedef struct final_fits {
    const pare_path *p;
    pare_model **model; /* a method's, or NULL */
} final_fits;

/* The reason if the fit was stopped early. */
static interruption stop_of(const pare_model *m) {
    pare_outcome first = m->has_selection ? m->selection.outcome : PARE_OPTIMAL;
    if (first == PARE_CANCELLED || m->predictor.outcome == PARE_CANCELLED) return INTERRUPT_CANCEL;
    if (first == PARE_TIME_LIMIT || m->predictor.outcome == PARE_TIME_LIMIT) return INTERRUPT_TIME;
    return INTERRUPT_NONE;
}

/* The run whose model is kept; -1: none. */
static int64_t kept_run(const pare_path *p) {
    return !p->keeps_model ? -1 : p->wanted >= 0 ? p->wanted : p->best;
}

/* The method on all samples at the chosen size. */
static pare_status fit_final(void *user, int64_t m, const pare_ctx *ctx, pare_error *err) {
    final_fits *of = user;
    const pare_path *p = of->p;
    const path_run *run = &p->run[m];
    pare_settings settings = {.group = run->method->m->group};
    if (run->chosen < 0) return PARE_OK;
    settings.v = run->method->grid[run->point[run->chosen].tuned];
    bool kept = m == kept_run(p); /* the report of the others needs no probabilities and no notes */
    settings.v.common.probability &= kept;
    if (p->setup.along) {
        run->method->m->along->axis->set(&settings.v, run->method->m, p->setup.along[run->chosen]);
    } else {
        int64_t k = p->setup.sizes[run->chosen];
        settings.v.common.k = p->setup.budget ? -1 : k;
        if (p->setup.budget) settings.v.common.budget = p->setup.budget[run->chosen];
        settings.group = method_resolve(run->method->m, p->y.task, k)->group;
    }
    return fit_quietly(&of->model[m], p->whole, &settings, kept, ctx, err);
}

/* Keeps the parts of the final fit that the report shows. */
static pare_status keep_final(pare_path *p, path_run *run, const pare_model *model,
                              interruption *stopped, const pare_ctx *ctx, pare_error *err) {
    *stopped = stop_of(model);
    if (*stopped != INTERRUPT_NONE) return PARE_OK;
    memcpy(run->scale, model->set.common.scale, sizeof run->scale);
    run->has_selection = model->has_selection;
    run->selection = model->selection.outcome;
    run->predictor = model->predictor.outcome;
    pare_status status = keep_features(p, run, model, err);
    if (status == PARE_OK)
        status = path_keep_values(p, run, model->spread || model->batch, ctx, err);
    return status == PARE_OK ? path_describe_hazards(p, run, model, ctx, err) : status;
}

/* What the model tells of its path. */
static pare_status describe_path(pare_model *model, const pare_path *p, const path_run *run,
                                 pare_error *err) {
    int64_t k = model->n_selected, parts = p->plan.count, m = run - p->run;
    model_path *own = model->path = ARENA_ZERO(&model->mem, model_path, 1);
    PASS_MEM(own);
    own->metric = p->y.task->metric[p->setup.metric].name;
    own->rule = choice_name(p->setup.rule);
    own->mean = run->nested[p->setup.metric].mean;
    own->se = run->nested[p->setup.metric].se;
    own->level = run->nested_interval.level;
    own->low = run->nested_interval.low;
    own->high = run->nested_interval.high;
    own->kind = isnan(own->low) ? NULL : run->nested_interval.kind;
    own->n_outer = p->round.nested ? parts : 0;
    PASS_MEM(own->n_features = ARENA_NEW(&model->mem, double, own->n_outer));
    PASS_MEM(own->frequency = ARENA_NEW(&model->mem, double, k));
    for (int64_t j = 0; j < own->n_outer; j++) {
        const fold_result *r = &p->round.result[j * p->setup.n_methods + m];
        int64_t at = r->done ? fold_nested_size(&p->setup, r) : -1;
        own->n_features[j] = at < 0 ? NAN : (double)p->setup.sizes[at];
    }
    for (int64_t i = 0; i < k; i++)
        own->frequency[i] = i < run->method->n_kept ? 1
                            : k > MAX_PICKS         ? NAN
                                                    : share_of(run, model->index[i]);
    return PARE_OK;
}

/* Keeps the model that was requested, and says of which method it is. */
static pare_status keep_model(pare_path *p, final_fits *of, const pare_ctx *ctx, pare_error *err) {
    int64_t m = kept_run(p);
    if (m < 0 || !of->model[m]) return PARE_OK;
    PASS(describe_path(of->model[m], p, &p->run[m], err));
    p->model = of->model[m];
    of->model[m] = NULL;
    if (p->setup.n_methods > 1)
        ctx_log(ctx, PARE_LOG_INFO, "the model is of %s%s", p->run[m].name,
                p->wanted >= 0 ? "" : ", which has the best estimate");
    return PARE_OK;
}

/* All final fits: concurrently if there is one for every thread, else one after the other. A model
 * keeps the allocator that made it, and a job's allocator, which guards the caller's, does not
 * outlive the jobs. */
pare_status path_fit_all(pare_path *p, int64_t substitutes, interruption *stopped,
                         const pare_ctx *ctx, pare_error *err) {
    int64_t count = p->setup.n_methods;
    final_fits of = {p, mem_zero(ctx_allocator(ctx), count, sizeof(pare_model *))};
    job_list list = {.count = count, .run = fit_final, .user = &of, .stage = "all samples"};
    bool own_memory = ctx_allocator(ctx)->alloc;
    bool concurrent = count >= ctx_threads(ctx) && !ctx_ranks(ctx) && !own_memory;
    pare_status status = PARE_OK;
    TRY_MEM(of.model);
    list.before = 1;
    if (concurrent) TRY(jobs_run(&list, stopped, ctx, err));
    for (int64_t m = 0; m < count && *stopped == INTERRUPT_NONE; m++) {
        if (!concurrent) TRY(fit_final(&of, m, ctx, err));
        if (of.model[m]) TRY(keep_final(p, &p->run[m], of.model[m], stopped, ctx, err));
    }
    if (*stopped == INTERRUPT_NONE) /* alternatives exist for sizes only */
        TRY(substitutes_find(p->run, count, &p->mem, &p->round, p->setup.along ? 0 : substitutes,
                             stopped, ctx, err));
    for (int64_t m = 0; m < count; m++)
        if (of.model[m]) TRY(list_passed(p, &p->run[m], of.model[m], err));
    if (*stopped == INTERRUPT_NONE) TRY(keep_model(p, &of, ctx, err));
done:
    for (int64_t m = 0; of.model && m < count; m++) pare_model_free(of.model[m]);
    mem_free(ctx_allocator(ctx), of.model);
    if (status == PARE_E_CANCELLED) {
        *stopped = INTERRUPT_CANCEL;
        status = PARE_OK;
    }
    return status;
}
