/* The target of samples as a method sees it: classes in order, real values, or times to an event. */
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
    double *time;         /* n times >= 0 to an event or the end of observation, or NULL */
    int32_t *event;       /* n: 1 where the time is that of an event, 0 where it is censored */
    int64_t n_strata;     /* of samples with a hazard of their own each; 1 without strata */
    const char **strata;  /* their names; NULL: there is only one, without a name */
    int32_t *stratum;     /* n numbers of strata, or NULL */
} target;

/* How many scores a predictor gives a sample: one per class where there are several, else one. */
int64_t target_scores(const target *y);

/* The class that the scores of one sample stand for, `stride` apart: the last of two if the one score
 * is positive; the largest of several, the first of equals. */
int64_t scores_decide(const double *F, int64_t width, int64_t stride);

/* What folds deal out evenly: the kind of each sample, one of *n_kinds (its class, or whether it had
 * an event), or NULL. */
const int32_t *target_kinds(const target *y, int64_t *n_kinds);
/* Returns true if every training fold must have samples of that kind. */
bool target_needs(const target *y, int64_t kind);
/* How a message calls it: class "tumour". */
enum { KIND_NAME_SIZE = 80 };
const char *target_kind_name(char out[KIND_NAME_SIZE], const target *y, int64_t kind);

/* Puts the classes of y, n samples, into the order of these; another set of classes changes nothing. */
PARE_NODISCARD pare_status target_order(target *y, arena *mem, int64_t n,
                                        const char *const *classes, int64_t n_classes,
                                        pare_error *err);

/* The samples `from` (n of them, repeats allowed) of y. Memory from the arena. */
PARE_NODISCARD pare_status target_take(target *out, arena *mem, const target *y,
                                       const int32_t *from, int64_t n, pare_error *err);
/* The targets of n samples in another order, within their strata. Groups (or NULL), numbered as they come, keep their
 * samples together: whole groups change places where each has one target, else samples within them. */
PARE_NODISCARD pare_status target_permute(target *out, arena *mem, const target *y, int64_t n,
                                          const int32_t *group, uint64_t seed, pare_error *err);

/* The truth of sample i as text: its label, its number, or its time with a + if it is censored. */
const char *target_text(const target *y, int64_t i, char buffer[32]);

/* Every pair of c classes, one against one: (0, 1), (0, 2), ..., (c - 2, c - 1). */
int64_t class_pairs(int64_t c); /* how many */
void class_pair(int64_t i, int64_t c, int32_t pair[2]);

#endif
