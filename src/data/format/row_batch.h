/* Rows of a matrix in columns, a batch of rows at a time, so that no second matrix is made. A batch
 * has at least as many entries as there are columns, and a fixed share of the whole, which keeps
 * the walks few. */
#ifndef PARE_DATA_FORMAT_ROW_BATCH_H
#define PARE_DATA_FORMAT_ROW_BATCH_H

#include "la/matrix.h"

typedef struct row_batch {
    int64_t first, last; /* its rows are first .. last - 1 */
    int64_t *column;     /* listed entries by row, columns ascending */
    double *value;
    view x;
    const pare_ctx *ctx;
    arena mem;
    int64_t *row_ptr; /* n + 1: where the entries of each row start, over all rows */
    int64_t *next;    /* n: where the next entry of a row goes */
    int64_t *cursor;  /* d: the next entry of each column */
    int64_t capacity;
} row_batch;

/* Before the first batch; x must outlive it. row_batch_close is due after a failure too. */
PARE_NODISCARD pare_status row_batch_open(row_batch *b, const matrix *x, const pare_ctx *ctx,
                                          pare_error *err);
/* The next rows; none are left when first == last. */
PARE_NODISCARD pare_status row_batch_next(row_batch *b, pare_error *err);
/* The entries of row i of the batch: column[*from .. *to - 1]. */
void row_batch_row(const row_batch *b, int64_t i, int64_t *from, int64_t *to);
void row_batch_close(row_batch *b);

#endif
