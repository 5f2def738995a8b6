#include "model/predictor_neighbours.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/method.h"
#include "model/json.h"
#include "model/model.h"

enum { COLUMNS_AT_ONCE = 64 };

static bool made_by(const fit_result *r) {
    return r->decides == BY_MAPPED_NEIGHBOUR || r->decides == BY_RAW_NEIGHBOUR;
}
static bool is_in(const json_t *file) { return json_object_get(file, "neighbours") != NULL; }

/* distance (n x count) += the squared differences over all columns of x and of the support. */
static pare_status add_distances(double *distance, const neighbours *own, const view *x, arena *mem,
                                 const pare_ctx *ctx, pare_error *err) {
    int64_t n = x->n, cols[COLUMNS_AT_ONCE];
    double *a = ARENA_NEW(mem, double, n *COLUMNS_AT_ONCE),
           *b = ARENA_NEW(mem, double, own->count *COLUMNS_AT_ONCE);
    if (!a || !b) return error_memory(err);
    for (int64_t first = 0; first < own->width; first += COLUMNS_AT_ONCE) {
        int64_t left = own->width - first, count = left < COLUMNS_AT_ONCE ? left : COLUMNS_AT_ONCE;
        for (int64_t j = 0; j < count; j++) cols[j] = first + j;
        pare_status status = mat_columns(x, cols, count, a, ctx, err);
        if (status == PARE_OK) status = mat_columns(&own->support, cols, count, b, ctx, err);
        if (status != PARE_OK) return status;
        for (int64_t j = 0; j < count; j++)
            for (int64_t t = 0; t < own->count; t++)
                for (int64_t i = 0; i < n; i++) {
                    double away = a[j * n + i] - b[j * own->count + t];
                    if (own->scale) away *= own->scale[first + j];
                    distance[t * n + i] += away * away;
                }
    }
    return PARE_OK;
}

/* The distance to the nearest of class k; infinite for a class without samples. */
static double to_class(const double *distance, const neighbours *own, int64_t n, int64_t i,
                       int64_t k) {
    double least = INFINITY;
    for (int64_t t = 0; t < own->count; t++)
        if (own->cls[t] == k) least = fmin(least, distance[t * n + i]);
    return fmin(sqrt(least), sqrt(DBL_MAX));
}

static pare_status predict(double *F, const predictor *p, const view *x, const pare_ctx *ctx,
                           pare_error *err) {
    const neighbours *own = p->self;
    int64_t n = x->n, c = p->n_outputs;
    view mapped = *x;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY(ctx_check_memory(ctx, 8 * (double)n * (double)own->count, "the distances to the samples",
                         err));
    double *distance = ARENA_ZERO(&mem, double, n * own->count);
    TRY_MEM(distance);
    if (p->coef) {
        TRY(predictor_linear.predict(F, p, x, ctx, err));
        TRY_MEM(predictor_block(&mapped, &mem, n, c, F));
    }
    TRY(add_distances(distance, own, &mapped, &mem, ctx, err));
    for (int64_t i = 0; i < n; i++)
        for (int64_t o = 0; o < c; o++)
            F[o * n + i] = c == 1
                               ? to_class(distance, own, n, i, 0) - to_class(distance, own, n, i, 1)
                               : -to_class(distance, own, n, i, o);
done:
    arena_free(&mem);
    return status;
}

/* Stores the outputs of the samples of x as the neighbours. */
static pare_status map_samples(predictor *p, arena *mem, const view *x, const pare_ctx *ctx,
                               pare_error *err) {
    neighbours *own = p->self;
    own->z = ARENA_NEW(mem, double, x->n * p->n_outputs);
    if (!own->z) return error_memory(err);
    PASS(predictor_linear.predict(own->z, p, x, ctx, err));
    return predictor_block(&own->support, mem, x->n, p->n_outputs, own->z) ? PARE_OK
                                                                           : error_memory(err);
}

static pare_status from_result(predictor *p, arena *mem, const fitted *from, const pare_ctx *ctx,
                               pare_error *err) {
    int64_t n = from->x.n;
    bool on_features = from->r->decides == BY_RAW_NEIGHBOUR;
    neighbours *own = p->self = ARENA_ZERO(mem, neighbours, 1);
    int32_t *rows = ARENA_NEW(mem, int32_t, n);
    if (!own || !rows || !(own->cls = ARENA_NEW(mem, int32_t, n))) return error_memory(err);
    own->width = on_features ? p->k : p->n_outputs;
    for (int64_t i = 0; i < n; i++) {
        rows[own->count] = (int32_t)i;
        own->cls[own->count++] = from->y->cls[i];
    }
    if (on_features) {
        own->scale = from->owner ? from->owner->scale : NULL;
        return predictor_support(&own->support, &own->z, mem, from, rows, own->count, ctx, err);
    }
    PASS(predictor_linear.from_result(p, mem, from, ctx, err));
    view x = from->x;
    if (from->owner) x.shift = x.scale = NULL;
    return map_samples(p, mem, &x, ctx, err);
}

static void to_json(json_t *file, const pare_model *m) {
    const neighbours *own = m->p.self;
    json_t *y = json_array(), *z = json_array();
    for (int64_t i = 0; i < own->count; i++) {
        json_array_append_new(y, json_string(m->classes[own->cls[i]]));
        json_array_append_new(z, numbers_json(own->z + i, own->width, own->count));
    }
    json_object_set_new(file, "neighbours", json_pack("{s:o, s:o}", "y", y, "z", z));
}

/* The class of a label, -1: none. */
static int32_t class_named(const pare_model *m, const char *label) {
    for (int64_t k = 0; label && k < m->n_classes; k++)
        if (strcmp(m->classes[k], label) == 0) return (int32_t)k;
    return -1;
}

static pare_status from_json(pare_model *m, const json_t *file, const char **expected) {
    const json_t *object = json_object_get(file, "neighbours"), *y = json_object_get(object, "y"),
                 *z = json_object_get(object, "z");
    predictor *p = &m->p;
    int64_t n = (int64_t)json_array_size(y), width = p->coef ? p->n_outputs : p->k;
    *expected = "an object with a label y and numbers z per training sample";
    if (n == 0 || (int64_t)json_array_size(z) != n || m->n_classes == 0) return PARE_E_FORMAT;
    neighbours *own = p->self = ARENA_ZERO(&m->mem, neighbours, 1);
    if (!own) return PARE_E_MEMORY;
    *own = (neighbours){.count = n, .width = width, .scale = p->coef ? NULL : m->scale};
    own->cls = ARENA_NEW(&m->mem, int32_t, n);
    own->z = ARENA_NEW(&m->mem, double, n *width);
    if (!own->cls || !own->z) return PARE_E_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        own->cls[i] = class_named(m, json_string_value(json_array_get(y, (size_t)i)));
        if (own->cls[i] < 0 || !numbers_read(json_array_get(z, (size_t)i), width, own->z + i, n))
            return PARE_E_FORMAT;
    }
    return predictor_block(&own->support, &m->mem, n, width, own->z) ? PARE_OK : PARE_E_MEMORY;
}

const predictor_kind predictor_neighbours = {.name = "neighbours",
                                             .made_by = made_by,
                                             .is_in = is_in,
                                             .predict = predict,
                                             .from_result = from_result,
                                             .to_json = to_json,
                                             .from_json = from_json};
