#define _POSIX_C_SOURCE 200809L
#include "data/table/annotations.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/table/annotation_values.h"
#include "data/table/roles.h"

static const struct {
    const char *all, *one;
    size_t option; /* in pare_read_options */
    size_t list;   /* in pare_data: a double *, or strings */
    bool number;
} kinds[N_ANNOTATIONS] = {
    [ANNOTATION_WEIGHT] = {"weights", "weight", offsetof(pare_read_options, weights),
                           offsetof(pare_data, weight), true},
    [ANNOTATION_FOLD_GROUP] = {"fold groups", "fold group",
                               offsetof(pare_read_options, fold_groups),
                               offsetof(pare_data, fold_group), false},
    [ANNOTATION_FOLD] = {"folds", "fold", offsetof(pare_read_options, fold_file),
                         offsetof(pare_data, fold), false},
    [ANNOTATION_OFFSET] = {"offsets", "offset", offsetof(pare_read_options, offset),
                           offsetof(pare_data, offset), true},
};

_Static_assert(sizeof((data_builder){0}.annotation_capacity) >= N_ANNOTATIONS * sizeof(int64_t),
               "a room for each");

const char *annotation_name(annotation_kind which) { return kinds[which].all; }

const char *annotation_number(annotation_kind which) {
    return kinds[which].number ? kinds[which].one : NULL;
}

const char *annotation_option(const pare_read_options *o, annotation_kind which) {
    return *(const char *const *)((const char *)o + kinds[which].option);
}

bool annotations_join(const pare_read_options *o) {
    bool join = o->labels && o->target;
    for (int k = 0; k < N_ANNOTATIONS; k++) {
        const char *from = annotation_option(o, (annotation_kind)k);
        join = join || (from && strchr(from, ':'));
    }
    return join;
}

pare_status annotation_check_file(annotation_kind which, const char *from, const char *where,
                                  pare_error *err) {
    char path[PATH_MAX], shown[CELL_SHOWN];
    const char *colon = strrchr(from, ':');
    bool there = access(from, F_OK) == 0;
    if (!there && colon && (size_t)(colon - from) < sizeof path) {
        memcpy(path, from, (size_t)(colon - from));
        path[colon - from] = '\0';
        there = access(path, F_OK) == 0;
    }
    if (there) return PARE_OK;
    return error_set(err, PARE_E_DATA, "%s: %s %s are neither one of its columns nor a file", where,
                     kinds[which].all, cell_shown(from, (int64_t)strlen(from), shown));
}

static double **numbers_of(pare_data *data, annotation_kind which) {
    return (double **)(void *)((char *)data + kinds[which].list);
}

static strings *texts_of(pare_data *data, annotation_kind which) {
    return (strings *)(void *)((char *)data + kinds[which].list);
}

bool annotation_there(const pare_data *data, annotation_kind which) {
    const char *list = (const char *)data + kinds[which].list;
    return kinds[which].number ? *(double *const *)(const void *)list != NULL
                               : ((const strings *)(const void *)list)->count > 0;
}

static pare_status put_number(data_builder *b, annotation_kind which, int64_t i, const char *text,
                              int64_t length, const place *at, pare_error *err) {
    pare_data *data = b->data;
    double **list = numbers_of(data, which);
    int64_t *capacity = &b->annotation_capacity[which];
    char shown[CELL_SHOWN];
    if (i >= *capacity) {
        int64_t more = 2 * *capacity + 64;
        if (!mem_resize(&data->mem, list, more, sizeof **list)) return error_memory(err);
        *capacity = more;
    }
    pare_status status = cell_number(&(*list)[i], text, length, false, at, err);
    if (status == PARE_OK && which == ANNOTATION_WEIGHT && (*list)[i] < 0)
        return place_error(err, at, "expected a weight, at least 0, found %s",
                           cell_shown(text, length, shown));
    return status;
}

pare_status annotation_put(data_builder *b, annotation_kind which, int64_t i, const char *text,
                           int64_t length, const place *at, pare_error *err) {
    pare_data *data = b->data;
    char shown[CELL_SHOWN];
    if (kinds[which].number) return put_number(b, which, i, text, length, at, err);
    if (cell_is_missing(text, length))
        return place_error(err, at, "the %s is missing (%s)", kinds[which].one,
                           cell_shown(text, length, shown));
    return strings_add(texts_of(data, which), &data->mem, text, length) ? PARE_OK
                                                                        : error_memory(err);
}

pare_status annotation_read(data_builder *b, annotation_kind which, const pare_read_options *o,
                            const char *where, const pare_ctx *ctx, pare_error *err) {
    const pare_data *data = b->data;
    const char *from = annotation_option(o, which);
    annotation_values v;
    char buffer[32];
    pare_status status = annotation_values_read(&v, data, from, NULL, o, where, ctx, err);
    if (status == PARE_OK) status = annotation_values_check(&v, kinds[which].all, data, where, err);
    for (int64_t i = 0; status == PARE_OK && i < data->x.n; i++) {
        const char *text = strings_at(&v.value, i);
        place at = annotation_values_place(&v, data, i, buffer);
        status = annotation_put(b, which, i, text, (int64_t)strlen(text), &at, err);
    }
    annotation_values_free(&v, data);
    return status;
}
