/* The problem of a saved model on the data that it was fitted to, and the truth of new data. */
#include "base/error.h"
#include "data/feature/groups.h"
#include "model/feature_terms.h"
#include "model/model_batch.h"
#include "problem/problem.h"

pare_status model_terms(pare_data *known, const pare_model *model, const pare_data *data,
                        arena *mem, pare_error *err) {
    int64_t d = data->x.d;
    *known = *data;
    if (model->batch) known->batch_by = model->batch->method;
    if (model->n_features != d) return PARE_OK; /* model_verify returns the error */
    known->cost = model->cost;
    known->kept = NULL;
    known->sign = model->sign;
    if (model->group_of) {
        const int64_t *given;
        int64_t n_given;
        pare_status status = groups_number(&given, &n_given, mem, data, err);
        if (status == PARE_OK) status = model_groups(&known->groups, model, mem, err);
        if (status != PARE_OK) return status;
        for (int64_t j = 0; given && j < d; j++)
            if (given[j] != model->group_of[j])
                return error_set(err, PARE_E_DATA,
                                 "the model's groups of features are not those given");
    }
    if (model->n_kept > 0) {
        known->kept = ARENA_ZERO(mem, bool, d);
        if (!known->kept) return error_memory(err);
        for (int64_t i = 0; i < model->n_kept; i++)
            if (model->index[i] < d) known->kept[model->index[i]] = true;
    }
    for (int64_t j = 0; j < d; j++) {
        bool cost = !data->cost || data->cost[j] == (model->cost ? model->cost[j] : 1);
        bool kept = !data->kept || data->kept[j] == (known->kept && known->kept[j]);
        bool sign = !data->sign || data->sign[j] == (model->sign ? model->sign[j] : 0);
        if (!cost || !kept || !sign)
            return error_set(err, PARE_E_DATA, "the model's %s features are not those given",
                             !cost   ? "costs of"
                             : !kept ? "kept"
                                     : "signs of");
    }
    return PARE_OK;
}

pare_status problem_of_model(problem *out, pare_data *known, arena *mem, const pare_model *model,
                             const pare_data *given, const pare_ctx *ctx, pare_error *err) {
    out->given = given;
    PASS(weighted_samples_begin(&out->samples, given, ctx, err));
    PASS(model_terms(known, model, out->samples.data, mem, err));
    out->data = known;
    PASS(target_resolve(&out->y, mem, known, ~0u, model->task->word, model->set.common.positive,
                        err));
    PASS(target_order(&out->y, mem, known->x.n, model->classes, model->n_classes, err));
    PASS_MEM(out->method = ARENA_ZERO(mem, problem_method, 1));
    PASS_MEM(out->wide = ARENA_ZERO(mem, expansion, 1));
    const method *m = method_of_group(model->group);
    PASS(method_check_signs(m, known, model->task, err));
    out->n_methods = out->n_wide = 1;
    int64_t *used, n_used;
    PASS(model_derived(&used, &n_used, model, mem, err));
    expand_job of = {
        .data = known, .set = &model->set, .y = &out->y, .used = used, .n_used = n_used};
    PASS(expansion_begin(out->wide, m, &of, ctx, err));
    *out->method = (problem_method){.named = m,
                                    .m = m,
                                    .classifier = method_final(m, &model->set, model->task),
                                    .set = model->set,
                                    .wide = out->wide,
                                    .data = out->wide->data};
    return PARE_OK;
}

pare_status problem_against(target *y, arena *mem, const pare_model *model, const pare_data *data,
                            pare_error *err) {
    *y = (target){.task = model->task, .n_classes = model->n_classes, .classes = model->classes};
    if (!model->task->has_target)
        return error_set(err, PARE_E_ARGUMENT,
                         "the model has no predictor: it is a selection of features without a "
                         "target (task none)");
    if (target_column_count(&data->target) != data->x.n)
        return error_set(err, PARE_E_DATA,
                         "there is no truth to score by: give `target` or `labels`");
    return model->task->read(y, data, mem, err);
}
