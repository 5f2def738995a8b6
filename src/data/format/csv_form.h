/* The layout of a delimited text, detected from its first lines: spreadsheets, R and pandas
 * write the same table in several ways. */
#ifndef PARE_DATA_FORMAT_CSV_FORM_H
#define PARE_DATA_FORMAT_CSV_FORM_H

#include "data/format/fields.h"

typedef struct csv_form {
    char delimiter;
    int64_t fields;    /* of the first line */
    bool short_header; /* one field less than the rows: their first one is the sample's id */
    bool open_rows;    /* or their last one is empty in all rows */
    int64_t before;    /* lines before the first: those to skip, and Excel's "sep=;" */
} csv_form;

/* s is at its start. delimiter 0: told by a line "sep=;", or detected from the lines, a comma in case
 * of doubt; the result is logged. skip: lines before the header. Afterwards s is at the header; a
 * stream that cannot be rewound keeps the lines that were looked at in its buffer. Rejects lines
 * that look like a title above the header; there is none where `header` is false. */
PARE_NODISCARD pare_status csv_form_find(csv_form *out, stream *s, char delimiter, int64_t skip,
                                         bool header, const pare_ctx *ctx, pare_error *err);
/* Goes back to the header; s can be rewound. */
PARE_NODISCARD pare_status csv_form_rewind(const csv_form *form, stream *s, pare_error *err);
/* Before the rows of the form, which s is at. */
PARE_NODISCARD pare_status csv_form_begin(fields *f, const csv_form *form, stream *s,
                                          pare_error *err);

/* Detects a first line that is not a header but a sample, from its fields one after the other. */
typedef struct csv_sample_test {
    int64_t names, numbers;
    double first, last;
    bool rises, falls, counts; /* so far: strictly, strictly, in steps of one */
} csv_sample_test;

void csv_sample_see(csv_sample_test *t, const char *name, int64_t length);
/* Column numbers and long runs of wavelengths are names, other numbers are not. */
bool csv_sample_found(const csv_sample_test *t);

#endif
