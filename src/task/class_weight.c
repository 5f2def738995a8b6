#include "task/class_weight.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/number.h"
#include "base/settings.h"

static const double HEAVIEST = 1e100; /* so that weighted sums of squares are finite */

/* The class of that label, -1: none. Where all labels are numbers, they are compared by value. */
static int64_t class_of(const target *y, const char *label, size_t length) {
    char text[TEXT_SIZE];
    double number, other;
    if (length >= sizeof text) return -1;
    memcpy(text, label, length);
    text[length] = '\0';
    for (int64_t c = 0; c < y->n_classes; c++)
        if (strcmp(y->classes[c], text) == 0) return c;
    if (!number_parse_all(text, &number)) return -1;
    int64_t found = -1;
    for (int64_t c = 0; c < y->n_classes; c++) {
        if (!number_parse_all(y->classes[c], &other)) return -1;
        if (other == number) found = c;
    }
    return found;
}

/* One LABEL=W at `text`; returns where it ends. A label may have commas and = itself: the
 * first = after which a class ends counts. */
static const char *read_item(int64_t *cls, double *weight, const target *y, const char *text,
                             pare_error *err) {
    const char *equal = strchr(text, '=');
    while (equal && (*cls = class_of(y, text, (size_t)(equal - text))) < 0)
        equal = strchr(equal + 1, '=');
    if (!equal) {
        (void)error_set(err, PARE_E_ARGUMENT,
                        "`class_weight`: \"%.*s\" is not among the %lld classes (\"%.64s\", ..., "
                        "\"%.64s\"); expected none, balanced or LABEL=W,...",
                        (int)strcspn(text, "=,"), text, (long long)y->n_classes, y->classes[0],
                        y->classes[y->n_classes - 1]);
        return NULL;
    }
    char number[64] = "";
    size_t length = strcspn(equal + 1, ",");
    if (length < sizeof number) memcpy(number, equal + 1, length);
    if (!number_parse_all(number, weight) || !(*weight > 0 && *weight <= HEAVIEST)) {
        (void)error_set(err, PARE_E_ARGUMENT,
                        "`class_weight`: the weight of class \"%.64s\" is \"%.*s\"; expected a "
                        "number > 0, at most 1e100",
                        y->classes[*cls], (int)(length < 64 ? length : 64), equal + 1);
        return NULL;
    }
    return equal + 1 + length;
}

static pare_status read_list(double *factor, const target *y, const char *text, pare_error *err) {
    int64_t c = 0;
    double weight = 1;
    for (int64_t i = 0; i < y->n_classes; i++) factor[i] = NAN;
    for (bool more = true; more;) {
        text = read_item(&c, &weight, y, text, err);
        if (!text) return PARE_E_ARGUMENT;
        if (!isnan(factor[c]))
            return error_set(err, PARE_E_ARGUMENT, "`class_weight`: class \"%.64s\" is named twice",
                             y->classes[c]);
        factor[c] = weight;
        more = *text == ',';
        text++;
    }
    for (int64_t i = 0; i < y->n_classes; i++)
        if (isnan(factor[i])) factor[i] = 1;
    return PARE_OK;
}

/* The factor of each class; weight, n: see class_weight_apply. */
static pare_status factors(double *factor, const target *y, const double *weight, int64_t n,
                           const char *what, pare_error *err) {
    if (!y->task->classes)
        return error_set(err, PARE_E_ARGUMENT,
                         "`class_weight` is not allowed for %s: only "
                         "a classifier weighs classes",
                         y->task->has_target ? y->task->name : "data without a target");
    if (!choice_is(what, "balanced")) return read_list(factor, y, what, err);
    double total = 0;
    for (int64_t c = 0; c < y->n_classes; c++) factor[c] = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = weight ? weight[i] : 1;
        factor[y->cls[i]] += w;
        total += w;
    }
    for (int64_t c = 0; c < y->n_classes; c++)
        if (factor[c] > 0) factor[c] = total / ((double)y->n_classes * factor[c]);
    return PARE_OK;
}

pare_status class_weight_apply(const double **out, arena *mem, const target *y,
                               const double *weight, int64_t n, const char *what, pare_error *err) {
    *out = weight;
    if (choice_is(what, "none")) return PARE_OK;
    double *factor = ARENA_NEW(mem, double, y->n_classes);
    if (!factor) return error_memory(err);
    PASS(factors(factor, y, weight, n, what, err));
    bool even = true;
    for (int64_t c = 0; c < y->n_classes; c++) even &= factor[c] == 1;
    if (even) return PARE_OK;
    double *all = ARENA_NEW(mem, double, n);
    if (!all) return error_memory(err);
    for (int64_t i = 0; i < n; i++) all[i] = (weight ? weight[i] : 1) * factor[y->cls[i]];
    *out = all;
    return PARE_OK;
}

pare_status class_weight_check(const target *y, const char *what, const pare_ctx *ctx,
                               pare_error *err) {
    arena mem;
    const double *none;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = class_weight_apply(&none, &mem, y, NULL, 0, what, err);
    arena_free(&mem);
    return status;
}
