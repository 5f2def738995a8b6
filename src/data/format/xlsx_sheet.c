/* A sheet is read a piece at a time; the cells that end within a piece wait in a list. */
#include "data/format/xlsx_sheet.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/builder.h"
#include "data/format/calendar.h"

enum { MAX_ROW = 1048576, MAX_COLUMN = 16384 };

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

static pare_status damaged(const xlsx_sheet *r, const char *what, pare_error *err) {
    place at = {r->label, r->now.row, r->now.column, -1, NULL, true, false};
    return place_error(err, &at, "the sheet is damaged: %s", what);
}

/* --- text --- */

static pare_status add_text(xlsx_sheet *r, const char *text, int64_t length, pare_error *err) {
    if (r->length + length + 1 > r->capacity) {
        int64_t capacity = 2 * (r->length + length) + 1024;
        pare_status status = data_check_memory((double)capacity, r->b->z.s->name, r->b->ctx, err);
        if (status != PARE_OK) return status;
        if (!mem_resize(r->b->mem, &r->text, capacity, 1)) return error_memory(err);
        r->capacity = capacity;
    }
    memcpy(r->text + r->length, text, (size_t)length);
    r->length += length;
    return PARE_OK;
}

/* Replaces the text of the cell being read. */
static pare_status set_text(xlsx_sheet *r, const char *text, pare_error *err) {
    r->length = r->now.text;
    return add_text(r, text, (int64_t)strlen(text), err);
}

/* --- dates --- */

/* A day's number, with the part of the day behind the point. Workbooks count from 1900, as if that had
 * been a leap year, or from 1904; a day 0 of 1900 is a time alone. */
static bool format_date(char out[CALENDAR_TEXT], double serial, bool from_1904) {
    enum { FROM_1900 = 25568, FROM_1904 = 24107 };
    if (from_1904 || serial >= 60)
        return calendar_format(serial - (from_1904 ? FROM_1904 : FROM_1900 + 1), out);
    return serial >= 1 && calendar_format(serial - FROM_1900, out);
}

/* --- a cell --- */

/* "BC23": column 55, row 23. */
static pare_status take_reference(xlsx_sheet *r, const char *text, pare_error *err) {
    int64_t row = 0, col = 0;
    const char *p = text;
    for (; *p >= 'A' && *p <= 'Z' && col <= MAX_COLUMN; p++) col = 26 * col + *p - 'A' + 1;
    if (!integer_parse_all(p, &row) || row != r->now.row || col <= r->now.column ||
        col > MAX_COLUMN)
        return damaged(r, "its cells are not in order", err);
    r->now.column = col;
    return PARE_OK;
}

static pare_status begin_row(xlsx_sheet *r, const char *number, pare_error *err) {
    int64_t row = r->now.row + 1;
    r->now.column = 0;
    if (number && (!integer_parse_all(number, &row) || row <= r->now.row))
        return damaged(r, "its rows are not in order", err);
    if (row > MAX_ROW) return damaged(r, "it has too many rows", err);
    r->now.row = row;
    return PARE_OK;
}

static char type_of(const char *t) {
    static const char *const words[] = {"s", "inlineStr", "str", "b", "e", "d"};
    for (int k = 0; t && k < 6; k++)
        if (is(t, words[k])) return "sifbed"[k];
    return 'n';
}

static pare_status begin_cell(xlsx_sheet *r, const char *const *attributes, pare_error *err) {
    const char *at = xml_attribute(attributes, "r"), *style = xml_attribute(attributes, "s");
    if (r->in_cell || r->now.row == 0) return damaged(r, "a cell is out of its place", err);
    pare_status status = PARE_OK;
    if (at) {
        status = take_reference(r, at, err);
        if (status != PARE_OK) return status;
    } else if (++r->now.column > MAX_COLUMN) {
        return damaged(r, "it has too many columns", err);
    }
    r->in_cell = true;
    r->in_value = r->in_inline = r->has_value = r->formula = false;
    r->phonetic = 0;
    r->type = type_of(xml_attribute(attributes, "t"));
    r->style = -1;
    if (style && !integer_parse_all(style, &r->style)) r->style = -1;
    r->now.kind = FIELD_PLAIN;
    r->now.text = r->length;
    r->now.shared = -1;
    if (r->now.row > r->last_row) r->last_row = r->now.row;
    if (r->now.column > r->last_column) r->last_column = r->now.column;
    return PARE_OK;
}

static pare_status finish_number(xlsx_sheet *r, pare_error *err) {
    double value;
    char date[CALENDAR_TEXT];
    bool shows_date = r->style >= 0 && r->style < r->b->styles && r->b->date[r->style];
    if (!number_parse_all(r->text + r->now.text, &value))
        return damaged(r, "a value is no number", err);
    if (!shows_date) return PARE_OK;
    r->now.kind = FIELD_DATE;
    return format_date(date, value, r->b->from_1904) ? set_text(r, date, err) : PARE_OK;
}

static pare_status finish_value(xlsx_sheet *r, pare_error *err) {
    const char *text = r->text + r->now.text;
    switch (r->type) {
    case 's':
        if (!integer_parse_all(text, &r->now.shared) || r->now.shared < 0 ||
            r->now.shared >= r->b->shared.count)
            return damaged(r, "a text is not among those that its cells share", err);
        r->length = r->now.text;
        return PARE_OK;
    case 'b': r->now.kind = FIELD_BOOLEAN; return set_text(r, *text == '1' ? "TRUE" : "FALSE", err);
    case 'e': return set_text(r, "#N/A", err); /* #N/A, #DIV/0! and so on */
    case 'd': r->now.kind = FIELD_DATE; return PARE_OK;
    case 'n': return finish_number(r, err);
    default: return PARE_OK;
    }
}

/* Puts the cell at the end of those that wait, if there is something in it. */
static pare_status end_cell(xlsx_sheet *r, pare_error *err) {
    pare_status status = add_text(r, "", 0, err);
    if (status != PARE_OK) return status;
    r->in_cell = false;
    r->text[r->length] = '\0';
    bool empty = r->length == r->now.text;
    if (r->formula && empty && r->type != 'f')
        r->now.kind = FIELD_FORMULA;
    else if (empty)
        return PARE_OK;
    else if (r->has_value && (status = finish_value(r, err)) != PARE_OK)
        return status;
    r->now.length = r->length - r->now.text;
    if ((status = add_text(r, "", 1, err)) != PARE_OK) return status; /* the NUL */
    if (r->count == r->cell_capacity) {
        int64_t capacity = 2 * r->cell_capacity + 1024;
        if (!mem_resize(r->b->mem, &r->cell, capacity, sizeof *r->cell)) return error_memory(err);
        r->cell_capacity = capacity;
    }
    r->cell[r->count++] = r->now;
    return PARE_OK;
}

static pare_status on_start(void *user, const char *name, const char *const *attributes,
                            pare_error *err) {
    xlsx_sheet *r = user;
    if (is(name, "c")) return begin_cell(r, attributes, err);
    if (is(name, "row")) {
        if (r->in_cell) return damaged(r, "a row is out of its place", err);
        return begin_row(r, xml_attribute(attributes, "r"), err);
    }
    if (!r->in_cell) return PARE_OK;
    r->formula |= is(name, "f");
    r->in_inline |= is(name, "is");
    r->phonetic += is(name, "rPh");
    if (is(name, "v")) r->in_value = r->has_value = true;
    if (is(name, "t") && r->in_inline && !r->phonetic) r->in_value = true;
    return PARE_OK;
}

static pare_status on_text(void *user, const char *text, int64_t length, pare_error *err) {
    xlsx_sheet *r = user;
    return r->in_value ? add_text(r, text, length, err) : PARE_OK;
}

static pare_status on_end(void *user, const char *name, pare_error *err) {
    xlsx_sheet *r = user;
    if (!r->in_cell) return PARE_OK;
    if (is(name, "v") || is(name, "t")) r->in_value = false;
    if (is(name, "rPh") && r->phonetic) r->phonetic--;
    return is(name, "c") ? end_cell(r, err) : PARE_OK;
}

pare_status xlsx_sheet_open(xlsx_sheet *r, xlsx_book *b, int64_t i, pare_error *err) {
    static const xml_handlers to = {on_start, on_end, on_text};
    memset(r, 0, sizeof *r);
    r->b = b;
    snprintf(r->label, sizeof r->label, "%.300s: %.300s", b->z.s->name, b->z.member[i].name);
    pare_status status = zip_member_open(&r->s, &b->z, i, r->label, b->ctx, err);
    if (status != PARE_OK) return status;
    r->is_open = r->more = true;
    return xml_open(&r->x, &r->s, &to, r, err);
}

/* Reads on until a cell waits or the sheet is over. */
static pare_status refill(xlsx_sheet *r, pare_error *err) {
    while (r->at == r->count && r->more) {
        int64_t kept = r->in_cell ? r->now.text : r->length;
        if (r->length > kept) memmove(r->text, r->text + kept, (size_t)(r->length - kept));
        r->length -= kept;
        r->now.text = 0;
        r->at = r->count = 0;
        pare_status status = xml_step(&r->x, &r->more, err);
        if (status != PARE_OK) return status;
    }
    return PARE_OK;
}

static bool is_filled(const xlsx_cell *cell, const char *text) {
    return text[strspn(text, " \t\r\n")] || cell->kind != FIELD_PLAIN; /* blanks are nothing */
}

pare_status xlsx_sheet_next(xlsx_sheet *r, xlsx_cell *out, const char **text, bool *more,
                            pare_error *err) {
    for (;;) {
        pare_status status = refill(r, err);
        *more = status == PARE_OK && r->at < r->count;
        if (!*more) return status;
        *out = r->cell[r->at++];
        *text = out->shared < 0 ? r->text + out->text : strings_at(&r->b->shared, out->shared);
        if (out->shared >= 0) out->length = (int64_t)strlen(*text);
        if (is_filled(out, *text)) return PARE_OK;
    }
}

bool xlsx_sheet_quick(xlsx_sheet *r, xlsx_cell *out, const char **text) {
    const xlsx_cell *next = &r->cell[r->at];
    if (r->at == r->count || next->shared >= 0 || !is_filled(next, r->text + next->text))
        return false;
    *out = *next;
    *text = r->text + next->text;
    r->at++;
    return true;
}

void xlsx_sheet_close(xlsx_sheet *r) {
    xml_close(&r->x);
    if (r->is_open) zip_member_close(&r->s);
    r->is_open = false;
    if (r->b) mem_free(r->b->mem, r->text);
    if (r->b) mem_free(r->b->mem, r->cell);
    r->text = NULL;
    r->cell = NULL;
}
