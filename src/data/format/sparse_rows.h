/* Sparse rows in, compressed sparse columns out.
 *
 * Two ways. With two passes over the input: count every entry (sparse_rows_count), begin_fill, then
 * put them all again straight into their columns; no extra memory but O(d). With one pass: keep the
 * entries row by row and sort them into columns at the end; twice the matrix. */
#ifndef PARE_DATA_FORMAT_SPARSE_ROWS_H
#define PARE_DATA_FORMAT_SPARSE_ROWS_H

#include "data/builder.h"

typedef struct entry_block entry_block;

typedef struct sparse_rows {
    data_builder *b;
    const char *name; /* of the file */
    const pare_ctx *ctx;
    bool keep, filling;
    int64_t d; /* columns seen so far */
    int64_t n, entries;
    int64_t *count; /* entries of each column; while filling, where its next one goes */
    int64_t d_capacity;
    entry_block **block; /* kept entries */
    int64_t n_blocks, block_capacity;
    int64_t *row_end; /* kept: number of entries up to and with row i */
    int64_t row_capacity;
} sparse_rows;

/* d: at least so many columns. keep: one pass. On failure sparse_rows_free may still be called. */
PARE_NODISCARD pare_status sparse_rows_begin(sparse_rows *r, data_builder *b, int64_t d, bool keep,
                                             const char *name, const pare_ctx *ctx,
                                             pare_error *err);
/* Adds an entry of the current row in the simple cases; false: not added, call sparse_rows_put.
 * A file that changed between the passes may misplace entries, never outside the arrays, and
 * sparse_rows_finish finds out. */
static inline bool sparse_rows_quick(sparse_rows *r, int64_t j, double value) {
    if (j >= r->d || r->keep) return false;
    if (!r->filling) {
        r->count[j]++;
        r->entries++;
        return true;
    }
    int64_t at = r->count[j];
    if (at >= r->entries) return false;
    r->count[j] = at + 1;
    r->b->fill.value[at] = value;
    r->b->fill.row[at] = (int32_t)r->n;
    return true;
}
/* Fetches where column j's next entry goes while its value is still being parsed. */
static inline void sparse_rows_ahead(const sparse_rows *r, int64_t j) {
    if (!r->filling || j >= r->d) return;
    __builtin_prefetch(&r->b->fill.value[r->count[j]], 1);
    __builtin_prefetch(&r->b->fill.row[r->count[j]], 1);
}
/* The same in every case. `value` is ignored in the counting pass. */
PARE_NODISCARD pare_status sparse_rows_put(sparse_rows *r, int64_t j, double value,
                                           pare_error *err);
PARE_NODISCARD pare_status sparse_rows_end_row(sparse_rows *r, pare_error *err);
/* After the counting pass: allocates; the same rows must follow again. */
PARE_NODISCARD pare_status sparse_rows_fill(sparse_rows *r, pare_error *err);
/* Sets the CSC arrays, n and d. */
PARE_NODISCARD pare_status sparse_rows_finish(sparse_rows *r, pare_error *err);
void sparse_rows_free(sparse_rows *r);

#endif
