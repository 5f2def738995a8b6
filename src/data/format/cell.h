/* One cell of a text file: its value, and its place for error messages. */
#ifndef PARE_DATA_FORMAT_CELL_H
#define PARE_DATA_FORMAT_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/status.h>

typedef struct place {
    const char *file;
    int64_t line, column; /* 1-based, 0: none */
    int64_t byte;         /* -1: none */
    const char *name;     /* of the column; NULL: none */
    bool sheet;           /* of a spreadsheet: line and column are its row and column */
    bool model;           /* read for a model's prediction, which fills in nothing */
} place;

/* Sets err to "FILE, line L, column C (NAME): ..." or, of a spreadsheet, "FILE, cell C7 (NAME): ..."
 * and returns PARE_E_FORMAT. */
__attribute__((format(printf, 3, 4))) pare_status place_error(pare_error *err, const place *at,
                                                              const char *format, ...);

/* "cell C7" of a spreadsheet, or "row 7" for column 0. */
enum { CELL_SHEET_PLACE = 64 };
const char *cell_sheet_place(int64_t row, int64_t column, char out[CELL_SHEET_PLACE]);

/* The text as an error may show it: quoted, shortened, control bytes escaped. */
enum { CELL_SHOWN = 80 };
const char *cell_shown(const char *text, int64_t length, char out[CELL_SHOWN]);
/* The same of a whole text, without the quotes. */
const char *cell_shown_bare(const char *text, char out[CELL_SHOWN]);

/* The same as an item of a list such as `na`: "<0,5" is typed "<0\,5". */
enum { CELL_ITEM = 2 * CELL_SHOWN };
const char *cell_item(const char *text, int64_t length, char out[CELL_ITEM]);

/* Cuts blanks off both ends, the no-break ones of web pages and spreadsheets too. */
void cell_trim(char **text, int64_t *length);

/* The text means that a value is missing: empty, NA NaN N/A #N/A in any letter case, and ?. */
bool cell_is_missing(const char *text, int64_t length);
/* It means so in a column of numbers: null None . - and the errors of spreadsheets. */
bool cell_is_missing_number(const char *text, int64_t length);

/* inf and infinity in any letter case, with a sign or without; 0 for any other text. */
double cell_infinity(const char *text, int64_t length);

/* Neither a number (finite or not) nor missing; it may be a missing number. */
bool cell_is_text(const char *text, int64_t length);

/* The number in a trimmed cell; text[length] is NUL. Missing: NaN if allowed, else an error. */
PARE_NODISCARD pare_status cell_number(double *out, const char *text, int64_t length,
                                       bool allow_missing, const place *at, pare_error *err);
/* The same for a feature of a table, of which `na` may name codes. */
PARE_NODISCARD pare_status cell_feature(double *out, const char *text, int64_t length,
                                        bool allow_missing, const place *at, pare_error *err);
/* What stands behind a value that is missing in the message. model: as in place. */
const char *cell_missing_advice(bool model);
/* Missing: NaN if allowed, else an error. */
PARE_NODISCARD pare_status cell_missing(double *out, const char *text, int64_t length,
                                        bool allow_missing, const place *at, pare_error *err);
/* Rejects an infinite number, and a missing one (NaN) unless it is allowed. */
PARE_NODISCARD pare_status cell_check_number(double value, bool allow_missing, const place *at,
                                             pare_error *err);
/* Rejects text among numbers, with what may be done; numbers: the rest of the column are some. */
pare_status cell_refuse_text(const char *text, int64_t length, bool numbers, const place *at,
                             pare_error *err);

#endif
