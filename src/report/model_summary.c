#include "report/model_summary.h"

#include <math.h>
#include <string.h>

#include "model/json.h"

json_t *model_range_json(const pare_model *m) {
    if (!m->least) return NULL;
    json_t *array = json_array();
    for (int64_t i = 0; i < m->n_selected; i++)
        json_array_append_new(
            array, json_pack("[o, o]", number_json(m->least[i]), number_json(m->most[i])));
    return array;
}

json_t *model_numbers_json(const pare_model *m, const double *v) {
    if (!v) return NULL;
    json_t *array = json_array();
    for (int64_t i = 0; i < m->n_selected; i++) json_array_append_new(array, number_json(v[i]));
    return array;
}

json_t *model_alternatives_json(const pare_model *m) {
    if (m->set.common.alternatives <= 0) return NULL;
    json_t *array = json_array();
    for (int64_t q = 0; q < m->n_alternatives; q++) {
        const model_alternative *a = &m->alternative[q];
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:I, s:o, s:o, s:o}", "for", m->name[a->of],
                                        "name", a->name, "index", (json_int_t)a->index, "r",
                                        number_json(a->r), "slope", number_json(a->slope),
                                        "intercept", number_json(a->intercept)));
    }
    return array;
}

json_t *model_recalibration_json(const pare_model *m) {
    const model_recalibration *r = &m->recalibration;
    if (!r->kind) return NULL;
    return json_pack("{s:s, s:o, s:o, s:s}", "kind", r->kind, "a", number_json(r->a), "b",
                     number_json(r->b), "data", r->sha256);
}

/* --- reading --- */

/* A number, or null as NaN. */
static bool number_read(const json_t *v, double *out) {
    *out = json_is_number(v) ? json_number_value(v) : NAN;
    return json_is_number(v) || json_is_null(v);
}

/* One number per selected feature; at 0 or 1: of pairs. */
static pare_status read_each(double **out, pare_model *m, const json_t *array, int at) {
    if ((int64_t)json_array_size(array) != m->n_selected || !json_is_array(array))
        return PARE_E_FORMAT;
    if (!(*out = ARENA_NEW(&m->mem, double, m->n_selected))) return PARE_E_MEMORY;
    for (int64_t i = 0; i < m->n_selected; i++) {
        const json_t *own = json_array_get(array, (size_t)i);
        if (at >= 0 && json_array_size(own) != 2) return PARE_E_FORMAT;
        if (!number_read(at < 0 ? own : json_array_get(own, (size_t)at), &(*out)[i]))
            return PARE_E_FORMAT;
    }
    return PARE_OK;
}

static int64_t position_of(const pare_model *m, const char *name) {
    for (int64_t i = 0; name && i < m->n_selected; i++)
        if (strcmp(m->name[i], name) == 0) return i;
    return -1;
}

static pare_status read_alternative(model_alternative *a, pare_model *m, const json_t *from) {
    const char *name = json_string_value(json_object_get(from, "name"));
    const json_t *index = json_object_get(from, "index");
    a->of = position_of(m, json_string_value(json_object_get(from, "for")));
    a->index = json_integer_value(index);
    if (!name || a->of < 0 || !json_is_integer(index) || a->index < 0 ||
        !number_read(json_object_get(from, "r"), &a->r) ||
        !number_read(json_object_get(from, "slope"), &a->slope) ||
        !number_read(json_object_get(from, "intercept"), &a->intercept))
        return PARE_E_FORMAT;
    a->name = arena_text(&m->mem, name);
    return a->name ? PARE_OK : PARE_E_MEMORY;
}

static pare_status read_alternatives(pare_model *m, const json_t *array) {
    int64_t count = (int64_t)json_array_size(array);
    if (!json_is_array(array)) return PARE_E_FORMAT;
    if (!(m->alternative = ARENA_NEW(&m->mem, model_alternative, count))) return PARE_E_MEMORY;
    for (m->n_alternatives = 0; m->n_alternatives < count; m->n_alternatives++) {
        const json_t *own = json_array_get(array, (size_t)m->n_alternatives);
        pare_status status = read_alternative(&m->alternative[m->n_alternatives], m, own);
        if (status != PARE_OK) return status;
    }
    return PARE_OK;
}

static const char *const kinds[] = {"intercept", "slope"};

static pare_status read_recalibration(pare_model *m, const json_t *from) {
    const char *kind = json_string_value(json_object_get(from, "kind"));
    const char *sha256 = json_string_value(json_object_get(from, "data"));
    const json_t *a = json_object_get(from, "a"), *b = json_object_get(from, "b");
    model_recalibration *r = &m->recalibration;
    for (size_t i = 0; kind && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i]) == 0) r->kind = kinds[i];
    if (!r->kind || !json_is_number(a) || !json_is_number(b) || !sha256 || strlen(sha256) != 64)
        return PARE_E_FORMAT;
    r->a = json_number_value(a);
    r->b = json_number_value(b);
    strcpy(r->sha256, sha256);
    return PARE_OK;
}

/* Whether there is something for a recalibration to change. */
static bool may_recalibrate(const pare_model *m) {
    return m->baseline || (m->n_classes == 2 && m->calibration.kind != PROBABILITY_NONE);
}

pare_status model_summary_from_json(pare_model *m, const json_t *root, const char **key,
                                    const char **expected) {
    const struct {
        const char *key;
        double **out;
        int at;
    } of[] = {{"range", &m->least, 0},
              {"range", &m->most, 1},
              {"mean", &m->mean, -1},
              {"deviation", &m->deviation, -1}};
    pare_status status = PARE_OK;
    *expected = "numbers of the training samples, for each selected feature";
    for (size_t i = 0; i < sizeof of / sizeof *of && status == PARE_OK; i++) {
        const json_t *array = json_object_get(root, *key = of[i].key);
        if (array) status = read_each(of[i].out, m, array, of[i].at);
    }
    if (status != PARE_OK) return status;
    if (!m->least || !m->mean || !m->deviation) m->least = m->most = m->mean = m->deviation = NULL;
    *expected = "an array of columns: for, name, index, r, slope and intercept";
    const json_t *alternatives = json_object_get(root, *key = "alternatives");
    if (alternatives) status = read_alternatives(m, alternatives);
    if (status != PARE_OK) return status;
    *expected =
        "an object with kind, a, b and the sha256 of data, of a model with probabilities of "
        "two classes or of survival";
    const json_t *recalibration = json_object_get(root, *key = "recalibration");
    if (!recalibration) return PARE_OK;
    if (!may_recalibrate(m)) return PARE_E_FORMAT;
    status = read_recalibration(m, recalibration);
    if (status == PARE_OK) model_apply_recalibration(m);
    return status;
}
