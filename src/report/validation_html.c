/* The report of a validation: one page that contains its style, its script and its data, as that of a
 * path (path_html.c). */
#include <jansson.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "report/html_text.h"
#include "validate/validation.h"

/* Generated from page/ and page_validation/ by cmake/embed.cmake. */
static const char style[] = {
#include "report/path_css.inc"
    0};
static const char script[] = {
#include "report/validation_js.inc"
    0};

/* Of the model file what the page says of the model: not its duals and hazards. */
static json_t *described(const char *text) {
    static const char *const keys[] = {
        "pare", "method",   "task",        "settings",      "n_samples", "n_features",
        "data", "selected", "outputs",     "scaling",       "units",     "mean",
        "path", "offset",   "calibration", "recalibration", "classes"};
    json_t *all = json_loads(text, 0, NULL), *some = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(all, keys[i]);
        if (value) json_object_set(some, keys[i], value);
    }
    json_t *center = json_object_get(json_object_get(all, "baseline"), "center");
    if (center) json_object_set(some, "center", center);
    json_decref(all);
    return some;
}

pare_status pare_validation_html(char **out, const pare_validation *v, const pare_model *model,
                                 const char *command, const pare_ctx *ctx, pare_error *err) {
    const html_page page = {"pare: validation", style, script};
    char *data, *text = NULL;
    text_buffer t;
    *out = NULL;
    PASS(pare_validation_json(&data, v, model, ctx, err));
    pare_status status = pare_model_text(&text, model, ctx, err);
    if (status == PARE_OK) {
        text_init(&t, ctx);
        html_begin(&t, &page);
        html_data(&t, "data", data);
        html_json(&t, "command", command ? json_string(command) : json_null());
        html_json(&t, "metrics", html_metrics(model->task));
        html_json(&t, "model", described(text));
        html_end(&t, &page);
        status = text_finish(&t, out, err);
    }
    pare_text_free(text, ctx);
    pare_text_free(data, ctx);
    return status;
}
