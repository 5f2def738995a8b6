#include "model/kernel_machine.h"

#include <string.h>

#include "base/error.h"
#include "method/method.h"
#include "model/json.h"

/* Lists the samples with a nonzero dual in some output; returns their number. */
static int64_t list_support(const fit_result *r, int64_t n, int32_t *rows) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        bool used = false;
        for (int64_t o = 0; o < r->n_outputs; o++) used |= r->kernel->U[o * n + i] != 0;
        if (used) rows[count++] = (int32_t)i;
    }
    return count;
}

/* Allocates all but the support; returns NULL when out of memory. */
static kernel_machine *machine_new(arena *mem, const char *type, bool sum, int64_t k,
                                   int64_t n_alpha) {
    kernel_machine *out = ARENA_ZERO(mem, kernel_machine, 1);
    if (!out) return NULL;
    strcpy(out->type, type);
    out->gamma = ARENA_NEW(mem, double, k);
    out->alpha = ARENA_NEW(mem, double, n_alpha);
    if (sum) out->weight = ARENA_NEW(mem, double, k);
    return out->gamma && out->alpha && (!sum || out->weight) ? out : NULL;
}

/* The column of feature j in the fit's job, which had the chosen features, or all. */
static int64_t job_column(const fitted *from, int64_t j) {
    const fit_result *r = from->r;
    if (from->place) return j;
    return j < r->n_support ? r->support[j] : r->ranking[j];
}

pare_status kernel_machine_from_result(predictor *p, arena *mem, const fitted *from,
                                       const pare_ctx *ctx, pare_error *err) {
    const fit_kernel *own = from->r->kernel;
    const view *x = &from->x;
    int64_t n = x->n, c = p->n_outputs;
    int32_t *rows = ARENA_NEW(mem, int32_t, n);
    if (!rows) return error_memory(err);
    int64_t s = list_support(from->r, n, rows);
    kernel_machine *out = p->self = machine_new(mem, own->type, own->weights, p->k, s * c);
    if (!out) return error_memory(err);
    out->degree = own->degree;
    out->coef0 = own->coef0;
    if (from->owner) out->origin = from->owner->shift;
    for (int64_t o = 0; o < c; o++)
        for (int64_t t = 0; t < s; t++) out->alpha[o * s + t] = own->U[o * n + rows[t]];
    for (int64_t j = 0; j < p->k; j++) {
        double scale = from->owner ? from->owner->scale[j] : 1;
        int64_t at = job_column(from, j);
        out->gamma[j] = (own->weights ? own->gammas[at] : own->gamma) * scale * scale;
        if (own->weights) out->weight[j] = own->weights[at];
    }
    return predictor_support(&out->support, &out->x, mem, from, rows, s, ctx, err);
}

void kernel_machine_to_json(json_t *file, const pare_model *m) {
    const predictor *p = &m->p;
    const kernel_machine *own = p->self;
    int64_t s = own->support.n;
    json_t *alpha = json_array(), *x = json_array(), *weight = json_array();
    for (int64_t o = 0; o < p->n_outputs; o++)
        json_array_append_new(alpha, numbers_json(own->alpha + o * s, s, 1));
    if (p->n_outputs == 1) { /* the list itself */
        json_t *only = json_incref(json_array_get(alpha, 0));
        json_decref(alpha);
        alpha = only;
    }
    for (int64_t i = 0; i < s; i++) json_array_append_new(x, numbers_json(own->x + i, p->k, s));
    for (int64_t j = 0; j < p->k; j++)
        json_array_append_new(weight, json_real(own->weight ? own->weight[j] : 1));
    json_object_set_new(file, "kernel",
                        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:f, s:f}", "type", own->type,
                                  "combine", own->weight ? "sum" : "product", "gamma",
                                  numbers_json(own->gamma, p->k, 1), "weight", weight, "alpha",
                                  alpha, "x", x, "degree", own->degree, "coef0", own->coef0));
}

static bool read_machine(kernel_machine *out, const predictor *p, const json_t *object) {
    const json_t *x = json_object_get(object, "x"), *alpha = json_object_get(object, "alpha");
    int64_t s = (int64_t)json_array_size(x), k = p->k, c = p->n_outputs;
    bool fine = numbers_read(json_object_get(object, "gamma"), k, out->gamma, 1);
    const json_t *weight = json_object_get(object, "weight");
    if (out->weight) fine = fine && numbers_read(weight, k, out->weight, 1);
    for (size_t j = 0; !out->weight && j < json_array_size(weight); j++) /* of a product */
        fine = fine && json_number_value(json_array_get(weight, j)) == 1;
    for (int64_t o = 0; fine && o < c; o++)
        fine = numbers_read(c == 1 ? alpha : json_array_get(alpha, (size_t)o), s,
                            out->alpha + o * s, 1);
    for (int64_t i = 0; fine && i < s; i++)
        fine = numbers_read(json_array_get(x, (size_t)i), k, out->x + i, s);
    return fine;
}

pare_status kernel_machine_from_json(pare_model *m, const json_t *file, const char **expected) {
    predictor *p = &m->p;
    bool sum = p->kind == &predictor_kernel_sum;
    const json_t *object = json_object_get(file, "kernel"), *x = json_object_get(object, "x"),
                 *degree = json_object_get(object, "degree"),
                 *coef0 = json_object_get(object, "coef0");
    const char *type = json_string_value(json_object_get(object, "type"));
    *expected = "an object with type, gamma, alpha, x, degree and coef0";
    if (!type || (strcmp(type, "rbf") != 0 && strcmp(type, sum ? "delta" : "poly") != 0) ||
        !json_is_array(x) || !json_is_number(degree) || !json_is_number(coef0))
        return PARE_E_FORMAT;
    int64_t s = (int64_t)json_array_size(x);
    kernel_machine *out = p->self = machine_new(&m->mem, type, sum, p->k, s * p->n_outputs);
    if (!out || !(out->x = ARENA_NEW(&m->mem, double, s * p->k))) return PARE_E_MEMORY;
    out->degree = json_number_value(degree);
    out->coef0 = json_number_value(coef0);
    out->origin = m->shift;
    p->coef = NULL;
    if (!read_machine(out, p, object)) return PARE_E_FORMAT;
    return predictor_block(&out->support, &m->mem, s, p->k, out->x) ? PARE_OK : PARE_E_MEMORY;
}

const cert_kernel *kernel_machine_describe(cert_kernel *out, const predictor *p) {
    if (p->kind != &predictor_kernel && p->kind != &predictor_kernel_sum) return NULL;
    const kernel_machine *k = p->self;
    *out = (cert_kernel){.type = k->type,
                         .gamma = k->gamma,
                         .weight = k->weight,
                         .degree = k->degree,
                         .coef0 = k->coef0,
                         .n_support = k->support.n,
                         .alpha = k->alpha,
                         .x = k->x};
    return out;
}
