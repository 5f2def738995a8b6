#include "data/format/fields.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/number.h"
#include "data/format/odd_number.h"

pare_status fields_begin(fields *f, stream *s, char delimiter, pare_error *err) {
    memset(f, 0, sizeof *f);
    f->s = s;
    f->delimiter = delimiter;
    f->line = f->column = 1;
    f->at.file = s->name;
    return stream_skip_mark(s, err);
}

/* Where the next field starts. */
static void mark(fields *f) {
    f->at.line = f->line;
    f->at.column = f->column;
    f->at.byte = f->s->base + (int64_t)f->s->at;
}

/* What the rows from here on are: the end, blank lines and then more (then *blank is the line of the
 * first), or another row, which may be empty. Empty rows at the end are counted and skipped. */
static pare_status skip_empty(fields *f, bool *more, int64_t *blank, pare_error *err) {
    stream *s = f->s;
    int64_t line = f->line, rows = 0;
    size_t at = 0, row = 0; /* behind s->at: the next byte, and the start of its row */
    size_t turn = 0;        /* of the first blank line */
    *blank = 0;
    for (;; at++) {
        while (s->at + at == s->end && !s->eof) {
            pare_status status = stream_fill(s, err);
            if (status != PARE_OK) return status;
        }
        if (s->at + at == s->end) break;
        char c = s->buffer[s->at + at];
        if (c == '\n') {
            bool is_blank = at == row || (at == row + 1 && s->buffer[s->at + row] == '\r');
            if (is_blank && !*blank) {
                *blank = line;
                turn = row;
            }
            rows += !is_blank;
            line++;
            row = at + 1;
        } else if (c != f->delimiter && c != ' ' && c != '\r' && c != '\t') {
            f->not_last = s->base + (int64_t)(s->at + (*blank ? turn : row));
            if (turn) *blank = 0; /* empty rows come first */
            *more = true;
            return PARE_OK;
        }
    }
    if (at > row) { /* no line feed at the end */
        rows++;
        line++;
    }
    f->empty_rows += rows;
    f->line = line;
    s->at = s->end;
    *more = false;
    return PARE_OK;
}

pare_status fields_row(fields *f, bool *more, pare_error *err) {
    stream *s = f->s;
    int64_t blank = 0;
    if (f->source) return f->source->row(f, more, err);
    *more = true;
    if (s->base + (int64_t)s->at >= f->not_last) {
        pare_status status = skip_empty(f, more, &blank, err);
        if (status != PARE_OK) return status;
    }
    f->column = 1;
    mark(f);
    if (*more && blank) {
        f->at.line = blank;
        f->at.column = 0;
        f->at.name = NULL;
        return place_error(err, &f->at,
                           "a blank line before the end: remove it, or what follows it");
    }
    return PARE_OK;
}

pare_status fields_check(const fields *f, const field *cell, bool date, pare_error *err) {
    char shown[CELL_SHOWN];
    switch (cell->kind) {
    case FIELD_DATE:
        if (date) break;
        return place_error(err, &f->at,
                           "%s is a date or time, which may be an `id`, else `drop` leaves its "
                           "column out; or store a number instead, such as days",
                           cell_shown(cell->text, cell->length, shown));
    case FIELD_FORMULA:
        return place_error(err, &f->at,
                           "a formula without its value: open the file in a spreadsheet program "
                           "and save it there");
    case FIELD_PLAIN:
    case FIELD_BOOLEAN:
    default: break;
    }
    return PARE_OK;
}

void fields_boolean(field *cell) {
    if (cell->kind != FIELD_BOOLEAN) return;
    cell->text[0] = *cell->text == 'T' ? '1' : '0';
    cell->text[cell->length = 1] = '\0';
}

int64_t fields_numbers(fields *f, double *out, int64_t most, bool *last) {
    if (f->source) return f->source->numbers(f, out, most, last);
    stream *s = f->s;
    const char *p = s->buffer + s->at, *end = s->buffer + s->end, *q;
    char delimiter = f->delimiter;
    int64_t count = 0;
    *last = false;
    while (count < most && !*last && (q = number_parse(p, end, &out[count])) &&
           (*q == delimiter || *q == '\n') && isfinite(out[count])) {
        if (delimiter == ';' && odd_number_is_grouped(p, q - p)) {
            if (f->comma) break;
            if (!f->dot) f->dot = f->line;
        }
        *last = *q == '\n';
        p = q + 1;
        count++;
    }
    s->at = (size_t)(p - s->buffer);
    f->column += count;
    f->line += *last;
    return count;
}

/* The end of the field at buffer + at: its closing delimiter, newline or the end of input. NULL:
 * not in the buffer yet. Counts bytes removed by unquoting, and lines within the field. */
static char *find_end(fields *f, char *p, char *end, int64_t *lines, pare_error *err,
                      pare_status *status) {
    bool quoted = p < end && *p == '"', eof = f->s->eof;
    *lines = 0;
    if (quoted) {
        for (p++;; p++) {
            if (p < end && *p != '"') {
                *lines += *p == '\n';
                continue;
            }
            if (p >= end) {
                if (eof)
                    *status = place_error(err, &f->at,
                                          "the quote that opens here is not closed: close it, or "
                                          "write it twice in a field in quotes");
                return NULL;
            }
            if (p + 1 == end && !eof) return NULL;
            if (p[1] != '"') break;
            p++;
        }
        p++;
        if (p + 1 >= end && !eof) return NULL;
        if (*p == '\r' && p[1] == '\n') return p + 1;
        if (p < end && *p != f->delimiter && *p != '\n')
            *status = place_error(
                err, &f->at, "text after a closing quote: write a quote within the field twice");
        return p;
    }
    for (; p < end && *p != f->delimiter && *p != '\n'; p++)
        if (*p == '"') {
            *status =
                place_error(err, &f->at,
                            "a quote within a field that is not quoted: put the field in quotes, "
                            "and write its own quotes twice");
            return NULL;
        }
    return p < end || eof ? p : NULL;
}

static void unquote(field *out) { /* "a ""b""" -> a "b" */
    char *to = out->text;
    const char *p = out->text + 1;
    for (; *p != '"' || p[1] == '"'; p++) {
        p += *p == '"';
        *to++ = *p;
    }
    out->length = to - out->text;
}

pare_status fields_next(fields *f, field *out, pare_error *err) {
    stream *s = f->s;
    int64_t lines;
    pare_status status = PARE_OK;
    char *end;
    f->at.name = NULL;
    out->kind = FIELD_PLAIN;
    if (f->source) return f->source->next(f, out, err);
    mark(f);
    while (!(end = find_end(f, s->buffer + s->at, s->buffer + s->end, &lines, err, &status)) &&
           status == PARE_OK)
        status = stream_fill(s, err);
    if (status != PARE_OK) return status;
    out->text = s->buffer + s->at;
    out->length = end - out->text;
    if (memchr(out->text, '\0', (size_t)out->length))
        return place_error(err, &f->at, "a NUL byte, this is not a text file");
    out->last = end == s->buffer + s->end || *end == '\n';
    s->at += (size_t)out->length + (end < s->buffer + s->end);
    f->line += lines + out->last;
    f->column++;
    *end = '\0';
    if (*out->text == '"')
        unquote(out);
    else
        cell_trim(&out->text, &out->length);
    out->text[out->length] = '\0';
    return PARE_OK;
}

pare_status fields_ragged(fields *f, const field *given, int64_t expected, pare_error *err) {
    place row = f->at;
    field next = *given;
    int64_t found = f->column - 1;
    while (!next.last) { /* too long: counts its fields */
        pare_status status = fields_next(f, &next, err);
        if (status != PARE_OK) return status;
        found++;
    }
    row.name = NULL;
    row.column = 0;
    return place_error(err, &row, "expected %" PRId64 " fields, found %" PRId64 ": %s", expected,
                       found,
                       found > expected ? "put a field that holds the separator in quotes"
                                        : "complete the line, or remove it");
}

void fields_say_empty(const fields *f, int64_t columns, const pare_ctx *ctx) {
    if (columns == 0 && f->empty_rows == 0) return;
    ctx_log(ctx, PARE_LOG_INFO,
            "%s: empty and left out at the end: %" PRId64 " columns, %" PRId64 " rows", f->at.file,
            columns, f->empty_rows);
}

/* Newlines outside quotes. Well-formed quotes open or close; others are rejected when the rows are
 * read. */
pare_status fields_count_rows(stream *s, char delimiter, int64_t *count, pare_error *err) {
    bool quoted = false, blank = true, empty = true; /* of the row so far */
    char before = 0;
    int64_t last_empty = 0; /* rows that are empty, since the last that is not */
    *count = 0;
    for (;;) {
        const char *p = s->buffer + s->at, *end = s->buffer + s->end;
        const char *quote = memchr(p, '"', (size_t)(end - p));
        while (p < end) {
            for (; empty && p < end && *p != '\n'; before = *p++) {
                empty = *p == delimiter || *p == ' ' || *p == '\r' || *p == '\t';
                blank = blank && *p == '\r' && before != '\r';
                if (!empty) break;
            }
            if (quote && p > quote) quote = memchr(p, '"', (size_t)(end - p));
            const char *stop = quote ? quote : end;
            const char *newline = quoted ? NULL : memchr(p, '\n', (size_t)(stop - p));
            if (newline) {
                if (!empty) {
                    *count += last_empty + 1;
                    last_empty = 0;
                } else {
                    last_empty += !blank;
                }
                blank = empty = true;
                before = 0;
                p = newline + 1;
                continue;
            }
            quoted ^= stop == quote;
            p = stop + (stop == quote);
        }
        s->at = s->end;
        if (s->eof) break;
        pare_status status = stream_fill(s, err);
        if (status != PARE_OK) return status;
    }
    if (!empty) *count += last_empty + 1;
    return PARE_OK;
}

pare_status fields_decimal(fields *f, field *cell, pare_error *err) {
    char shown[CELL_SHOWN];
    bool comma = strchr(cell->text, ',') != NULL;
    double value;
    if (f->delimiter != ';') return PARE_OK;
    odd_number_take_comma(cell->text);
    if (!number_parse_all(cell->text, &value)) return PARE_OK;
    bool grouped = !comma && odd_number_is_grouped(cell->text, cell->length);
    if (comma && !f->comma) f->comma = f->at.line;
    if (grouped && !f->dot) f->dot = f->at.line;
    if (!(comma || grouped) || !f->comma || !f->dot) return PARE_OK;
    if (comma) *strchr(cell->text, '.') = ',';
    return place_error(err, &f->at,
                       "%s beside a number with a %s in line %" PRId64
                       ": write all numbers without "
                       "thousands separators and with one decimal mark",
                       cell_shown(cell->text, cell->length, shown), comma ? "point" : "comma",
                       comma ? f->dot : f->comma);
}
