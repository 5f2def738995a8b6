#include "select/fitting.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "task/class_weight.h"
#include "data/feature/batch_adjust.h"
#include "data/feature/row_scale.h"
#include "model/predictor.h"
#include "select/feature_order.h"
#include "select/partial.h"

/* Every column has mean 0 and variance 1. */
static bool is_standard(const char *scale) {
    return choice_is(scale, "standard") || choice_is(scale, "robust");
}

/* With an intercept, which absorbs any shift, raw columns are centred all the same: that loses
 * fewer digits and leaves the problem as it is. Sparse data would become dense. */
statistics_identity identity_of(const method *m, const all_settings *set, const pare_data *data,
                                const task_type *task) {
    const common_settings *s = &set->common;
    bool sparse = mat_is_sparse(&data->x);
    const char *scale = s->scale;
    bool rows = !choice_is(s->row_scale, "none");
    if (choice_is(scale, "auto"))
        scale = rows ? "none" : task->real && !m->scales ? "none" : sparse ? "unit" : "standard";
    bool standard = is_standard(scale), shifts = standard || choice_is(scale, "minmax");
    statistics_identity id = {.data = data, .intercept = s->intercept, .task = task};
    id.centred = m->shift_free && s->intercept && !shifts && !sparse;
    id.uncentred = s->intercept && !id.centred && !standard && !sparse;
    strcpy(id.scale, scale);
    strcpy(id.missing, s->missing);
    strcpy(id.row_scale, s->row_scale);
    strcpy(id.class_weight, s->class_weight);
    return id;
}

bool identity_same(const statistics_identity *a, const statistics_identity *b) {
    return strcmp(a->scale, b->scale) == 0 && strcmp(a->missing, b->missing) == 0 &&
           strcmp(a->row_scale, b->row_scale) == 0 &&
           strcmp(a->class_weight, b->class_weight) == 0 && a->intercept == b->intercept &&
           a->centred == b->centred && a->task == b->task && a->data == b->data;
}

/* In a regression without intercept on unscaled data, a constant column other than zero is an
 * ordinary column: it carries the level. */
static void keep_constants(fitting *f) {
    bool level = f->y.task->real && !f->identity.intercept && choice_is(f->identity.scale, "none");
    for (int64_t j = 0; level && f->sc.scale && j < f->x.d; j++) {
        if (f->sc.scale[j] != 0 || f->sc.mean[j] == 0) continue;
        f->sc.scale[j] = 1;
        f->sc.n_constant--;
    }
}

/* Target and weights of the rows; without a selection of rows those of all samples are used
 * directly. */
static pare_status take_rows(fitting *f, const target *y, pare_error *err) {
    const int32_t *rows = f->x.rows;
    int64_t n = f->x.n;
    f->y = *y;
    f->weight = f->data->weight;
    f->offset = f->data->offset;
    if (!rows) return PARE_OK;
    double *weight = f->weight ? ARENA_NEW(&f->mem, double, n) : NULL;
    double *offset = f->offset ? ARENA_NEW(&f->mem, double, n) : NULL;
    if ((f->weight && !weight) || (f->offset && !offset)) return error_memory(err);
    for (int64_t i = 0; i < n; i++) {
        if (f->weight) weight[i] = f->weight[rows[i]];
        if (f->offset) offset[i] = f->offset[rows[i]];
    }
    f->weight = weight;
    f->offset = offset;
    return target_take(&f->y, &f->mem, y, rows, n, err);
}

/* From here on the view yields transformed values, of training rows and all others. */
static pare_status show_transformed(fitting *f, pare_error *err) {
    bool done = predictor_transformed(&f->x, &f->mem, f->sc.median, f->sc.spread);
    return done ? PARE_OK : error_memory(err);
}

/* Divides each column by its cost: |w_j| of the result is cost_j |w_j| of the column. */
static pare_status see_costs(fitting *f, pare_error *err) {
    int64_t d = f->x.d;
    if (!f->terms.cost) return PARE_OK;
    double *scale = ARENA_NEW(&f->mem, double, d);
    if (!scale) return error_memory(err);
    for (int64_t j = 0; j < d; j++) scale[j] = (f->x.scale ? f->x.scale[j] : 1) / f->terms.cost[j];
    f->by_cost = f->x;
    f->by_cost.scale = scale;
    return PARE_OK;
}

pare_status fitting_open(fitting *f, const pare_data *data, const target *y, const int32_t *rows,
                         int64_t n_rows, const method *m, const method *classifier,
                         const all_settings *set, const pare_ctx *ctx, pare_error *err) {
    *f = (fitting){.data = data, .m = m, .classifier = classifier, .set = set};
    arena_init(&f->mem, ctx_allocator(ctx));
    const char *missing = set->common.missing;
    if (data->x.missing && !scaling_imputes(missing))
        return error_set(err, PARE_E_DATA,
                         "the data have missing values: choose `missing` mean, median, indicator "
                         "or drop");
    f->x = view_all(&data->x);
    if (rows) {
        f->x.rows = rows;
        f->x.n = n_rows;
    }
    f->identity = identity_of(m, set, data, y->task);
    const statistics_identity *id = &f->identity;
    pare_status status = take_rows(f, y, err);
    if (status != PARE_OK) return status;
    status = class_weight_apply(&f->weight, &f->mem, &f->y, f->weight, f->x.n,
                                set->common.class_weight, err);
    if (status != PARE_OK) return status;
    status = terms_of(&f->terms, &f->mem, data, err);
    if (status != PARE_OK) return status;
    status = row_scale_fit(&f->x, &f->idf, id->row_scale, f->weight, &f->mem, ctx, err);
    if (status != PARE_OK) return status;
    return batch_adjust(&f->batch, &f->x, data, id->missing, &f->mem, ctx, err);
}

pare_status fitting_scaled(fitting *f, pare_error *err) {
    const statistics_identity *id = &f->identity;
    bool missing = f->x.x->missing;
    pare_status status = PARE_OK;
    f->raw = f->x;
    f->raw.fill = missing ? f->sc.impute : NULL;
    keep_constants(f);
    if (f->sc.spread) status = show_transformed(f, err);
    f->x.shift = id->centred ? f->sc.mean : f->sc.shift;
    f->mean = id->uncentred ? f->sc.mean : NULL;
    f->x.scale = f->sc.scale;
    f->x.fill = missing ? f->sc.fill : NULL;
    return status == PARE_OK ? see_costs(f, err) : status;
}

pare_status fitting_begin(fitting *f, const pare_data *data, const target *y, const int32_t *rows,
                          int64_t n_rows, const method *m, const method *classifier,
                          const all_settings *set, const pare_ctx *ctx, pare_error *err) {
    pare_status status = fitting_open(f, data, y, rows, n_rows, m, classifier, set, ctx, err);
    if (status == PARE_OK)
        status = scaling_fit(&f->sc, &f->mem, &f->x, f->weight, f->identity.scale,
                             f->identity.missing, ctx, err);
    return status == PARE_OK ? fitting_scaled(f, err) : status;
}

const view *fitting_view(const fitting *f, const method *m) {
    return f->terms.cost && m->cost == COST_DIVIDES ? &f->by_cost : &f->x;
}

void fitting_end(fitting *f) { arena_free(&f->mem); }

void fitting_share(fitting *f, const fitting *shared, const method *m, const method *classifier,
                   const all_settings *set, const pare_ctx *ctx) {
    *f = *shared;
    f->m = m;
    f->classifier = classifier;
    f->set = set;
    f->given = NULL;
    arena_init(&f->mem, ctx_allocator(ctx)); /* of this thread, not the shared one */
}

/* The fields that every job on these samples has; the caller sets the Gram. */
static fit_job job_of(const fitting *f, const method *m, const all_settings *set) {
    const view *x = fitting_view(f, m);
    return (fit_job){.x = x,
                     .raw = &f->raw,
                     .y = &f->y,
                     .weight = f->weight,
                     .offset = f->offset,
                     .set = set,
                     .standard = is_standard(f->identity.scale) && x == &f->x,
                     .terms = f->terms,
                     .mean = f->mean,
                     .monomials = f->data->monomials,
                     .of_gram = gram_of(m, set, &f->identity, f->data)};
}

static pare_status run(fit_result *out, const method *m, const fit_job *job, const pare_ctx *ctx,
                       pare_error *err) {
    fit_settings(out, job); /* for methods without automatic settings */
    return m->fit(out, job, ctx, err);
}

/* The number of features that a method is to look for: if it needs one, as many as a budget allows
 * at most. */
static pare_status features_wanted(int64_t *k, const fitting *f, amount of, pare_error *err) {
    *k = 0;
    if (f->terms.group && !f->m->groups_own)
        return PARE_OK; /* the method counts features, not groups */
    if (!(of.budget > 0))
        *k = of.k > 0 ? of.k : 0;
    else if (f->m->needs_k || f->m->nested)
        return terms_most(k, &f->terms, f->x.d, of.budget, &f->mem.mem, err);
    return PARE_OK;
}

pare_status fitting_run(fitting *f, fit_result *out, amount of, const pare_ctx *ctx,
                        pare_error *err) {
    fit_job job = job_of(f, f->m, f->set);
    partial left;
    pare_status status = features_wanted(&job.k, f, of, err);
    job.budget = of.budget > 0 ? of.budget : 0;
    job.gram = f->gram[job.of_gram];
    for (int64_t i = 0; i < f->n_scored; i++)
        if (f->scored[i].m == f->m) job.scored = &f->scored[i];
    if (status == PARE_OK && f->terms.n_kept > 0 && !f->m->keeps) {
        bool intercept = f->identity.intercept || f->y.task->by_order;
        status = partial_see(&left, &job, intercept, &f->mem, ctx, err);
    }
    if (status == PARE_OK) status = run(out, f->m, &job, ctx, err);
    if (status == PARE_OK) status = ranking_settle(f, out, err);
    if (status != PARE_OK || !f->m->two_stage || !out->z) return status;
    f->given = ARENA_ZERO(&f->mem, double, f->data->x.d);
    if (!f->given) return error_memory(err);
    for (int64_t i = 0; i < out->n_cols; i++) f->given[out->cols[i]] = out->z[i];
    return PARE_OK;
}

gram_kind gram_of(const method *m, const all_settings *set, const statistics_identity *identity,
                  const pare_data *data) {
    setting_value kernel;
    bool chosen = settings_named(&kernel, set, m->group, "kernel");
    bool poly = chosen && choice_is(kernel.text, "poly"); /* depends on a shift of the samples */
    if (identity->uncentred && !poly) return GRAM_CENTRED;
    /* a sample of tiny weight may be far from the others, whatever the scaling */
    bool weighted = data->weight || !choice_is(identity->class_weight, "none");
    bool bounded = is_standard(identity->scale) && !weighted && terms_count_kept(data) == 0;
    bool linear = !chosen || choice_is(kernel.text, "linear");
    bool single_precision = m->single_gram && identity->task->classes && linear && bounded &&
                            data->x.d >= MIN_SINGLE_COLUMNS;
    return single_precision ? GRAM_SINGLE : GRAM_AS_IS;
}

void grams_needed(bool out[GRAM_KINDS], const method *m, const method *classifier,
                  const all_settings *set, const statistics_identity *identity,
                  const pare_data *data, bool whole) {
    all_settings final;
    memset(out, 0, sizeof *out * GRAM_KINDS);
    if (m->from_gram) out[gram_of(m, set, identity, data)] = true;
    if (!whole || !ends_in_classifier(m, set) || !classifier->from_gram) return;
    classifier_settings(&final, m, classifier, set, set);
    out[gram_of(classifier, &final, identity, data)] = true;
}

bool ends_in_classifier(const method *m, const all_settings *set) {
    if (choice_is(set->common.task, "none")) return false; /* nothing to predict */
    bool k_given =
        choice_is(set->common.refit, "auto") && (set->common.k > 0 || set->common.budget > 0);
    bool relaxed = m->relaxed && choice_is(set->common.refit, "relaxed");
    return m->selects_only || ((m->shrunken || m->relaxes) && k_given) || relaxed;
}

bool solves_for_k(const method *m, const all_settings *set) {
    setting_value exact;
    return m->needs_k || (settings_named(&exact, set, m->group, "exact_k") && exact.flag);
}

probability_kind fitting_probability(const method *m, const method *classifier,
                                     const all_settings *set) {
    bool refits = ends_in_classifier(m, set);
    const method *final = refits ? classifier : m;
    setting_value predict; /* it predicts by the nearest neighbour instead */
    bool other =
        settings_named(&predict, set, final->group, "predict") && choice_is(predict.text, "1nn");
    bool k_given = set->common.k > 0 || set->common.budget > 0;
    if (!final->log_odds || other) return PROBABILITY_SIGMOID;
    return final->likelihood && !refits && !k_given ? PROBABILITY_OWN : PROBABILITY_TEMPERATURE;
}

void classifier_settings(all_settings *out, const method *m, const method *classifier,
                         const all_settings *given, const all_settings *selected) {
    const common_settings *s = &given->common;
    *out = *given;
    settings_copy(out, selected, m->group);
    if (classifier->as_C) settings_put(out, classifier->group, classifier->as_C, s->classifier_C);
    if (classifier->as_ridge && s->classifier_ridge > 0)
        settings_put(out, classifier->group, classifier->as_ridge, s->classifier_ridge);
    if (m->passes_settings.to && strcmp(m->passes_settings.to, classifier->name) == 0)
        settings_hand_on(out, classifier->group, m->group, m->passes_settings.settings);
    char several[64];
    setting_value own;
    snprintf(several, sizeof several, "multiclass=%s", s->classifier_multiclass);
    if (!choice_is(s->classifier_multiclass, "auto") &&
        settings_named(&own, out, classifier->group, "multiclass"))
        settings_hand_on(out, classifier->group, m->group, several);
}

void classifier_in_effect(all_settings *set, const method *classifier, const all_settings *final) {
    setting_value v;
    if (classifier->as_ridge && settings_named(&v, final, classifier->group, classifier->as_ridge))
        set->common.classifier_ridge = v.real;
}

pare_status fitting_refit(fitting *f, fit_result *out, const all_settings *selected,
                          const all_settings *final, const int64_t *chosen, int64_t count,
                          const double *gram, const double *start, const pare_ctx *ctx,
                          pare_error *err) {
    bool other = ends_in_classifier(f->m, f->set);
    const method *m = other ? f->classifier : f->m;
    all_settings of_classifier;
    if (other) classifier_settings(&of_classifier, f->m, m, final, selected ? selected : f->set);
    fit_job job = job_of(f, m, other ? &of_classifier : f->set);
    if (other) { /* a refit knows no costs */
        job.terms = (feature_terms){.sign = m->signs ? f->terms.sign : NULL};
        if (m->keeps) job.terms.kept = f->terms.kept, job.terms.n_kept = f->terms.n_kept;
    }
    view small = *fitting_view(f, m);
    small.cols = chosen;
    small.d = count;
    job.x = &small;
    job.k = count;
    job.refit = true;
    job.selected = other ? NULL : selected;
    job.auto_ridge = other;
    job.gram = gram;
    job.given = f->given;
    job.start = start;
    return run(out, m, &job, ctx, err);
}
