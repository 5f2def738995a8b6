/* What is said of an option, with the lists that the library has. */
#include <string.h>

#include "cli.h"
#include "tasks.h"

static void add(char out[OPTION_DOC], const char *before, const char *text) {
    size_t used = strlen(out);
    snprintf(out + used, OPTION_DOC - used, "%s%s", used > 0 ? before : "", text);
}

static void add_formats(char out[OPTION_DOC]) {
    pare_format f;
    for (int64_t i = 0; pare_format_info(&f, i); i++) add(out, i > 0 ? " " : "", f.name);
}

static void add_metrics(char out[OPTION_DOC]) {
    const char *task;
    pare_metric m;
    for (int k = 0; (task = task_with_metrics(k)); k++) {
        if (k > 0) add(out, "; ", task);
        for (int64_t i = 0; pare_metric_info(&m, task, i); i++)
            add(out, i > 0 ? " " : k > 0 ? ": " : "", m.name);
    }
}

const char *option_doc(const option *t, char out[OPTION_DOC]) {
    const char *at = strchr(t->doc, '%');
    if (!at) return t->doc;
    bool metrics = strncmp(at, LISTED_METRICS, sizeof LISTED_METRICS - 1) == 0;
    bool formats = strncmp(at, LISTED_FORMATS, sizeof LISTED_FORMATS - 1) == 0;
    if (!metrics && !formats) return t->doc;
    snprintf(out, OPTION_DOC, "%.*s", (int)(at - t->doc), t->doc);
    if (metrics) add_metrics(out);
    if (formats) add_formats(out);
    add(out, "", at + sizeof LISTED_METRICS - 1);
    return out;
}
