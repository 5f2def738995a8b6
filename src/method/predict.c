/* Decision values of a model on new data: columns matched by name, imputed as the model says. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "data/model.h"
#include "method/predict_kernel.h"
#include "method/predict_neighbours.h"
#include "method/predict_terms.h"

/* The column of `data` that holds each selected feature: by name where the data have names, else by
 * index. */
static pare_status match_columns(int64_t *cols, const pare_model *m, const pare_data *data,
                                 pare_error *err) {
    if (data->names.count == 0) {
        for (int64_t i = 0; i < pare_model_n_needed(m); i++) {
            if (pare_model_needed_index(m, i) >= data->x.d)
                return error_set(err, PARE_E_DATA,
                                 "the model needs feature %lld (%.64s), the data have %lld columns",
                                 (long long)pare_model_needed_index(m, i) + 1,
                                 pare_model_needed_name(m, i), (long long)data->x.d);
            cols[i] = pare_model_needed_index(m, i);
        }
        return PARE_OK;
    }
    strings_index names;
    int64_t duplicate;
    if (!strings_index_make(&names, &data->names, &data->mem, &duplicate)) return error_memory(err);
    pare_status status = PARE_OK;
    for (int64_t i = 0; i < pare_model_n_needed(m) && status == PARE_OK; i++) {
        cols[i] = strings_index_find(&names, pare_model_needed_name(m, i),
                                     (int64_t)strlen(pare_model_needed_name(m, i)));
        if (cols[i] < 0)
            status = error_set(err, PARE_E_DATA,
                               "the model needs the column \"%.128s\", which the data do not have",
                               pare_model_needed_name(m, i));
    }
    strings_index_free(&names, &data->mem);
    return status;
}

static pare_status predict_within(double *scores, const pare_model *m, const pare_data *data,
                                  const pare_ctx *ctx, pare_error *err) {
    int64_t n = data->x.n, k = m->n_selected;
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    walk w = {0};
    pare_status status = PARE_OK;
    int64_t *cols = ARENA_NEW(&mem, int64_t, pare_model_n_needed(m));
    double *distance = NULL; /* n x n_neighbours, where the nearest training sample decides */
    TRY_MEM(cols);
    if (m->n_neighbours > 0) {
        TRY(ctx_room(ctx, 8 * (double)n * (double)m->n_neighbours, "the distances to the samples",
                     err));
        TRY_MEM(distance = ARENA_ZERO(&mem, double, n * m->n_neighbours));
    }
    TRY(match_columns(cols, m, data, err));
    if (m->kernel || m->terms) {
        status = m->kernel ? predict_kernel(scores, m, data, cols, ctx, err)
                           : predict_terms(scores, m, data, cols, ctx, err);
        goto done;
    }
    for (int64_t o = 0; o < m->n_outputs; o++)
        for (int64_t i = 0; i < n; i++) scores[o * n + i] = m->intercept[o];
    view all = view_all(&data->x);
    TRY(walk_open(&w, &all, cols, k, ctx, err));
    int64_t j;
    column c;
    while (walk_next(&w, &j, &c)) {
        for (int64_t i = 0, e = 0; i < n; i++) {
            bool listed = e < c.count && (!c.index || c.index[e] == i);
            double x = listed ? c.value[e++] : c.rest;
            if (isnan(x) && m->impute) x = m->impute[j];
            if (isnan(x)) {
                status = error_at(err, PARE_E_DATA, i + 1, cols[j] + 1, -1,
                                  "sample %lld has no value of %.128s, and the model was fitted "
                                  "without imputation",
                                  (long long)i + 1, m->name[j]);
                goto done;
            }
            for (int64_t o = 0; m->coef && o < m->n_outputs; o++)
                scores[o * n + i] += m->coef[o * k + j] * x;
            if (!m->coef) neighbours_add(distance, m, n, i, j, x);
        }
    }
    if (m->n_neighbours > 0) neighbours_score(scores, distance, m, n);

done:
    status = walk_end(&w, status, err);
    arena_free(&mem);
    return status;
}

pare_status pare_predict(double *scores, const pare_model *model, const pare_data *data,
                         const pare_ctx *ctx, pare_error *err) {
    call c;
    pare_status status = call_begin(&c, ctx, err);
    if (status == PARE_OK) status = predict_within(scores, model, data, &c.ctx, err);
    call_end(&c);
    return status;
}
