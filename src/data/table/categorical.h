/* Columns of text among the features of a table, one-hot coded: a column of 0 and 1 for each value,
 * called COLUMN=VALUE, all of them one feature group.
 *
 * While the table is read, a cell of text is a NaN that carries the number of its value; a missing
 * value is a plain NaN. A column with some text is treated as text: numbers in it are values in
 * their shortest form. */
#ifndef PARE_DATA_TABLE_CATEGORICAL_H
#define PARE_DATA_TABLE_CATEGORICAL_H

#include "data/format/cell.h"
#include "data/builder.h"

typedef struct categorical {
    const pare_allocator *mem;
    int64_t d;               /* features of the table */
    strings *values;         /* d: the distinct texts of each column in order of appearance */
    bool *coded;             /* d: it is text, or is to be treated as text */
    place *odd;              /* d: where a value is a missing number unless the column is text, and
                                missing values are not allowed; file NULL: nowhere */
    const char *const *only; /* of the read options, or NULL */
    int64_t n_only;
    bool
        describe; /* of the read options: `values` holds the text of each cell, in data->text is what
                      a column holds, and nothing is coded or rejected */
} categorical;

PARE_NODISCARD pare_status categorical_begin(categorical *c, const pare_read_options *o, int64_t d,
                                             const pare_allocator *mem, pare_error *err);
void categorical_free(categorical *c);

/* Returns true if a requested name is COLUMN=... of this column. */
bool categorical_wanted(const pare_read_options *o, const char *header);

/* Codes a cell of feature j that is neither a number nor missing. */
PARE_NODISCARD pare_status categorical_cell(categorical *c, int64_t j, const char *text,
                                            int64_t length, double *out, pare_error *err);

/* A cell of a table that is described: a number, which may be infinite, a missing one, or a text. */
PARE_NODISCARD pare_status categorical_described(categorical *c, int64_t j, const char *text,
                                                 int64_t length, const place *at, double *out,
                                                 pare_error *err);
/* What the n cells of feature j are then said to hold; the texts become their numbers. What stands
 * against the column is logged. */
PARE_NODISCARD pare_status categorical_describe(column_text *out, categorical *c, int64_t j,
                                                double *x, int64_t n, const char *name,
                                                const char *where, const pare_ctx *ctx,
                                                pare_error *err);

/* The same as for a cell, for a text that means a missing number, unless others make the column one of text. */
PARE_NODISCARD pare_status categorical_maybe(categorical *c, int64_t j, const char *text,
                                             const place *at, bool allow_missing, double *out,
                                             pare_error *err);
/* Feature 0 was none. */
void categorical_drop_first(categorical *c);

/* After the last row: the columns of text become their codes, in the arrays, names and groups. With
 * `only`, only the requested codes are made, and any other value is 0 in all of them. */
PARE_NODISCARD pare_status categorical_finish(categorical *c, data_builder *b, const char *where,
                                              const pare_ctx *ctx, pare_error *err);

#endif
