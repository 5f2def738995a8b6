#include "task/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/order.h"
#include "data/sample/read_labels.h"

static int by_key_then_sample(const void *pa, const void *pb) {
    const label *a = pa, *b = pb;
    int order = order_up(a->key, b->key);
    return order ? order : order_index(a->sample, b->sample);
}

static int by_text_then_sample(const void *pa, const void *pb) {
    const label *a = pa, *b = pb;
    int order = strcmp(a->text, b->text);
    return order ? order : order_index(a->sample, b->sample);
}

static bool begins_class(const label *v, int64_t i, bool by_key) {
    if (i == 0) return true;
    return by_key ? v[i].key != v[i - 1].key : strcmp(v[i].text, v[i - 1].text) != 0;
}

/* Its text, which lives as long as the arena. */
static const char *keep_text(arena *mem, const label *of) {
    char digits[32];
    if (of->text) return arena_text(mem, of->text);
    number_format(of->key, digits);
    return arena_text(mem, digits);
}

pare_status labels_to_classes(target *out, arena *mem, label *v, int64_t n, bool by_key,
                              pare_error *err) {
    int64_t c = 0;
    qsort(v, (size_t)n, sizeof *v, by_key ? by_key_then_sample : by_text_then_sample);
    for (int64_t i = 0; i < n; i++) c += begins_class(v, i, by_key);
    out->classes = ARENA_NEW(mem, const char *, c);
    out->cls = ARENA_NEW(mem, int32_t, n);
    if (!out->classes || !out->cls) return error_memory(err);
    out->n_classes = c;
    int32_t k = -1;
    for (int64_t i = 0; i < n; i++) { /* within a class samples ascend: the first seen names it */
        if (begins_class(v, i, by_key)) {
            out->classes[++k] = keep_text(mem, &v[i]);
            if (!out->classes[k]) return error_memory(err);
        }
        out->cls[v[i].sample] = k;
    }
    return PARE_OK;
}

/* The class of this label: the same text, or the same number where `numeric`. -1: none. */
static int32_t class_of(const target *y, const char *text, bool numeric) {
    double number = 0, other;
    int32_t found = -1;
    numeric = numeric && number_parse_all(text, &number);
    for (int32_t c = 0; c < y->n_classes; c++)
        if (strcmp(y->classes[c], text) == 0 ||
            (numeric && number_parse_all(y->classes[c], &other) && other == number))
            if (found < 0) found = c;
    return found;
}

/* Equal but for letter case. */
static bool is_alike(const char *a, const char *b) {
    char x[4], y[4];
    while (*a && *b) {
        int n = letter_lower(&a, x), m = letter_lower(&b, y);
        if (n != m || memcmp(x, y, (size_t)n) != 0) return false;
    }
    return *a == *b;
}

/* The only class that is equal but for letter case, which `merge_case` may have renamed. -1: none,
 * or several. */
static int32_t class_alike(const target *y, const char *text) {
    int32_t found = -1;
    for (int32_t c = 0; c < y->n_classes; c++) {
        if (!is_alike(y->classes[c], text)) continue;
        if (found >= 0) return -1;
        found = c;
    }
    return found;
}

pare_status labels_move_positive(target *out, int64_t n, const char *positive, pare_error *err) {
    bool numeric = true;
    double number;
    int64_t c = out->n_classes;
    for (int64_t i = 0; i < c; i++) numeric = numeric && number_parse_all(out->classes[i], &number);
    int32_t found = class_of(out, positive, numeric);
    if (found < 0) found = class_alike(out, positive);
    if (found < 0)
        return error_set(
            err, PARE_E_ARGUMENT,
            "`positive`: \"%.64s\" is not among the %lld classes (\"%.64s\", ..., \"%.64s\")",
            positive, (long long)c, out->classes[0], out->classes[c - 1]);
    const char *moved = out->classes[found];
    for (int64_t i = found; i + 1 < c; i++) out->classes[i] = out->classes[i + 1];
    out->classes[c - 1] = moved;
    for (int64_t i = 0; i < n; i++)
        out->cls[i] = out->cls[i] == found ? (int32_t)(c - 1) : out->cls[i] - (out->cls[i] > found);
    return PARE_OK;
}

pare_status labels_refuse(const pare_data *data, int64_t i, const char *what, pare_error *err) {
    char id[32], digits[32];
    return error_set(err, PARE_E_DATA, "the target of sample %.64s is \"%.64s\", which is %s",
                     pare_data_id(data, i, id), target_column_text(&data->target, i, digits), what);
}

/* The label of sample i is no class of the model. */
static pare_status refuse_unknown(const target *y, const pare_data *data, int64_t i,
                                  pare_error *err) {
    char digits[32], what[192];
    int32_t like = class_alike(y, target_column_text(&data->target, i, digits));
    if (like < 0) {
        snprintf(what, sizeof what,
                 "no class of the model (\"%.48s\", %s\"%.48s\"): write it as the "
                 "model does",
                 y->classes[0], y->n_classes > 2 ? "..., " : "", y->classes[y->n_classes - 1]);
        return labels_refuse(data, i, what, err);
    }
    snprintf(what, sizeof what,
             "no class of the model: write it as the model does, \"%.64s\", or give `merge_case`",
             y->classes[like]);
    return labels_refuse(data, i, what, err);
}

/* With merge_case, classes of the model that differ in letter case only could not be told apart. */
static pare_status refuse_merged(const target *y, pare_error *err) {
    for (int32_t c = 0; c < y->n_classes; c++)
        if (class_alike(y, y->classes[c]) < 0)
            return error_set(err, PARE_E_ARGUMENT,
                             "`merge_case` is not allowed here: classes of the model differ from "
                             "\"%.64s\" in letter case only",
                             y->classes[c]);
    return PARE_OK;
}

pare_status labels_read(target *out, const pare_data *data, arena *mem, pare_error *err) {
    int64_t n = data->x.n;
    char digits[32];
    out->cls = ARENA_NEW(mem, int32_t, n);
    if (!out->cls) return error_memory(err);
    if (data->merge_case) PASS(refuse_merged(out, err));
    for (int64_t i = 0; i < n; i++) {
        const char *text = target_column_text(&data->target, i, digits);
        int32_t found = class_of(out, text, true);
        if (found < 0 && data->merge_case) found = class_alike(out, text);
        if (found < 0) return refuse_unknown(out, data, i, err);
        out->cls[i] = found;
    }
    return PARE_OK;
}
