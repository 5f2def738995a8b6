/* The training samples that a nearest-neighbour decision looks at, into the model. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "fit.h"

/* The selected columns of the training data, imputed, sample by sample. */
static pare_status raw_rows(pare_model *model, const pare_data *data, const pare_ctx *ctx,
                            pare_error *err) {
    int64_t n = data->x.n, k = model->n_selected;
    view all = view_all(&data->x);
    walk w;
    column c;
    int64_t s;
    pare_status status = walk_open(&w, &all, model->index, k, ctx, err);
    if (status != PARE_OK) return status;
    while (walk_next(&w, &s, &c)) {
        for (int64_t i = 0; i < n; i++) model->neighbour_z[i * k + s] = c.rest;
        for (int64_t e = 0; e < c.count; e++)
            model->neighbour_z[(c.index ? c.index[e] : e) * k + s] = c.value[e];
        for (int64_t i = 0; i < n && model->impute; i++)
            if (isnan(model->neighbour_z[i * k + s]))
                model->neighbour_z[i * k + s] = model->impute[s];
    }
    return walk_close(&w, err);
}

/* The outputs of the training samples, sample by sample. */
static pare_status mapped_rows(pare_model *model, const pare_data *data, const pare_ctx *ctx,
                               pare_error *err) {
    int64_t n = data->x.n, c = model->n_outputs;
    double *f = mem_alloc(ctx_allocator(ctx), n * c, sizeof *f);
    if (!f) return error_memory(err);
    pare_status status = pare_predict(f, model, data, ctx, err);
    for (int64_t i = 0; i < n && status == PARE_OK; i++)
        for (int64_t o = 0; o < c; o++) model->neighbour_z[i * c + o] = f[o * n + i];
    mem_free(ctx_allocator(ctx), f);
    return status;
}

pare_status fill_neighbours(pare_model *model, const pare_data *data, const target *y,
                            const fit_result *r, const pare_ctx *ctx, pare_error *err) {
    if (r->decides == BY_OUTPUTS) return PARE_OK;
    bool raw = r->decides == BY_RAW_NEIGHBOUR;
    int64_t n = data->x.n, width = raw ? model->n_selected : model->n_outputs;
    model->neighbour_width = width;
    model->neighbour_class = ARENA_NEW(&model->mem, int32_t, n);
    model->neighbour_z = ARENA_NEW(&model->mem, double, n *width);
    if (!model->neighbour_class || !model->neighbour_z) return error_memory(err);
    memcpy(model->neighbour_class, y->cls, sizeof(int32_t) * (size_t)n);
    pare_status status = raw ? raw_rows(model, data, ctx, err) : mapped_rows(model, data, ctx, err);
    if (status != PARE_OK) return status;
    model->n_neighbours = n; /* only now: mapping the samples must not look for neighbours */
    if (raw) model->coef = NULL;
    return PARE_OK;
}
