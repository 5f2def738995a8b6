/* Reads .csv and .tsv: a header row of names, then one row per sample. A first column without a
 * name holds the samples' ids.
 *
 * A plain file is read twice: once to count its rows (a memchr pass), once to put the numbers
 * straight into their columns. Other sources are read once, and their rows kept until the end. */
#include "data/format/csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/table/categorical.h"
#include "data/table/roles.h"
#include "data/table/annotations.h"
#include "data/table/table.h"

typedef struct reader {
    data_builder *b;
    const pare_read_options *o;
    fields f;
    strings columns;     /* all names in the header; "" for the first: it has none */
    unsigned char *role; /* one per column */
    categorical text;    /* features that are text */
    table t;
    int64_t n;
    double *row;                /* of the table, being read */
    int64_t run_start, run_end; /* the last run of columns found to be all features */
} reader;

pare_status csv_add_target(data_builder *b, const char *text, int64_t length, const place *at,
                           pare_error *err) {
    pare_data *data = b->data;
    char shown[CELL_SHOWN];
    if (cell_is_missing(text, length))
        return place_error(err, at, "the target is missing (%s)", cell_shown(text, length, shown));
    return strings_add(&data->target.text, &data->mem, text, length) ? PARE_OK : error_memory(err);
}

static pare_status check_header(reader *r, pare_error *err) {
    strings_index index;
    int64_t second;
    char shown[CELL_SHOWN];
    if (!strings_index_make(&index, &r->columns, &r->b->data->mem, &second))
        return error_memory(err);
    pare_status status = PARE_OK;
    if (second >= 0) {
        const char *name = strings_at(&r->columns, second);
        int64_t length = (int64_t)strlen(name);
        place at = r->f.at;
        at.column -= r->columns.count - 1 - second;
        at.byte = -1;
        at.name = NULL;
        status = place_error(err, &at, "the name %s is that of column %" PRId64 " too",
                             cell_shown(name, length, shown),
                             strings_index_find(&index, name, length) + 1);
    }
    strings_index_free(&index, &r->b->data->mem);
    return status;
}

/* pandas names a column that it wrote without a name "Unnamed: 0" when it reads it again. */
static bool lacks_name(const field *name, bool first) {
    return first && (name->length == 0 || strcmp(name->text, "Unnamed: 0") == 0);
}

/* A name that shows that the line is a header: a usual target's, or one that an option mentions. */
static bool is_expected(const char *name, const pare_read_options *o) {
    return roles_usual_target(name) >= 0 || (o->target && strcmp(name, o->target) == 0) ||
           (o->id && strcmp(name, o->id) == 0);
}

static pare_status read_names(reader *r, pare_error *err) {
    field name = {0};
    csv_sample_test sample = {0};
    bool header = r->o->header || r->o->only; /* missing columns are then reported by name */
    pare_status status = PARE_OK;
    while (!name.last) {
        TRY(fields_next(&r->f, &name, err));
        TRY(fields_check(&r->f, &name, true, err));
        if (lacks_name(&name, r->columns.count == 0)) name.length = 0;
        if (name.length == 0 && r->columns.count > 0)
            return place_error(err, &r->f.at, "the name of the column is empty");
        csv_sample_see(&sample, name.text, name.length);
        header = header || is_expected(name.text, r->o);
        TRY_MEM(strings_add(&r->columns, &r->b->data->mem, name.text, name.length));
    }
    if (!header && csv_sample_found(&sample))
        return error_at(err, PARE_E_FORMAT, 1, 0, 0,
                        "%s: its first line looks like a sample, not like names; give `no_header` "
                        "if it is one, `header` if these are the names",
                        r->f.at.file);
    TRY(check_header(r, err));
done:
    return status;
}

/* Without names the columns are x1, x2, ... */
static bool number_columns(reader *r, int64_t count) {
    char name[32];
    for (int64_t j = 1; j <= count; j++) {
        int length = snprintf(name, sizeof name, "x%" PRId64, j);
        if (!strings_add(&r->columns, &r->b->data->mem, name, length)) return false;
    }
    return true;
}

static pare_status read_header(reader *r, const csv_form *form, pare_error *err) {
    bool more;
    pare_status status = PARE_OK;
    if (r->o->no_header) return number_columns(r, form->fields) ? PARE_OK : error_memory(err);
    TRY(fields_row(&r->f, &more, err));
    if (!more) return error_at(err, PARE_E_FORMAT, 1, 0, 0, "%s is empty", r->f.at.file);
    if (form->short_header) TRY_MEM(strings_add(&r->columns, &r->b->data->mem, "", 0));
    TRY(read_names(r, err));
done:
    return status;
}

/* Text: a code where the options ask for it, else an error that names the option. */
static pare_status take_text(reader *r, const field *cell, double *number, pare_error *err) {
    char shown[CELL_SHOWN];
    int64_t feature = number - r->row;
    if (r->o->categorical || r->text.coded[feature])
        return categorical_cell(&r->text, feature, cell->text, cell->length, number, err);
    return place_error(err, &r->f.at,
                       "expected a number, found %s; `target` names what is to be predicted, "
                       "`categorical` codes columns of text, `drop` leaves them out",
                       cell_shown(cell->text, cell->length, shown));
}

static pare_status take_field(reader *r, int64_t j, field *cell, double *number, pare_error *err) {
    data_builder *b = r->b;
    pare_data *data = b->data;
    cell_trim(&cell->text, &cell->length); /* quoted blanks were kept */
    cell->text[cell->length] = '\0';
    r->f.at.name = strings_at(&r->columns, j);
    if (r->role[j] != ROLE_SKIP && cell->kind != FIELD_PLAIN) {
        pare_status status = fields_check(&r->f, cell, r->role[j] == ROLE_ID, err);
        if (status != PARE_OK) return status;
    }
    if (r->f.delimiter == ';' && r->role[j] != ROLE_ID) cell_decimal_comma(cell->text);
    switch ((role)r->role[j]) {
    case ROLE_FEATURE:
        fields_boolean(cell);
        if (cell_is_text(cell->text, cell->length)) return take_text(r, cell, number, err);
        return cell_number(number, cell->text, cell->length, r->o->allow_missing, &r->f.at, err);
    case ROLE_TARGET: return csv_add_target(b, cell->text, cell->length, &r->f.at, err);
    case ROLE_ID:
        return strings_add(&data->ids, &data->mem, cell->text, cell->length) ? PARE_OK
                                                                             : error_memory(err);
    case ROLE_SKIP: break;
    case ROLE_ANNOTATION:
    default:
        return annotation_put(b, roles_annotation(r->role[j]), r->n, cell->text, cell->length,
                              &r->f.at, err);
    }
    return PARE_OK;
}

/* The number of consecutive features from column j on. */
static int64_t feature_run(reader *r, int64_t j) {
    if (j < r->run_start || j >= r->run_end) {
        r->run_start = r->run_end = j;
        while (r->run_end < r->columns.count && r->role[r->run_end] == ROLE_FEATURE) r->run_end++;
    }
    return r->run_end - j;
}

static pare_status read_row(reader *r, pare_error *err) {
    int64_t n_columns = r->columns.count;
    field cell = {0};
    double *number;
    pare_status status = PARE_OK;
    TRY(table_row(&r->t, &number, err));
    r->row = number;
    for (int64_t j = 0; j < n_columns;) {
        int64_t run = feature_run(r, j), plain = 0;
        if (run) plain = fields_numbers(&r->f, number, run, &cell.last);
        number += plain;
        j += plain;
        if (!plain) {
            TRY(fields_next(&r->f, &cell, err));
            j++;
        }
        if (cell.last != (j == n_columns)) return fields_ragged(&r->f, &cell, n_columns, err);
        if (!plain) {
            TRY(take_field(r, j - 1, &cell, number, err));
            number += run > 0;
        }
    }
    r->n++;
done:
    return status;
}

/* n < 0: unknown. */
static pare_status read_rows(reader *r, int64_t n, const pare_ctx *ctx, pare_error *err) {
    data_builder *b = r->b;
    pare_data *data = b->data;
    int64_t d = 0;
    bool more;
    pare_status status = PARE_OK;
    for (int64_t j = 0; j < r->columns.count; j++)
        if (r->role[j] == ROLE_FEATURE) {
            const char *name = strings_at(&r->columns, j);
            TRY_MEM(strings_add(&data->names, &data->mem, name, (int64_t)strlen(name)));
            d++;
        }
    TRY(categorical_begin(&r->text, r->o, d, &data->mem, err));
    for (int64_t j = 0; r->o->only && j < d; j++)
        r->text.coded[j] = categorical_wanted(r->o, strings_at(&data->names, j));
    TRY(table_begin(&r->t, b, n, d, r->f.at.file, ctx, err));
    for (;;) {
        TRY(fields_row(&r->f, &more, err));
        if (!more) break;
        TRY(read_row(r, err));
    }
    TRY(table_finish(&r->t, err));
    TRY(categorical_finish(&r->text, b, r->f.at.file, ctx, err));
done:
    return status;
}

static pare_status read_columns(data_builder *b, const csv_table *from, const pare_read_options *o,
                                const pare_ctx *ctx, pare_error *err) {
    const pare_data *data = b->data;
    reader r = {.b = b, .o = o, .f = from->f};
    roles wanted = {0};
    pare_status status = PARE_OK;
    TRY(read_header(&r, &from->form, err));
    TRY_MEM(r.role = mem_alloc(&data->mem, r.columns.count, 1));
    TRY(roles_begin(&wanted, o, ctx, err));
    TRY(roles_assign(&wanted, &r.columns, r.f.at.file, r.role, err));
    for (int64_t j = 0; o->only && j < r.columns.count; j++) /* codes that a model needs */
        if (r.role[j] == ROLE_SKIP && categorical_wanted(o, strings_at(&r.columns, j)))
            r.role[j] = ROLE_FEATURE;
    TRY(read_rows(&r, from->rows < 0 ? -1 : from->rows - !o->no_header, ctx, err));
done:
    categorical_free(&r.text);
    table_free(&r.t);
    roles_free(&wanted);
    mem_free(&data->mem, r.role);
    strings_free(&r.columns, &data->mem);
    return status;
}

pare_status csv_read_table(data_builder *b, const csv_table *from, const pare_read_options *o,
                           const pare_ctx *ctx, pare_error *err) {
    return (o->features_in_rows ? csv_read_transposed : read_columns)(b, from, o, ctx, err);
}

/* delimiter 0: detect it */
static pare_status read_delimited(data_builder *b, stream *s, char delimiter,
                                  const pare_read_options *o, const pare_ctx *ctx,
                                  pare_error *err) {
    csv_table from = {.rows = -1};
    pare_status status = PARE_OK;
    TRY(csv_form_find(&from.form, s, delimiter, ctx, err));
    if (s->can_rewind) {
        TRY(fields_count_rows(s, &from.rows, err));
        TRY(stream_rewind(s, err));
    }
    TRY(fields_begin(&from.f, s, from.form.delimiter, err));
    TRY(csv_read_table(b, &from, o, ctx, err));
done:
    return status;
}

pare_status read_csv(data_builder *b, stream *s, const pare_read_options *o, const pare_ctx *ctx,
                     pare_error *err) {
    return read_delimited(b, s, 0, o, ctx, err);
}

pare_status read_tsv(data_builder *b, stream *s, const pare_read_options *o, const pare_ctx *ctx,
                     pare_error *err) {
    return read_delimited(b, s, '\t', o, ctx, err);
}
