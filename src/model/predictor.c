#include "model/predictor.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/method.h"
#include "model/json.h"
#include "model/model.h"

/* The first kind that accepts a result or a file is used; the linear one accepts all. */
static const predictor_kind *const kinds[] = {&predictor_monomials, &predictor_neighbours,
                                              &predictor_kernel_sum, &predictor_kernel,
                                              &predictor_linear};

pare_status predictor_from_result(predictor *p, arena *mem, const fitted *from, const pare_ctx *ctx,
                                  pare_error *err) {
    int64_t c = from->r->n_outputs;
    *p = (predictor){.k = from->x.d, .n_outputs = c};
    if (from->r->decides == BY_PAIRS) p->pairs = from->y->n_classes;
    p->intercept = ARENA_NEW(mem, double, c);
    if (!p->intercept) return error_memory(err);
    if (c > 0) memcpy(p->intercept, from->r->b, sizeof(double) * (size_t)c);
    for (int i = 0; !p->kind; i++)
        if (kinds[i]->made_by && kinds[i]->made_by(from->r)) p->kind = kinds[i];
    return p->kind->from_result(p, mem, from, ctx, err);
}

int64_t predictor_width(const predictor *p) { return p->pairs ? p->pairs : p->n_outputs; }

/* The scores of c classes (n x c) from the outputs V of their pairs. */
static void vote(double *F, const double *V, int64_t n, int64_t c, double *sum) {
    for (int64_t i = 0; i < n; i++) {
        const double *f = V + i;
        for (int64_t k = 0; k < c; k++) F[k * n + i] = sum[k] = 0;
        for (int64_t a = 0; a < c; a++)
            for (int64_t b = a + 1; b < c; b++, f += n) { /* in the order of class_pair */
                F[(*f > 0 ? b : a) * n + i]++;            /* as scores_decide of two classes */
                sum[a] -= *f;
                sum[b] += *f;
            }
        for (int64_t k = 0; k < c; k++) F[k * n + i] += sum[k] / (3 * (1 + fabs(sum[k])));
    }
}

pare_status predictor_apply(double *F, const predictor *p, const view *x, const pare_ctx *ctx,
                            pare_error *err) {
    if (!p->pairs) return p->kind->predict(F, p, x, ctx, err);
    const pare_allocator *mem = ctx_allocator(ctx);
    int64_t outputs = x->n * p->n_outputs;
    double *V = mem_alloc(mem, outputs + p->pairs, sizeof *V);
    if (!V) return error_memory(err);
    pare_status status = p->kind->predict(V, p, x, ctx, err);
    if (status == PARE_OK) vote(F, V, x->n, p->pairs, V + outputs);
    mem_free(mem, V);
    return status;
}

bool predictor_block(view *out, arena *mem, int64_t n, int64_t k, const double *block) {
    matrix *x = ARENA_NEW(mem, matrix, 1);
    if (!x) return false;
    *x = mat_dense(n, k, block);
    *out = view_all(x);
    return true;
}

bool predictor_transformed(view *x, arena *mem, const double *median, const double *spread) {
    matrix *shown = ARENA_NEW(mem, matrix, 1);
    asinh_view *by = ARENA_NEW(mem, asinh_view, 1);
    if (!shown || !by) return false;
    *by = (asinh_view){x->x, median, spread};
    *shown = mat_asinh(by);
    x->x = shown;
    return true;
}

pare_status predictor_support(view *out, double **block, arena *mem, const fitted *from,
                              const int32_t *rows, int64_t count, const pare_ctx *ctx,
                              pare_error *err) {
    int64_t k = from->x.d;
    int32_t *base = ARENA_NEW(mem, int32_t, count);
    *block = NULL;
    *out = from->x;
    out->rows = base;
    out->n = count;
    if (!base) return error_memory(err);
    for (int64_t t = 0; t < count; t++) base[t] = from->x.rows ? from->x.rows[rows[t]] : rows[t];
    if (!from->owner) return PARE_OK;
    view raw = *out;
    raw.shift = raw.scale = NULL;
    *block = ARENA_NEW(mem, double, count *k);
    if (!*block) return error_memory(err);
    if (count > 0 && k > 0) {
        PASS(mat_columns(&raw, NULL, k, *block, ctx, err));
    }
    return predictor_block(out, mem, count, k, *block) ? PARE_OK : error_memory(err);
}

/* --- model file --- */

/* The class of output o; NULL unless the model classifies with an output per class. */
static const char *label_of(const pare_model *m, int64_t o) {
    return m->task->classes && !m->p.pairs ? m->classes[m->p.n_outputs == 1 ? m->n_classes - 1 : o]
                                           : NULL;
}

/* The labels of output o's two classes. */
static json_t *pair_json(const pare_model *m, int64_t o) {
    int32_t pair[2];
    class_pair(o, m->p.pairs, pair);
    return json_pack("[s, s]", m->classes[pair[0]], m->classes[pair[1]]);
}

static bool pair_is(const json_t *labels, const pare_model *m, int64_t o) {
    json_t *own = pair_json(m, o);
    bool same = json_equal(own, labels);
    json_decref(own);
    return same;
}

void predictor_to_json(json_t *file, const pare_model *m) {
    const predictor *p = &m->p;
    json_t *array = json_array();
    for (int64_t o = 0; o < p->n_outputs; o++) {
        const char *label = label_of(m, o);
        json_t *coef = p->coef ? numbers_json(p->coef + o * p->k, p->k, 1) : json_null();
        json_t *output =
            json_pack("{s:o, s:o, s:o}", "class", label ? json_string(label) : json_null(),
                      "intercept", number_json(p->intercept[o]), "coef", coef);
        if (p->pairs) json_object_set_new(output, "pair", pair_json(m, o));
        json_array_append_new(array, output);
    }
    json_object_set_new(file, "outputs", array);
    if (p->kind->to_json) p->kind->to_json(file, m);
}

/* Intercepts, and coefficients if all outputs have them. */
static pare_status load_outputs(pare_model *m, const json_t *outputs, const char **expected) {
    predictor *p = &m->p;
    int64_t c = p->n_outputs, without = 0;
    p->intercept = ARENA_NEW(&m->mem, double, c);
    p->coef = ARENA_NEW(&m->mem, double, p->k *c);
    if (!p->intercept || !p->coef) return PARE_E_MEMORY;
    for (int64_t o = 0; o < c; o++) {
        const json_t *output = json_array_get(outputs, (size_t)o),
                     *coef = json_object_get(output, "coef");
        const char *label = json_string_value(json_object_get(output, "class")),
                   *own = label_of(m, o);
        *expected = "in the order of the classes";
        if (!label != !own || (own && strcmp(label, own) != 0)) return PARE_E_FORMAT;
        *expected = "with every pair of classes in their order";
        if (p->pairs && !pair_is(json_object_get(output, "pair"), m, o)) return PARE_E_FORMAT;
        *expected = "an array of outputs, each with intercept and one coef per selected feature";
        const json_t *b = json_object_get(output, "intercept");
        p->intercept[o] = json_number_value(b);
        without += json_is_null(coef);
        if (!json_is_number(b) ||
            (!json_is_null(coef) && !numbers_read(coef, p->k, p->coef + o * p->k, 1)))
            return PARE_E_FORMAT;
    }
    if (without > 0) p->coef = NULL;
    return without == 0 || without == c ? PARE_OK : PARE_E_FORMAT;
}

pare_status predictor_from_json(pare_model *m, const json_t *file, const char **key,
                                const char **expected) {
    const json_t *outputs = json_object_get(file, "outputs");
    m->p = (predictor){.k = m->n_selected, .n_outputs = (int64_t)json_array_size(outputs)};
    *key = "outputs";
    *expected = "one output, or one per class or pair of classes, or none of task none";
    bool several = m->task->several;
    if (several && json_object_get(json_array_get(outputs, 0), "pair")) m->p.pairs = m->n_classes;
    int64_t wanted = m->p.pairs ? class_pairs(m->p.pairs) : several ? m->n_classes : 1;
    if (m->p.n_outputs != (m->task->has_target ? wanted : 0)) return PARE_E_FORMAT;
    PASS(load_outputs(m, outputs, expected));
    for (int i = 0; !m->p.kind; i++)
        if (kinds[i]->is_in(file)) m->p.kind = kinds[i];
    *expected = "of outputs that are one per class";
    *key = m->p.kind->name;
    if (m->p.pairs && m->p.kind == &predictor_neighbours) return PARE_E_FORMAT;
    return m->p.kind->from_json(m, file, expected);
}
