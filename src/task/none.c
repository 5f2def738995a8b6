/* The task none: no target, and a selection of features without a predictor. */
#include "task/task.h"

const task_type task_none = {.kind = TASK_NONE, .name = "none", .word = "none"};
