/* Reads .xlsx, as spreadsheet programs, pandas and R's packages write it. The sheet is read twice: for
 * the range of its cells, then for these, so that X is allocated once. */
#include "data/format/xlsx.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/format/xlsx_sheet.h"

enum { FIRST_ROWS = 32 /* among which the names are looked for */ };

struct xlsx {
    xlsx_book book;
    xlsx_sheet sheet;
    const pare_allocator *mem;
    int64_t row, last_row, first_column, last_column; /* row: of the cell given last */
    bool waits; /* `cell` is there, the next that is not empty */
    xlsx_cell cell;
    const char *text; /* its text */
    char *field;      /* a copy of it, or "", that the reader of the table may change */
    int64_t capacity;
};

/* --- the cells as fields --- */

static pare_status advance(xlsx *x, pare_error *err) {
    return xlsx_sheet_next(&x->sheet, &x->cell, &x->text, &x->waits, err);
}

static void mark(fields *f, int64_t row, int64_t at_column) {
    f->at.line = row;
    f->at.column = at_column;
    f->at.byte = -1;
    f->at.name = NULL;
    f->at.sheet = true;
}

static pare_status next_row(fields *f, bool *more, pare_error *err) {
    xlsx *x = f->from;
    *more = x->row < x->last_row;
    if (!*more) return PARE_OK;
    x->row++;
    f->line = x->row;
    f->column = 1;
    mark(f, x->row, 0);
    if (!x->waits)
        return error_set(err, PARE_E_IO, "%s changed while it was being read", f->at.file);
    if (x->cell.row != x->row) return place_error(err, &f->at, "an empty row before the end");
    return PARE_OK;
}

/* Where the next field is; *there: its cell is not empty. */
static int64_t next_column(fields *f, bool *there) {
    const xlsx *x = f->from;
    int64_t here = x->first_column + f->column - 1;
    *there = x->waits && x->cell.row == x->row && x->cell.column == here;
    return here;
}

static pare_status next_field(fields *f, field *out, pare_error *err) {
    xlsx *x = f->from;
    bool there;
    int64_t here = next_column(f, &there), length = there ? x->cell.length : 0;
    mark(f, x->row, here);
    if (length + 1 > x->capacity) {
        if (!mem_resize(x->mem, &x->field, 2 * length + 64, 1)) return error_memory(err);
        x->capacity = 2 * length + 64;
    }
    if (length) memcpy(x->field, x->text, (size_t)length);
    x->field[length] = '\0';
    out->text = x->field;
    out->length = length;
    out->kind = there ? x->cell.kind : FIELD_PLAIN;
    out->last = here == x->last_column;
    cell_trim(&out->text, &out->length);
    out->text[out->length] = '\0';
    f->column++;
    return there ? advance(x, err) : PARE_OK;
}

static int64_t next_numbers(fields *f, double *out, int64_t most, bool *last) {
    xlsx *x = f->from;
    int64_t count = 0;
    bool there;
    *last = false;
    while (count < most && !*last) {
        int64_t here = next_column(f, &there);
        const char *end = there ? x->text + x->cell.length : NULL;
        if (!there || x->cell.kind != FIELD_PLAIN ||
            number_parse(x->text, end, &out[count]) != end || !isfinite(out[count]) ||
            !xlsx_sheet_quick(&x->sheet, &x->cell, &x->text))
            break;
        *last = here == x->last_column;
        f->column++;
        count++;
    }
    return count;
}

/* --- the range --- */

/* Titles above the names: a row of few cells above one that is as wide as the sheet. */
static pare_status refuse_title(const xlsx *x, const int64_t *count, int64_t first,
                                pare_error *err) {
    int64_t width = x->last_column - x->first_column + 1;
    if (2 * count[0] >= width || width < 3) return PARE_OK;
    for (int64_t k = 1; k < FIRST_ROWS; k++)
        if (count[k] >= width - 1)
            return error_at(err, PARE_E_FORMAT, first, 0, -1,
                            "%s: row %" PRId64 " has %" PRId64 " of %" PRId64 " names, row %" PRId64
                            " has %" PRId64 "; `skip %" PRId64 "` leaves out the rows above it",
                            x->book.z.s->name, first, count[0], width, first + k, count[k],
                            first + k - 1);
    return PARE_OK;
}

/* Finds the range of the cells that are not empty, below row `skip`. */
static pare_status measure(xlsx *x, int64_t member, int64_t skip, bool names, pare_error *err) {
    int64_t count[FIRST_ROWS] = {0}, first = 0;
    char last[CELL_SHEET_PLACE];
    pare_status status = PARE_OK;
    TRY(xlsx_sheet_open(&x->sheet, &x->book, member, err));
    for (;;) {
        TRY(advance(x, err));
        if (!x->waits) break;
        if (x->cell.row <= skip) continue;
        if (!first) first = x->cell.row;
        if (x->cell.row - first < FIRST_ROWS) count[x->cell.row - first]++;
        if (!x->first_column || x->cell.column < x->first_column) x->first_column = x->cell.column;
        if (x->cell.column > x->last_column) x->last_column = x->cell.column;
        x->last_row = x->cell.row;
    }
    if (!first) {
        status = error_set(err, PARE_E_DATA, "%s: the sheet is empty%s", x->sheet.label,
                           skip ? " below the rows that `skip` leaves out" : "");
        goto done;
    }
    if (x->sheet.last_row > x->last_row || x->sheet.last_column > x->last_column)
        ctx_log(x->book.ctx, PARE_LOG_INFO, "%s: the empty rows and columns behind %s are left out",
                x->book.z.s->name, cell_sheet_place(x->last_row, x->last_column, last));
    x->row = first - 1;
    if (names) TRY(refuse_title(x, count, first, err));
done:
    xlsx_sheet_close(&x->sheet);
    return status;
}

pare_status xlsx_open(xlsx **out, csv_table *t, stream *s, const char *sheet, int64_t skip,
                      bool names, const pare_ctx *ctx, pare_error *err) {
    static const fields_source source = {next_row, next_field, next_numbers};
    const pare_allocator *mem = ctx_allocator(ctx);
    int64_t number, member;
    pare_status status = PARE_OK;
    xlsx *x = *out = mem_zero(mem, 1, sizeof *x);
    TRY_MEM(x);
    x->mem = mem;
    TRY(xlsx_book_open(&x->book, s, ctx, err));
    TRY(xlsx_book_find(&x->book, sheet, &number, err));
    TRY(xlsx_book_member(&x->book, number, &member, err));
    TRY(measure(x, member, skip, names, err));
    TRY(xlsx_sheet_open(&x->sheet, &x->book, member, err));
    do TRY(advance(x, err));
    while (x->waits && x->cell.row <= x->row);
    *t = (csv_table){.rows = x->last_row - x->row};
    t->form = (csv_form){.delimiter = ',', .fields = x->last_column - x->first_column + 1};
    t->f = (fields){.s = s, .delimiter = ',', .line = 1, .column = 1, .source = &source, .from = x};
    t->f.at = (place){.file = s->name, .byte = -1, .sheet = true};
done:
    return status;
}

void xlsx_close(xlsx *x) {
    if (!x) return;
    xlsx_sheet_close(&x->sheet);
    xlsx_book_close(&x->book);
    mem_free(x->mem, x->field);
    mem_free(x->mem, x);
}

pare_status read_xlsx(data_builder *b, stream *s, const pare_read_options *o, const pare_ctx *ctx,
                      pare_error *err) {
    xlsx *x;
    csv_table t;
    pare_status status = xlsx_open(&x, &t, s, o->sheet, o->skip, !o->no_header, ctx, err);
    if (status == PARE_OK) status = csv_read_table(b, &t, o, ctx, err);
    xlsx_close(x);
    return status;
}
