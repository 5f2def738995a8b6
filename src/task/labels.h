/* Private to task/: the samples' labels on their way to classes, and the truth in a model's classes. */
#ifndef PARE_TASK_LABELS_H
#define PARE_TASK_LABELS_H

#include "task/task.h"

typedef struct label {
    double
        key; /* what the classes are ordered by: the number or the place of the code; 0 for texts */
    const char *text; /* or NULL: the number itself */
    int64_t sample;
} label;

/* Sets classes and cls of out from the labels of n samples, which are put in order. by_key: labels of
 * equal key are one, kept as first seen; else those of equal text. */
PARE_NODISCARD pare_status labels_to_classes(target *out, arena *mem, label *v, int64_t n,
                                             bool by_key, pare_error *err);
/* The class of that label moves to the end. */
PARE_NODISCARD pare_status labels_move_positive(target *out, int64_t n, const char *positive,
                                                pare_error *err);

/* task.read of classes. Of data that were read with merge_case, a label that equals one class but for
 * letter case is of that class. */
PARE_NODISCARD pare_status labels_read(target *out, const pare_data *data, arena *mem,
                                       pare_error *err);
/* "the target of sample A is "B", which is ..." */
PARE_NODISCARD pare_status labels_refuse(const pare_data *data, int64_t i, const char *what,
                                         pare_error *err);

#endif
