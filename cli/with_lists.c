/* Texts of options and commands, with the lists that the library has. */
#include <string.h>

#include "cli.h"
#include "tasks.h"

static void add(char out[LISTED_DOC], const char *before, const char *text) {
    size_t used = strlen(out);
    snprintf(out + used, LISTED_DOC - used, "%s%s", used > 0 ? before : "", text);
}

static void add_formats(char out[LISTED_DOC]) {
    pare_format f;
    for (int64_t i = 0; pare_format_info(&f, i); i++) add(out, i > 0 ? " " : "", f.name);
}

/* The first extension of each. */
static void add_written(char out[LISTED_DOC]) {
    pare_format f;
    bool any = false;
    for (int64_t i = 0; pare_format_info(&f, i); i++) {
        char first[16];
        if (!f.writes) continue;
        snprintf(first, sizeof first, ".%.*s", (int)strcspn(f.extensions, " "), f.extensions);
        add(out, any ? " " : "", first);
        any = true;
    }
}

static void add_metrics(char out[LISTED_DOC]) {
    const char *task;
    pare_metric m;
    for (int k = 0; (task = task_with_metrics(k)); k++) {
        if (k > 0) add(out, "; ", task);
        for (int64_t i = 0; pare_metric_info(&m, task, i); i++)
            add(out, i > 0 ? " " : k > 0 ? ": " : "", m.name);
    }
}

const char *with_lists(const char *doc, char out[LISTED_DOC]) {
    static const struct {
        const char *mark;
        void (*add)(char out[LISTED_DOC]);
    } lists[] = {{LISTED_METRICS, add_metrics},
                 {LISTED_FORMATS, add_formats},
                 {LISTED_WRITTEN, add_written}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const char *at = strstr(doc, lists[i].mark);
        if (!at) continue;
        snprintf(out, LISTED_DOC, "%.*s", (int)(at - doc), doc);
        lists[i].add(out);
        add(out, "", at + strlen(lists[i].mark));
        return out;
    }
    return doc;
}
