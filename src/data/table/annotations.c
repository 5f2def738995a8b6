#define _POSIX_C_SOURCE 200809L
#include "data/table/annotations.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/sample/batches.h"
#include "data/table/annotation_values.h"
#include "data/table/roles.h"

static const struct {
    const char *all, *one;
    size_t option; /* in pare_read_options */
    size_t list;   /* in pare_data: a double *, or strings; of events in the builder */
    bool number;
    bool may_lack; /* a sample without it may be dropped, see data_drop_unlabelled */
    bool valued;   /* the option may be COLUMN=VALUE */
} kinds[N_ANNOTATIONS] = {
    [ANNOTATION_WEIGHT] = {"weights", "weight", offsetof(pare_read_options, weights),
                           offsetof(pare_data, weight), true, false, false},
    [ANNOTATION_FOLD_GROUP] = {"fold groups", "fold group",
                               offsetof(pare_read_options, fold_groups),
                               offsetof(pare_data, fold_group), false, false, false},
    [ANNOTATION_FOLD] = {"folds", "fold", offsetof(pare_read_options, fold_file),
                         offsetof(pare_data, fold), false, false, false},
    [ANNOTATION_OFFSET] = {"offsets", "offset", offsetof(pare_read_options, offset),
                           offsetof(pare_data, offset), true, false, false},
    [ANNOTATION_TIME] = {"times", "time", offsetof(pare_read_options, time),
                         offsetof(pare_data, target.time), true, true, false},
    [ANNOTATION_EVENT] = {"events", "event", offsetof(pare_read_options, event),
                          offsetof(data_builder, event), false, true, true},
    [ANNOTATION_STRATUM] = {"strata", "stratum", offsetof(pare_read_options, strata),
                            offsetof(pare_data, target.strata), false, true, false},
    [ANNOTATION_BATCH] = {"batches", "batch", offsetof(pare_read_options, batch),
                          offsetof(pare_data, batch), false, false, false},
};

_Static_assert(sizeof((data_builder){0}.annotation_capacity) >= N_ANNOTATIONS * sizeof(int64_t),
               "a room for each");

const char *annotation_name(annotation_kind which) { return kinds[which].all; }

const char *annotation_number(annotation_kind which) {
    return kinds[which].number ? kinds[which].one : NULL;
}

static const char *option_of(const pare_read_options *o, int which) {
    return *(const char *const *)((const char *)o + kinds[which].option);
}

/* The other names of samples that come from the same place as the batches; N_ANNOTATIONS: none. */
static int same_as_batch(const pare_read_options *o) {
    int k = 0;
    while (k < N_ANNOTATIONS &&
           (k == ANNOTATION_BATCH || kinds[k].number || kinds[k].valued || !o->batch ||
            !option_of(o, k) || strcmp(option_of(o, k), o->batch) != 0))
        k++;
    return k;
}

const char *annotation_option(const pare_read_options *o, annotation_kind which) {
    bool shared = which == ANNOTATION_BATCH && same_as_batch(o) < N_ANNOTATIONS;
    return shared ? NULL : option_of(o, (int)which);
}

int64_t annotation_before_value(annotation_kind which, const char *option) {
    const char *equals = kinds[which].valued && option ? strrchr(option, '=') : NULL;
    return equals && equals[1] ? equals - option : 0;
}

bool annotations_join(const pare_read_options *o) {
    bool join = o->labels && o->target;
    for (int k = 0; k < N_ANNOTATIONS; k++) {
        const char *from = annotation_option(o, (annotation_kind)k);
        join = join || (from && strchr(from, ':'));
    }
    return join;
}

/* Whether the first `length` bytes name a file. */
static bool is_file(const char *from, int64_t length) {
    char path[PATH_MAX];
    if (length >= (int64_t)sizeof path) return false;
    memcpy(path, from, (size_t)length);
    path[length] = '\0';
    return access(path, F_OK) == 0;
}

pare_status annotation_check_file(annotation_kind which, const char *from, const char *where,
                                  pare_error *err) {
    char shown[CELL_SHOWN];
    const char *colon = strrchr(from, ':');
    int64_t before = annotation_before_value(which, from);
    if (access(from, F_OK) == 0 || (colon && is_file(from, colon - from)) ||
        (before && is_file(from, before)))
        return PARE_OK;
    return error_set(err, PARE_E_DATA, "%s: %s %s are neither one of its columns nor a file", where,
                     kinds[which].all, cell_shown(from, (int64_t)strlen(from), shown));
}

static double **numbers_of(pare_data *data, annotation_kind which) {
    return (double **)(void *)((char *)data + kinds[which].list);
}

static strings *texts_of(data_builder *b, annotation_kind which) {
    char *base = which == ANNOTATION_EVENT ? (char *)b : (char *)b->data;
    return (strings *)(void *)(base + kinds[which].list);
}

bool annotation_there(const data_builder *b, annotation_kind which) {
    return b->annotated >> which & 1;
}

/* The first value: those that the format itself has give way. */
static void begin(data_builder *b, annotation_kind which, const place *at) {
    const char *asked = b->event_option;
    if (annotation_there(b, which)) return;
    b->annotated |= 1u << which;
    if (kinds[which].number) {
        mem_free(&b->data->mem, *numbers_of(b->data, which));
        *numbers_of(b->data, which) = NULL;
    } else
        strings_free(texts_of(b, which), &b->data->mem);
    if (which == ANNOTATION_EVENT && annotation_before_value(which, asked) && at->name &&
        strcmp(at->name, asked) != 0)
        b->event_value = strrchr(asked, '=') + 1;
}

static bool is_missing(const data_builder *b, annotation_kind which, const char *text,
                       int64_t length) {
    return cell_is_missing(text, length) ||
           (kinds[which].number && cell_is_missing_number(text, length)) ||
           (kinds[which].may_lack && missing_codes_has(&b->na, text, length));
}

/* The value is missing, and its sample will be dropped. */
static bool may_drop(const data_builder *b, annotation_kind which, const char *text,
                     int64_t length) {
    return kinds[which].may_lack && b->drop_unlabelled && is_missing(b, which, text, length);
}

static pare_status refuse_missing(annotation_kind which, const char *text, int64_t length,
                                  const place *at, pare_error *err) {
    char shown[CELL_SHOWN];
    return place_error(err, at, "the %s is missing (%s)%s", kinds[which].one,
                       cell_shown(text, length, shown),
                       kinds[which].may_lack ? "; choose `missing drop`" : "");
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
    (*list)[i] = NAN;
    if (may_drop(b, which, text, length)) return PARE_OK;
    if (kinds[which].may_lack && is_missing(b, which, text, length))
        return refuse_missing(which, text, length, at, err);
    pare_status status = cell_number(&(*list)[i], text, length, false, at, err);
    if (status == PARE_OK && which != ANNOTATION_OFFSET && (*list)[i] < 0)
        return place_error(err, at, "expected a %s, at least 0, found %s", kinds[which].one,
                           cell_shown(text, length, shown));
    return status;
}

pare_status annotation_put(data_builder *b, annotation_kind which, int64_t i, const char *text,
                           int64_t length, const place *at, pare_error *err) {
    bool missing = is_missing(b, which, text, length), lacks = may_drop(b, which, text, length);
    begin(b, which, at);
    if (missing && !lacks && !kinds[which].number)
        return refuse_missing(which, text, length, at, err);
    if (kinds[which].number) return put_number(b, which, i, text, length, at, err);
    return strings_add(texts_of(b, which), &b->data->mem, text, lacks ? 0 : length)
               ? PARE_OK
               : error_memory(err);
}

/* Whether the file, or the column of a table, has that whole name; else the part before =VALUE. */
static pare_status read_values(annotation_values *out, data_builder *b, annotation_kind which,
                               const pare_read_options *o, const char *where, const pare_ctx *ctx,
                               pare_error *err) {
    char shorter[PATH_MAX];
    const char *from = annotation_option(o, which);
    int64_t before = annotation_before_value(which, from);
    pare_status status = annotation_values_read(out, b->data, from, NULL, o, where, ctx, err);
    if (status == PARE_OK || !before || before >= (int64_t)sizeof shorter) return status;
    annotation_values_free(out, b->data);
    memcpy(shorter, from, (size_t)before);
    shorter[before] = '\0';
    b->event_value = from + before + 1;
    return annotation_values_read(out, b->data, shorter, NULL, o, where, ctx, err);
}

pare_status annotation_read(data_builder *b, annotation_kind which, const pare_read_options *o,
                            const char *where, const pare_ctx *ctx, pare_error *err) {
    const pare_data *data = b->data;
    annotation_values v;
    char buffer[32];
    pare_status status = read_values(&v, b, which, o, where, ctx, err);
    const char *value = b->event_value; /* names below are those of samples */
    if (status == PARE_OK) status = annotation_values_check(&v, kinds[which].all, data, where, err);
    for (int64_t i = 0; status == PARE_OK && i < data->x.n; i++) {
        const char *text = strings_at(&v.value, i);
        place at = annotation_values_place(&v, data, i, buffer);
        status = annotation_put(b, which, i, text, (int64_t)strlen(text), &at, err);
    }
    if (which == ANNOTATION_EVENT) b->event_value = value;
    annotation_values_free(&v, data);
    return status;
}

pare_status annotation_batches(data_builder *b, const pare_read_options *o, pare_error *err) {
    int same = same_as_batch(o);
    pare_data *data = b->data;
    PASS(batch_method_parse(&data->batch_by, o->batch_method, err));
    PASS(batch_unseen_parse(&data->unseen, o->batch_unseen, err));
    if (!o->batch && (o->batch_method || o->batch_unseen))
        return error_set(err, PARE_E_ARGUMENT,
                         "`%s` adjusts for batches: name their column or file with `batch`",
                         o->batch_method ? "batch_method" : "batch_unseen");
    if (!o->batch) return PARE_OK;
    PASS_MEM(strings_add(&data->batch_column, &data->mem, o->batch, (int64_t)strlen(o->batch)));
    if (same == N_ANNOTATIONS) return PARE_OK;
    const strings *list = texts_of(b, (annotation_kind)same);
    return strings_take(&data->batch, list, NULL, list->count, &data->mem) ? PARE_OK
                                                                           : error_memory(err);
}
