/* The only file here that knows tasks by name. */
#include "tasks.h"

#include <string.h>

static bool is(const pare_model *m, const char *task) {
    return strcmp(pare_model_get(m)->task, task) == 0;
}

bool task_orders(const pare_model *m) { return is(m, "ranking"); }

bool task_predicts_risk(const pare_model *m) { return is(m, "survival"); }

bool task_predicts_number(const pare_model *m) { return is(m, "regression"); }

bool task_predicts_class(const pare_model *m) { return is(m, "binary") || is(m, "multiclass"); }

bool task_lacks_target(const pare_model *m) {
    return task_word_lacks_target(pare_model_get(m)->task);
}

bool task_word_lacks_target(const char *word) { return strcmp(word, "none") == 0; }

const char *task_with_metrics(int i) {
    static const char *const tasks[] = {"binary", "ranking", "regression", "survival", NULL};
    return tasks[i];
}
