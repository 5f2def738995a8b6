/* From rows of numbers to one column-major block.
 *
 * A row is written into a small row-major block first; full blocks are scattered into the columns,
 * several rows at a time, so that whole cache lines are written and a wide row costs no more per
 * byte than a narrow one. With n known the block is the only extra memory; otherwise the blocks are
 * kept until the end: twice the matrix. */
#ifndef PARE_DATA_TABLE_TABLE_H
#define PARE_DATA_TABLE_TABLE_H

#include "data/builder.h"

typedef struct table {
    data_builder *b;
    const char *name; /* of the file */
    const pare_ctx *ctx;
    int64_t n, d;       /* n < 0: unknown yet */
    int64_t block_rows; /* rows a block holds */
    double **block;     /* the blocks that are kept; block[n_blocks - 1] is being filled */
    int64_t n_blocks, capacity;
    int64_t done, filled; /* rows in earlier blocks, rows in the last one */
} table;

/* n < 0: any number of rows. On failure table_free may still be called. */
PARE_NODISCARD pare_status table_begin(table *t, data_builder *b, int64_t n, int64_t d,
                                       const char *name, const pare_ctx *ctx, pare_error *err);
/* Where the next d numbers go; each call starts a row. */
PARE_NODISCARD pare_status table_row(table *t, double **row, pare_error *err);
/* Fills the values and sets n and d. Fails unless there were n rows. */
PARE_NODISCARD pare_status table_finish(table *t, pare_error *err);
void table_free(table *t);

#endif
