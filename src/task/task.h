/* What is asked of a data set: one file a task, which fills in the table of operations below. What
 * depends on the task is decided here; everybody else asks the table and never compares tasks. A new
 * task is its file, a row in task.c and a bit for the rows of methods.def. */
#ifndef PARE_TASK_TASK_H
#define PARE_TASK_TASK_H

#include "base/memory.h"
#include "task/target.h"

/* The bits that a row of methods.def lists. */
typedef enum task_kind {
    TASK_BINARY = 1,
    TASK_MULTICLASS = 2,
    TASK_RANKING = 4, /* two labels, the last class is to come first */
    TASK_REGRESSION = 8,
    TASK_NONE = 16, /* no target: a selection without a predictor */
    TASK_SURVIVAL = 32
} task_kind;

enum { MAX_METRICS = 7 }; /* of one task at most */

/* The samples that stand behind a metric which is a proportion, and so has Wilson's interval. */
typedef enum metric_proportion {
    PROPORTION_NONE,    /* it is none */
    PROPORTION_SAMPLES, /* of all samples */
    PROPORTION_CLASS    /* no better known than the smallest class, or the events */
} metric_proportion;

typedef struct metric_info {
    const char *name;
    bool higher;        /* is better */
    bool probable;      /* it is of probabilities: NaN where a predictor has none */
    bool relative;      /* to the training samples: NaN where they are not known */
    double least, most; /* that it can be */
    metric_proportion proportion;
    const char *words; /* its name in a sentence */
} metric_info;

/* The predictions that metrics judge. */
typedef struct predictions {
    const target *y;     /* of all samples */
    const int32_t *rows; /* the n of them that are judged */
    int64_t n;
    const double *F; /* their scores, n x outputs, column-major */
    int64_t outputs;
    const double *P; /* their probabilities, n x classes; or NULL */
    /* What metrics of survival alone look at. */
    const double *weight; /* of all samples, or NULL: ones */
    const int32_t
        *train; /* the n_train samples that the predictor was fitted to; NULL: they are not
                             known, and metrics that need them are NaN */
    int64_t n_train;
    const double *F_train; /* their scores; or NULL, as above */
    double at;             /* the time at which probabilities are wanted */
} predictions;

struct task_type {
    task_kind kind;
    const char *name; /* "binary", ...: the model file's word */
    const char *word; /* "classify", "rank", "regress", ...: the setting's word */
    /* Facts that others ask for. */
    bool has_target;
    bool classes;  /* samples belong to classes, one of which is predicted: class weights,
                          probabilities, a confusion matrix */
    bool several;  /* an output for each class, where there are more than two */
    bool by_order; /* scores only order samples: an intercept has no part in them */
    bool real;     /* the outcome is a number, and so is its prediction */
    bool timed;    /* the outcome is a time, perhaps censored, and its prediction a risk; some
                          metrics are relative to the training samples */
    int64_t least_classes, most_classes; /* labels that its models have */
    const metric_info *metric;           /* n_metrics, the default first */
    int64_t n_metrics;
    const char *baseline; /* what predicts without features: the name of its score */

    /* The truth of new data in the terms of a model with these classes. */
    pare_status (*read)(target *out, const pare_data *data, arena *mem, pare_error *err);
    /* The scores (target_scores) that every sample gets from a predictor that knows the samples `rows`
     * of y alone: the most frequent class with the classes' proportions, the mean. */
    void (*guess)(double *score, const target *y, const double *weight, const int32_t *rows,
                  int64_t n);
    /* Logs what about n such targets may be a mistake; or NULL. */
    void (*remark)(const target *y, int64_t n, const pare_ctx *ctx);
    /* All metrics. NaN where the samples do not define one. */
    pare_status (*measure)(double *out, const predictions *p, const pare_ctx *ctx, pare_error *err);
    /* What a split of a path keeps of a predictor besides: so many numbers, and (where loss is not
     * NULL) the part of each judged sample in a metric that is their mean. NULL: nothing. */
    int64_t (*summary_size)(const target *y);
    pare_status (*summarise)(double *out, double *loss, const predictions *p, const pare_ctx *ctx,
                             pare_error *err);
};

extern const task_type task_binary, task_multiclass, task_ranking, task_regression, task_none,
    task_survival;

/* The i-th of all tasks; NULL: there are no more. */
const task_type *task_at(int64_t i);
/* The task of that name in a model file; NULL: there is none. */
const task_type *task_named(const char *name);
/* "binary, regression": the names of a set of task_kind. */
const char *task_list(unsigned tasks);
/* Whether some task of the set has classes, or no target. */
bool tasks_have_classes(unsigned tasks);
bool tasks_lack_target(unsigned tasks);
/* Every task with a target: what any method may have. */
unsigned tasks_all(void);

int64_t metric_find(const task_type *t, const char *name); /* or -1 */

/* Resolves the target column for a method that supports `tasks`, a set of task_kind; `word`: the task
 * setting, such as auto or classify. Class order: that of codes that came with an order;
 * else numerically if all labels parse as numbers (+1, 1.0 and 1 are one label, kept as first seen),
 * else bytewise; `positive` (or "") moves to the end. All memory comes from the arena. */
PARE_NODISCARD pare_status target_resolve(target *out, arena *mem, const pare_data *data,
                                          unsigned tasks, const char *word, const char *positive,
                                          pare_error *err);
/* What the target column looks like by itself: classes or numbers. */
PARE_NODISCARD pare_status target_recognise(target *out, arena *mem, const pare_data *data,
                                            pare_error *err);

#endif
