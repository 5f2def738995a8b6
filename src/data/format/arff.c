/* Reads .arff: attributes, then samples as dense rows "1,2,a" or sparse rows "{0 1, 2 a}".
 *
 * Features are numeric; the target may be nominal, and then its values are checked against the
 * declared ones. Values that a sparse row omits are 0, or the first declared value. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/format/csv.h"
#include "data/format/lines.h"
#include "data/table/categorical.h"
#include "data/table/duplicate_names.h"
#include "data/table/id_column.h"
#include "data/table/roles.h"
#include "data/format/sparse_rows.h"
#include "data/table/table.h"

typedef enum kind { NUMERIC, NOMINAL, OTHER } kind;

typedef struct attribute {
    kind type;
    int64_t line;
    int64_t first, last; /* its declared values in reader.values */
    int64_t feature;     /* position among the features */
} attribute;

typedef struct reader {
    data_builder *b;
    const pare_read_options *o;
    lines l;
    strings names, values;
    attribute *attr; /* one per name */
    int64_t capacity;
    unsigned char *role;
    unsigned char *given; /* sparse row: attributes it holds */
    int64_t d, n;
    id_column maybe_id;
    table t;
    sparse_rows rows;
    categorical text; /* features that are described, of dense rows */
} reader;

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static bool word_is(const char *text, int64_t length, const char *word) {
    if ((int64_t)strlen(word) != length) return false;
    for (int64_t i = 0; i < length; i++)
        if ((text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]) != word[i]) return false;
    return true;
}

/* Takes one value at *p, which ends at a blank or a byte of `ends`, and skips blanks around it.
 * Quotes are resolved in place. The byte behind the value may be overwritten, so it is returned:
 * the delimiter, or NUL at the end of the line. */
static pare_status take_value(reader *r, char **p, const char *ends, char **text, int64_t *length,
                              char *delimiter, pare_error *err) {
    char *at = *p;
    while (is_blank(*at)) at++;
    char *start = at;
    if (*at == '\'' || *at == '"') {
        char quote = *at, *to = start;
        for (at++; *at && *at != quote; at++) {
            if (*at == '\\' && at[1]) at++;
            *to++ = *at;
        }
        place open = r->l.at;
        open.byte += start - r->l.text;
        if (!*at) return place_error(err, &open, "the quote that opens here is not closed");
        *text = start;
        *length = to - start;
        at++;
    } else {
        while (*at && !is_blank(*at) && !strchr(ends, *at)) at++;
        *text = start;
        *length = at - start;
    }
    char *value_end = *text + *length;
    while (is_blank(*at)) at++;
    *delimiter = *at;
    *p = *at && strchr(ends, *at) ? at + 1 : at;
    *value_end = '\0';
    return PARE_OK;
}

static pare_status take_type(reader *r, char *p, attribute *a, pare_error *err) {
    char *text, delimiter, shown[CELL_SHOWN];
    int64_t length;
    pare_status status = PARE_OK;
    a->first = a->last = r->values.count;
    while (is_blank(*p)) p++;
    if (*p == '{') {
        a->type = NOMINAL;
        for (p++, delimiter = ','; delimiter == ',';) {
            TRY(take_value(r, &p, ",}", &text, &length, &delimiter, err));
            TRY_MEM(strings_add(&r->values, &r->b->data->mem, text, length));
        }
        if (delimiter != '}' || *p)
            return place_error(err, &r->l.at, "expected {value, value, ...}");
        a->last = r->values.count;
        return PARE_OK;
    }
    TRY(take_value(r, &p, "", &text, &length, &delimiter, err));
    if (word_is(text, length, "numeric") || word_is(text, length, "real") ||
        word_is(text, length, "integer"))
        a->type = NUMERIC;
    else if (word_is(text, length, "string") || word_is(text, length, "date"))
        a->type = OTHER;
    else
        return place_error(err, &r->l.at,
                           "expected numeric, real, integer, string, date or {values}, found %s",
                           cell_shown(text, length, shown));
done:
    return status;
}

static pare_status add_attribute(reader *r, char *p, pare_error *err) {
    const pare_allocator *mem = &r->b->data->mem;
    char *text, delimiter;
    int64_t length;
    pare_status status = PARE_OK;
    TRY(take_value(r, &p, "", &text, &length, &delimiter, err));
    if (length == 0) return place_error(err, &r->l.at, "the name of the attribute is empty");
    if (r->names.count == r->capacity) {
        int64_t capacity = 2 * r->capacity + 16;
        TRY_MEM(mem_resize(mem, &r->attr, capacity, sizeof *r->attr));
        r->capacity = capacity;
    }
    /* take_value ended the name with a NUL; where no blank was skipped nothing follows it */
    attribute *a = &r->attr[r->names.count];
    *a = (attribute){.line = r->l.at.line};
    TRY_MEM(strings_add(&r->names, mem, text, length));
    r->l.at.name = strings_at(&r->names, r->names.count - 1);
    TRY(take_type(r, p, a, err));
    r->l.at.name = NULL;
done:
    return status;
}

static pare_status read_declarations(reader *r, pare_error *err) {
    bool more;
    char shown[CELL_SHOWN];
    pare_status status = PARE_OK;
    for (;;) {
        TRY(lines_next(&r->l, &more, err));
        if (!more) return error_set(err, PARE_E_FORMAT, "%s has no @data line", r->l.at.file);
        char *text = r->l.text;
        if (r->l.length == 0 || *text == '%') continue;
        int64_t word = 0;
        while (text[word] && !is_blank(text[word])) word++;
        if (word_is(text, word, "@data") && word == r->l.length) break;
        if (word_is(text, word, "@relation")) continue;
        if (!word_is(text, word, "@attribute"))
            return place_error(err, &r->l.at, "expected @relation, @attribute or @data, found %s",
                               cell_shown(text, word, shown));
        TRY(add_attribute(r, text + word, err));
    }
done:
    return status;
}

static pare_status check_names(reader *r, const roles *wanted, pare_error *err) {
    int64_t second;
    if (!names_settle(&r->names, wanted, names_numbered(r->o, &r->names), &second,
                      names_changed(r->o, r->b->data), &r->b->data->mem))
        return error_memory(err);
    if (second < 0) return PARE_OK;
    place at = {r->l.at.file, r->attr[second].line, 0, -1, strings_at(&r->names, second), false,
                false};
    return place_error(err, &at,
                       "another attribute has this name too: `duplicate_names number` keeps both, "
                       "`drop` leaves both out");
}

static bool is_feature(const reader *r, int64_t j) {
    return r->role[j] == ROLE_FEATURE || (r->role[j] == ROLE_MAYBE_ID && r->maybe_id.feature);
}

static pare_status refuse_kind(const attribute *a, const place *at, const char *number,
                               pare_error *err) {
    return place_error(err, at, "the attribute is %s, a %s must be numeric",
                       a->type == NOMINAL ? "nominal" : "a string or date", number);
}

static pare_status assign_roles(reader *r, const pare_ctx *ctx, pare_error *err) {
    pare_data *data = r->b->data;
    roles wanted = {0};
    pare_status status = PARE_OK;
    TRY(roles_begin(&wanted, r->o, ctx, err));
    TRY(check_names(r, &wanted, err));
    TRY_MEM(r->role = mem_alloc(&data->mem, r->names.count, 1));
    TRY_MEM(r->given = mem_alloc(&data->mem, r->names.count, 1));
    TRY(roles_assign(&wanted, &r->names, r->l.at.file, r->role, err));
    for (int64_t j = 0; j < r->names.count; j++) {
        const char *name = strings_at(&r->names, j);
        attribute *a = &r->attr[j];
        place at = {r->l.at.file, a->line, 0, -1, name, false, false};
        bool numeric = a->type == NUMERIC;
        if (r->role[j] == ROLE_MAYBE_ID) {
            r->maybe_id = (id_column){
                .there = numeric, .feature = numeric && !r->o->only, .describe = r->o->describe};
            bool feature = a->type == NOMINAL && !r->o->only;
            if (!numeric)
                r->role[j] = a->type == OTHER ? ROLE_ID : feature ? ROLE_FEATURE : ROLE_SKIP;
        }
        const char *number = r->role[j] == ROLE_FEATURE ? "feature"
                             : r->role[j] >= ROLE_ANNOTATION
                                 ? annotation_number(roles_annotation(r->role[j]))
                                 : NULL;
        bool described = r->role[j] == ROLE_FEATURE && r->o->describe;
        if (number && !numeric && !described) {
            status = refuse_kind(a, &at, number, err);
            goto done;
        }
        if (r->role[j] == ROLE_TARGET && a->type == OTHER) {
            status = place_error(err, &at, "the target must be nominal or numeric");
            goto done;
        }
        strings *known = r->role[j] == ROLE_TARGET ? &data->target_name
                         : r->role[j] == ROLE_ID   ? &data->id_name
                                                   : NULL;
        if (known) TRY_MEM(strings_add(known, &data->mem, name, (int64_t)strlen(name)));
        if (is_feature(r, j)) {
            a->feature = r->d++;
            TRY_MEM(strings_add(&data->names, &data->mem, name, (int64_t)strlen(name)));
        }
    }
done:
    roles_free(&wanted);
    return status;
}

static pare_status take_feature(reader *r, int64_t j, const char *text, int64_t length,
                                const place *at, double *number, pare_error *err) {
    const attribute *a = &r->attr[j];
    bool allow = r->o->allow_missing;
    if (missing_codes_has(&r->b->na, text, length))
        return cell_missing(number, text, length, allow, at, err);
    if (r->text.mem)
        return categorical_described(&r->text, a->feature, text, length, at, number, err);
    if (a->type != NUMERIC) return refuse_kind(a, at, "feature", err);
    return cell_feature(number, text, length, allow, at, err);
}

static pare_status take_target(reader *r, int64_t j, const char *text, int64_t length,
                               const place *at, pare_error *err) {
    const attribute *a = &r->attr[j];
    bool missing = cell_is_missing(text, length) || missing_codes_has(&r->b->na, text, length);
    bool known = a->type == NUMERIC || missing;
    char shown[CELL_SHOWN];
    double number;
    for (int64_t v = a->first; v < a->last && !known; v++)
        known = strcmp(strings_at(&r->values, v), text) == 0;
    if (!known)
        return place_error(err, at, "expected one of the declared values, found %s",
                           cell_shown(text, length, shown));
    pare_status status = csv_add_target(r->b, text, length, at, err);
    if (status == PARE_OK && a->type == NUMERIC && !missing)
        status = cell_number(&number, text, length, false, at, err);
    return status;
}

/* Takes one value of a row; a feature's goes to *number. */
static pare_status take_cell(reader *r, int64_t j, const char *text, int64_t length, int64_t offset,
                             double *number, pare_error *err) {
    data_builder *b = r->b;
    pare_data *data = b->data;
    place at = r->l.at;
    at.column = j + 1;
    at.byte += offset;
    at.name = strings_at(&r->names, j);
    switch ((role)r->role[j]) {
    case ROLE_FEATURE: return take_feature(r, j, text, length, &at, number, err);
    case ROLE_MAYBE_ID:
        return id_column_put(&r->maybe_id, b, text, length, r->o->allow_missing, &at,
                             r->maybe_id.feature ? number : NULL, err);
    case ROLE_TARGET: return take_target(r, j, text, length, &at, err);
    case ROLE_ID:
        return strings_add(&data->ids, &data->mem, text, length) ? PARE_OK : error_memory(err);
    case ROLE_SKIP: break;
    case ROLE_ANNOTATION:
    default: return annotation_put(b, roles_annotation(r->role[j]), r->n, text, length, &at, err);
    }
    return PARE_OK;
}

static pare_status dense_row(reader *r, pare_error *err) {
    int64_t n_attr = r->names.count, found = 0, length = 0;
    char *p = r->l.text, *text = p, delimiter = ',';
    double *number = NULL;
    pare_status status = PARE_OK;
    if (*p == '{') return place_error(err, &r->l.at, "a sparse row among dense ones");
    TRY(table_row(&r->t, &number, err));
    for (; delimiter == ','; found++) {
        int64_t offset = p - r->l.text;
        TRY(take_value(r, &p, ",", &text, &length, &delimiter, err));
        if (found < n_attr) TRY(take_cell(r, found, text, length, offset, number, err));
        number += found < n_attr && is_feature(r, found);
    }
    if (delimiter)
        return place_error(err, &r->l.at, "expected a comma after value %" PRId64, found);
    if (found != n_attr)
        return place_error(err, &r->l.at, "expected %" PRId64 " fields, found %" PRId64, n_attr,
                           found);
    r->n++;
done:
    return status;
}

/* Fills in what a sparse row omits, except features. */
static pare_status fill_in(reader *r, pare_error *err) {
    pare_status status = PARE_OK;
    for (int64_t j = 0; j < r->names.count; j++) {
        const attribute *a = &r->attr[j];
        if (r->given[j] || r->role[j] == ROLE_FEATURE || r->role[j] == ROLE_SKIP) continue;
        const char *text = a->first < a->last ? strings_at(&r->values, a->first) : "0";
        TRY(take_cell(r, j, text, (int64_t)strlen(text), 0, NULL, err));
    }
done:
    return status;
}

static pare_status sparse_row(reader *r, pare_error *err) {
    int64_t n_attr = r->names.count, before = -1, length = 0;
    char *p = r->l.text, *text = p, delimiter = ',', shown[CELL_SHOWN];
    double number = 0, index = 0;
    pare_status status = PARE_OK;
    if (*p++ != '{') return place_error(err, &r->l.at, "a dense row among sparse ones");
    memset(r->given, 0, (size_t)n_attr);
    while (is_blank(*p)) p++;
    if (*p == '}') {
        delimiter = *p++;
    }
    while (delimiter == ',') {
        place at = r->l.at;
        at.byte += p - r->l.text;
        TRY(take_value(r, &p, ",}", &text, &length, &delimiter, err));
        TRY(cell_number(&index, text, length, false, &at, err));
        if (!(index > (double)before && index < (double)n_attr && index == (double)(int64_t)index))
            return place_error(
                err, &at, "index %s is not a whole number above %" PRId64 " and below %" PRId64,
                cell_shown(text, length, shown), before, n_attr);
        if (delimiter == ',' || delimiter == '}' || !delimiter)
            return place_error(err, &at, "expected a value after index %" PRId64, (int64_t)index);
        before = (int64_t)index;
        int64_t offset = p - r->l.text;
        TRY(take_value(r, &p, ",}", &text, &length, &delimiter, err));
        TRY(take_cell(r, before, text, length, offset, &number, err));
        r->given[before] = 1;
        if (is_feature(r, before))
            TRY(sparse_rows_put(&r->rows, r->attr[before].feature, number, err));
    }
    while (is_blank(*p)) p++;
    if (delimiter != '}' || *p)
        return place_error(err, &r->l.at, "expected } at the end of the row");
    TRY(fill_in(r, err));
    TRY(sparse_rows_end_row(&r->rows, err));
    r->n++;
done:
    return status;
}

/* Counts the lines of data; leaves the stream at its end. */
static pare_status count_rows(stream *s, int64_t *count, pare_error *err) {
    lines l;
    bool more = true, data = false;
    pare_status status = lines_begin(&l, s, err);
    for (*count = 0; status == PARE_OK && more;) {
        status = lines_next(&l, &more, err);
        if (status != PARE_OK || !more || l.length == 0 || *l.text == '%') continue;
        *count += data;
        data = data || word_is(l.text, l.length, "@data");
    }
    return status;
}

static pare_status settle_id(reader *r, const pare_ctx *ctx, pare_error *err) {
    bool ids;
    PASS(id_column_settle(&r->maybe_id, r->b, strings_at(&r->names, 0), r->o->describe, &ids,
                          r->l.at.file, ctx, err));
    if (ids && r->text.mem) categorical_drop_first(&r->text);
    if (!ids) strings_free(&r->b->data->ids, &r->b->data->mem);
    return PARE_OK;
}

/* n < 0: unknown. */
static pare_status read_rows(reader *r, int64_t n, const pare_ctx *ctx, pare_error *err) {
    bool more, begun = false, sparse = false;
    pare_status status = PARE_OK;
    for (;;) {
        TRY(lines_next(&r->l, &more, err));
        if (!more) break;
        if (r->l.length == 0 || *r->l.text == '%') continue;
        if (!begun) {
            begun = true;
            sparse = *r->l.text == '{';
            if (!sparse && r->o->describe)
                TRY(categorical_begin(&r->text, r->o, r->d, &r->b->data->mem, err));
            if (sparse) TRY(missing_codes_check_sparse(&r->b->na, r->l.at.file, err));
            if (sparse)
                TRY(sparse_rows_begin(&r->rows, r->b, r->d, true, r->l.at.file, ctx, err));
            else
                TRY(table_begin(&r->t, r->b, n, r->d, r->l.at.file, ctx, err));
        }
        TRY(sparse ? sparse_row(r, err) : dense_row(r, err));
    }
    if (!begun) return error_set(err, PARE_E_DATA, "%s has no samples", r->l.at.file);
    TRY(sparse ? sparse_rows_finish(&r->rows, err) : table_finish(&r->t, err));
    if (r->maybe_id.there) TRY(settle_id(r, ctx, err));
    if (r->text.mem) TRY(categorical_finish(&r->text, r->b, r->l.at.file, ctx, err));
done:
    return status;
}

pare_status read_arff(data_builder *b, stream *s, const pare_read_options *o, const pare_ctx *ctx,
                      pare_error *err) {
    const pare_data *data = b->data;
    reader r = {.b = b, .o = o};
    int64_t n = -1;
    pare_status status = PARE_OK;
    TRY(stream_text(s, o->encoding, err));
    if (s->can_rewind) {
        TRY(count_rows(s, &n, err));
        TRY(stream_rewind(s, err));
    }
    TRY(lines_begin(&r.l, s, err));
    r.l.at.model = o->only != NULL;
    TRY(read_declarations(&r, err));
    TRY(assign_roles(&r, ctx, err));
    TRY(read_rows(&r, n, ctx, err));
done:
    categorical_free(&r.text);
    id_column_free(&r.maybe_id, &data->mem);
    table_free(&r.t);
    sparse_rows_free(&r.rows);
    strings_free(&r.names, &data->mem);
    strings_free(&r.values, &data->mem);
    mem_free(&data->mem, r.attr);
    mem_free(&data->mem, r.role);
    mem_free(&data->mem, r.given);
    return status;
}
