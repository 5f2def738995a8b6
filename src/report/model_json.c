/* The model file: one JSON object, a line per key. Numbers carry 17 digits and read back
 * exactly. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <pare/version.h>

#include "base/context.h"
#include "base/error.h"
#include "model/baseline_hazard.h"
#include "model/feature_terms.h"
#include "model/json.h"
#include "model/marked.h"
#include "model/model.h"
#include "model/model_batch.h"
#include "report/json_text.h"
#include "report/model_path.h"
#include "report/model_summary.h"

/* n x c column-major as c arrays of n, or null. */
static json_t *columns(const double *v, int64_t n, int64_t c) {
    if (!v || c == 0) return json_null();
    json_t *array = json_array();
    for (int64_t o = 0; o < c; o++) json_array_append_new(array, numbers_json(v + o * n, n, 1));
    return array;
}

static json_t *settings_json(const pare_model *m) {
    json_t *object = json_object();
    for (int64_t i = 0; i < settings_count(m->group); i++) {
        setting_value v = settings_value(&m->set, m->group, i);
        json_object_set_new(object, v.name, setting_json(&v));
    }
    return object;
}

/* The requested settings that differ from those in effect. */
static json_t *other_settings(const pare_model *m, const all_settings *of) {
    json_t *object = json_object();
    for (int64_t i = 0; i < settings_count(m->group); i++) {
        setting_value v = settings_value(of, m->group, i);
        setting_value other = settings_value(&m->set, m->group, i);
        if (!setting_same(&v, &other)) json_object_set_new(object, v.name, setting_json(&v));
    }
    return object;
}

static json_t *certificate_json(const pare_certificate *c) {
    return json_pack("{s:s, s:o, s:o}", "kind", pare_cert_name(c->kind), "value",
                     number_json(c->value), "relative", number_json(c->relative));
}

static json_t *integers(const int64_t *v, int64_t n) {
    if (!v) return json_null();
    json_t *array = json_array();
    for (int64_t i = 0; i < n; i++) json_array_append_new(array, json_integer(v[i]));
    return array;
}

static json_t *selection_json(const pare_model *m) {
    if (!m->has_selection) return json_null();
    json_t *z = m->selection_z ? numbers_json(m->selection_z, m->n_selection_cols, 1) : json_null();
    json_t *object = json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "objective",
                               number_json(m->selection.objective), "outcome",
                               pare_outcome_name(m->selection.outcome), "certificate",
                               certificate_json(&m->selection.certificate), "dual",
                               columns(m->selection_dual, m->n_samples, m->n_selection_dual),
                               "columns", integers(m->selection_cols, m->n_selection_cols), "z", z);
    json_t *settings = other_settings(m, &m->selecting);
    if (json_object_size(settings) > 0) json_object_set(object, "settings", settings);
    json_decref(settings);
    if (!m->selection_index) return object;
    int64_t k = m->n_selection_coef, c = m->n_selection_outputs;
    json_object_set_new(object, "index", integers(m->selection_index, k));
    json_object_set_new(object, "coef", columns(m->selection_coef, k, c));
    json_object_set_new(object, "intercept", numbers_json(m->selection_intercept, c, 1));
    return object;
}

static json_t *selected_json(const pare_model *m) {
    json_t *array = json_array();
    for (int64_t i = 0; i < m->n_selected; i++) {
        json_t *feature = json_pack("{s:I, s:s, s:o}", "index", (json_int_t)m->index[i], "name",
                                    m->name[i], "score", number_json(m->score[i]));
        if (i < m->n_kept) json_object_set_new(feature, "kept", json_true());
        if (m->p_value) json_object_set_new(feature, "p", number_json(m->p_value[i]));
        if (m->q_value) json_object_set_new(feature, "q", number_json(m->q_value[i]));
        if (m->substitute) json_object_set_new(feature, "substitutes", json_array());
        json_array_append_new(array, feature);
    }
    for (int64_t q = 0; m->substitute && q < m->n_substitutes; q++) {
        const model_substitute *s = &m->substitute[q];
        json_t *feature = json_array_get(array, (size_t)s->of);
        json_array_append_new(json_object_get(feature, "substitutes"),
                              json_pack("{s:I, s:s, s:f}", "index", (json_int_t)s->index, "name",
                                        s->name, "correlation", s->correlation));
    }
    return array;
}

/* The costs that are not 1, as pairs of index and cost; NULL: no costs were given. */
static json_t *costs_json(const pare_model *m) {
    if (!m->cost) return NULL;
    json_t *array = json_array();
    for (int64_t j = 0; j < m->n_features; j++)
        if (m->cost[j] != 1)
            json_array_append_new(array,
                                  json_pack("[I, o]", (json_int_t)j, number_json(m->cost[j])));
    return array;
}

static json_t *strings_json(const char **list, int64_t count) {
    json_t *array = json_array();
    for (int64_t i = 0; i < count; i++) json_array_append_new(array, json_string(list[i]));
    return array;
}

static json_t *notes_json(const pare_model *m) {
    json_t *array = json_array();
    for (int64_t i = 0; i < m->notes.count; i++)
        json_array_append_new(array, json_string(strings_at(&m->notes, i)));
    return array;
}

/* null: the feature is not transformed. */
static json_t *spread_json(const pare_model *m) {
    json_t *array = json_array();
    for (int64_t i = 0; i < m->n_selected; i++)
        json_array_append_new(array, m->spread[i] > 0 ? json_real(m->spread[i]) : json_null());
    return array;
}

/* The predictor's value for that key; left out if it has none. */
static json_part part_of(const json_t *file, const char *key) {
    json_t *value = json_object_get(file, key);
    return (json_part){value ? key : NULL, json_incref(value)};
}

/* A number beyond a double would make the text unreadable: JSON has no infinities. */
static pare_status read_back(const char *text, const pare_ctx *ctx, pare_error *err) {
    pare_model *again;
    pare_error why = {0};
    pare_status status = pare_model_parse(&again, text, strlen(text), ctx, &why);
    if (status == PARE_OK) pare_model_free(again);
    if (status == PARE_OK) return status;
    if (status == PARE_E_MEMORY) return error_memory(err);
    return error_set(
        err, PARE_E_DATA,
        "the model holds numbers that no file can (%.300s): change the features' units",
        why.message);
}

/* NULL: rows are not scaled. */
static json_t *row_scale_json(const pare_model *m) {
    if (!m->row_name) return NULL;
    return json_pack("{s:s, s:o, s:o}", "kind", m->set.common.row_scale, "idf",
                     m->idf ? numbers_json(m->idf, m->n_features, 1) : json_null(), "names",
                     m->row_named ? strings_json(m->row_name, m->n_features) : json_null());
}

pare_status pare_model_text(char **out, const pare_model *m, const pare_ctx *ctx, pare_error *err) {
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    json_t *file = json_pack("{s:o}", "selected", selected_json(m));
    predictor_to_json(file, m);
    marked_to_json(file, m);
    json_t *scaling = json_pack("{s:s, s:o, s:o}", "kind", m->set.common.scale, "shift",
                                numbers_json(m->shift, m->n_selected, 1), "scale",
                                numbers_json(m->scale, m->n_selected, 1));
    if (m->spread) {
        json_object_set_new(scaling, "median", numbers_json(m->median, m->n_selected, 1));
        json_object_set_new(scaling, "spread", spread_json(m));
    }
    const char *left_key;
    json_t *row_scale = row_scale_json(m), *costs = costs_json(m);
    json_t *groups = model_groups_json(m), *signs = model_signs_json(m),
           *left = model_left_json(m, &left_key);
    json_t *path = model_path_to_json(m), *range = model_range_json(m);
    json_t *batch = model_batch_to_json(m);
    json_t *mean = model_numbers_json(m, m->mean);
    json_t *deviation = model_numbers_json(m, m->deviation);
    json_t *alternatives = model_alternatives_json(m), *recalibration = model_recalibration_json(m);
    json_t *calibration = probability_to_json(&m->calibration, predictor_width(&m->p));
    const json_part parts[] = {
        {"pare", json_string(PARE_VERSION)},
        {"kind", json_string("model")},
        {"method", json_string(m->method)},
        {"task", json_string(m->task->name)},
        {"settings", settings_json(m)},
        {"asked", other_settings(m, &m->requested)},
        {"classes", strings_json(m->classes, m->n_classes)},
        {"n_samples", json_integer(m->n_samples)},
        {"n_features", json_integer(m->n_features)},
        {"data", json_pack("{s:s, s:I}", "sha256", m->sha256, "rows", (json_int_t)m->n_samples)},
        {"selected", json_incref(json_object_get(file, "selected"))},
        part_of(file, "features"),
        {costs ? "costs" : NULL, costs},
        {signs ? "signs" : NULL, signs},
        {groups ? "groups" : NULL, groups},
        {left ? left_key : NULL, left},
        {m->numbered ? "numbered" : NULL, json_true()},
        {"outputs", json_incref(json_object_get(file, "outputs"))},
        part_of(file, "kernel"),
        {calibration ? "calibration" : NULL, calibration},
        {recalibration ? "recalibration" : NULL, recalibration},
        {m->baseline ? "baseline" : NULL, m->baseline ? baseline_to_json(m->baseline) : NULL},
        {m->offset ? "offset" : NULL, json_true()},
        {row_scale ? "row_scale" : NULL, row_scale},
        {"scaling", scaling},
        {batch ? "batch" : NULL, batch},
        {m->spread || m->batch ? "units" : NULL,
         json_string(m->spread ? "transformed" : "batch-adjusted")},
        {"impute", m->impute ? numbers_json(m->impute, m->n_selected, 1) : json_null()},
        {range ? "range" : NULL, range},
        {mean ? "mean" : NULL, mean},
        {deviation ? "deviation" : NULL, deviation},
        {alternatives ? "alternatives" : NULL, alternatives},
        {"objective", number_json(m->predictor.objective)},
        {"outcome", json_string(pare_outcome_name(m->predictor.outcome))},
        {"certificate", certificate_json(&m->predictor.certificate)},
        {"selection", selection_json(m)},
        {"dual", columns(m->dual, m->n_samples, m->n_dual)},
        part_of(file, "neighbours"),
        {"iterations", json_integer(m->iterations)},
        {"notes", notes_json(m)},
        {path ? "path" : NULL, path},
        {m->seconds >= 0 ? "seconds" : NULL, json_real(m->seconds)},
    };
    text_buffer text;
    json_decref(file);
    text_init(&text, ctx);
    text_add_object(&text, parts, sizeof parts / sizeof parts[0]);
    pare_status status = text_finish(&text, out, err);
    if (status == PARE_OK) status = read_back(*out, ctx, err);
    if (status == PARE_OK) return status;
    pare_text_free(*out, ctx);
    *out = NULL;
    return status;
}

pare_status pare_model_save(const pare_model *m, const char *path, const pare_ctx *ctx,
                            pare_error *err) {
    char *text;
    PASS(pare_model_text(&text, m, ctx, err));
    pare_status status = pare_text_save(text, path, ctx, err);
    pare_text_free(text, ctx);
    return status;
}
