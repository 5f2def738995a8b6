/* A workbook (.xlsx) beside its sheets: their names and parts, the shared strings, the number formats. */
#ifndef PARE_DATA_FORMAT_XLSX_BOOK_H
#define PARE_DATA_FORMAT_XLSX_BOOK_H

#include "data/format/zip.h"
#include "data/strings.h"

typedef struct xlsx_book {
    zip z;
    const pare_allocator *mem;
    const pare_ctx *ctx;
    strings sheets;    /* names in the order of the tabs */
    strings sheet_ids; /* of their relationships */
    strings shared;
    strings date_formats; /* ids of formats of its own that show dates or times */
    bool *date;           /* of each cell style: it shows a date or a time */
    int64_t styles, style_capacity;
    bool from_1904; /* days are counted from then */
} xlsx_book;

/* All but the sheets' cells. xlsx_book_close is due after a failure too. */
PARE_NODISCARD pare_status xlsx_book_open(xlsx_book *b, stream *s, const pare_ctx *ctx,
                                          pare_error *err);
void xlsx_book_close(xlsx_book *b);

/* The position of the sheet of that name, else of that number from 1; NULL: the first. */
PARE_NODISCARD pare_status xlsx_book_find(const xlsx_book *b, const char *sheet, int64_t *out,
                                          pare_error *err);
/* The zip member of that sheet. */
PARE_NODISCARD pare_status xlsx_book_member(xlsx_book *b, int64_t sheet, int64_t *out,
                                            pare_error *err);

#endif
