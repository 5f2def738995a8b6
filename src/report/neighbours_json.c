#include "report/neighbours_json.h"

#include <string.h>

static json_t *numbers(const double *v, int64_t n) {
    json_t *array = json_array();
    for (int64_t i = 0; i < n; i++) json_array_append_new(array, json_real(v[i]));
    return array;
}

static bool read_numbers(const json_t *array, int64_t n, double *out) {
    if (!json_is_array(array) || (int64_t)json_array_size(array) != n) return false;
    for (int64_t i = 0; i < n; i++) {
        const json_t *x = json_array_get(array, (size_t)i);
        if (!json_is_number(x)) return false;
        out[i] = json_number_value(x);
    }
    return true;
}

json_t *neighbours_json(const pare_model *m) {
    if (m->n_neighbours == 0) return NULL;
    json_t *y = json_array(), *z = json_array();
    for (int64_t i = 0; i < m->n_neighbours; i++) {
        json_array_append_new(y, json_string(m->classes[m->neighbour_class[i]]));
        json_array_append_new(z,
                              numbers(m->neighbour_z + i * m->neighbour_width, m->neighbour_width));
    }
    return json_pack("{s:o, s:o}", "y", y, "z", z);
}

bool neighbours_load(pare_model *m, const json_t *neighbours) {
    if (!neighbours) return m->coef || m->kernel;
    const json_t *y = json_object_get(neighbours, "y"), *z = json_object_get(neighbours, "z");
    int64_t n = (int64_t)json_array_size(y), width = m->coef ? m->n_outputs : m->n_selected;
    if (n == 0 || (int64_t)json_array_size(z) != n || m->n_classes == 0) return false;
    m->n_neighbours = n;
    m->neighbour_width = width;
    m->neighbour_class = ARENA_NEW(&m->mem, int32_t, n);
    m->neighbour_z = ARENA_NEW(&m->mem, double, n *width);
    if (!m->neighbour_class || !m->neighbour_z) return false;
    for (int64_t i = 0; i < n; i++) {
        const char *label = json_string_value(json_array_get(y, (size_t)i));
        int64_t k = 0;
        while (label && k < m->n_classes && strcmp(m->classes[k], label) != 0) k++;
        if (!label || k == m->n_classes) return false;
        m->neighbour_class[i] = (int32_t)k;
        if (!read_numbers(json_array_get(z, (size_t)i), width, m->neighbour_z + i * width))
            return false;
    }
    return true;
}
