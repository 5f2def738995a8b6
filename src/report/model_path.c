#include "report/model_path.h"

#include <math.h>
#include <string.h>

#include <pare/model.h>

#include "base/context.h"
#include "base/error.h"
#include "model/json.h"
#include "report/headline.h"
#include "report/json_text.h"
#include "select/interval.h"

static json_t *interval_json(const model_path *p) {
    if (!p->kind) return json_null();
    return json_pack("{s:o, s:o, s:o, s:s}", "level", number_json(p->level), "low",
                     number_json(p->low), "high", number_json(p->high), "kind", p->kind);
}

static json_t *nested_json(const model_path *p) {
    if (isnan(p->mean)) return json_null();
    return json_pack("{s:o, s:o, s:o}", "mean", number_json(p->mean), "se", number_json(p->se),
                     "interval", interval_json(p));
}

json_t *model_path_to_json(const pare_model *m) {
    const model_path *p = m->path;
    if (!p) return NULL;
    json_t *sizes = json_array();
    for (int64_t j = 0; j < p->n_outer; j++)
        json_array_append_new(sizes, isnan(p->n_features[j])
                                         ? json_null()
                                         : json_integer((json_int_t)p->n_features[j]));
    return json_pack("{s:s, s:o, s:o, s:o, s:s}", "metric", p->metric, "nested", nested_json(p),
                     "n_features", sizes, "frequency", numbers_json(p->frequency, m->n_selected, 1),
                     "rule", p->rule);
}

/* --- reading --- */

/* Numbers, or null as NaN; NULL unless it is an array of them or memory is short. */
static double *read_numbers(arena *mem, const json_t *array, bool *out_of_memory) {
    size_t n = json_array_size(array);
    double *v = json_is_array(array) ? ARENA_NEW(mem, double, (int64_t)n) : NULL;
    *out_of_memory |= json_is_array(array) && !v;
    for (size_t i = 0; v && i < n; i++) {
        const json_t *x = json_array_get(array, i);
        if (!json_is_number(x) && !json_is_null(x)) return NULL;
        v[i] = json_is_null(x) ? NAN : json_number_value(x);
    }
    return v;
}

static bool read_number(double *out, const json_t *object, const char *key) {
    const json_t *x = json_object_get(object, key);
    *out = json_is_number(x) ? json_number_value(x) : NAN;
    return json_is_number(x) || json_is_null(x);
}

static bool read_interval(model_path *p, const json_t *range) {
    static const char *const kinds[] = {"wilson", "bootstrap"};
    const char *kind = json_string_value(json_object_get(range, "kind"));
    for (size_t i = 0; kind && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kind, kinds[i]) == 0) p->kind = kinds[i];
    if (json_is_null(range)) return true;
    return p->kind && read_number(&p->level, range, "level") &&
           read_number(&p->low, range, "low") && read_number(&p->high, range, "high");
}

static bool read_nested(model_path *p, const json_t *nested) {
    p->mean = p->se = NAN;
    if (json_is_null(nested)) return true;
    return read_number(&p->mean, nested, "mean") && read_number(&p->se, nested, "se") &&
           read_interval(p, json_object_get(nested, "interval"));
}

pare_status model_path_from_json(pare_model *m, const json_t *root, const char **expected) {
    const json_t *object = json_object_get(root, "path");
    bool out_of_memory = false;
    if (!object) return PARE_OK;
    *expected = "an object with metric, rule, nested, n_features and frequency, a number for each "
                "selected feature";
    const char *rule = json_string_value(json_object_get(object, "rule")),
               *metric = json_string_value(json_object_get(object, "metric"));
    const json_t *frequency = json_object_get(object, "frequency"),
                 *sizes = json_object_get(object, "n_features");
    int64_t at = metric ? metric_find(m->task, metric) : -1;
    model_path *p = ARENA_ZERO(&m->mem, model_path, 1);
    if (!p) return PARE_E_MEMORY;
    if (at < 0 || !rule || (int64_t)json_array_size(frequency) != m->n_selected ||
        !read_nested(p, json_object_get(object, "nested")))
        return PARE_E_FORMAT;
    p->metric = m->task->metric[at].name;
    p->rule = arena_text(&m->mem, rule);
    p->n_outer = (int64_t)json_array_size(sizes);
    p->n_features = read_numbers(&m->mem, sizes, &out_of_memory);
    p->frequency = read_numbers(&m->mem, frequency, &out_of_memory);
    if (!p->rule || out_of_memory) return PARE_E_MEMORY;
    m->path = p;
    return p->n_features && p->frequency ? PARE_OK : PARE_E_FORMAT;
}

/* --- for people --- */

bool model_path_estimate(char out[MODEL_PATH_SIZE], const pare_model *m) {
    const model_path *p = m->path;
    char range[INTERVAL_WORDS];
    if (!p || isnan(p->mean)) return false;
    interval_words(range,
                   p->kind ? &(interval){p->low, p->high, p->level, p->kind} : &INTERVAL_NONE);
    snprintf(out, MODEL_PATH_SIZE, "%s %s%s",
             m->task->metric[metric_find(m->task, p->metric)].words, short_number_of(p->mean).text,
             range);
    return true;
}

pare_status pare_model_path_text(char **out, const pare_model *m, bool json, const pare_ctx *ctx,
                                 pare_error *err) {
    text_buffer text;
    char estimate[MODEL_PATH_SIZE];
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    if (!m->path) return PARE_OK;
    text_init(&text, ctx);
    if (json)
        text_add_json(&text, model_path_to_json(m));
    else if (model_path_estimate(estimate, m))
        text_add(&text, estimate);
    return text_finish(&text, out, err);
}
