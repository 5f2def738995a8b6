/* Reading a model file: every key is checked; an error names the key and the expected value. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/number.h"
#include "data/format/stream.h"
#include "model/baseline_hazard.h"
#include "model/feature_terms.h"
#include "model/json.h"
#include "model/marked.h"
#include "model/model.h"
#include "model/model_batch.h"
#include "registry.h"
#include "report/json_stream.h"
#include "report/model_file.h"
#include "report/model_path.h"
#include "report/model_summary.h"

typedef struct loading {
    const char *path;
    json_t *root;
    pare_model *m;
    pare_error *err;
    bool out_of_memory; /* out of memory: then no key is wrong */
} loading;

static pare_status wrong(const loading *l, const char *key, const char *expected) {
    if (l->out_of_memory) return error_memory(l->err);
    return error_set(l->err, PARE_E_FORMAT,
                     "%.256s: not a model file that can be used: \"%s\" should be %s", l->path, key,
                     expected);
}

static const char *get_text(const loading *l, const char *key) {
    return json_string_value(json_object_get(l->root, key));
}

static bool get_count(const loading *l, const char *key, int64_t *out) {
    json_t *v = json_object_get(l->root, key);
    *out = json_integer_value(v);
    return json_is_integer(v) && *out >= 0;
}

/* A number, or null as NaN. */
static bool get_number(const json_t *v, double *out) {
    *out = json_is_number(v) ? json_number_value(v) : NAN;
    return json_is_number(v) || json_is_null(v);
}

/* n numbers from an array into memory of the model; NULL unless it has n numbers. */
static double *get_numbers(loading *l, const json_t *array, int64_t n, double *into) {
    if ((int64_t)json_array_size(array) != n) return NULL; /* n is bounded by the array */
    double *v = into ? into : ARENA_NEW(&l->m->mem, double, n);
    l->out_of_memory |= !v;
    return v && numbers_read(array, n, v, 1) ? v : NULL;
}

/* Arrays of n numbers, one per output; null is an empty list. */
static bool get_columns(loading *l, const json_t *list, int64_t n, int64_t *count, double **out) {
    *count = 0;
    *out = NULL;
    if (json_is_null(list)) return true;
    if (!json_is_array(list) || json_array_size(list) == 0) return false;
    *count = (int64_t)json_array_size(list);
    if ((int64_t)json_array_size(json_array_get(list, 0)) != n) return false; /* n is a real size */
    *out = ARENA_NEW(&l->m->mem, double, n **count);
    l->out_of_memory |= !*out;
    for (int64_t o = 0; *out && o < *count; o++)
        if (!get_numbers(l, json_array_get(list, (size_t)o), n, *out + o * n)) return false;
    return *out != NULL;
}

static bool get_report(const json_t *object, pare_report *out) {
    const char *outcome = json_string_value(json_object_get(object, "outcome"));
    const json_t *certificate = json_object_get(object, "certificate");
    const char *kind = json_string_value(json_object_get(certificate, "kind"));
    if (!outcome || !kind) return false;
    int o = PARE_OPTIMAL, k = PARE_CERT_NONE;
    while (o <= PARE_CANCELLED && strcmp(pare_outcome_name((pare_outcome)o), outcome) != 0) o++;
    while (k <= PARE_CERT_GLOBAL_GAP && strcmp(pare_cert_name((pare_cert_kind)k), kind) != 0) k++;
    out->outcome = (pare_outcome)o;
    out->certificate.kind = (pare_cert_kind)k;
    return o <= PARE_CANCELLED && k <= PARE_CERT_GLOBAL_GAP &&
           get_number(json_object_get(object, "objective"), &out->objective) &&
           get_number(json_object_get(certificate, "value"), &out->certificate.value) &&
           get_number(json_object_get(certificate, "relative"), &out->certificate.relative);
}

static pare_status read_settings(loading *l, json_t *object, pare_settings *settings) {
    if (!json_is_object(object)) return wrong(l, "settings", "an object");
    const char *key;
    json_t *v;
    json_object_foreach(object, key, v) {
        char number[32];
        const char *text = json_string_value(v);
        if (json_is_null(v)) {
            text = "auto";
        } else if (json_is_integer(v)) {
            snprintf(number, sizeof number, "%lld", (long long)json_integer_value(v));
            text = number;
        } else if (json_is_real(v)) {
            number_format(json_real_value(v), number);
            text = number;
        } else if (json_is_boolean(v)) {
            text = json_is_true(v) ? "true" : "false";
        }
        if (!text) return wrong(l, "settings", "an object of numbers and texts");
        pare_error inner;
        if (settings_read(settings, key, text, &inner) != PARE_OK)
            return error_set(l->err, PARE_E_FORMAT,
                             "%.256s: not a model file that can be used: %.512s", l->path,
                             inner.message);
    }
    return PARE_OK;
}

static pare_status load_settings(loading *l, pare_settings *settings) {
    json_t *requested = json_object_get(l->root, "asked");
    pare_status status = read_settings(l, json_object_get(l->root, "settings"), settings);
    l->m->set = l->m->selecting = settings->v;
    l->m->group = settings->group;
    if (status == PARE_OK && requested) status = read_settings(l, requested, settings);
    l->m->requested = settings->v;
    return status;
}

static pare_status load_identity(loading *l, const pare_ctx *ctx) {
    pare_model *m = l->m;
    const char *kind = get_text(l, "kind"), *name = get_text(l, "method"),
               *task = get_text(l, "task");
    if (!kind || strcmp(kind, "model") != 0) return wrong(l, "kind", "\"model\"");
    if (!name) return wrong(l, "method", "the name of a method");
    if (!task || !(m->task = task_named(task)))
        return wrong(l, "task", "binary, multiclass, ranking, regression or none");
    m->method = arena_text(&m->mem, name);
    if (!m->method) return error_memory(l->err);
    pare_settings *settings;
    pare_error inner;
    pare_status made = pare_settings_new(&settings, name, ctx, &inner);
    if (made == PARE_E_MEMORY) return error_memory(l->err);
    if (made != PARE_OK)
        return error_set(l->err, PARE_E_FORMAT, "%.256s: not a model file that can be used: %.512s",
                         l->path, inner.message);
    pare_status status = load_settings(l, settings);
    pare_settings_free(settings);
    if (status != PARE_OK) return status;

    if (!get_count(l, "n_samples", &m->n_samples)) return wrong(l, "n_samples", "a count");
    if (!get_count(l, "n_features", &m->n_features)) return wrong(l, "n_features", "a count");
    if (!get_count(l, "iterations", &m->iterations)) return wrong(l, "iterations", "a count");
    const char *sha256 =
        json_string_value(json_object_get(json_object_get(l->root, "data"), "sha256"));
    if (!sha256 || strlen(sha256) != 64)
        return wrong(l, "data", "an object with the data's sha256");
    strcpy(m->sha256, sha256);
    json_t *rows = json_object_get(json_object_get(l->root, "data"), "rows");
    if (json_integer_value(rows) != m->n_samples) return wrong(l, "data", "of n_samples rows");

    json_t *classes = json_object_get(l->root, "classes");
    if (!json_is_array(classes)) return wrong(l, "classes", "an array of labels");
    m->n_classes = (int64_t)json_array_size(classes);
    if (m->n_classes < m->task->least_classes || m->n_classes > m->task->most_classes)
        return wrong(l, "classes", "as many labels as the task has");
    m->classes = ARENA_NEW(&m->mem, const char *, m->n_classes);
    if (!m->classes) return error_memory(l->err);
    for (int64_t c = 0; c < m->n_classes; c++) {
        const char *label = json_string_value(json_array_get(classes, (size_t)c));
        if (!label) return wrong(l, "classes", "an array of labels");
        m->classes[c] = arena_text(&m->mem, label);
        if (!m->classes[c]) return error_memory(l->err);
    }
    return PARE_OK;
}

/* Medians and spreads; a spread may be null: that feature is not transformed. */
static bool get_transform(loading *l, const json_t *scaling) {
    pare_model *m = l->m;
    int64_t k = m->n_selected;
    const json_t *spread = json_object_get(scaling, "spread");
    m->median = get_numbers(l, json_object_get(scaling, "median"), k, NULL);
    if (!m->median || !json_is_array(spread) || (int64_t)json_array_size(spread) != k) return false;
    m->spread = ARENA_ZERO(&m->mem, double, k);
    l->out_of_memory |= !m->spread;
    for (int64_t i = 0; m->spread && i < k; i++) {
        const json_t *own = json_array_get(spread, (size_t)i);
        if (json_is_null(own)) continue;
        m->spread[i] = json_number_value(own);
        if (!(m->spread[i] > 0)) return false;
    }
    return m->spread != NULL;
}

/* One number per feature; NULL unless all are there. */
static double *get_of_features(loading *l, const json_t *selected, const char *key) {
    int64_t k = l->m->n_selected;
    if (k == 0 || !json_object_get(json_array_get(selected, 0), key)) return NULL;
    double *v = ARENA_NEW(&l->m->mem, double, k);
    l->out_of_memory |= !v;
    for (int64_t i = 0; v && i < k; i++)
        if (!get_number(json_object_get(json_array_get(selected, (size_t)i), key), &v[i]))
            return NULL;
    return v;
}

enum {
    MAX_NAMELESS = 10000000
}; /* features with made-up names: a bound, so that a number in a file cannot exhaust memory */

/* The names and idf of whole rows. */
static pare_status load_rows(loading *l) {
    pare_model *m = l->m;
    const json_t *rows = json_object_get(l->root, "row_scale"),
                 *names = json_object_get(rows, "names"), *idf = json_object_get(rows, "idf");
    const char *kind = json_string_value(json_object_get(rows, "kind"));
    int64_t d = m->n_features;
    char made_up[32];
    if (choice_is(m->set.common.row_scale, "none")) return PARE_OK;
    m->row_named = json_is_array(names);
    bool counted = m->row_named ? (int64_t)json_array_size(names) == d : d <= MAX_NAMELESS;
    if (!kind || strcmp(kind, m->set.common.row_scale) != 0 || !counted ||
        !(m->row_named || json_is_null(names)))
        return wrong(l, "row_scale", "an object with kind, as in the settings, idf and names");
    if (strcmp(kind, "tfidf") == 0 && !(m->idf = get_numbers(l, idf, d, NULL)))
        return wrong(l, "row_scale", "with idf, one number per feature");
    m->row_name = ARENA_NEW(&m->mem, const char *, d);
    if (!m->row_name) return error_memory(l->err);
    for (int64_t j = 0; j < d; j++) {
        const char *name = json_string_value(json_array_get(names, (size_t)j));
        if (m->row_named && !name) return wrong(l, "row_scale", "with names that are texts");
        if (!name) snprintf(made_up, sizeof made_up, "x%lld", (long long)j + 1);
        m->row_name[j] = arena_text(&m->mem, name ? name : made_up);
        if (!m->row_name[j]) return error_memory(l->err);
    }
    return PARE_OK;
}

static pare_status load_substitutes(loading *l, json_t *selected) {
    pare_model *m = l->m;
    int64_t count = 0, at = 0;
    static const char *const expected = "with substitutes that have index, name and correlation";
    if (!(m->set.common.max_correlation < 1)) return PARE_OK;
    for (int64_t i = 0; i < m->n_selected; i++)
        count += (int64_t)json_array_size(
            json_object_get(json_array_get(selected, (size_t)i), "substitutes"));
    m->substitute = ARENA_NEW(&m->mem, model_substitute, count);
    if (!m->substitute) return error_memory(l->err);
    m->n_substitutes = count;
    for (int64_t i = 0; i < m->n_selected; i++) {
        json_t *list = json_object_get(json_array_get(selected, (size_t)i), "substitutes");
        if (!json_is_array(list)) return wrong(l, "selected", expected);
        for (size_t q = 0; q < json_array_size(list); q++) {
            json_t *one = json_array_get(list, q), *index = json_object_get(one, "index"),
                   *r = json_object_get(one, "correlation");
            const char *name = json_string_value(json_object_get(one, "name"));
            if (!json_is_integer(index) || !json_is_number(r) || !name)
                return wrong(l, "selected", expected);
            name = arena_text(&m->mem, name);
            if (!name) return error_memory(l->err);
            m->substitute[at++] =
                (model_substitute){i, json_integer_value(index), name, json_number_value(r)};
        }
    }
    return PARE_OK;
}

static pare_status load_features(loading *l) {
    pare_model *m = l->m;
    static const char *const expected = "an array of features: index, name, score";
    json_t *selected = json_object_get(l->root, "selected"),
           *monomials = json_object_get(l->root, "features");
    if (!json_is_array(selected)) return wrong(l, "selected", expected);
    int64_t k = m->n_selected = (int64_t)json_array_size(selected);
    m->index = ARENA_NEW(&m->mem, int64_t, k);
    m->name = ARENA_NEW(&m->mem, const char *, k);
    m->score = ARENA_NEW(&m->mem, double, k);
    if (!m->index || !m->name || !m->score) return error_memory(l->err);
    for (int64_t i = 0; i < k; i++) {
        json_t *feature = json_array_get(selected, (size_t)i),
               *index = json_object_get(feature, "index");
        const char *name = json_string_value(json_object_get(feature, "name"));
        m->index[i] = json_integer_value(index);
        bool inside = m->index[i] >= 0 && (monomials || m->index[i] < model_columns(m));
        if (!json_is_integer(index) || !inside || !name ||
            !get_number(json_object_get(feature, "score"), &m->score[i]))
            return wrong(l, "selected", expected);
        m->name[i] = arena_text(&m->mem, name);
        if (!m->name[i]) return error_memory(l->err);
    }
    const char *term, *should;
    if (!model_terms_read(m, l->root, &term, &should)) {
        l->out_of_memory |= !term;
        return wrong(l, term ? term : "", should);
    }
    pare_status listed = load_substitutes(l, selected);
    if (listed != PARE_OK) return listed;
    m->p_value = get_of_features(l, selected, "p");
    m->q_value = get_of_features(l, selected, "q");
    if (l->out_of_memory) return error_memory(l->err);
    json_t *scaling = json_object_get(l->root, "scaling"),
           *impute = json_object_get(l->root, "impute");
    m->shift = get_numbers(l, json_object_get(scaling, "shift"), k, NULL);
    m->scale = get_numbers(l, json_object_get(scaling, "scale"), k, NULL);
    if (!m->shift || !m->scale)
        return wrong(l, "scaling",
                     "an object with shift and scale, one number per selected feature");
    const char *kind = json_string_value(json_object_get(scaling, "kind"));
    if (!kind || strcmp(kind, m->set.common.scale) != 0)
        return wrong(l, "scaling", "with the kind that the setting scale has");
    if (choice_is(m->set.common.scale, "robust") && !get_transform(l, scaling))
        return wrong(l, "scaling", "with median and spread, one number per selected feature");
    if (!json_is_null(impute) && !(m->impute = get_numbers(l, impute, k, NULL)))
        return wrong(l, "impute", "null or one number per selected feature");
    return load_rows(l);
}

/* Columns of the data; NULL unless it has them. */
static int64_t *get_data_columns(loading *l, const json_t *array, int64_t *count) {
    pare_model *m = l->m;
    *count = (int64_t)json_array_size(array);
    int64_t *cols = json_is_array(array) ? ARENA_NEW(&m->mem, int64_t, *count) : NULL;
    l->out_of_memory |= json_is_array(array) && !cols;
    for (int64_t i = 0; cols && i < *count; i++) {
        json_t *j = json_array_get(array, (size_t)i);
        cols[i] = json_integer_value(j);
        if (!json_is_integer(j) || cols[i] < 0 ||
            (m->p.kind != &predictor_monomials && cols[i] >= model_columns(m)))
            return NULL;
    }
    return cols;
}

/* The solution of the selection problem, if stored. */
static pare_status load_selection_point(loading *l, const json_t *selection) {
    pare_model *m = l->m;
    json_t *index = json_object_get(selection, "index");
    int64_t c = m->task->several ? m->n_classes : 1;
    if (!index) return PARE_OK;
    m->selection_index = get_data_columns(l, index, &m->n_selection_coef);
    if (!m->selection_index) return wrong(l, "selection", "with a point on columns of the data");
    m->selection_intercept = get_numbers(l, json_object_get(selection, "intercept"), c, NULL);
    if (!m->selection_intercept ||
        !get_columns(l, json_object_get(selection, "coef"), m->n_selection_coef,
                     &m->n_selection_outputs, &m->selection_coef) ||
        m->n_selection_outputs != c)
        return wrong(l, "selection", "with one coef per index and one intercept, for each output");
    return PARE_OK;
}

/* The columns of the selection problem, and their factors; null: all, ones. */
static pare_status load_selection_columns(loading *l, const json_t *selection) {
    pare_model *m = l->m;
    json_t *cols = json_object_get(selection, "columns"), *z = json_object_get(selection, "z");
    if (!cols || json_is_null(cols)) return PARE_OK;
    m->selection_cols = get_data_columns(l, cols, &m->n_selection_cols);
    if (!m->selection_cols) return wrong(l, "selection", "on columns of the data");
    if (!z || json_is_null(z)) return PARE_OK;
    m->selection_z = get_numbers(l, z, m->n_selection_cols, NULL);
    return m->selection_z ? PARE_OK : wrong(l, "selection", "with one factor z per column");
}

/* The error of a part that another file read. */
static pare_status settled(const loading *l, pare_status loaded, const char *key,
                           const char *expected) {
    if (loaded == PARE_E_MEMORY) return error_memory(l->err);
    return loaded == PARE_OK ? PARE_OK : wrong(l, key, expected);
}

static pare_status load_outputs(loading *l) {
    pare_model *m = l->m;
    const char *key, *expected;
    pare_status loaded = predictor_from_json(m, l->root, &key, &expected);
    PASS(settled(l, loaded, key, expected));
    loaded = marked_from_json(m, l->root);
    PASS(settled(l, loaded, m->p.n_inputs ? "features" : "selected",
                 "columns of the data, or with missing_of the indicator NAME=missing of one"));
    loaded = model_batch_from_json(m, l->root, &expected);
    PASS(settled(l, loaded, "batch", expected));
    json_t *offset = json_object_get(l->root, "offset");
    if (offset && !json_is_boolean(offset)) return wrong(l, "offset", "true or false");
    m->offset = json_is_true(offset);
    json_t *calibration = json_object_get(l->root, "calibration");
    if (calibration && !m->task->classes)
        return wrong(l, "calibration", "that of a model of classes");
    if (calibration)
        loaded = probability_from_json(&m->calibration, &m->mem, calibration,
                                       predictor_width(&m->p), &expected);
    PASS(settled(l, loaded, "calibration", expected));
    if (m->task->timed)
        loaded = baseline_from_json(m, json_object_get(l->root, "baseline"), &expected);
    PASS(settled(l, loaded, "baseline", expected));
    if (!get_report(l->root, &m->predictor))
        return wrong(l, "certificate", "an object with kind, value and relative");
    if (!get_columns(l, json_object_get(l->root, "dual"), m->n_samples, &m->n_dual, &m->dual))
        return wrong(l, "dual", "null or one array per output, a number per sample");
    json_t *selection = json_object_get(l->root, "selection");
    m->has_selection = json_is_object(selection);
    if (!m->has_selection)
        return json_is_null(selection) ? PARE_OK : wrong(l, "selection", "an object or null");
    if (!get_report(selection, &m->selection) ||
        !get_columns(l, json_object_get(selection, "dual"), m->n_samples, &m->n_selection_dual,
                     &m->selection_dual))
        return wrong(l, "selection", "an object with objective, outcome, certificate and dual");
    pare_settings selecting = {.group = m->group, .v = m->set};
    json_t *settings = json_object_get(selection, "settings");
    if (settings) {
        pare_status read = read_settings(l, settings, &selecting);
        if (read != PARE_OK) return read;
        m->selecting = selecting.v;
    }
    pare_status status = load_selection_columns(l, selection);
    return status == PARE_OK ? load_selection_point(l, selection) : status;
}

/* What concerns other data. */
static pare_status load_summary(loading *l) {
    const char *key, *expected;
    pare_status read = model_summary_from_json(l->m, l->root, &key, &expected);
    if (read == PARE_E_MEMORY) return error_memory(l->err);
    return read == PARE_OK ? read : wrong(l, key, expected);
}

/* Fields that no prediction needs, so that writing a loaded model repeats its file. */
static pare_status load_remarks(loading *l) {
    pare_model *m = l->m;
    const json_t *notes = json_object_get(l->root, "notes");
    const json_t *seconds = json_object_get(l->root, "seconds");
    const char *expected;
    if (seconds) m->seconds = json_number_value(seconds);
    pare_status read = model_path_from_json(m, l->root, &expected);
    PASS(settled(l, read, "path", expected));
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const char *note = json_string_value(json_array_get(notes, i));
        if (!note) return wrong(l, "notes", "an array of sentences");
        if (!strings_add(&m->notes, &m->mem.mem, note, (int64_t)strlen(note)))
            return error_memory(l->err);
    }
    return PARE_OK;
}

static pare_status parse(loading *l, stream *s) {
    PASS(json_of_stream(&l->root, s, l->err));
    return json_is_object(l->root) ? PARE_OK : wrong(l, "kind", "\"model\"");
}

pare_status model_load_stream(pare_model **out, stream *s, const pare_ctx *ctx, pare_error *err) {
    *out = NULL;
    loading l = {.path = s->name, .m = model_new(ctx), .err = err};
    pare_status status = PARE_OK;
    TRY_MEM(l.m);
    TRY(parse(&l, s));
    TRY(load_identity(&l, ctx));
    TRY(load_features(&l));
    TRY(load_outputs(&l));
    TRY(load_summary(&l));
    TRY(load_remarks(&l));
    TRY(model_seal(l.m, method_of_group(l.m->group)->two_stage, err));
    *out = l.m;
    l.m = NULL;

done:
    json_decref(l.root);
    pare_model_free(l.m);
    return status;
}

pare_status pare_model_load(pare_model **out, const char *path, const pare_ctx *ctx,
                            pare_error *err) {
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    stream s;
    PASS(stream_open(&s, path, ctx, err));
    pare_status status = model_load_stream(out, &s, ctx, err);
    stream_close(&s);
    return status;
}

pare_status pare_model_parse(pare_model **out, const char *text, size_t size, const pare_ctx *ctx,
                             pare_error *err) {
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    if (!text) return error_set(err, PARE_E_ARGUMENT, "text is a null pointer");
    stream s;
    pare_status status = stream_open_memory(&s, "the model", text, size, size + 1, ctx, err);
    if (status == PARE_OK) status = model_load_stream(out, &s, ctx, err);
    stream_close(&s);
    return status;
}
