/* From the target column as it came to a task and its target. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/order.h"
#include "data/format/odd_number.h"
#include "task/labels.h"

/* Task auto: more distinct integers than this are measurements. */
enum { MAX_INTEGER_CLASSES = 20 };

/* The target column on its way. */
typedef struct raw_target {
    const target_column *from;
    int64_t n;
    label *v;     /* by sample at first */
    bool numeric; /* all labels are numbers, which are the keys unless `coded` */
    bool coded;   /* the classes came with their order */
    int64_t first_text;
} raw_target;

static pare_status read_labels(raw_target *r, arena *mem, const pare_data *data, pare_error *err) {
    *r = (raw_target){.from = &data->target, .n = data->x.n, .numeric = true};
    r->v = ARENA_NEW(mem, label, r->n);
    if (!r->v) return error_memory(err);
    r->coded = r->from->code != NULL;
    for (int64_t i = 0; i < r->n; i++) {
        double number = 0;
        bool is_number = target_column_number(r->from, i, &number);
        if (!is_number && r->numeric) r->first_text = i;
        r->numeric = r->numeric && is_number;
        r->v[i] = (label){number, r->from->real ? NULL : target_column_text(r->from, i, NULL), i};
    }
    for (int64_t i = 0; r->coded && i < r->n; i++) r->v[i].key = r->from->code[i];
    for (int64_t i = 0; !r->coded && !r->numeric && i < r->n; i++) r->v[i].key = 0;
    return PARE_OK;
}

/* Different keys, and whether all are integers. */
static int64_t distinct_keys(const raw_target *r, arena *mem, bool *whole, pare_error *err) {
    int64_t distinct = 0;
    double *key = ARENA_NEW(mem, double, r->n);
    *whole = true;
    if (!key) return (void)error_memory(err), -1;
    for (int64_t i = 0; i < r->n; i++) {
        key[i] = r->v[i].key;
        *whole = *whole && key[i] == floor(key[i]);
    }
    sort_up(key, r->n);
    for (int64_t i = 0; i < r->n; i++) distinct += i == 0 || key[i] != key[i - 1];
    return distinct;
}

/* The first of the tasks that this word of the setting stands for; NULL: none is among them. */
static const task_type *worded(unsigned tasks, const char *word) {
    const task_type *t;
    for (int64_t i = 0; (t = task_at(i)); i++)
        if ((tasks & t->kind) && strcmp(t->word, word) == 0) return t;
    return NULL;
}

static bool allows(unsigned tasks, const char *word) { return worded(tasks, word) != NULL; }

static pare_status refuse_word(const char *word, unsigned tasks, pare_error *err) {
    const task_type *t;
    char list[64] = "";
    for (int64_t i = 0; (t = task_at(i)); i++)
        if (worded(tasks, t->word) == t)
            snprintf(list + strlen(list), sizeof list - strlen(list), " %s", t->word);
    return error_set(err, PARE_E_ARGUMENT,
                     "`task`: \"%s\" is not what this method does; allowed:%s", word, list);
}

/* The word where the tasks with a target have only one; else NULL. */
static const char *only_word(unsigned tasks) {
    const task_type *t;
    const char *word = NULL;
    for (int64_t i = 0; (t = task_at(i)); i++) {
        if (!t->has_target || worded(tasks, t->word) != t) continue;
        if (word) return NULL;
        word = t->word;
    }
    return word;
}

/* The task where nobody said: labels that are not numbers, or few integers, are classes. */
static const char *usual_word(unsigned tasks, const raw_target *r, int64_t distinct, bool whole) {
    const char *only = only_word(tasks);
    bool classify = allows(tasks, "classify"), regress = allows(tasks, "regress");
    bool few = r->coded || !r->numeric || (whole && distinct <= MAX_INTEGER_CLASSES);
    if (only) return only;
    if (classify && (!regress || few)) return "classify";
    return regress ? "regress" : "rank";
}

static pare_status refuse_text(const target *out, const raw_target *r, pare_error *err) {
    char digits[32];
    bool unused;
    const char *text = target_column_text(r->from, r->first_text, digits);
    odd_number kind = odd_number_of(text, (int64_t)strlen(text));
    return error_set(err, PARE_E_DATA,
                     "sample %lld: %s needs a number as its target, found \"%.64s\"%s",
                     (long long)r->first_text + 1, out->task->name, text,
                     odd_number_certain(kind) ? odd_number_advice(kind, true, NULL, &unused)
                                              : ": write a number, or leave the sample out");
}

static pare_status to_values(target *out, arena *mem, const pare_data *data, const raw_target *r,
                             pare_error *err) {
    char digits[32];
    bool differ = false;
    if (!r->numeric) return refuse_text(out, r, err);
    pare_status status = out->task->read(out, data, mem, err);
    if (status != PARE_OK) return status;
    for (int64_t i = 0; i < r->n; i++) differ = differ || out->value[i] != out->value[0];
    if (differ || r->n == 1) return PARE_OK;
    number_format(out->value[0], digits);
    return error_set(err, PARE_E_DATA,
                     "the target is %s in all %lld samples: there is nothing to predict", digits,
                     (long long)r->n);
}

/* Fractions, most of which come once: no classes, whatever the method. */
static pare_status refuse_measurements(const raw_target *r, int64_t distinct, bool whole,
                                       pare_error *err) {
    char digits[32];
    if (r->coded || !r->numeric || whole || distinct <= 2 || 2 * distinct <= r->n) return PARE_OK;
    const char *least = r->v[0].text; /* after they were sorted */
    if (!least) number_format(r->v[0].key, digits);
    return error_set(err, PARE_E_DATA,
                     "the target has %lld different values in %lld samples, such as %.32s: these "
                     "are numbers, not classes; use a method for regression, or `task classify` "
                     "if they are classes",
                     (long long)distinct, (long long)r->n, least ? least : digits);
}

static pare_status to_classes(target *out, arena *mem, raw_target *r, bool rank,
                              const char *positive, pare_error *err) {
    pare_status status = labels_to_classes(out, mem, r->v, r->n, r->coded || r->numeric, err);
    if (status == PARE_OK && out->n_classes == 1)
        return error_set(err, PARE_E_DATA,
                         "all %lld samples have the one class \"%.64s\"; two or more are needed",
                         (long long)r->n, out->classes[0]);
    if (status == PARE_OK && positive[0]) status = labels_move_positive(out, r->n, positive, err);
    out->task = rank ? &task_ranking : out->n_classes == 2 ? &task_binary : &task_multiclass;
    return status;
}

/* Times and events are of one task only, and it needs them. */
static pare_status to_times(target *out, arena *mem, const pare_data *data, unsigned tasks,
                            const char *word, pare_error *err) {
    bool automatic = strcmp(word, "auto") == 0;
    if (!automatic && !allows(tasks, word)) return refuse_word(word, tasks, err);
    if (!automatic && !worded(~0u, word)->timed)
        return error_set(
            err, PARE_E_ARGUMENT,
            "`task`: \"%s\" does not go with `time` and `event`, which are for survival", word);
    if (!(tasks & TASK_SURVIVAL))
        return error_set(err, PARE_E_ARGUMENT,
                         "the data have times and events: choose a method for survival");
    out->task = &task_survival;
    return task_survival.read(out, data, mem, err);
}

pare_status target_resolve(target *out, arena *mem, const pare_data *data, unsigned tasks,
                           const char *word, const char *positive, pare_error *err) {
    raw_target r;
    bool whole, automatic = strcmp(word, "auto") == 0;
    *out = (target){.task = &task_none};
    if (strcmp(word, "none") == 0)
        return allows(tasks, word) ? PARE_OK : refuse_word(word, tasks, err);
    if (worded(~0u, word) == &task_survival || data->target.time || tasks == TASK_SURVIVAL)
        return to_times(out, mem, data, tasks, word, err);
    if (data->target.strata.count)
        return error_set(err, PARE_E_ARGUMENT,
                         "`strata` are for survival: give `time` and `event` too, or leave them "
                         "out");
    if (target_column_count(&data->target) != data->x.n)
        return error_set(err, PARE_E_DATA, "the data have no target: give `target` or `labels`");
    pare_status status = read_labels(&r, mem, data, err);
    if (status != PARE_OK) return status;
    int64_t distinct = distinct_keys(&r, mem, &whole, err);
    if (distinct < 0) return PARE_E_MEMORY;
    if (automatic)
        word = usual_word(tasks, &r, distinct, whole);
    else if (!allows(tasks, word))
        return refuse_word(word, tasks, err);
    out->task = worded(~0u, word);
    if (out->task->real) return to_values(out, mem, data, &r, err);
    status = to_classes(out, mem, &r, out->task->by_order, positive, err);
    if (status == PARE_OK && automatic) status = refuse_measurements(&r, distinct, whole, err);
    if (status != PARE_OK) return status;
    if (out->task == &task_ranking && out->n_classes != 2)
        return error_set(err, PARE_E_DATA, "ranking needs two labels, the data have %lld classes",
                         (long long)out->n_classes);
    if (!(tasks & out->task->kind))
        return error_set(err, PARE_E_DATA, "this method needs two classes, the data have %lld",
                         (long long)out->n_classes);
    return PARE_OK;
}

pare_status target_recognise(target *out, arena *mem, const pare_data *data, pare_error *err) {
    return target_resolve(out, mem, data, TASK_BINARY | TASK_MULTICLASS | TASK_REGRESSION, "auto",
                          "", err);
}
