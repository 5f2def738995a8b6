#include "data/table/id_column.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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

static pare_status keep_line(id_column *c, int64_t row, const place *at, const pare_allocator *mem,
                             pare_error *err) {
    c->at = *at;
    if (row >= c->capacity) {
        int64_t more = 2 * c->capacity + 64;
        if (!mem_resize(mem, &c->line, more, sizeof *c->line)) return error_memory(err);
        c->capacity = more;
    }
    c->line[row] = at->line;
    return PARE_OK;
}

pare_status id_column_put(id_column *c, data_builder *b, const char *text, int64_t length,
                          bool allow, const place *at, double *number, pare_error *err) {
    pare_data *data = b->data;
    double value = NAN;
    pare_status status = PARE_OK;
    TRY(keep_line(c, data->ids.count, at, &data->mem, err));
    if (number) {
        bool missing = missing_codes_has(&b->na, text, length) || cell_is_missing(text, length) ||
                       cell_is_missing_number(text, length);
        bool is_text = !missing && cell_is_text(text, length);
        if (!is_text && !missing && c->describe) value = cell_infinity(text, length);
        if (isinf(value))
            c->infinite = data->ids.count + 1;
        else if (!is_text && !missing)
            TRY(cell_feature(&value, text, length, allow, at, err));
        c->gap = c->gap || (missing && !allow);
        c->text = c->text || is_text;
        *number = value;
    }
    TRY_MEM(strings_add(&data->ids, &data->mem, text, length));
done:
    return status;
}

void id_column_free(id_column *c, const pare_allocator *mem) {
    mem_free(mem, c->line);
    c->line = NULL;
}

static id_fault fault_of(const char *text) {
    double value;
    if (cell_is_missing(text, (int64_t)strlen(text))) return IDS_MISSING;
    return number_parse_all(text, &value) && value != floor(value) ? IDS_DECIMAL : IDS_FINE;
}

pare_status id_column_check(id_fault *out, int64_t *row, int64_t *first, const strings *ids,
                            const pare_allocator *mem, pare_error *err) {
    strings_index index;
    int64_t duplicate;
    *out = IDS_FINE;
    *row = *first = -1;
    if (!strings_index_make(&index, ids, mem, &duplicate)) return error_memory(err);
    for (int64_t i = 0; *out == IDS_FINE && i < ids->count; i++) {
        const char *text = strings_at(ids, i);
        *row = i;
        *out = fault_of(text);
        if (*out != IDS_FINE || duplicate < 0) continue;
        *first = strings_index_find(&index, text, (int64_t)strlen(text));
        if (*first < i) *out = IDS_REPEAT;
    }
    strings_index_free(&index, mem);
    return PARE_OK;
}

const char *id_column_fault(char out[ID_FAULT], id_fault fault, const char *value, const char *what,
                            int64_t first, int64_t at) {
    char shown[CELL_SHOWN];
    cell_shown(value, (int64_t)strlen(value), shown);
    if (fault == IDS_REPEAT)
        snprintf(out, ID_FAULT, "%s stands in %ss %" PRId64 " and %" PRId64, shown, what, first,
                 at);
    else
        snprintf(out, ID_FAULT, "%s in %s %" PRId64 " is %s", shown, what, at,
                 fault == IDS_MISSING    ? "missing"
                 : fault == IDS_INFINITE ? "infinite"
                                         : "no integer");
    return out;
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
    if (*name)
        ctx_log(ctx, PARE_LOG_INFO,
                "%s: the sample ids are the column %s; `id none` makes it a feature", where,
                cell_shown(name, (int64_t)strlen(name), shown));
    else
        ctx_log(ctx, PARE_LOG_INFO, "%s: the sample ids are the first column, which has no name",
                where);
    bool added = strings_add(&data->id_name, &data->mem, name, (int64_t)strlen(name));
    return added ? PARE_OK : error_memory(err);
}

void id_column_left_out(const char *what, const char *fault, const char *where,
                        const pare_ctx *ctx) {
    ctx_log(ctx, PARE_LOG_INFO, "%s: the %s are no sample ids and left out, since %s", where, what,
            fault);
}

/* What becomes of a column that holds no ids. */
static pare_status settle_other(const id_column *c, const data_builder *b, const char *name,
                                bool coded, id_fault fault, int64_t row, int64_t first,
                                const char *where, const pare_ctx *ctx, pare_error *err) {
    char shown[CELL_SHOWN], why[ID_FAULT];
    const char *value = strings_at(&b->data->ids, row);
    place at = c->at;
    id_column_fault(why, fault, value, "line", fault == IDS_REPEAT ? c->line[first] : 0,
                    c->line[row]);
    if (c->unnamed)
        id_column_left_out("values of the first column, which has no name,", why, where, ctx);
    if (!c->feature) return PARE_OK;
    cell_shown(name, (int64_t)strlen(name), shown);
    at.line = c->line[row];
    at.name = name;
    if (c->gap || (c->text && !coded))
        return place_error(err, &at,
                           "%s, so that the column is not taken for the sample ids: `id` %s takes "
                           "it for them, `drop` %s leaves it out",
                           why, shown, shown);
    ctx_log(ctx, PARE_LOG_INFO,
            "%s: the column %s is a feature and not the sample ids, since %s: "
            "`id` %s takes it for them, `drop` %s leaves it out",
            where, shown, why, shown, shown);
    return PARE_OK;
}

pare_status id_column_settle(id_column *c, data_builder *b, const char *name, bool coded, bool *ids,
                             const char *where, const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    id_fault fault;
    int64_t row, first;
    pare_status status = PARE_OK;
    TRY(id_column_check(&fault, &row, &first, &data->ids, &data->mem, err));
    if (fault == IDS_FINE && c->infinite) {
        fault = IDS_INFINITE;
        row = c->infinite - 1;
    }
    *ids = fault == IDS_FINE;
    if (!*ids) return settle_other(c, b, name, coded, fault, row, first, where, ctx, err);
    if (c->feature) TRY(drop_first(b, where, ctx, err));
    TRY(id_column_name(data, name, where, ctx, err));
done:
    return status;
}
