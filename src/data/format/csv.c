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
#include "data/format/odd_number.h"
#include "data/table/annotations.h"
#include "data/table/categorical.h"
#include "data/table/duplicate_names.h"
#include "data/table/id_column.h"
#include "data/table/roles.h"
#include "data/table/table.h"

typedef struct reader {
    data_builder *b;
    const pare_read_options *o;
    fields f;
    strings columns;     /* all names in the header; "" for the first: it has none */
    unsigned char *role; /* one per column */
    roles wanted;
    categorical text; /* features that are text */
    id_column maybe_id;
    bool short_header; /* the first of the columns is not in the header */
    int64_t unnamed;   /* columns behind them, which have no names and must be empty */
    table t;
    int64_t n;
    double *row;                /* of the table, being read */
    int64_t run_start, run_end; /* the last run of columns found to be all features */
} reader;

pare_status csv_add_target(data_builder *b, const char *text, int64_t length, const place *at,
                           pare_error *err) {
    pare_data *data = b->data;
    char shown[CELL_SHOWN], *trimmed = (char *)(uintptr_t)text;
    cell_trim(&trimmed, &length);
    if (cell_is_missing(trimmed, length) || missing_codes_has(&b->na, trimmed, length)) {
        if (!b->drop_unlabelled)
            return place_error(err, at, "the target is missing (%s); choose `missing drop`",
                               cell_shown(trimmed, length, shown));
        length = 0;
        b->unlabelled = true;
    }
    if (cell_is_missing_number(trimmed, length) && !b->odd_target.line) {
        b->odd_target.line = at->line;
        b->odd_target.column = at->column;
        b->odd_target.sheet = at->sheet;
    }
    return strings_add(&data->target.text, &data->mem, trimmed, length) ? PARE_OK
                                                                        : error_memory(err);
}

/* Numbers the names that repeat, or rejects them; those of dropped columns may. */
static pare_status check_header(reader *r, pare_error *err) {
    int64_t repeat, first = 0;
    char shown[CELL_SHOWN];
    pare_data *data = r->b->data;
    if (!names_settle(&r->columns, &r->wanted, names_numbered(r->o, &r->columns), &repeat,
                      names_changed(r->o, data), &data->mem))
        return error_memory(err);
    if (repeat < 0) return PARE_OK;
    const char *name = strings_at(&r->columns, repeat);
    while (strcmp(strings_at(&r->columns, first), name) != 0) first++;
    place at = r->f.at;
    at.column = repeat + 1 - r->short_header;
    at.byte = -1;
    at.name = NULL;
    return place_error(err, &at,
                       "the name %s is that of column %" PRId64
                       " too: `duplicate_names number` keeps both, `drop` leaves both out",
                       cell_shown(name, (int64_t)strlen(name), shown), first + 1 - r->short_header);
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

/* An empty name: allowed in the first column, and in columns behind all others. */
static pare_status take_unnamed(reader *r, const field *name, place *first, bool *taken,
                                pare_error *err) {
    *taken = name->length == 0 && r->columns.count > 0;
    if (*taken && r->unnamed++ == 0) *first = r->f.at;
    if (*taken || !r->unnamed) return PARE_OK;
    bool spaces = r->f.delimiter == ' ';
    return place_error(err, first, "the name of the column is empty: %s",
                       spaces ? "a single space separates two columns; write one, or tabs"
                              : "write one, or delete the column");
}

static pare_status read_names(reader *r, pare_error *err) {
    field name = {0};
    csv_sample_test sample = {0};
    bool header = r->o->header || r->o->only; /* missing columns are then reported by name */
    bool unnamed;
    place first_unnamed;
    pare_status status = PARE_OK;
    while (!name.last) {
        TRY(fields_next(&r->f, &name, err));
        TRY(fields_check(&r->f, &name, true, err));
        if (lacks_name(&name, r->columns.count == 0)) name.length = 0;
        TRY(take_unnamed(r, &name, &first_unnamed, &unnamed, err));
        if (unnamed) continue;
        csv_sample_see(&sample, name.text, name.length);
        header = header || is_expected(name.text, r->o);
        TRY_MEM(strings_add(&r->columns, &r->b->data->mem, name.text, name.length));
    }
    if (!header && csv_sample_found(&sample))
        return error_at(err, PARE_E_FORMAT, r->f.at.line, 0, 0,
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
    r->short_header = form->short_header && !form->open_rows && !r->o->no_header;
    if (r->o->no_header) return number_columns(r, form->fields) ? PARE_OK : error_memory(err);
    TRY(fields_row(&r->f, &more, err));
    if (!more) return error_at(err, PARE_E_FORMAT, 1, 0, 0, "%s is empty", r->f.at.file);
    if (r->short_header) TRY_MEM(strings_add(&r->columns, &r->b->data->mem, "", 0));
    TRY(read_names(r, err));
    r->unnamed += form->open_rows;
done:
    return status;
}

/* Whether most of column j are numbers: those rows before, and some rows that follow, which are read
 * for this message. */
static bool mostly_numbers(reader *r, int64_t j, field cell) {
    enum { MAX_ROWS = 100 };
    int64_t numbers = r->n, texts = 0, at = j;
    bool more = true;
    pare_error unused;
    for (int i = 0; more && i < MAX_ROWS; i++) {
        while (!cell.last) {
            if (fields_next(&r->f, &cell, &unused) != PARE_OK) return numbers > texts;
            if (++at != j) continue;
            if (r->f.delimiter == ';') odd_number_take_comma(cell.text);
            if (cell_is_text(cell.text, cell.length))
                texts++;
            else
                numbers += !cell_is_missing(cell.text, cell.length);
        }
        cell.last = false;
        at = -1;
        if (fields_row(&r->f, &more, &unused) != PARE_OK) break;
    }
    return numbers > texts;
}

/* Text: a code where the options ask for it, else an error that names what may be done. */
static pare_status take_text(reader *r, int64_t j, const field *cell, double *number,
                             pare_error *err) {
    char text[CELL_SHOWN];
    place at = r->f.at;
    int64_t feature = number - r->row;
    bool coded = r->o->categorical || r->text.coded[feature];
    if (cell_is_missing_number(cell->text, cell->length)) {
        if (coded)
            return categorical_maybe(&r->text, feature, cell->text, &at, r->o->allow_missing,
                                     number, err);
        return cell_missing(number, cell->text, cell->length, r->o->allow_missing, &at, err);
    }
    if (coded) return categorical_cell(&r->text, feature, cell->text, cell->length, number, err);
    int64_t length = cell->length < CELL_SHOWN - 1 ? cell->length : CELL_SHOWN - 1;
    memcpy(text, cell->text, (size_t)length); /* the next cell overwrites it */
    text[length] = '\0';
    return cell_refuse_text(text, length, mostly_numbers(r, j, *cell), &at, err);
}

static pare_status take_feature(reader *r, int64_t j, const field *cell, double *number,
                                pare_error *err) {
    bool allow = r->o->allow_missing;
    if (missing_codes_has(&r->b->na, cell->text, cell->length))
        return cell_missing(number, cell->text, cell->length, allow, &r->f.at, err);
    if (r->o->describe)
        return categorical_described(&r->text, number - r->row, cell->text, cell->length, &r->f.at,
                                     number, err);
    if (cell_is_text(cell->text, cell->length)) return take_text(r, j, cell, number, err);
    return cell_feature(number, cell->text, cell->length, allow, &r->f.at, err);
}

/* number: where a feature goes; else it is not used */
static pare_status take_field(reader *r, int64_t j, field *cell, double *number, pare_error *err) {
    data_builder *b = r->b;
    pare_data *data = b->data;
    role which = (role)r->role[j];
    cell_trim(&cell->text, &cell->length); /* quoted blanks were kept */
    cell->text[cell->length] = '\0';
    r->f.at.name = strings_at(&r->columns, j);
    bool described = r->o->describe;
    if (which != ROLE_SKIP && cell->kind != FIELD_PLAIN && !described) {
        bool id = which == ROLE_ID || which == ROLE_MAYBE_ID;
        pare_status status = fields_check(&r->f, cell, id, err);
        if (status != PARE_OK) return status;
    }
    if (r->f.delimiter == ';' && which != ROLE_ID && which != ROLE_SKIP) {
        pare_status status = fields_decimal(&r->f, cell, err);
        if (status != PARE_OK && !described) return status;
    }
    switch (which) {
    case ROLE_FEATURE: fields_boolean(cell); return take_feature(r, j, cell, number, err);
    case ROLE_TARGET: return csv_add_target(b, cell->text, cell->length, &r->f.at, err);
    case ROLE_ID:
        return strings_add(&data->ids, &data->mem, cell->text, cell->length) ? PARE_OK
                                                                             : error_memory(err);
    case ROLE_MAYBE_ID:
        return id_column_put(&r->maybe_id, b, cell->text, cell->length, r->o->allow_missing,
                             &r->f.at, r->maybe_id.feature ? number : NULL, err);
    case ROLE_SKIP: break;
    case ROLE_ANNOTATION:
    default:
        return annotation_put(b, roles_annotation(r->role[j]), r->n, cell->text, cell->length,
                              &r->f.at, err);
    }
    return PARE_OK;
}

/* The number of consecutive features from column j on that need no look at their text. */
static int64_t feature_run(reader *r, int64_t j) {
    if (r->b->na.numbers) return 0;
    if (j < r->run_start || j >= r->run_end) {
        r->run_start = r->run_end = j;
        while (r->run_end < r->columns.count && r->role[r->run_end] == ROLE_FEATURE) r->run_end++;
    }
    return r->run_end - j;
}

/* Columns without names must be empty. */
static pare_status skip_unnamed(reader *r, field *cell, pare_error *err) {
    int64_t expected = r->columns.count + r->unnamed;
    char shown[CELL_SHOWN];
    for (int64_t k = 0; k < r->unnamed && !cell->last; k++) {
        pare_status status = fields_next(&r->f, cell, err);
        if (status != PARE_OK) return status;
        if (cell->length > 0)
            return place_error(err, &r->f.at,
                               "found %s in a column without a name: name the column, or empty it",
                               cell_shown(cell->text, cell->length, shown));
    }
    return cell->last ? PARE_OK : fields_ragged(&r->f, cell, expected, err);
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
        bool behind = j == n_columns && r->unnamed > 0;
        if (!behind && cell.last != (j == n_columns))
            return fields_ragged(&r->f, &cell, n_columns, err);
        if (!plain) {
            role which = (role)r->role[j - 1];
            TRY(take_field(r, j - 1, &cell, number, err));
            number += which == ROLE_FEATURE || (which == ROLE_MAYBE_ID && r->maybe_id.feature);
        }
    }
    if (r->unnamed) TRY(skip_unnamed(r, &cell, err));
    r->n++;
done:
    return status;
}

/* The column that may be the ids is the first of the features until all rows are read. */
static pare_status settle_id(reader *r, const pare_ctx *ctx, pare_error *err) {
    data_builder *b = r->b;
    bool ids;
    pare_status status = PARE_OK;
    TRY(id_column_settle(&r->maybe_id, b, strings_at(&r->columns, 0), r->o->categorical, &ids,
                         r->f.at.file, ctx, err));
    if (ids && r->maybe_id.feature) categorical_drop_first(&r->text);
    bool text_feature = !ids && r->maybe_id.feature && r->maybe_id.text;
    for (int64_t i = 0; text_feature && i < b->data->x.n; i++) {
        const char *text = strings_at(&b->data->ids, i);
        int64_t length = (int64_t)strlen(text);
        if (cell_is_text(text, length) && !missing_codes_has(&b->na, text, length))
            TRY(categorical_cell(&r->text, 0, text, length, &b->fill.value[i], err));
    }
    if (!ids) strings_free(&b->data->ids, &b->data->mem);
done:
    return status;
}

static bool is_feature(const reader *r, int64_t j) {
    return r->role[j] == ROLE_FEATURE || (r->role[j] == ROLE_MAYBE_ID && r->maybe_id.feature);
}

/* n < 0: unknown. */
static pare_status read_rows(reader *r, int64_t n, const pare_ctx *ctx, pare_error *err) {
    data_builder *b = r->b;
    pare_data *data = b->data;
    int64_t d = 0;
    bool more;
    pare_status status = PARE_OK;
    for (int64_t j = 0; j < r->columns.count; j++)
        if (is_feature(r, j)) {
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
    if (r->maybe_id.there) TRY(settle_id(r, ctx, err));
    TRY(categorical_finish(&r->text, b, r->f.at.file, ctx, err));
    fields_say_empty(&r->f, r->unnamed, ctx);
done:
    return status;
}

static pare_status assign_roles(reader *r, pare_error *err) {
    pare_data *data = r->b->data;
    pare_status status = PARE_OK;
    TRY_MEM(r->role = mem_alloc(&data->mem, r->columns.count, 1));
    TRY(roles_assign(&r->wanted, &r->columns, r->f.at.file, r->role, err));
    for (int64_t j = 0; j < r->columns.count; j++) {
        const char *name = strings_at(&r->columns, j);
        if (r->o->only && r->role[j] == ROLE_SKIP && categorical_wanted(r->o, name))
            r->role[j] = ROLE_FEATURE; /* codes that a model needs */
        if (r->role[j] == ROLE_MAYBE_ID)
            r->maybe_id = (id_column){.there = true,
                                      .feature = *name && !r->o->only,
                                      .unnamed = !*name,
                                      .describe = r->o->describe};
        strings *known = r->role[j] == ROLE_TARGET ? &data->target_name
                         : r->role[j] == ROLE_ID   ? &data->id_name
                                                   : NULL;
        if (known) TRY_MEM(strings_add(known, &data->mem, name, (int64_t)strlen(name)));
    }
done:
    return status;
}

static pare_status read_columns(data_builder *b, const csv_table *from, const pare_read_options *o,
                                const pare_ctx *ctx, pare_error *err) {
    const pare_data *data = b->data;
    reader r = {.b = b, .o = o, .f = from->f};
    r.f.at.model = o->only != NULL;
    pare_status status = PARE_OK;
    TRY(roles_begin(&r.wanted, o, ctx, err));
    TRY(read_header(&r, &from->form, err));
    TRY(assign_roles(&r, err));
    TRY(read_rows(&r, from->rows < 0 ? -1 : from->rows - !o->no_header, ctx, err));
done:
    categorical_free(&r.text);
    id_column_free(&r.maybe_id, &data->mem);
    table_free(&r.t);
    roles_free(&r.wanted);
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
    TRY(stream_text(s, o->encoding, err));
    TRY(csv_form_find(&from.form, s, delimiter, o->skip, !o->no_header, ctx, err));
    if (s->can_rewind) {
        TRY(fields_count_rows(s, from.form.delimiter, &from.rows, err));
        TRY(csv_form_rewind(&from.form, s, err));
    }
    TRY(csv_form_begin(&from.f, &from.form, s, err));
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
