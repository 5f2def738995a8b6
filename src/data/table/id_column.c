#include "data/table/id_column.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/feature/drop_columns.h"

bool id_column_usual(const char *name) {
    static const char *const usual[] = {"id", "sample", "sample_id", "name", "barcode", "patient"};
    char lower[16] = "";
    for (size_t i = 0; i < sizeof lower - 1 && name[i]; i++)
        lower[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 32) : name[i];
    for (size_t k = 0; strlen(name) < sizeof lower && k < sizeof usual / sizeof *usual; k++)
        if (strcmp(lower, usual[k]) == 0) return true;
    return false;
}

pare_status id_column_put(id_column *c, data_builder *b, const char *text, int64_t length,
                          bool allow, const place *at, double *number, pare_error *err) {
    pare_data *data = b->data;
    bool is_text = cell_is_text(text, length) && !cell_is_missing_number(text, length);
    bool missing = missing_codes_has(&b->na, text, length) || cell_is_missing(text, length) ||
                   cell_is_missing_number(text, length);
    double value = NAN;
    if (!is_text && !missing) {
        pare_status status = cell_number(&value, text, length, allow, at, err);
        if (status != PARE_OK) return status;
    }
    if (missing && !allow && !c->gap.file) {
        c->gap = *at;
        c->gap_row = data->ids.count;
    }
    if (is_text && !missing && !c->text.file) {
        c->text = *at;
        c->text_row = data->ids.count;
    }
    if (number) *number = value;
    return strings_add(&data->ids, &data->mem, text, length) ? PARE_OK : error_memory(err);
}

pare_status id_column_check(bool *out, const strings *ids, const pare_allocator *mem,
                            pare_error *err) {
    strings_index index;
    int64_t duplicate;
    double value;
    if (!strings_index_make(&index, ids, mem, &duplicate)) return error_memory(err);
    strings_index_free(&index, mem);
    *out = duplicate < 0;
    for (int64_t i = 0; *out && i < ids->count; i++) {
        const char *text = strings_at(ids, i);
        bool number = number_parse_all(text, &value);
        *out = !cell_is_missing(text, (int64_t)strlen(text)) && (!number || value == floor(value));
    }
    return PARE_OK;
}

static pare_status drop_first(data_builder *b, const char *where, const pare_ctx *ctx,
                              pare_error *err) {
    pare_data *data = b->data;
    int64_t d = data->x.d;
    if (d < 2 && !data->may_lack_features)
        return error_set(err, PARE_E_DATA, "%s has no features", where);
    bool *stays = mem_alloc(&data->mem, d, sizeof *stays);
    if (!stays) return error_memory(err);
    for (int64_t j = 0; j < d; j++) stays[j] = j > 0;
    pare_status status = data_drop_columns(b, stays, where, ctx, err);
    strings_free(&data->dropped, &data->mem); /* it never was a feature */
    mem_free(&data->mem, stays);
    return status;
}

pare_status id_column_name(pare_data *data, const char *name, const char *where,
                           const pare_ctx *ctx, pare_error *err) {
    char shown[CELL_SHOWN];
    ctx_log(ctx, PARE_LOG_INFO,
            "%s: the sample ids are the column %s; `id` none makes it a feature", where,
            cell_shown(name, (int64_t)strlen(name), shown));
    bool added = strings_add(&data->id_name, &data->mem, name, (int64_t)strlen(name));
    return added ? PARE_OK : error_memory(err);
}

pare_status id_column_settle(id_column *c, data_builder *b, const char *name, bool coded, bool *ids,
                             const char *where, const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    char shown[CELL_SHOWN], value[CELL_SHOWN];
    pare_status status = PARE_OK;
    cell_shown(name, (int64_t)strlen(name), shown);
    TRY(id_column_check(ids, &data->ids, &data->mem, err));
    if (*ids) {
        if (c->feature) TRY(drop_first(b, where, ctx, err));
        return id_column_name(data, name, where, ctx, err);
    }
    if (c->feature && (c->gap.file || (c->text.file && !coded))) {
        const char *odd = strings_at(&data->ids, c->gap.file ? c->gap_row : c->text_row);
        place *at = c->gap.file ? &c->gap : &c->text;
        at->name = name;
        cell_shown(odd, (int64_t)strlen(odd), value);
        status = place_error(err, at,
                             "found %s, but the column is not taken for the sample ids, since its "
                             "values are not all there and different: `id` %s takes it for them, "
                             "`drop` %s leaves it out",
                             value, shown, shown);
    }
done:
    return status;
}
