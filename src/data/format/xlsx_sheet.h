/* The cells of a sheet of a workbook that are not empty, row by row. */
#ifndef PARE_DATA_FORMAT_XLSX_SHEET_H
#define PARE_DATA_FORMAT_XLSX_SHEET_H

#include "data/format/fields.h"
#include "data/format/xlsx_book.h"
#include "data/format/xml.h"

typedef struct xlsx_cell {
    int64_t row, column; /* from 1 */
    field_kind kind;
    int64_t text, length; /* where its text is in that of the sheet */
    int64_t shared;       /* or its number among the shared strings; -1: none */
} xlsx_cell;

typedef struct xlsx_sheet { /* not to be moved while it is open */
    xlsx_book *b;
    stream s;
    char label[640];
    xml x;
    bool is_open, more;
    int64_t last_row, last_column; /* of all cells so far, those that are only formatted too */
    char *text;                    /* of the cells that are waiting, then of the one being read */
    int64_t length, capacity;
    xlsx_cell *cell; /* waiting: [at, count) */
    int64_t at, count, cell_capacity;
    /* of the cell being read */
    xlsx_cell now;
    int64_t style;
    char type; /* n s i (inline) f (text of a formula) b e d */
    bool in_cell, in_value, in_inline, has_value, formula;
    int phonetic;
} xlsx_sheet;

/* Member i of the book's archive; only one sheet at a time. xlsx_sheet_close is due after a failure
 * too. */
PARE_NODISCARD pare_status xlsx_sheet_open(xlsx_sheet *r, xlsx_book *b, int64_t i, pare_error *err);
/* The next cell that is not empty; *more is false at the end. *text lives until the next call. */
PARE_NODISCARD pare_status xlsx_sheet_next(xlsx_sheet *r, xlsx_cell *out, const char **text,
                                           bool *more, pare_error *err);
/* The same for a cell that waits already and whose text is its own; false: take xlsx_sheet_next. */
bool xlsx_sheet_quick(xlsx_sheet *r, xlsx_cell *out, const char **text);
void xlsx_sheet_close(xlsx_sheet *r);

#endif
