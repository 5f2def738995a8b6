/* The table of tasks. */
#include "task/task.h"

#include <string.h>

static const task_type *const tasks[] = {&task_binary, &task_multiclass, &task_ranking,
                                         &task_regression, &task_none};
enum { N_TASKS = sizeof tasks / sizeof tasks[0] };

const task_type *task_named(const char *name) {
    for (int i = 0; i < N_TASKS; i++)
        if (strcmp(tasks[i]->name, name) == 0) return tasks[i];
    return NULL;
}

const char *task_list(unsigned kinds) {
    enum { CLASSES = TASK_BINARY | TASK_MULTICLASS };
    static const char *const names[] = {
        [TASK_BINARY] = "binary",
        [CLASSES] = "binary, multiclass",
        [TASK_RANKING] = "ranking",
        [TASK_REGRESSION] = "regression",
        [CLASSES | TASK_REGRESSION] = "binary, multiclass, regression",
        [CLASSES | TASK_RANKING | TASK_REGRESSION] = "binary, multiclass, ranking, regression",
        [CLASSES | TASK_REGRESSION | TASK_NONE] = "binary, multiclass, regression, none"};
    return kinds < sizeof names / sizeof names[0] ? names[kinds] : NULL;
}

bool tasks_have_classes(unsigned kinds) {
    for (int i = 0; i < N_TASKS; i++)
        if ((kinds & tasks[i]->kind) && tasks[i]->classes) return true;
    return false;
}

bool tasks_lack_target(unsigned kinds) {
    for (int i = 0; i < N_TASKS; i++)
        if ((kinds & tasks[i]->kind) && !tasks[i]->has_target) return true;
    return false;
}

unsigned tasks_all(void) {
    unsigned all = 0;
    for (int i = 0; i < N_TASKS; i++)
        if (tasks[i]->has_target) all |= tasks[i]->kind;
    return all;
}

int64_t metric_find(const task_type *t, const char *name) {
    for (int64_t i = 0; i < t->n_metrics; i++)
        if (strcmp(t->metric[i].name, name) == 0) return i;
    return -1;
}
