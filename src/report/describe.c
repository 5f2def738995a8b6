/* The contents of a data set, for a first look that reveals defects. */
#include <math.h>
#include <stdio.h>

#include "base/context.h"
#include "base/error.h"
#include "base/number.h"
#include "task/task.h"
#include "la/matrix.h"
#include "report/describe_columns.h"
#include "report/json_text.h"

typedef struct summary {
    bool counted; /* the next line */
    int64_t nonzeros, missing, missing_features, constant;
    bool has_target, is_numeric;
    double target_min, target_max;
    int64_t events; /* of times; -1: it is none */
    target classes; /* n_classes 0: no classes, or only one */
    int64_t *class_counts;
} summary;

enum { COLUMNS_AT_ONCE = 1 << 16 };

/* One pass over X, some columns at a time. */
static pare_status count(summary *s, arena *mem, const pare_data *data, const pare_ctx *ctx,
                         pare_error *err) {
    int64_t d = data->x.d,
            step = mat_at_once(&data->x) || d < COLUMNS_AT_ONCE ? d : COLUMNS_AT_ONCE;
    view some = view_all(&data->x);
    col_stats *stats = ARENA_NEW(mem, col_stats, step);
    int64_t *cols = ARENA_NEW(mem, int64_t, step);
    if (!stats || !cols) return error_memory(err);
    some.cols = cols;
    for (int64_t first = 0; first < d; first += step) {
        some.d = d - first < step ? d - first : step;
        for (int64_t j = 0; j < some.d; j++) cols[j] = first + j;
        PASS(mat_stats(&some, NULL, stats, ctx, err));
        for (int64_t j = 0; j < some.d; j++) {
            s->nonzeros += stats[j].nonzeros;
            s->missing += stats[j].missing;
            s->missing_features += stats[j].missing > 0;
            s->constant += stats[j].min == stats[j].max;
        }
    }
    s->counted = true;
    return PARE_OK;
}

static void summarise_times(summary *s, const pare_data *data) {
    s->target_min = INFINITY;
    for (int64_t i = 0; i < data->x.n; i++) {
        s->target_min = fmin(s->target_min, data->target.time[i]);
        s->target_max = fmax(s->target_max, data->target.time[i]);
        s->events += data->target.event[i];
    }
}

static pare_status summarise(summary *s, arena *mem, const pare_data *data, bool whole,
                             const pare_ctx *ctx, pare_error *err) {
    int64_t n = data->x.n;
    pare_status status = PARE_OK;
    if (whole || mat_in_memory(&data->x)) status = count(s, mem, data, ctx, err);
    if (status != PARE_OK) return status;
    s->has_target = target_column_count(&data->target) == n;
    s->events = data->target.time ? 0 : -1;
    if (!s->has_target) return PARE_OK;
    if (data->target.time) {
        summarise_times(s, data);
        return PARE_OK;
    }
    pare_error ignored; /* one class only: still worth describing */
    status = target_recognise(&s->classes, mem, data, &ignored);
    if (status == PARE_E_MEMORY) return error_memory(err);
    s->is_numeric = status == PARE_OK && s->classes.task->real;
    if (s->is_numeric) {
        s->target_min = INFINITY;
        s->target_max = -INFINITY;
        for (int64_t i = 0; i < n; i++) {
            s->target_min = fmin(s->target_min, s->classes.value[i]);
            s->target_max = fmax(s->target_max, s->classes.value[i]);
        }
        return PARE_OK;
    }
    s->class_counts = ARENA_ZERO(mem, int64_t, s->classes.n_classes);
    if (!s->class_counts) return error_memory(err);
    for (int64_t i = 0; i < n; i++) s->class_counts[s->classes.cls[i]]++;
    return PARE_OK;
}

static json_t *target_json(const summary *s) {
    if (!s->has_target) return json_null();
    if (s->is_numeric)
        return json_pack("{s:s, s:f, s:f}", "kind", "numbers", "min", s->target_min, "max",
                         s->target_max);
    if (s->events >= 0)
        return json_pack("{s:s, s:f, s:f, s:I}", "kind", "times", "min", s->target_min, "max",
                         s->target_max, "events", (json_int_t)s->events);
    json_t *classes = json_array();
    for (int64_t c = 0; c < s->classes.n_classes; c++)
        json_array_append_new(classes, json_pack("{s:s, s:I}", "label", s->classes.classes[c],
                                                 "count", (json_int_t)s->class_counts[c]));
    return json_pack("{s:s, s:o}", "kind", "classes", "classes", classes);
}

static json_t *counted_json(const summary *s, int64_t value) {
    return s->counted ? json_integer(value) : json_null();
}

/* columns: or NULL */
static void describe_json(text_buffer *text, const summary *s, const pare_data *data,
                          const column_lines *columns) {
    const json_part parts[] = {
        {"kind", json_string("info")},
        {"n_samples", json_integer(data->x.n)},
        {"n_features", json_integer(data->x.d)},
        {"storage", json_string(mat_kind(&data->x))},
        {"nonzeros", counted_json(s, s->nonzeros)},
        {"missing", data->x.missing ? counted_json(s, s->missing) : json_integer(0)},
        {"features_with_missing",
         data->x.missing ? counted_json(s, s->missing_features) : json_integer(0)},
        {"constant_features", counted_json(s, s->constant)},
        {"named", json_boolean(data->names.count > 0)},
        {"ids", json_boolean(data->ids.count > 0)},
        {"weights", json_boolean(data->weight != NULL)},
        {"target", target_json(s)},
        {columns ? "columns" : NULL, columns ? columns_json(columns) : NULL},
    };
    text_add_object(text, parts, sizeof parts / sizeof parts[0]);
}

enum { CLASSES_SHOWN = 30 };

/* The start of a name or label, escaped. */
static void add_short(text_buffer *text, const char *name) {
    char start[61];
    snprintf(start, sizeof start, "%s", name);
    text_add_cell(text, start);
}

static void describe_text(text_buffer *text, const summary *s, const pare_data *data) {
    char name[32];
    double cells = (double)data->x.n * (double)data->x.d;
    text_print(text, "samples\t%lld\nfeatures\t%lld\n", (long long)data->x.n, (long long)data->x.d);
    text_print(text, "storage\t%s\n", mat_kind(&data->x));
    if (s->counted) {
        text_print(text, "nonzeros\t%lld (%.3g%%)\n", (long long)s->nonzeros,
                   100 * (double)s->nonzeros / cells);
        text_print(text, "missing\t%lld (in %lld feature%s)\n", (long long)s->missing,
                   (long long)s->missing_features, PLURAL(s->missing_features));
        text_print(text, "constant features\t%lld\n", (long long)s->constant);
    } else {
        text_print(text, "missing\t%s\n", data->x.missing ? "some" : "0");
        text_print(text,
                   "not counted\tnonzeros, %sconstant features: all of the file would be "
                   "read for them\n",
                   data->x.missing ? "missing, " : "");
    }
    text_print(text, "first features");
    for (int64_t j = 0; j < data->x.d && j < 5; j++) {
        text_add(text, "\t");
        add_short(text, pare_data_name(data, j, name));
    }
    text_print(text, "\nweights\t%s\n", data->weight ? "yes" : "no");
    if (!s->has_target)
        text_print(text, "target\tnone\n");
    else if (s->events >= 0)
        text_print(text, "target\ttimes from %.6g to %.6g, %lld event%s, %lld censored\n",
                   s->target_min, s->target_max, (long long)s->events, PLURAL(s->events),
                   (long long)(data->x.n - s->events));
    else if (s->is_numeric)
        text_print(text, "target\tnumbers from %.6g to %.6g\n", s->target_min, s->target_max);
    else
        text_print(text, "target\t%lld class%s\n", (long long)s->classes.n_classes,
                   s->classes.n_classes == 1 ? "" : "es");
    for (int64_t c = 0; s->class_counts && c < s->classes.n_classes && c < CLASSES_SHOWN; c++) {
        text_add(text, "  ");
        add_short(text, s->classes.classes[c]);
        text_print(text, "\t%lld\n", (long long)s->class_counts[c]);
    }
    if (s->class_counts && s->classes.n_classes > CLASSES_SHOWN)
        text_print(text, "  ... and %lld more\n", (long long)s->classes.n_classes - CLASSES_SHOWN);
}

typedef struct extent {
    bool json, whole, columns;
} extent;

static pare_status describe(char **out, const pare_data *data, extent of, const pare_ctx *ctx,
                            pare_error *err) {
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    summary s = {0};
    column_lines columns;
    arena mem;
    text_buffer text;
    pare_status status = PARE_OK;
    arena_init(&mem, ctx_allocator(ctx));
    TRY(summarise(&s, &mem, data, of.whole, ctx, err));
    if (of.columns) TRY(columns_describe(&columns, &mem, data, ctx, err));
    text_init(&text, ctx);
    if (of.json)
        describe_json(&text, &s, data, of.columns ? &columns : NULL);
    else if (of.columns)
        columns_text(&text, &columns);
    else
        describe_text(&text, &s, data);
    status = text_finish(&text, out, err);
done:
    arena_free(&mem);
    return status;
}

pare_status pare_data_describe(char **out, const pare_data *data, bool json, const pare_ctx *ctx,
                               pare_error *err) {
    return describe(out, data, (extent){.json = json}, ctx, err);
}

pare_status pare_data_describe_whole(char **out, const pare_data *data, bool json,
                                     const pare_ctx *ctx, pare_error *err) {
    return describe(out, data, (extent){.json = json, .whole = true}, ctx, err);
}

pare_status pare_data_describe_columns(char **out, const pare_data *data, bool json,
                                       const pare_ctx *ctx, pare_error *err) {
    return describe(out, data, (extent){json, .whole = true, .columns = true}, ctx, err);
}
