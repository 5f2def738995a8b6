#include "report/terms_json.h"

#include "data/monomials.h"
#include "data/terms.h"

json_t *features_json(const pare_model *m) {
    const model_terms *t = m->terms;
    if (!t) return NULL;
    json_t *array = json_array();
    for (int64_t i = 0; i < t->n_base; i++)
        json_array_append_new(array, json_pack("{s:I, s:s}", "index", (json_int_t)t->base_index[i],
                                               "name", t->base_name[i]));
    return array;
}

json_t *terms_json(const pare_model *m, int64_t i) {
    const model_terms *t = m->terms;
    if (!t) return NULL;
    json_t *array = json_array();
    for (int64_t k = t->start[i]; k < t->start[i + 1]; k++)
        json_array_append_new(array, json_pack("[I, I]", (json_int_t)t->base_index[t->base[k]],
                                               (json_int_t)t->power[k]));
    return array;
}

static pare_status load_features(pare_model *m, model_terms *t, const json_t *features) {
    t->n_base = (int64_t)json_array_size(features);
    t->base_index = ARENA_NEW(&m->mem, int64_t, t->n_base);
    t->base_name = ARENA_NEW(&m->mem, const char *, t->n_base);
    if (!t->base_index || !t->base_name) return PARE_E_MEMORY;
    for (int64_t i = 0; i < t->n_base; i++) {
        const json_t *feature = json_array_get(features, (size_t)i),
                     *index = json_object_get(feature, "index");
        const char *name = json_string_value(json_object_get(feature, "name"));
        t->base_index[i] = json_integer_value(index);
        if (!json_is_integer(index) || t->base_index[i] < 0 || t->base_index[i] >= m->n_features ||
            (i > 0 && t->base_index[i] <= t->base_index[i - 1]) || !name)
            return PARE_E_FORMAT;
        t->base_name[i] = arena_text(&m->mem, name);
        if (!t->base_name[i]) return PARE_E_MEMORY;
    }
    return PARE_OK;
}

static bool load_term(const json_t *term, model_terms *t, int64_t at) {
    const json_t *index = json_array_get(term, 0), *power = json_array_get(term, 1);
    if (json_array_size(term) != 2 || !json_is_integer(index) || !json_is_integer(power))
        return false;
    t->power[at] = json_integer_value(power);
    t->base[at] = 0;
    while (t->base[at] < t->n_base && t->base_index[t->base[at]] != json_integer_value(index))
        t->base[at]++;
    return t->base[at] < t->n_base && t->power[at] >= 1 && t->power[at] <= MONOMIAL_DEGREE_MAX;
}

pare_status terms_load(pare_model *m, const json_t *features, const json_t *selected) {
    model_terms *t = ARENA_ZERO(&m->mem, model_terms, 1);
    if (!t) return PARE_E_MEMORY;
    pare_status status = json_is_array(features) ? load_features(m, t, features) : PARE_E_FORMAT;
    if (status != PARE_OK) return status;
    int64_t count = 0, at = 0;
    for (int64_t i = 0; i < m->n_selected; i++)
        count +=
            (int64_t)json_array_size(json_object_get(json_array_get(selected, (size_t)i), "terms"));
    t->start = ARENA_NEW(&m->mem, int64_t, m->n_selected + 1);
    t->base = ARENA_NEW(&m->mem, int64_t, count);
    t->power = ARENA_NEW(&m->mem, int64_t, count);
    if (!t->start || !t->base || !t->power) return PARE_E_MEMORY;
    for (int64_t i = 0; i < m->n_selected; i++) {
        const json_t *terms = json_object_get(json_array_get(selected, (size_t)i), "terms");
        t->start[i] = at;
        if (json_array_size(terms) == 0) return PARE_E_FORMAT;
        for (size_t k = 0; k < json_array_size(terms); k++)
            if (!load_term(json_array_get(terms, k), t, at++)) return PARE_E_FORMAT;
    }
    t->start[m->n_selected] = at;
    m->terms = t;
    return PARE_OK;
}
