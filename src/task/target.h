/* The target of samples as a method sees it: classes in order, or real values. */
#ifndef PARE_TASK_TARGET_H
#define PARE_TASK_TARGET_H

#include "base/memory.h"
#include "data/dataset.h"

typedef struct task_type task_type;

typedef struct target {
    const task_type *task;
    int64_t n_classes;    /* 0 where there are none */
    const char **classes; /* labels in class order */
    int32_t *cls;         /* n class numbers, or NULL */
    double *value;        /* n real values, or NULL; without a target both are */
} target;

/* How many scores a predictor gives a sample: one per class where there are several, else one. */
int64_t target_scores(const target *y);

/* The class that the scores of one sample stand for, `stride` apart: the last of two if the one score
 * is positive; the largest of several, the first of equals. */
int64_t scores_decide(const double *F, int64_t width, int64_t stride);

/* Samples that folds deal out evenly: the stratum of each of n_strata, or NULL. */
const int32_t *target_strata(const target *y, int64_t *n_strata);
/* How a message calls one of them: class "tumour". */
enum { STRATUM_NAME_SIZE = 80 };
const char *stratum_name(char out[STRATUM_NAME_SIZE], const target *y, int64_t stratum);

/* Puts the classes of y, n samples, into the order of these; another set of classes changes nothing. */
PARE_NODISCARD pare_status target_order(target *y, arena *mem, int64_t n,
                                        const char *const *classes, int64_t n_classes,
                                        pare_error *err);

/* The samples `from` (n of them, repeats allowed) of y. Memory from the arena. */
PARE_NODISCARD pare_status target_take(target *out, arena *mem, const target *y,
                                       const int32_t *from, int64_t n, pare_error *err);
/* The targets of n samples in another order. Groups (or NULL), numbered as they come, keep their
 * samples together: whole groups change places where each has one target, else samples within them. */
PARE_NODISCARD pare_status target_permute(target *out, arena *mem, const target *y, int64_t n,
                                          const int32_t *group, uint64_t seed, pare_error *err);

/* The truth of sample i as text: its label or its number. */
const char *target_text(const target *y, int64_t i, char buffer[32]);

/* Every pair of c classes, one against one: (0, 1), (0, 2), ..., (c - 2, c - 1). */
int64_t class_pairs(int64_t c); /* how many */
void class_pair(int64_t i, int64_t c, int32_t pair[2]);

#endif
