#include "data/table/annotation_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/format/lines.h"
#include "data/format/npy.h"
#include "data/format/rdata_lists.h"
#include "data/format/table_file.h"
#include "data/table/roles.h"

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* --- a table --- */

typedef struct joined {
    const pare_allocator *mem;
    strings names, ids, values;
    int64_t id, value; /* their columns */
    bool vector;       /* of R's, with names */
} joined;

static pare_status find_columns(joined *t, const char *wanted, const char *id, const char *path,
                                pare_error *err) {
    t->value = -1;
    t->id = -1;
    for (int64_t j = 0; j < t->names.count; j++) {
        const char *name = strings_at(&t->names, j);
        if (wanted && strcmp(name, wanted) == 0) t->value = j;
        if (id ? strcmp(name, id) == 0 : j == 0) t->id = j;
    }
    if (t->value < 0)
        return error_set(err, PARE_E_DATA, "%s has no column \"%.64s\"", path, wanted);
    if (t->id < 0 && id)
        return error_set(err, PARE_E_DATA, "%s has no column \"%.64s\" (asked for as id)", path,
                         id);
    if (t->id == t->value && !id)
        return error_set(err, PARE_E_DATA,
                         "%s is joined by the sample ids in its first column, which is \"%.64s\": "
                         "name another with `id`",
                         path, wanted);
    return PARE_OK;
}

static pare_status read_table(joined *t, const char *path, const char *wanted,
                              const pare_read_options *o, const pare_ctx *ctx, pare_error *err) {
    table_file from;
    bool more = true;
    field cell = {0};
    pare_status status = PARE_OK;
    TRY(table_file_open(&from, path, o->encoding, ctx, err));
    fields *f = &from.t.f;
    if (from.t.form.short_header) TRY_MEM(strings_add(&t->names, t->mem, "", 0));
    TRY(fields_row(f, &more, err));
    while (more && !cell.last) {
        TRY(fields_next(f, &cell, err));
        TRY_MEM(strings_add(&t->names, t->mem, cell.text, cell.length));
    }
    TRY(find_columns(t, wanted, roles_id(o), path, err));
    for (;;) {
        TRY(fields_row(f, &more, err));
        if (!more) break;
        for (int64_t j = 0; j < t->names.count; j++) {
            TRY(fields_next(f, &cell, err));
            if (cell.last != (j == t->names.count - 1)) {
                status = fields_ragged(f, &cell, t->names.count, err);
                goto done;
            }
            if (j != t->id && j != t->value) continue;
            TRY(fields_check(f, &cell, j == t->id, err));
            if (j == t->id) TRY_MEM(strings_add(&t->ids, t->mem, cell.text, cell.length));
            if (j == t->value) TRY_MEM(strings_add(&t->values, t->mem, cell.text, cell.length));
        }
    }
done:
    table_file_close(&from);
    return status;
}

/* Whether an id stands twice, by its first position. */
static pare_status find_repeated(bool **out, const strings_index *index, const joined *t,
                                 pare_error *err) {
    *out = mem_zero(t->mem, t->ids.count, sizeof **out);
    if (!*out) return error_memory(err);
    for (int64_t k = 0; k < t->ids.count; k++) {
        const char *id = strings_at(&t->ids, k);
        int64_t first = strings_index_find(index, id, (int64_t)strlen(id));
        if (first < k) (*out)[first] = true;
    }
    return PARE_OK;
}

static pare_status join(annotation_values *out, const joined *t, const pare_data *data,
                        pare_error *err) {
    strings_index index = {0};
    int64_t duplicate;
    bool *repeated = NULL;
    char shown[CELL_SHOWN];
    pare_status status = PARE_OK;
    TRY_MEM(strings_index_make(&index, &t->ids, t->mem, &duplicate));
    if (duplicate >= 0) TRY(find_repeated(&repeated, &index, t, err));
    for (int64_t i = 0; i < data->x.n; i++) {
        const char *id = strings_at(&data->ids, i);
        int64_t length = (int64_t)strlen(id), at = strings_index_find(&index, id, length);
        if (at < 0 || (repeated && repeated[at])) {
            status = error_set(
                err, PARE_E_DATA, "%s has %s %s for sample %s%s", out->path, at < 0 ? "no" : "two",
                t->vector ? at < 0 ? "value" : "values"
                : at < 0  ? "line"
                          : "lines",
                cell_shown(id, length, shown),
                t->vector ? ", though its names are sample ids: correct them, or save unname(x), "
                            "which is taken in the order of the samples"
                : at < 0  ? ": add one, with NA where its value is missing"
                          : ": leave one");
            goto done;
        }
        const char *value = strings_at(&t->values, at);
        TRY_MEM(strings_add(&out->value, &data->mem, value, (int64_t)strlen(value)));
    }
done:
    strings_index_free(&index, t->mem);
    mem_free(t->mem, repeated);
    return status;
}

static pare_status needs_ids(const annotation_values *out, const pare_data *data, const char *where,
                             pare_error *err) {
    if (data->ids.count == data->x.n) return PARE_OK;
    return error_set(err, PARE_E_DATA,
                     "%s has no sample ids to join %s by: name their column with `id`", where,
                     out->path);
}

static pare_status read_joined(annotation_values *out, const pare_data *data, const char *wanted,
                               const pare_read_options *o, const char *where, const pare_ctx *ctx,
                               pare_error *err) {
    joined t = {.mem = &data->mem};
    pare_status status = PARE_OK;
    out->before = -1;
    TRY(needs_ids(out, data, where, err));
    TRY(read_table(&t, out->path, wanted, o, ctx, err));
    TRY(join(out, &t, data, err));
done:
    strings_free(&t.names, t.mem);
    strings_free(&t.ids, t.mem);
    strings_free(&t.values, t.mem);
    return status;
}

/* --- a vector of R's --- */

/* Returns true if a sample is among the ids. */
static pare_status has_any(bool *out, const joined *t, const pare_data *data, pare_error *err) {
    strings_index index = {0};
    int64_t duplicate;
    if (!strings_index_make(&index, &t->ids, t->mem, &duplicate)) return error_memory(err);
    *out = false;
    for (int64_t i = 0; !*out && i < data->ids.count; i++) {
        const char *id = strings_at(&data->ids, i);
        *out = strings_index_find(&index, id, (int64_t)strlen(id)) >= 0;
    }
    strings_index_free(&index, t->mem);
    return PARE_OK;
}

/* A vector is in the order of the samples, unless some of its names are their ids: then all
 * must be, since an order that no name confirms would be wrong in silence. */
static pare_status read_object(annotation_values *out, const pare_data *data,
                               const rdata_wanted *wanted, const char *where, const pare_ctx *ctx,
                               pare_error *err) {
    joined t = {.mem = &data->mem};
    bool by_id;
    pare_status status = PARE_OK;
    out->before = -1;
    TRY(rdata_read_values(&t.values, &t.ids, &by_id, t.mem, wanted, ctx, err));
    if (by_id) TRY(needs_ids(out, data, where, err));
    t.vector = !by_id;
    if (t.vector && t.ids.count) {
        TRY(has_any(&by_id, &t, data, err));
        if (!by_id)
            ctx_log(ctx, PARE_LOG_INFO,
                    "%s: its names are no sample ids: it is taken in the order of the samples",
                    out->path);
    }
    if (by_id) {
        TRY(join(out, &t, data, err));
    } else {
        out->value = t.values;
        t.values = (strings){0};
    }
done:
    strings_free(&t.ids, t.mem);
    strings_free(&t.values, t.mem);
    return status;
}

/* --- line by line --- */

static pare_status read_lines(annotation_values *out, const pare_data *data, const char *encoding,
                              const pare_ctx *ctx, pare_error *err) {
    stream s = {0};
    lines l;
    bool more;
    pare_status status = PARE_OK;
    TRY(stream_open(&s, out->path, ctx, err));
    TRY(stream_text(&s, encoding, err));
    TRY(lines_begin(&l, &s, err));
    for (;;) {
        TRY(lines_next_filled(&l, &more, err));
        if (!more) break;
        TRY_MEM(strings_add(&out->value, &data->mem, l.text, l.length));
    }
done:
    if (s.mem) stream_close(&s);
    return status;
}

/* With one line more than samples, the first line is a header if it is no number and differs from
 * all others. */
static bool has_header(const annotation_values *v, int64_t n) {
    double number;
    bool header =
        n > 1 && v->value.count == n + 1 && !number_parse_all(strings_at(&v->value, 0), &number);
    for (int64_t i = 1; header && i <= n; i++)
        header = strcmp(strings_at(&v->value, 0), strings_at(&v->value, i)) != 0;
    return header;
}

static pare_status drop_header(annotation_values *out, const pare_data *data, const pare_ctx *ctx,
                               pare_error *err) {
    strings rest = {0};
    char shown[CELL_SHOWN];
    const char *first = strings_at(&out->value, 0);
    for (int64_t i = 1; i < out->value.count; i++) {
        const char *text = strings_at(&out->value, i);
        if (!strings_add(&rest, &data->mem, text, (int64_t)strlen(text))) {
            strings_free(&rest, &data->mem);
            return error_memory(err);
        }
    }
    ctx_log(ctx, PARE_LOG_INFO, "%s: its first line, %s, is taken for a header", out->path,
            cell_shown(first, (int64_t)strlen(first), shown));
    strings_free(&out->value, &data->mem);
    out->value = rest;
    out->before = 1;
    return PARE_OK;
}

pare_status annotation_values_read(annotation_values *out, const pare_data *data, const char *from,
                                   const char *wanted, const pare_read_options *o,
                                   const char *where, const pare_ctx *ctx, pare_error *err) {
    memset(out, 0, sizeof *out);
    const char *colon = wanted ? NULL : strrchr(from, ':');
    pare_status status = PARE_OK;
    int length = colon && colon[1] && colon != from ? (int)(colon - from) : (int)strlen(from);
    int own;
    bool object = rdata_is_file(from, &own);
    if (object) length = own;
    if (length >= (int)sizeof out->path)
        return error_set(err, PARE_E_ARGUMENT, "%.64s...: the name is too long", from);
    snprintf(out->path, sizeof out->path, "%.*s", length, from);
    if (object) {
        const char *name = from[length] && from[length + 1] ? from + length + 1 : NULL;
        return read_object(out, data, &(rdata_wanted){out->path, name, wanted, roles_id(o)}, where,
                           ctx, err);
    }
    if (wanted || from[length])
        return read_joined(out, data, wanted ? wanted : colon + 1, o, where, ctx, err);
    if (ends_with(from, ".npy") || ends_with(from, ".npy.gz")) {
        out->before = -1;
        return npy_read_list(&out->value, &data->mem, out->path, ctx, err);
    }
    TRY(read_lines(out, data, o->encoding, ctx, err));
    if (has_header(out, data->x.n)) TRY(drop_header(out, data, ctx, err));
done:
    return status;
}

pare_status annotation_values_check(const annotation_values *v, const char *what,
                                    const pare_data *data, const char *where, pare_error *err) {
    if (v->value.count == data->x.n) return PARE_OK;
    return error_set(err, PARE_E_DATA, "%s has %" PRId64 " %s, but %s has %" PRId64 " samples",
                     v->path, v->value.count, what, where, data->x.n);
}

void annotation_values_free(annotation_values *v, const pare_data *data) {
    strings_free(&v->value, &data->mem);
}

place annotation_values_place(const annotation_values *v, const pare_data *data, int64_t i,
                              char buffer[32]) {
    if (v->before >= 0) return (place){.file = v->path, .line = v->before + i + 1, .byte = -1};
    return (place){.file = v->path, .byte = -1, .name = pare_data_id(data, i, buffer)};
}
