/* The cells of a table, one at a time: comma- or tab-separated fields (RFC 4180) out of a stream, or
 * those of a format that is no text, which come through fields_source.
 *
 * A field is in the buffer as a whole, a row need not be: a row of a million columns takes no more
 * memory than its longest field. */
#ifndef PARE_DATA_FORMAT_FIELDS_H
#define PARE_DATA_FORMAT_FIELDS_H

#include "data/format/cell.h"
#include "data/format/stream.h"

typedef struct fields fields;

typedef enum field_kind {
    FIELD_PLAIN,
    FIELD_BOOLEAN, /* TRUE or FALSE; 1 or 0 as a number */
    FIELD_DATE,    /* a date or a time: an id at most */
    FIELD_FORMULA  /* a formula whose value is not in the file */
} field_kind;

typedef struct field {
    char *text; /* unquoted, trimmed unless quoted, NUL-terminated; lives until the next call */
    int64_t length;
    bool last; /* of its row */
    field_kind kind;
} field;

/* What fields_row, fields_next and fields_numbers do where the cells are no text. */
typedef struct fields_source {
    pare_status (*row)(fields *f, bool *more, pare_error *err);
    pare_status (*next)(fields *f, field *out, pare_error *err);
    int64_t (*numbers)(fields *f, double *out, int64_t most, bool *last);
} fields_source;

struct fields {
    stream *s;
    char delimiter;
    int64_t line;       /* of the next byte, 1-based */
    int64_t column;     /* of the next field, 1-based */
    place at;           /* of the field given last; the caller sets at.name */
    int64_t not_last;   /* an empty row that starts before this byte has a row after it */
    int64_t empty_rows; /* that were dropped at the end */
    int64_t comma, dot; /* fields separated by semicolons: the line of the first number with
                                    a decimal comma, and of the first like 1.234; 0: none */
    const fields_source *source; /* NULL: text */
    void *from;                  /* of the source */
};

/* Skips a byte order mark. */
PARE_NODISCARD pare_status fields_begin(fields *f, stream *s, char delimiter, pare_error *err);
/* Begins a row; *more is false at the end. Blank lines may only stand there; rows whose fields are
 * all empty are dropped there. */
PARE_NODISCARD pare_status fields_row(fields *f, bool *more, pare_error *err);
PARE_NODISCARD pare_status fields_next(fields *f, field *out, pare_error *err);
/* Rejects dates, unless `date` is true, and formulas. */
PARE_NODISCARD pare_status fields_check(const fields *f, const field *cell, bool date,
                                        pare_error *err);
/* The text of a boolean that is to be a number. */
void fields_boolean(field *cell);
/* Takes plain numbers as long as they end within the buffer, at most `most` and up to the end of
 * the row; *last: the end was reached. Returns how many; after 0 call fields_next. */
int64_t fields_numbers(fields *f, double *out, int64_t most, bool *last);
/* Rejects a ragged row, with the number of its fields: the field given last should have been (or
 * was) the last, number `expected`. */
pare_status fields_ragged(fields *f, const field *given, int64_t expected, pare_error *err);
/* Logs how many empty columns and rows at the end were dropped, if any. */
void fields_say_empty(const fields *f, int64_t columns, const pare_ctx *ctx);
/* Counts the remaining rows that fields_row will give, from the start of a row, and leaves the
 * stream at its end. */
PARE_NODISCARD pare_status fields_count_rows(stream *s, char delimiter, int64_t *count,
                                             pare_error *err);
/* A number with a decimal comma gets a point where fields are separated by semicolons. Rejects 1,5
 * beside 1.234, which may be 1234. */
PARE_NODISCARD pare_status fields_decimal(fields *f, field *cell, pare_error *err);

#endif
