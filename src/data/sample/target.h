/* From the target column as read to what a method needs: ordered classes, or real values. */
#ifndef PARE_DATA_SAMPLE_TARGET_H
#define PARE_DATA_SAMPLE_TARGET_H

#include "base/memory.h"
#include "data/dataset.h"

typedef enum task_kind {
    TASK_BINARY = 1,
    TASK_MULTICLASS = 2,
    TASK_RANKING = 4, /* two labels, the last class is to be ranked first */
    TASK_REGRESSION = 8,
    TASK_NONE = 16 /* no target: a selection without a predictor */
} task_kind;

typedef struct target {
    task_kind task;
    int64_t n_classes;    /* 0 for regression */
    const char **classes; /* labels in class order */
    int32_t *cls;         /* n class numbers, or NULL */
    double *value;        /* n real values, or NULL; without a target both are */
} target;

/* Class order: numerically if all labels parse as numbers (+1, 1.0 and 1 are one label, kept as
 * first seen), else bytewise; `positive` (or "") moves to the end. `tasks`: the set of task_kind
 * that the method supports; `task`: auto, classify, rank, regress or none. All memory comes from
 * the arena. */
PARE_NODISCARD pare_status target_resolve(target *out, arena *mem, const pare_data *data,
                                          unsigned tasks, const char *task, const char *positive,
                                          pare_error *err);

/* How many scores a predictor gives a sample: one per class where there are several, else one. */
int64_t target_scores(const target *y);

/* Every pair of c classes, one against one: (0, 1), (0, 2), ..., (c - 2, c - 1). */
int64_t class_pairs(int64_t c); /* how many */
void class_pair(int64_t i, int64_t c, int32_t pair[2]);

const char *task_name(task_kind task); /* "binary", ...: the model file's word */
const char *
task_word(task_kind task); /* "classify", "rank", "regress", "none": the setting's word */
bool task_parse(const char *name, task_kind *out);

#endif
