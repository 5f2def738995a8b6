#include "data/table/annotation_files.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/feature/choose.h"
#include "data/format/csv.h"
#include "data/format/lines.h"
#include "data/format/rdata_lists.h"
#include "data/table/annotation_values.h"

pare_status annotation_labels(data_builder *b, const pare_read_options *o, const char *where,
                              const pare_ctx *ctx, pare_error *err) {
    const char *wanted = o->target;
    pare_data *data = b->data;
    annotation_values v;
    char buffer[32];
    pare_status status = PARE_OK;
    TRY(annotation_values_read(&v, data, o->labels, wanted, o, where, ctx, err));
    TRY(annotation_values_check(&v, "labels", data, where, err));
    target_column_free(&data->target, &data->mem);
    strings_free(&data->target_name, &data->mem);
    if (wanted)
        TRY_MEM(strings_add(&data->target_name, &data->mem, wanted, (int64_t)strlen(wanted)));
    for (int64_t i = 0; i < data->x.n; i++) {
        const char *text = strings_at(&v.value, i);
        place at = annotation_values_place(&v, data, i, buffer);
        TRY(csv_add_target(b, text, (int64_t)strlen(text), &at, err));
    }
done:
    annotation_values_free(&v, data);
    return status;
}

static pare_status read_names(strings *names, const pare_allocator *mem, const pare_read_options *o,
                              const pare_ctx *ctx, pare_error *err) {
    stream s = {0};
    lines l;
    bool more;
    pare_status status = PARE_OK;
    TRY(stream_open(&s, o->names, ctx, err));
    TRY(stream_text(&s, o->encoding, err));
    TRY(lines_begin(&l, &s, err));
    for (;;) {
        TRY(lines_next_filled(&l, &more, err));
        if (!more) break;
        TRY_MEM(strings_add(names, mem, l.text, l.length));
    }
done:
    if (s.mem) stream_close(&s);
    return status;
}

pare_status annotation_names(data_builder *b, const pare_read_options *o, const char *where,
                             const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    int length;
    if (data->names.count)
        return error_set(err, PARE_E_ARGUMENT,
                         "`names` are for formats without names, the features of %s have theirs",
                         where);
    PASS(rdata_is_file(o->names, &length)
             ? rdata_read_names(&data->names, &data->mem, o->names, ctx, err)
             : read_names(&data->names, &data->mem, o, ctx, err));
    if (data->names.count != data->x.d)
        return error_set(err, PARE_E_DATA,
                         "%s has %" PRId64 " names, but %s has %" PRId64 " features", o->names,
                         data->names.count, where, data->x.d);
    return PARE_OK;
}

/* Splits "name<tab>group" or "name,group" in place. */
static pare_status split_line(const lines *l, char **name, char **group, pare_error *err) {
    char *cut = strchr(l->text, '\t'), shown[CELL_SHOWN];
    if (!cut) cut = strchr(l->text, ',');
    char *again = cut ? strchr(cut + 1, *cut) : NULL;
    int64_t name_length = cut ? cut - l->text : 0;
    int64_t group_length = cut ? l->text + l->length - cut - 1 : 0;
    *name = l->text;
    *group = cut ? cut + 1 : NULL;
    if (cut) {
        cell_trim(name, &name_length);
        cell_trim(group, &group_length);
    }
    if (!cut || again || name_length == 0 || group_length == 0)
        return place_error(err, &l->at,
                           "expected a feature name, one tab or comma and a group name, found %s",
                           cell_shown(l->text, l->length, shown));
    (*name)[name_length] = (*group)[group_length] = '\0';
    return PARE_OK;
}

/* Lists the groups in the order of the file in *given; line_of[j] is 1 + the position of feature
 * j's. */
static pare_status read_groups(strings *given, int64_t *line_of, const strings_index *index,
                               stream *s, const char *where, const pare_data *data,
                               pare_error *err) {
    lines l;
    bool more;
    char *name, *group, shown[CELL_SHOWN];
    PASS(lines_begin(&l, s, err));
    for (;;) {
        PASS(lines_next_filled(&l, &more, err));
        if (!more) break;
        PASS(split_line(&l, &name, &group, err));
        int64_t length = (int64_t)strlen(name), j = strings_index_find(index, name, length);
        if (j < 0)
            return place_error(err, &l.at, "%s has no feature %s", where,
                               cell_shown(name, length, shown));
        if (line_of[j])
            return place_error(err, &l.at, "feature %s has a group already",
                               cell_shown(name, length, shown));
        PASS_MEM(strings_add(given, &data->mem, group, (int64_t)strlen(group)));
        line_of[j] = given->count;
    }
    return PARE_OK;
}

pare_status annotation_groups(data_builder *b, const pare_read_options *o, const char *where,
                              const pare_ctx *ctx, pare_error *err) {
    const char *path = o->groups;
    pare_data *data = b->data;
    const pare_allocator *mem = &data->mem;
    stream s = {0};
    strings names = {0}, given = {0};
    strings_index index = {0};
    int64_t *line_of = NULL, duplicate;
    char shown[CELL_SHOWN];
    pare_status status = PARE_OK;
    TRY(stream_open(&s, path, ctx, err));
    TRY(stream_text(&s, o->encoding, err));
    TRY_MEM(feature_names(&names, data));
    TRY_MEM(strings_index_make(&index, &names, mem, &duplicate));
    TRY_MEM(line_of = mem_zero(mem, data->x.d, sizeof *line_of));
    TRY(read_groups(&given, line_of, &index, &s, where, data, err));
    for (int64_t j = 0; j < data->x.d; j++) {
        if (!line_of[j]) {
            const char *name = strings_at(&names, j);
            status = error_set(err, PARE_E_DATA, "%s: feature %s has no group", path,
                               cell_shown(name, (int64_t)strlen(name), shown));
            goto done;
        }
        const char *group = strings_at(&given, line_of[j] - 1);
        TRY_MEM(strings_add(&data->groups, mem, group, (int64_t)strlen(group)));
    }
done:
    mem_free(mem, line_of);
    strings_index_free(&index, mem);
    strings_free(&given, mem);
    strings_free(&names, mem);
    if (s.mem) stream_close(&s);
    return status;
}
