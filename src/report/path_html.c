/* The report: one page that contains its style, its script and its data. No data reach the markup:
 * names and labels are JSON for the script, which shows them as text. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/error.h"
#include "registry.h"
#include "report/html_text.h"
#include "report/json_text.h"
#include "report/path_fields.h"
#include "report/path_text.h"
#include "select/fitting.h"

/* Generated from page/ by CMakeLists.txt. */
static const char style[] = {
#include "report/path_css.inc"
    0};
static const char script[] = {
#include "report/path_js.inc"
    0};

/* The method that is run `run` at its sizes from s on, and at how many of them. */
static const method *method_from(const pare_path *p, const path_run *run, int64_t s, int64_t *end) {
    const method *m = method_resolve(run->method->m, p->y.task, p->setup.sizes[s]);
    for (*end = s + 1; *end < p->setup.n_sizes; ++*end)
        if (method_resolve(run->method->m, p->y.task, p->setup.sizes[*end]) != m) break;
    return m;
}

static json_t *parts_json(const pare_path *p, const path_run *run) {
    json_t *array = json_array();
    for (int64_t s = 0, end; s < p->setup.n_sizes; s = end) {
        const method *m = method_from(p, run, s, &end);
        json_array_append_new(array,
                              json_pack("{s:s, s:s?, s:I, s:I}", "method", m->name, "citation",
                                        m->citation, "from", (json_int_t)p->setup.sizes[s], "to",
                                        (json_int_t)p->setup.sizes[end - 1]));
    }
    return array;
}

/* The word for people, of the fit at the chosen size; NULL: there is none. */
static const char *outcome_text(const path_run *run, bool there, pare_outcome outcome) {
    return run->scale[0] && there ? pare_outcome_text(outcome) : NULL;
}

/* Returns true if the blank-separated words have this one. */
static bool has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)) != NULL; at += length) {
        bool whole = at[length] == '\0' || at[length] == ' ';
        if (whole && (at == words || at[-1] == ' ')) return true;
    }
    return false;
}

/* The settings that have another value than their default; not those that the methods section says
 * in words of its own, and not tuned ones, whose values differ from fold to fold. */
static json_t *changed_json(const path_method *by) {
    static const char in_words[] = "k budget task positive scale row_scale missing class_weight "
                                   "max_correlation classifier probability";
    settings_group group = by->m->group;
    all_settings plain;
    settings_defaults(&plain);
    json_t *object = json_object();
    for (int64_t i = 0; i < settings_count(group); i++) {
        setting_value v = settings_value(by->grid, group, i);
        setting_value usual = settings_value(&plain, group, i);
        bool named = has_word(in_words, v.name) || has_word(by->tuned, v.name);
        if (!named && !setting_same(&v, &usual))
            json_object_set_new(object, v.name, setting_json(&v));
    }
    return object;
}

/* What the methods section says of each run: only what was in effect. */
static json_t *about_json(const pare_path *p) {
    json_t *array = json_array();
    for (int64_t m = 0; m < p->setup.n_methods; m++) {
        const path_run *run = &p->run[m];
        const path_method *by = run->method;
        int64_t end;
        const method *first = method_from(p, run, 0, &end);
        const method *then = ends_in_classifier(first, by->grid) ? by->classifier : NULL;
        json_array_append_new(array,
                              json_pack("{s:s, s:o, s:o, s:s?, s:s?, s:s?, s:s?, s:s?}", "run",
                                        by->name, "parts", parts_json(p, run), "changed",
                                        changed_json(by), "then", then ? then->name : NULL,
                                        "then_citation", then ? then->citation : NULL, "scale",
                                        run->scale[0] ? run->scale : NULL, "selection",
                                        outcome_text(run, run->has_selection, run->selection),
                                        "predictor", outcome_text(run, true, run->predictor)));
    }
    return array;
}

/* The columns of one kind of table, which the page fills from the data. */
static json_t *shown_json(int32_t document) {
    static const char *const type[] = {"real",    "integer", "flag", "text",
                                       "metrics", "list",    "other"};
    json_t *array = json_array();
    pare_column c;
    for (int64_t i = 0; pare_path_column(&c, i); i++)
        if (c.shown & document)
            json_array_append_new(
                array, json_pack("{s:s, s:s, s:s, s:s?, s:s, s:b}", "table", c.table, "field",
                                 c.field, "name", c.name, "words", c.words, "type", type[c.type],
                                 "optional", (int)((c.shown & PARE_SHOWN_OPTIONAL) != 0)));
    return array;
}

static json_t *columns_json(void) {
    return json_pack("{s:o, s:o}", "page", shown_json(PARE_SHOWN_PAGE), "csv",
                     shown_json(PARE_SHOWN_CSV));
}

pare_status pare_path_html(char **out, const pare_path *p, const char *command, const pare_ctx *ctx,
                           pare_error *err) {
    const html_page page = {"pare: accuracy against number of features", style, script};
    text_buffer t;
    char *data;
    *out = NULL;
    pare_status status = pare_path_json(&data, p, ctx, err);
    if (status != PARE_OK) return status;
    text_init(&t, ctx);
    html_begin(&t, &page);
    html_data(&t, "data", data);
    html_json(&t, "command", command ? json_string(command) : json_null());
    html_json(&t, "columns", columns_json());
    html_json(&t, "metrics", html_metrics(p->y.task));
    html_json(&t, "values", values_json(p));
    html_json(&t, "about", about_json(p));
    html_end(&t, &page);
    mem_free(ctx_allocator(ctx), data);
    return text_finish(&t, out, err);
}
