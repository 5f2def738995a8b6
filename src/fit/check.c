/* Re-certifying a model from the raw data: at the end of every fit, and for `pare check`. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/ranks.h"
#include "data/checksum.h"
#include "task/class_weight.h"
#include "fit/fit.h"
#include "problem/problem.h"
#include "model/feature_terms.h"
#include "model/kernel_machine.h"
#include "model/model_batch.h"
#include "select/fitting.h"

const method *model_final(all_settings *set, const pare_model *model) {
    const method *own = method_of_group(model->group);
    bool other = ends_in_classifier(own, &model->set);
    const method *final = other ? method_final(own, &model->set, model->task) : own;
    if (!set) return final;
    *set = model->set;
    if (final != own) classifier_settings(set, own, final, &model->set, &model->selecting);
    return final;
}

probability_kind model_probability(const pare_model *model) {
    const method *own = method_of_group(model->group), *final = model_final(NULL, model);
    probability_kind kind = fitting_probability(own, final, &model->requested);
    bool refitted = model->has_selection; /* on a part of what the likelihood chose */
    return kind == PROBABILITY_OWN && refitted ? PROBABILITY_TEMPERATURE : kind;
}

/* The feature terms that the method's own problem contains. */
static void add_terms(cert_job *job, const method *m, const pare_data *data) {
    if (m->cost == COST_WEIGHS) job->cost = data->cost;
    if (m->cost == COST_DIVIDES) job->divides = data->cost;
    if (m->keeps) job->kept = data->kept;
    if (m->signs) job->sign = data->sign;
    job->grouped = m->groups_own && data->groups.count > 0;
}

pare_status model_weights(const double **out, arena *mem, const pare_model *model,
                          const pare_data *data, const target *y, pare_error *err) {
    return class_weight_apply(out, mem, y, data->weight, data->x.n, model->set.common.class_weight,
                              err);
}

static pare_status certify_within(pare_report *found, pare_report *selection,
                                  const pare_model *model, const pare_data *data, const target *y,
                                  arena *mem, const pare_ctx *ctx, pare_error *err) {
    all_settings set;
    const method *own = method_of_group(model->group), *final = model_final(&set, model);
    cert_kernel kernel;
    const double *weight;
    pare_status status = model_weights(&weight, mem, model, data, y, err);
    if (status != PARE_OK) return status;
    cert_job job = {.data = data,
                    .y = y,
                    .weight = weight,
                    .offset = data->offset,
                    .scale = set.common.scale,
                    .missing = set.common.missing,
                    .row_scale = set.common.row_scale,
                    .with_intercept = set.common.intercept,
                    .own = settings_of(&set, final->group),
                    .n_cols = data->x.d,
                    .n_coef = model->n_selected,
                    .index = model->index,
                    .n_outputs = model->p.n_outputs,
                    .coef = model->p.coef,
                    .intercept = model->p.intercept,
                    .n_dual = model->n_dual,
                    .dual = model->dual,
                    .kernel = kernel_machine_describe(&kernel, &model->p)};
    if (model->has_selection) { /* the predictor is a refit on the selected features alone */
        job.n_cols = model->n_selected;
        job.cols = model->index;
    }
    if (final == own) add_terms(&job, own, data);
    if (final != own && final->keeps) job.kept = data->kept;
    if (final != own && final->signs) job.sign = data->sign;
    if (own->two_stage) {
        job.predictor = true;
        job.n_given = model->n_selection_cols;
        job.given_cols = model->selection_cols;
        job.given = model->selection_z;
    }
    found->objective = NAN;
    found->certificate = (pare_certificate){PARE_CERT_NONE, NAN, NAN};
    if (final->certify) status = final->certify(found, &job, ctx, err);
    if (status != PARE_OK || !model->has_selection || !selection) return status;

    *selection = (pare_report){NAN, model->selection.outcome, {PARE_CERT_NONE, NAN, NAN}};
    bool by_point = own->no_dual && model->selection_index;
    if (!own->certify ||
        !(model->selection_dual || model->selection_z || own->two_stage || by_point))
        return PARE_OK;
    cert_job selecting = {.data = data,
                          .y = y,
                          .weight = weight,
                          .offset = data->offset,
                          .scale = job.scale,
                          .missing = job.missing,
                          .row_scale = job.row_scale,
                          .with_intercept = job.with_intercept,
                          .own = settings_of(&model->selecting, model->group),
                          .n_cols = data->x.d,
                          .n_outputs =
                              by_point ? model->n_selection_outputs : model->n_selection_dual,
                          .n_dual = model->n_selection_dual,
                          .dual = model->selection_dual};
    if (model->selection_index) {
        selecting.n_coef = model->n_selection_coef;
        selecting.index = model->selection_index;
        selecting.coef = model->selection_coef;
        selecting.intercept = model->selection_intercept;
    }
    if (model->selection_cols) {
        selecting.n_cols = model->n_selection_cols;
        selecting.cols = model->selection_cols;
        selecting.z = model->selection_z;
    }
    add_terms(&selecting, own, data);
    if (!own->keeps) selecting.partial = data->kept;
    target left;
    status = cert_partial_target(&left, mem, &selecting, ctx, err);
    selecting.y = &left;
    return status == PARE_OK ? own->certify(selection, &selecting, ctx, err) : status;
}

/* The certificate reads columns one after the other: where columns are distributed over ranks, one
 * rank computes it and sends it to the others. */
static pare_status certify_for_all(pare_report *found, pare_report *selection,
                                   const pare_model *model, const pare_data *data, const target *y,
                                   arena *mem, const pare_ctx *ctx, pare_error *err) {
    const pare_ranks *r = ctx_ranks(ctx);
    pare_ctx own = *ctx;
    pare_status status = PARE_OK;
    own.ranks = NULL;
    if (r->index == 0) status = certify_within(found, selection, model, data, y, mem, &own, err);
    TRY(ranks_agree(r, status, err));
    TRY(ranks_tell(r, 0, found, sizeof *found, err));
    if (selection) TRY(ranks_tell(r, 0, selection, sizeof *selection, err));
done:
    return status;
}

pare_status model_certify(pare_report *found, pare_report *selection, const pare_model *model,
                          const pare_data *data, const target *y, const pare_ctx *ctx,
                          pare_error *err) {
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = (ctx_ranks(ctx) ? certify_for_all : certify_within)(
        found, selection, model, data, y, &mem, ctx, err);
    arena_free(&mem);
    return status;
}

/* The model, with the duals of the samples that are present. */
static pare_status take_duals(pare_model *out, const pare_model *model,
                              const weighted_samples *here, arena *mem, pare_error *err) {
    *out = *model;
    out->n_samples = here->data->x.n;
    out->dual = weighted_samples_take(here, mem, model->dual, model->n_dual);
    out->selection_dual =
        weighted_samples_take(here, mem, model->selection_dual, model->n_selection_dual);
    bool fine = (out->dual || !model->dual) && (out->selection_dual || !model->selection_dual);
    return fine ? PARE_OK : error_memory(err);
}

static pare_status check_within(pare_report *found, pare_report *selection, const pare_model *model,
                                const pare_data *given, const pare_ctx *ctx, pare_error *err) {
    char sha256[65];
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    problem p = {0};
    pare_data known;
    pare_model there;
    pare_status status = PARE_OK;

    TRY(model_check_offset(model, given, err));
    TRY(model_check_batch(model, given, err));
    TRY(data_checksum(given, ctx, sha256, err));
    if (strcmp(sha256, model->sha256) != 0) {
        status =
            error_set(err, PARE_E_DATA,
                      "these are not the data the model was fitted to: the checksum of values, "
                      "target and weights is %.12s..., the model's is %.12s...",
                      sha256, model->sha256);
        goto done;
    }
    if (model->n_samples != given->x.n) {
        status =
            error_set(err, PARE_E_DATA, "the model's number of samples is not that of the data");
        goto done;
    }
    TRY(problem_of_model(&p, &known, &mem, model, given, ctx, err));
    TRY(take_duals(&there, model, &p.samples, &mem, err));
    TRY(model_see_expansion(&there, p.method->wide, &mem, err));
    model = &there;
    TRY(model_verify(model, p.method->wide, &p.y, ctx, err));
    *found = model->predictor;
    TRY(model_certify(found, selection, model, p.method->data, &p.y, ctx, err));

done:
    problem_close(&p);
    arena_free(&mem);
    return status;
}

pare_status pare_check(pare_report *found, pare_report *selection, const pare_model *model,
                       const pare_data *data, const pare_ctx *ctx, pare_error *err) {
    call c;
    pare_status status = call_begin(&c, ctx, err);
    if (status == PARE_OK) status = check_within(found, selection, model, data, &c.ctx, err);
    call_end(&c);
    return status;
}
