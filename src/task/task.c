/* The table of tasks. */
#include "task/task.h"

#include <string.h>

static const task_type *const tasks[] = {&task_binary,     &task_multiclass, &task_ranking,
                                         &task_regression, &task_none,       &task_survival};
enum { N_TASKS = sizeof tasks / sizeof tasks[0] };

const task_type *task_named(const char *name) {
    for (int i = 0; i < N_TASKS; i++)
        if (strcmp(tasks[i]->name, name) == 0) return tasks[i];
    return NULL;
}

const task_type *task_at(int64_t i) { return i < N_TASKS ? tasks[i] : NULL; }

/* All sets of names, each of the texts s being one with and one without another name in front. */
#define WITH_BINARY(s) s, ", binary" s
#define WITH_MULTICLASS(s) WITH_BINARY(s), WITH_BINARY(", multiclass" s)
#define WITH_RANKING(s) WITH_MULTICLASS(s), WITH_MULTICLASS(", ranking" s)
#define WITH_REGRESSION(s) WITH_RANKING(s), WITH_RANKING(", regression" s)
#define WITH_NONE(s) WITH_REGRESSION(s), WITH_REGRESSION(", none" s)
#define WITH_SURVIVAL(s) WITH_NONE(s), WITH_NONE(", survival" s)

const char *task_list(unsigned kinds) {
    static const char *const names[] = {WITH_SURVIVAL("")}; /* by the bits of the set */
    _Static_assert(sizeof names / sizeof names[0] == 1 << N_TASKS, "a task has no name here");
    return kinds ? names[kinds] + strlen(", ") : "";
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
