#include "report/html_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pare/path.h>
#include <pare/version.h>

void html_begin(text_buffer *t, const html_page *page) {
    text_add(t, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"generator\" content=\"pare " PARE_VERSION "\">\n");
    text_print(t, "<title>%s</title>\n<style>\n", page->title);
    text_add(t, page->style);
    text_add(t, "</style>\n</head>\n<body>\n<main id=\"page\">"
                "<noscript>This report draws itself: it needs JavaScript, and no network."
                "</noscript></main>\n");
}

void html_end(text_buffer *t, const html_page *page) {
    text_add(t, "<script>\n(function () {\n\"use strict\";\n");
    text_add(t, page->script);
    text_add(t, "})();\n</script>\n</body>\n</html>\n");
}

/* JSON inside a script element must not contain '<', and JSON needs none outside strings. */
static void add_escaped(text_buffer *t, const char *json) {
    char piece[256];
    size_t used = 0;
    for (; *json; json++) {
        if (used + 8 > sizeof piece) {
            piece[used] = '\0';
            text_add(t, piece);
            used = 0;
        }
        if (*json == '<') {
            memcpy(piece + used, "\\u003c", 6);
            used += 6;
        } else {
            piece[used++] = *json;
        }
    }
    piece[used] = '\0';
    text_add(t, piece);
}

void html_data(text_buffer *t, const char *id, const char *json) {
    text_print(t, "<script type=\"application/json\" id=\"%s\">", id);
    add_escaped(t, json);
    text_add(t, "</script>\n");
}

void html_json(text_buffer *t, const char *id, json_t *value) {
    char *dumped = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    html_data(t, id, dumped ? dumped : "null"); /* bytes that are not UTF-8 are left out */
    free(dumped);
    json_decref(value);
}

static json_t *bound_json(double x) { return isfinite(x) ? json_real(x) : json_null(); }

/* What each metric of the task is: direction, range, words. */
json_t *html_metrics(const task_type *task) {
    json_t *object = json_object();
    pare_metric m;
    for (int64_t i = 0; pare_metric_info(&m, task->name, i); i++)
        json_object_set_new(object, m.name,
                            json_pack("{s:b, s:o, s:o, s:s, s:b}", "higher",
                                      (int)m.higher_is_better, "least", bound_json(m.least), "most",
                                      bound_json(m.most), "words", m.words, "proportion",
                                      (int)m.proportion));
    return object;
}
