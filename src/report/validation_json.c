/* A validation as one JSON object and as a table, and the model that follows from it. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "base/context.h"
#include "base/error.h"
#include "base/number.h"
#include "model/json.h"
#include "report/json_text.h"
#include "report/model_path.h"
#include "validate/validation.h"

static json_t *estimate_json(const pare_estimate *e) {
    return json_pack("{s:o, s:o, s:o}", "value", number_json(e->value), "low", number_json(e->low),
                     "high", number_json(e->high));
}

/* An object of all metrics. */
static json_t *metrics_json(const pare_validation_info *v, const pare_estimate *of) {
    if (!of) return json_null();
    json_t *object = json_object();
    for (int64_t k = 0; k < v->n_metrics; k++)
        json_object_set_new(object, v->metric[k], estimate_json(&of[k]));
    return object;
}

/* What a calibration has of each class in an array, or of two classes by itself. */
static json_t *each(const pare_cohort *c, bool several, json_t *(*make)(const pare_calibration *)) {
    if (c->n_calibrations == 0) return json_null();
    if (!several) return make(c->calibration);
    json_t *array = json_array();
    for (int64_t k = 0; k < c->n_calibrations; k++)
        json_array_append_new(array, make(&c->calibration[k]));
    return array;
}

static json_t *make_intercept(const pare_calibration *c) { return estimate_json(&c->intercept); }
static json_t *make_slope(const pare_calibration *c) { return estimate_json(&c->slope); }
static json_t *make_ratio(const pare_calibration *c) {
    return estimate_json(&c->observed_expected);
}

static json_t *make_bins(const pare_calibration *c) {
    json_t *array = json_array();
    for (int64_t b = 0; b < c->n_bins; b++) {
        const pare_calibration_bin *bin = &c->bin[b];
        json_array_append_new(
            array, json_pack("{s:o, s:o, s:o, s:o, s:I}", "predicted", number_json(bin->predicted),
                             "observed", number_json(bin->observed), "low", number_json(bin->low),
                             "high", number_json(bin->high), "n", (json_int_t)bin->n));
    }
    return array;
}

static json_t *calibration_json(const pare_cohort *c, bool several) {
    if (c->n_calibrations == 0) return json_null();
    return json_pack("{s:o, s:o, s:o, s:o}", "intercept", each(c, several, make_intercept), "slope",
                     each(c, several, make_slope), "observed_expected",
                     each(c, several, make_ratio), "groups", each(c, several, make_bins));
}

static json_t *table_json(const pare_decision *d, int64_t count) {
    json_t *array = json_array();
    for (int64_t i = 0; i < count; i++)
        json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:o}", "threshold",
                                               number_json(d[i].threshold), "net_benefit",
                                               number_json(d[i].net_benefit), "treat_all",
                                               number_json(d[i].treat_all), "treat_none",
                                               number_json(d[i].treat_none)));
    return array;
}

static json_t *decision_json(const pare_cohort *c, bool several) {
    if (c->n_thresholds == 0) return json_null();
    if (!several) return table_json(c->decision, c->n_thresholds);
    json_t *array = json_array();
    for (int64_t k = 0; k < c->n_calibrations; k++)
        json_array_append_new(array,
                              table_json(c->decision + k * c->n_thresholds, c->n_thresholds));
    return array;
}

static json_t *shift_json(const pare_cohort *c) {
    json_t *array = json_array();
    for (int64_t i = 0; i < c->n_shifts; i++)
        json_array_append_new(array, json_pack("{s:s, s:o, s:o}", "name", c->shift[i].name,
                                               "difference", number_json(c->shift[i].difference),
                                               "outside", number_json(c->shift[i].outside)));
    return array;
}

/* Names; with `by` what stands in for each, null: the mean. */
static json_t *absent_json(const pare_cohort *c, bool by) {
    json_t *array = json_array();
    for (int64_t i = 0; i < c->n_absent; i++) {
        const pare_absent *a = &c->absent[i];
        json_array_append_new(array, by ? json_pack("{s:s, s:s?}", "name", a->name, "by", a->by)
                                        : json_string(a->name));
    }
    return array;
}

static json_t *confusion_json(const pare_cohort *c, int64_t classes) {
    if (c->n_confusions == 0) return json_null();
    json_t *array = json_array();
    for (int64_t i = 0; i < c->n_confusions; i++) {
        json_t *rows = json_array();
        for (int64_t k = 0; k < classes; k++) {
            json_t *row = json_array();
            for (int64_t q = 0; q < classes; q++)
                json_array_append_new(row, json_integer(c->confusion[i].count[k * classes + q]));
            json_array_append_new(rows, row);
        }
        json_array_append_new(array, json_pack("{s:o, s:o}", "cut",
                                               number_json(c->confusion[i].cut), "counts", rows));
    }
    return array;
}

static json_t *cohort_json(const pare_validation_info *v, const pare_cohort *c) {
    bool several = v->n_classes > 2;
    return json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", c->name,
                     "n", (json_int_t)c->n, "events", (json_int_t)c->n_events, "metrics",
                     metrics_json(v, c->metric), "calibration", calibration_json(c, several),
                     "decision", decision_json(c, several), "shift", shift_json(c), "absent",
                     absent_json(c, false), "replaced", absent_json(c, true), "confusion",
                     confusion_json(c, v->n_classes), "difference", metrics_json(v, c->difference));
}

static json_t *pooled_json(const pare_validation_info *v) {
    if (!v->pooled) return json_null();
    json_t *object = json_object();
    for (int64_t k = 0; k < v->n_metrics; k++) {
        const pare_pooled *p = &v->pooled[k];
        json_t *one = estimate_json(&p->mean);
        json_object_set_new(one, "prediction_low", number_json(p->prediction_low));
        json_object_set_new(one, "prediction_high", number_json(p->prediction_high));
        json_object_set_new(object, v->metric[k], one);
    }
    return object;
}

static json_t *texts_json(const char *const *text, int64_t count) {
    json_t *array = json_array();
    for (int64_t i = 0; i < count; i++) json_array_append_new(array, json_string(text[i]));
    return array;
}

pare_status pare_validation_json(char **out, const pare_validation *validation,
                                 const pare_model *model, const pare_ctx *ctx, pare_error *err) {
    const pare_validation_info *v = &validation->info;
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    json_t *cohorts = json_array(), *path = model ? model_path_to_json(model) : NULL;
    for (int64_t c = 0; c < v->n_cohorts; c++)
        json_array_append_new(cohorts, cohort_json(v, &v->cohort[c]));
    const json_part parts[] = {
        {"kind", json_string("validation")},
        {"task", json_string(v->task)},
        {model ? "method" : NULL, model ? json_string(model->method) : NULL},
        {"classes", texts_json(v->classes, v->n_classes)},
        {"prevalence", number_json(v->prevalence)},
        {"at", number_json(v->at)},
        {"cohorts", cohorts},
        {"pooled", pooled_json(v)},
        {path ? "path" : NULL, path},
        {"notes", texts_json(v->notes, v->n_notes)},
    };
    text_buffer text;
    text_init(&text, ctx);
    text_add_object(&text, parts, sizeof parts / sizeof parts[0]);
    return text_finish(&text, out, err);
}

/* --- the table --- */

static void add_number(text_buffer *t, double x) {
    char digits[32] = "";
    if (isfinite(x)) number_format(x, digits);
    text_print(t, "\t%s", digits);
}

static void add_row(text_buffer *t, const char *cohort, const char *metric, const char *more,
                    pare_estimate e) {
    text_add_cell(t, cohort);
    text_add(t, "\t");
    text_add(t, metric);
    text_add_cell(t, more);
    add_number(t, e.value);
    add_number(t, e.low);
    add_number(t, e.high);
    text_add(t, "\n");
}

static void add_calibration(text_buffer *t, const pare_validation_info *v, const pare_cohort *c) {
    for (int64_t k = 0; k < c->n_calibrations; k++) {
        const char *of = c->n_calibrations > 1 ? v->classes[k] : "";
        const char *blank = *of ? " " : "";
        const struct {
            const char *name;
            pare_estimate e;
        } rows[] = {{"calibration_intercept", c->calibration[k].intercept},
                    {"calibration_slope", c->calibration[k].slope},
                    {"observed_expected", c->calibration[k].observed_expected}};
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char name[32];
            snprintf(name, sizeof name, "%s%s", rows[i].name, blank);
            add_row(t, c->name, name, of, rows[i].e);
        }
    }
}

static void add_cohort(text_buffer *t, const pare_validation_info *v, const pare_cohort *c) {
    for (int64_t k = 0; k < v->n_metrics; k++) add_row(t, c->name, v->metric[k], "", c->metric[k]);
    for (int64_t k = 0; c->difference && k < v->n_metrics; k++)
        add_row(t, c->name, "difference ", v->metric[k], c->difference[k]);
    add_calibration(t, v, c);
}

static void add_pooled(text_buffer *t, const pare_validation_info *v) {
    for (int64_t k = 0; v->pooled && k < v->n_metrics; k++) {
        const pare_pooled *p = &v->pooled[k];
        add_row(t, "pooled", v->metric[k], "", p->mean);
        add_row(t, "pooled", "prediction ", v->metric[k],
                (pare_estimate){p->mean.value, p->prediction_low, p->prediction_high});
    }
}

pare_status pare_validation_tsv(char **out, const pare_validation *validation,
                                const pare_model *model, const pare_ctx *ctx, pare_error *err) {
    const pare_validation_info *v = &validation->info;
    char estimate[MODEL_PATH_SIZE];
    text_buffer t;
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    text_init(&t, ctx);
    if (model && model_path_estimate(estimate, model))
        text_print(&t, "# nested CV estimate of the path that chose this model: %s\n", estimate);
    text_add(&t, "cohort\tmetric\tvalue\tlow\thigh\n");
    for (int64_t c = 0; c < v->n_cohorts; c++) add_cohort(&t, v, &v->cohort[c]);
    add_pooled(&t, v);
    return text_finish(&t, out, err);
}
