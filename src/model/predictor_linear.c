/* Linear: f_o(x) = intercept_o + sum_j coef_jo x_j. One pass over the columns; entries that are not
 * stored in a sparse column cost nothing. */
#include "base/context.h"
#include "base/error.h"
#include "method/method.h"
#include "model/model.h"

static bool made_by(const fit_result *r) {
    (void)r;
    return true;
}

static bool is_in(const json_t *file) {
    (void)file;
    return true;
}

/* Adds a column to the values of one output, except for the value that is not stored, which is
 * returned. */
static double add_column(double *f, double w, const column *c, int64_t n) {
    if (!c->index) {
        for (int64_t i = 0; i < n; i++) f[i] += w * c->value[i];
        return 0;
    }
    for (int64_t e = 0; e < c->count; e++) f[c->index[e]] += w * (c->value[e] - c->rest);
    return w * c->rest;
}

static pare_status predict(double *F, const predictor *p, const view *x, const pare_ctx *ctx,
                           pare_error *err) {
    int64_t n = x->n, c = p->n_outputs;
    const pare_allocator *mem = ctx_allocator(ctx);
    double *rest = mem_zero(mem, c, sizeof *rest);
    if (!rest) return error_memory(err);
    walk w;
    column col;
    pare_status status = walk_open(&w, x, NULL, p->k, ctx, err);
    for (int64_t o = 0; o < c; o++)
        for (int64_t i = 0; i < n; i++) F[o * n + i] = p->intercept[o];
    for (int64_t j; status == PARE_OK && walk_next(&w, &j, &col);)
        for (int64_t o = 0; o < c; o++)
            rest[o] += add_column(F + o * n, p->coef[o * p->k + j], &col, n);
    status = walk_end(&w, status, err);
    for (int64_t o = 0; o < c; o++)
        for (int64_t i = 0; rest[o] != 0 && i < n; i++) F[o * n + i] += rest[o];
    mem_free(mem, rest);
    return status;
}

static pare_status from_result(predictor *p, arena *mem, const fitted *from, const pare_ctx *ctx,
                               pare_error *err) {
    const fit_result *r = from->r;
    const view *x = &from->x;
    (void)ctx;
    p->coef = ARENA_ZERO(mem, double, p->k * p->n_outputs);
    if (!p->coef) return error_memory(err);
    for (int64_t o = 0; o < p->n_outputs; o++)
        for (int64_t s = 0; s < r->n_support; s++) {
            int64_t i = from->place ? from->place[s] : s, j = x->cols ? x->cols[i] : i;
            double *coef = &p->coef[o * p->k + i];
            *coef = r->W[o * r->n_support + s];
            if (!from->owner) continue;
            *coef *= x->scale ? x->scale[j] : 1;
            p->intercept[o] -= *coef * (x->shift ? x->shift[j] : 0);
        }
    bool ranks = from->owner && from->owner->task->by_order; /* an intercept does not change
                                                                      the order */
    if (ranks) p->intercept[0] = 0;
    return PARE_OK;
}

static pare_status from_json(pare_model *m, const json_t *file, const char **expected) {
    (void)file;
    *expected = "with coefficients";
    return m->p.coef ? PARE_OK : PARE_E_FORMAT;
}

const predictor_kind predictor_linear = {.name = "outputs",
                                         .made_by = made_by,
                                         .is_in = is_in,
                                         .predict = predict,
                                         .from_result = from_result,
                                         .from_json = from_json};
