/* From a method's kernel predictor in scaled units to the model's in raw units. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "fit.h"
#include "select/fitting.h"

/* The samples with a say in some output; their count. */
static int64_t list_support(const fit_result *r, int64_t n, int32_t *rows) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        bool used = false;
        for (int64_t o = 0; o < r->n_outputs; o++) used |= r->kernel->U[o * n + i] != 0;
        if (used) rows[count++] = (int32_t)i;
    }
    return count;
}

pare_status fill_kernel(pare_model *model, const fitting *f, const fit_result *r,
                        const pare_ctx *ctx, pare_error *err) {
    int64_t n = f->x.n, k = model->n_selected, c = r->n_outputs;
    arena *mem = &model->mem, scratch;
    arena_init(&scratch, &mem->mem);
    pare_status status = PARE_OK;
    int32_t *rows = ARENA_NEW(&scratch, int32_t, n);
    TRY_MEM(rows);
    kernel_model *out = ARENA_ZERO(mem, kernel_model, 1);
    TRY_MEM(out);
    strcpy(out->type, r->kernel->type);
    out->degree = r->kernel->degree;
    out->coef0 = r->kernel->coef0;
    int64_t s = out->n_support = list_support(r, n, rows);
    TRY_MEM(out->gamma = ARENA_NEW(mem, double, k));
    TRY_MEM(out->alpha = ARENA_NEW(mem, double, s *c));
    TRY_MEM(out->x = ARENA_NEW(mem, double, s *k));
    for (int64_t o = 0; o < c; o++)
        for (int64_t t = 0; t < s; t++) out->alpha[o * s + t] = r->kernel->U[o * n + rows[t]];
    if (r->kernel->weights) TRY_MEM(out->weight = ARENA_NEW(mem, double, k));
    for (int64_t j = 0; j < k; j++) {
        double gamma = r->kernel->weights ? r->kernel->gammas[j] : r->kernel->gamma;
        out->gamma[j] = gamma * model->scale[j] * model->scale[j];
        if (r->kernel->weights) out->weight[j] = r->kernel->weights[j];
    }
    int32_t *base = ARENA_NEW(&scratch, int32_t, s);
    TRY_MEM(base);
    for (int64_t t = 0; t < s; t++) base[t] = f->x.rows ? f->x.rows[rows[t]] : rows[t];
    view raw = view_all(f->x.x);
    raw.rows = base;
    raw.n = s;
    raw.fill = f->x.fill;
    if (s > 0 && k > 0) TRY(mat_columns(&raw, model->index, k, out->x, ctx, err));
    model->kernel = out;
done:
    arena_free(&scratch);
    return status;
}
