#include "report/kernel_json.h"

#include <math.h>
#include <string.h>

#include "data/kernel.h"

/* `count` numbers, `stride` apart. */
static json_t *numbers(const double *v, int64_t count, int64_t stride) {
    json_t *array = json_array();
    for (int64_t i = 0; i < count; i++) json_array_append_new(array, json_real(v[i * stride]));
    return array;
}

json_t *kernel_json(const pare_model *m) {
    const kernel_model *k = m->kernel;
    if (!k) return NULL;
    int64_t s = k->n_support;
    json_t *alpha = NULL, *x = json_array(), *weight = json_array();
    if (m->n_outputs == 1) {
        alpha = numbers(k->alpha, s, 1);
    } else {
        alpha = json_array();
        for (int64_t o = 0; o < m->n_outputs; o++)
            json_array_append_new(alpha, numbers(k->alpha + o * s, s, 1));
    }
    for (int64_t i = 0; i < s; i++) json_array_append_new(x, numbers(k->x + i, m->n_selected, s));
    for (int64_t j = 0; j < m->n_selected; j++)
        json_array_append_new(weight, json_real(k->weight ? k->weight[j] : 1));
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:f, s:f}", "type", k->type, "combine",
                     k->weight ? "sum" : "product", "gamma", numbers(k->gamma, m->n_selected, 1),
                     "weight", weight, "alpha", alpha, "x", x, "degree", k->degree, "coef0",
                     k->coef0);
}

static bool read_numbers(const json_t *array, int64_t count, double *out, int64_t stride) {
    if (!json_is_array(array) || (int64_t)json_array_size(array) != count) return false;
    for (int64_t i = 0; i < count; i++) {
        const json_t *v = json_array_get(array, (size_t)i);
        if (!json_is_number(v)) return false;
        out[i * stride] = json_number_value(v);
    }
    return true;
}

/* Room for all arrays; false: out of memory. */
static bool make_room(kernel_model *k, arena *mem, bool sum, int64_t features, int64_t outputs) {
    int64_t s = k->n_support;
    k->gamma = ARENA_NEW(mem, double, features);
    k->weight = sum ? ARENA_NEW(mem, double, features) : NULL;
    k->alpha = ARENA_NEW(mem, double, s *outputs);
    k->x = ARENA_NEW(mem, double, s *features);
    return k->gamma && (!sum || k->weight) && k->alpha && k->x;
}

pare_status kernel_load(pare_model *m, const json_t *object) {
    const char *type = json_string_value(json_object_get(object, "type"));
    const char *combine = json_string_value(json_object_get(object, "combine"));
    bool sum = combine && strcmp(combine, "sum") == 0;
    const json_t *x = json_object_get(object, "x"), *alpha = json_object_get(object, "alpha"),
                 *degree = json_object_get(object, "degree"),
                 *coef0 = json_object_get(object, "coef0");
    if (!type || (strcmp(type, "rbf") != 0 && strcmp(type, sum ? "delta" : "poly") != 0) ||
        !json_is_array(x) || !json_is_number(degree) || !json_is_number(coef0))
        return PARE_E_FORMAT;
    int64_t s = (int64_t)json_array_size(x), c = m->n_outputs, k = m->n_selected;
    kernel_model *out = ARENA_ZERO(&m->mem, kernel_model, 1);
    if (out) out->n_support = s;
    if (!out || !make_room(out, &m->mem, sum, k, c)) return PARE_E_MEMORY;
    strcpy(out->type, type);
    out->degree = json_number_value(degree);
    out->coef0 = json_number_value(coef0);
    if (sum && !read_numbers(json_object_get(object, "weight"), k, out->weight, 1))
        return PARE_E_FORMAT;
    if (!read_numbers(json_object_get(object, "gamma"), k, out->gamma, 1)) return PARE_E_FORMAT;
    for (int64_t o = 0; o < c; o++)
        if (!read_numbers(c == 1 ? alpha : json_array_get(alpha, (size_t)o), s, out->alpha + o * s,
                          1))
            return PARE_E_FORMAT;
    for (int64_t i = 0; i < s; i++)
        if (!read_numbers(json_array_get(x, (size_t)i), k, out->x + i, s)) return PARE_E_FORMAT;
    m->kernel = out;
    return PARE_OK;
}
