/* Decision values of a model on new data: columns matched by name, imputed by the model's fill
 * values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "data/feature/row_scale.h"
#include "model/baseline_hazard.h"
#include "model/marked.h"
#include "model/model.h"
#include "model/model_batch.h"

/* Whether names are missing: the model has some that are not made up. */
static void say_by_position(const pare_model *m, const pare_data *data, const pare_ctx *ctx) {
    char made_up[32];
    if (m->info.n_needed == 0) return;
    snprintf(made_up, sizeof made_up, "x%lld", (long long)m->info.needed_index[0] + 1);
    if (strcmp(made_up, m->info.needed_name[0]) != 0)
        ctx_log(
            ctx, PARE_LOG_INFO,
            "the data have no feature names: the model's are found by position, in %lld columns "
            "where its training had %lld",
            (long long)data->x.d, (long long)m->n_features);
}

/* The column of `data` that holds each selected feature: by name where the data have names, else by
 * index. */
static pare_status match_columns(int64_t *cols, const pare_model *m, const pare_data *data,
                                 const pare_ctx *ctx, pare_error *err) {
    if (data->names.count == 0) {
        say_by_position(m, data, ctx);
        for (int64_t i = 0; i < m->info.n_needed; i++) {
            if (m->info.needed_index[i] >= data->x.d)
                return error_set(err, PARE_E_DATA,
                                 "the model needs feature %lld (%.64s), the data have %lld columns",
                                 (long long)m->info.needed_index[i] + 1, m->info.needed_name[i],
                                 (long long)data->x.d);
            cols[i] = m->info.needed_index[i];
        }
        return PARE_OK;
    }
    strings_index names;
    int64_t duplicate;
    if (!strings_index_make(&names, &data->names, &data->mem, &duplicate)) return error_memory(err);
    pare_status status = PARE_OK;
    for (int64_t i = 0; i < m->info.n_needed && status == PARE_OK; i++) {
        cols[i] = strings_index_find(&names, m->info.needed_name[i],
                                     (int64_t)strlen(m->info.needed_name[i]));
        if (cols[i] < 0 && m->row_name)
            status = error_set(err, PARE_E_DATA,
                               "the model scales whole rows (row_scale %s) and needs all %lld "
                               "columns of its training data; \"%.128s\" is missing",
                               m->set.common.row_scale, (long long)m->n_features, m->row_name[i]);
        else if (cols[i] < 0)
            status = error_set(err, PARE_E_DATA,
                               "the model needs the column \"%.128s\", which the data do not have",
                               m->info.needed_name[i]);
    }
    strings_index_free(&names, &data->mem);
    return status;
}

pare_status model_check_offset(const pare_model *m, const pare_data *data, pare_error *err) {
    if (m->offset == (data->offset != NULL)) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT,
                     m->offset
                         ? "the model was fitted beside an offset: give that of these samples "
                           "with `offset`"
                         : "`offset`: the model was fitted without one");
}

/* An error that names a missing value that the model cannot impute; x: the required columns. */
static pare_status refuse_missing(const view *x, const pare_model *m, const pare_ctx *ctx,
                                  pare_error *err) {
    walk w;
    column c;
    pare_status status = walk_open(&w, x, NULL, x->d, ctx, err);
    for (int64_t j; status == PARE_OK && walk_next(&w, &j, &c);)
        for (int64_t e = 0; e < c.count && status == PARE_OK; e++) {
            int64_t row = c.index ? c.index[e] : e;
            if (isnan(c.value[e]))
                status = error_at(err, PARE_E_DATA, row + 1, x->cols[j] + 1, -1,
                                  "sample %lld has no value of %.128s, and the model was fitted "
                                  "without imputation: fit it again with `missing` mean or median",
                                  (long long)row + 1, m->info.needed_name[j]);
        }
    return walk_end(&w, status, err);
}

/* The columns transformed as a robust model requires; fill, if any, is x's own. */
static pare_status transform(view *x, double *fill, arena *mem, const pare_model *m,
                             const int64_t *cols, pare_error *err) {
    int64_t d = x->x->d;
    double *median = ARENA_ZERO(mem, double, d), *spread = ARENA_ZERO(mem, double, d);
    if (!median || !spread) return error_memory(err);
    for (int64_t i = 0; i < m->n_selected; i++) {
        median[cols[i]] = m->median[i];
        spread[cols[i]] = m->spread[i];
        if (fill) fill[cols[i]] = asinh_value(fill[cols[i]], m->median[i], m->spread[i]);
    }
    return predictor_transformed(x, mem, median, spread) ? PARE_OK : error_memory(err);
}

static pare_status predict_within(double *scores, const pare_model *m, const pare_data *data,
                                  const pare_ctx *ctx, pare_error *err) {
    int64_t needed = m->info.n_needed, d = data->x.d;
    arena mem = arena_of(ctx);
    matrix with_indicators = {0};
    pare_status status = PARE_OK;
    double *fill = NULL;
    int64_t *cols = ARENA_NEW(&mem, int64_t, needed);
    TRY_MEM(cols);
    TRY(model_check_offset(m, data, err));
    TRY(model_check_batch(m, data, err));
    TRY(match_columns(cols, m, data, ctx, err));
    view x = view_all(&data->x);
    x.cols = cols;
    x.d = needed;
    if (m->marked) { /* adds the indicators to the columns */
        TRY(marked_apply(&with_indicators, &cols, &mem, m, &data->x, cols, ctx, err));
        x = view_all(&with_indicators);
        x.cols = cols;
        x.d = needed = m->marked->n_inputs;
        d = with_indicators.d;
    }
    if (m->row_name) { /* scales whole rows, then keeps the predictor's columns */
        TRY(row_scale_apply(&x, m->set.common.row_scale, cols, needed, m->idf, &mem, ctx, err));
        int64_t *own = ARENA_NEW(&mem, int64_t, m->n_selected);
        TRY_MEM(own);
        for (int64_t i = 0; i < m->n_selected; i++) own[i] = cols[m->index[i]];
        x.cols = cols = own;
        x.d = m->n_selected;
    }
    if (data->x.missing && !m->impute) TRY(refuse_missing(&x, m, ctx, err));
    if (data->x.missing) { /* derived features are imputed as a whole, by the predictor */
        TRY_MEM(fill = ARENA_NEW(&mem, double, d));
        for (int64_t j = 0; j < d; j++) fill[j] = NAN;
        for (int64_t i = 0; m->impute && !m->p.n_inputs && i < needed; i++)
            fill[cols[i]] = m->impute[i];
        x.fill = fill;
    }
    if (m->batch) { /* and fills missing values */
        TRY(model_batch_apply(&x, m, data, cols, fill, &mem, ctx, err));
        x.fill = fill = NULL;
    }
    if (m->spread && !m->p.n_inputs) TRY(transform(&x, fill, &mem, m, cols, err));
    status = predictor_apply(scores, &m->p, &x, ctx, err);
    for (int64_t i = 0; status == PARE_OK && m->offset && i < data->x.n; i++)
        scores[i] += data->offset[i];
    for (int64_t i = 0; status == PARE_OK && m->baseline && i < data->x.n; i++)
        scores[i] -= m->baseline->center;
done:
    mat_free(&with_indicators, ctx_allocator(ctx));
    arena_free(&mem);
    return status;
}

pare_status pare_predict(double *scores, const pare_model *model, const pare_data *data,
                         const pare_ctx *ctx, pare_error *err) {
    call c;
    if (!model->task->has_target)
        return error_set(err, PARE_E_ARGUMENT,
                         "the model has no predictor: it is a selection of features without a "
                         "target (task none)");
    pare_status status = call_begin(&c, ctx, err);
    if (status == PARE_OK) status = predict_within(scores, model, data, &c.ctx, err);
    if (status == PARE_E_CANCELLED && ctx_stopped(&c.ctx) == INTERRUPT_TIME)
        status =
            error_set(err, PARE_E_DATA, "the time limit came before all samples were predicted");
    call_end(&c);
    return status;
}

pare_status pare_predict_probability(double *P, const pare_model *m, const pare_data *data,
                                     const pare_ctx *ctx, pare_error *err) {
    if (!m->task->classes)
        return error_set(err, PARE_E_ARGUMENT,
                         "a model of task %s has no classes and so no probabilities of them",
                         m->task->name);
    if (m->calibration.kind == PROBABILITY_NONE)
        return error_set(err, PARE_E_ARGUMENT,
                         "the model has no probabilities, as its scores are not calibrated: fit "
                         "it again with `probability`");
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    const pare_allocator *mem = ctx_allocator(ctx);
    int64_t width = predictor_width(&m->p);
    double *F = mem_alloc(mem, data->x.n * width, sizeof *F);
    if (!F) return error_memory(err);
    pare_status status = pare_predict(F, m, data, ctx, err);
    if (status == PARE_OK) probability_of(P, &m->calibration, F, data->x.n, width);
    mem_free(mem, F);
    return status;
}
