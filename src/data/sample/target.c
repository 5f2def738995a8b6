#include "data/sample/target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/order.h"

enum {
    MAX_INTEGER_CLASSES = 20
}; /* task auto: more distinct integers than this are measurements */

static const struct {
    task_kind task;
    const char *name;
} task_names[] = {{TASK_BINARY, "binary"},
                  {TASK_MULTICLASS, "multiclass"},
                  {TASK_RANKING, "ranking"},
                  {TASK_REGRESSION, "regression"},
                  {TASK_NONE, "none"}};
enum { N_TASKS = sizeof task_names / sizeof task_names[0] };

const char *task_name(task_kind task) {
    for (int i = 0; i < N_TASKS; i++)
        if (task_names[i].task == task) return task_names[i].name;
    return "unknown";
}

const char *task_word(task_kind task) {
    return task == TASK_REGRESSION ? "regress"
           : task == TASK_RANKING  ? "rank"
           : task == TASK_NONE     ? "none"
                                   : "classify";
}

bool task_parse(const char *name, task_kind *out) {
    for (int i = 0; i < N_TASKS; i++)
        if (strcmp(task_names[i].name, name) == 0) {
            *out = task_names[i].task;
            return true;
        }
    return false;
}

typedef struct label {
    double number; /* 0 when labels are not numbers */
    const char *text;
    int64_t sample;
} label;

static int by_value_then_sample(const void *pa, const void *pb) {
    const label *a = pa, *b = pb;
    int order = order_up(a->number, b->number);
    return order ? order : order_index(a->sample, b->sample);
}

static int by_text_then_sample(const void *pa, const void *pb) {
    const label *a = pa, *b = pb;
    int order = strcmp(a->text, b->text);
    return order ? order : order_index(a->sample, b->sample);
}

/* Returns true if the target has at most 20 distinct integers. v is sorted by value. */
static bool looks_like_classes(const label *v, int64_t n) {
    int64_t distinct = 0;
    for (int64_t i = 0; i < n; i++) {
        if (v[i].number != floor(v[i].number)) return false;
        if (i == 0 || v[i].number != v[i - 1].number) distinct++;
    }
    return distinct <= MAX_INTEGER_CLASSES;
}

/* Returns true if the target has fractions, most of them once: not classes, whatever the method. v
 * is sorted by value. */
static bool are_measurements(const label *v, int64_t n, int64_t distinct) {
    bool whole = true;
    for (int64_t i = 0; i < n; i++) whole = whole && v[i].number == floor(v[i].number);
    return !whole && distinct > 2 && 2 * distinct > n;
}

static pare_status make_classes(target *out, arena *mem, const label *v, int64_t n, bool numeric,
                                const char *positive, pare_error *err) {
    int64_t c = 0;
    for (int64_t i = 0; i < n; i++)
        c += i == 0 ||
             (numeric ? v[i].number != v[i - 1].number : strcmp(v[i].text, v[i - 1].text) != 0);
    out->classes = ARENA_NEW(mem, const char *, c);
    out->cls = ARENA_NEW(mem, int32_t, n);
    if (!out->classes || !out->cls) return error_memory(err);
    out->n_classes = c;
    int32_t k = -1;
    for (int64_t i = 0; i < n; i++) { /* within a class samples ascend: the first seen names it */
        if (i == 0 ||
            (numeric ? v[i].number != v[i - 1].number : strcmp(v[i].text, v[i - 1].text) != 0)) {
            out->classes[++k] = arena_text(mem, v[i].text);
            if (!out->classes[k]) return error_memory(err);
        }
        out->cls[v[i].sample] = k;
    }
    if (c == 1)
        return error_set(err, PARE_E_DATA,
                         "all %lld samples have the one class \"%.64s\"; two or more are needed",
                         (long long)n, out->classes[0]);
    if (!positive[0]) return PARE_OK;

    double number = 0;
    bool positive_number = number_parse_all(positive, &number);
    int32_t found = -1;
    for (int32_t i = 0; i < c; i++) {
        double other = 0;
        bool same = numeric ? positive_number && number_parse_all(out->classes[i], &other) &&
                                  other == number
                            : strcmp(out->classes[i], positive) == 0;
        if (same) found = i;
    }
    if (found < 0)
        return error_set(
            err, PARE_E_ARGUMENT,
            "positive: \"%.64s\" is not among the %lld classes (\"%.64s\", ..., \"%.64s\")",
            positive, (long long)c, out->classes[0], out->classes[c - 1]);
    const char *moved = out->classes[found];
    for (int64_t i = found; i + 1 < c; i++) out->classes[i] = out->classes[i + 1];
    out->classes[c - 1] = moved;
    for (int64_t i = 0; i < n; i++)
        out->cls[i] = out->cls[i] == found ? (int32_t)(c - 1) : out->cls[i] - (out->cls[i] > found);
    return PARE_OK;
}

/* Chooses the task: the requested one if the method supports it, or the automatic one. */
static pare_status choose_task(const char **chosen, const char *task, unsigned tasks, bool numeric,
                               const label *v, int64_t n, pare_error *err) {
    bool classify = tasks & (TASK_BINARY | TASK_MULTICLASS), rank = tasks & TASK_RANKING,
         regress = tasks & TASK_REGRESSION;
    if (strcmp(task, "auto") != 0) {
        *chosen = task;
        bool can = (strcmp(task, "classify") == 0 && classify) ||
                   (strcmp(task, "rank") == 0 && rank) || (strcmp(task, "regress") == 0 && regress);
        if (can) return PARE_OK;
        return error_set(err, PARE_E_ARGUMENT,
                         "task: \"%s\" is not what this method does; allowed:%s%s%s%s", task,
                         classify ? " classify" : "", rank ? " rank" : "",
                         regress ? " regress" : "", tasks & TASK_NONE ? " none" : "");
    }
    if (classify + rank + regress == 1)
        *chosen = classify ? "classify" : rank ? "rank" : "regress";
    else if (classify && (!regress || !numeric || looks_like_classes(v, n)))
        *chosen = "classify";
    else
        *chosen = regress ? "regress" : "rank";
    return PARE_OK;
}

pare_status target_resolve(target *out, arena *mem, const pare_data *data, unsigned tasks,
                           const char *task, const char *positive, pare_error *err) {
    memset(out, 0, sizeof *out);
    int64_t n = data->x.n;
    if (strcmp(task, "none") == 0) {
        const char *none;
        out->task = TASK_NONE;
        return tasks & TASK_NONE ? PARE_OK : choose_task(&none, task, tasks, false, NULL, 0, err);
    }
    if (data->target.count != n)
        return error_set(err, PARE_E_DATA, "the data have no target: give `target` or `labels`");
    label *v = ARENA_NEW(mem, label, n);
    if (!v) return error_memory(err);
    bool numeric = true;
    int64_t first_text = 0;
    for (int64_t i = 0; i < n; i++) {
        v[i] = (label){0, strings_at(&data->target, i), i};
        if (!number_parse_all(v[i].text, &v[i].number) || !isfinite(v[i].number)) {
            if (numeric) first_text = i;
            numeric = false;
        }
    }
    qsort(v, (size_t)n, sizeof *v, numeric ? by_value_then_sample : by_text_then_sample);

    const char *chosen;
    pare_status status = choose_task(&chosen, task, tasks, numeric, v, n, err);
    if (status != PARE_OK) return status;
    if (strcmp(chosen, "regress") == 0) {
        out->task = TASK_REGRESSION;
        if (!numeric)
            return error_set(
                err, PARE_E_DATA,
                "sample %lld: regression needs a number as its target, found \"%.64s\"",
                (long long)first_text + 1, strings_at(&data->target, first_text));
        out->value = ARENA_NEW(mem, double, n);
        if (!out->value) return error_memory(err);
        for (int64_t i = 0; i < n; i++) out->value[v[i].sample] = v[i].number;
        return PARE_OK;
    }
    status = make_classes(out, mem, v, n, numeric, positive, err);
    if (status != PARE_OK) return status;
    if (numeric && strcmp(task, "auto") == 0 && are_measurements(v, n, out->n_classes))
        return error_set(
            err, PARE_E_DATA,
            "the target has %lld different values in %lld samples, such as %.32s: these "
            "are numbers, not classes; use a method for regression, or `task` classify "
            "if they are classes",
            (long long)out->n_classes, (long long)n, v[0].text);
    bool rank = strcmp(chosen, "rank") == 0;
    out->task = rank ? TASK_RANKING : out->n_classes == 2 ? TASK_BINARY : TASK_MULTICLASS;
    if (rank && out->n_classes != 2)
        return error_set(err, PARE_E_DATA, "ranking needs two labels, the data have %lld classes",
                         (long long)out->n_classes);
    if (!(tasks & out->task))
        return error_set(err, PARE_E_DATA, "this method needs two classes, the data have %lld",
                         (long long)out->n_classes);
    return PARE_OK;
}

int64_t target_scores(const target *y) { return y->n_classes > 2 ? y->n_classes : 1; }

int64_t class_pairs(int64_t c) { return c * (c - 1) / 2; }

void class_pair(int64_t i, int64_t c, int32_t pair[2]) {
    int64_t first = 0;
    while (i >= c - 1 - first) i -= c - 1 - first++;
    pair[0] = (int32_t)first;
    pair[1] = (int32_t)(first + 1 + i);
}
