/* Writes svmlight: "label index:value ...", indices from 1, zeros of dense data left out. Names,
 * ids and weights have no place in the format. A label of 0 stands for no target.
 *
 * Sparse columns are turned into rows a batch at a time, so that no second matrix is made: a batch
 * has at least as many entries as there are columns to look through, which keeps it linear. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/cell.h"
#include "data/dataset.h"
#include "data/stream.h"

enum { LEAST_BATCH = 1 << 16 };

typedef struct batch { /* rows first .. last - 1, entries by row */
    int64_t first, last;
    int64_t *cursor;  /* d: the next entry of each column */
    int64_t *row_ptr; /* n + 1: where the entries of each row start, over all rows */
    int64_t *next;    /* n: where the next entry of a row goes */
    int64_t *column;
    double *value;
    int64_t room;
} batch;

static pare_status put_label(const pare_data *data, sink *s, int64_t i, pare_error *err) {
    char shown[CELL_SHOWN];
    const char *label = data->target.count ? strings_at(&data->target, i) : "0";
    if (!*label || strpbrk(label, " \t\r\n#:"))
        return error_set(
            err, PARE_E_DATA,
            "%s: sample %" PRId64 " has the label %s, svmlight allows no blank, # or :", s->name,
            i + 1, cell_shown(label, (int64_t)strlen(label), shown));
    return sink_write(s, label, strlen(label), err);
}

static pare_status put_entry(sink *s, int64_t j, double value, pare_error *err) {
    char text[64];
    int length = snprintf(text, 32, " %" PRId64 ":", j + 1);
    length += number_format(value, text + length);
    return sink_write(s, text, (size_t)length, err);
}

static pare_status write_dense(const pare_data *data, sink *s, pare_error *err) {
    const matrix *x = &data->x;
    pare_status status = PARE_OK;
    for (int64_t i = 0; i < x->n; i++) {
        TRY(put_label(data, s, i, err));
        for (int64_t j = 0; j < x->d; j++) {
            double value = x->value[j * x->n + i];
            if (value != 0 || isnan(value)) TRY(put_entry(s, j, value, err));
        }
        TRY(sink_write(s, "\n", 1, err));
    }
done:
    return status;
}

static void gather(batch *b, const matrix *x) {
    int64_t start = b->row_ptr[b->first];
    for (int64_t i = b->first; i < b->last; i++) b->next[i] = b->row_ptr[i] - start;
    for (int64_t j = 0; j < x->d; j++)
        for (; b->cursor[j] < x->col_ptr[j + 1] && x->row[b->cursor[j]] < b->last; b->cursor[j]++) {
            int64_t at = b->next[x->row[b->cursor[j]]]++;
            b->column[at] = j;
            b->value[at] = x->value[b->cursor[j]];
        }
}

static pare_status write_batch(const batch *b, const pare_data *data, sink *s, pare_error *err) {
    int64_t start = b->row_ptr[b->first];
    pare_status status = PARE_OK;
    for (int64_t i = b->first; i < b->last; i++) {
        TRY(put_label(data, s, i, err));
        for (int64_t e = b->row_ptr[i] - start; e < b->row_ptr[i + 1] - start; e++)
            TRY(put_entry(s, b->column[e], b->value[e], err));
        TRY(sink_write(s, "\n", 1, err));
    }
done:
    return status;
}

static pare_status write_sparse(const pare_data *data, sink *s, const pare_ctx *ctx,
                                pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    const matrix *x = &data->x;
    batch b = {0};
    pare_status status = PARE_OK;
    TRY_MEM(b.cursor = mem_alloc(mem, x->d, sizeof *b.cursor));
    TRY_MEM(b.row_ptr = mem_zero(mem, x->n + 1, sizeof *b.row_ptr));
    TRY_MEM(b.next = mem_alloc(mem, x->n, sizeof *b.next));
    memcpy(b.cursor, x->col_ptr, (size_t)x->d * sizeof *b.cursor);
    b.room = x->d > LEAST_BATCH ? x->d : LEAST_BATCH; /* and no row has more entries than d */
    for (int64_t e = 0; e < x->col_ptr[x->d]; e++) b.row_ptr[x->row[e] + 1]++;
    for (int64_t i = 0; i < x->n; i++) b.row_ptr[i + 1] += b.row_ptr[i];
    TRY_MEM(b.column = mem_alloc(mem, b.room, sizeof *b.column));
    TRY_MEM(b.value = mem_alloc(mem, b.room, sizeof *b.value));
    for (; b.first < x->n; b.first = b.last) {
        while (b.last < x->n && b.row_ptr[b.last + 1] - b.row_ptr[b.first] <= b.room) b.last++;
        gather(&b, x);
        TRY(write_batch(&b, data, s, err));
    }
done:
    mem_free(mem, b.cursor);
    mem_free(mem, b.row_ptr);
    mem_free(mem, b.next);
    mem_free(mem, b.column);
    mem_free(mem, b.value);
    return status;
}

pare_status write_svmlight(const pare_data *data, sink *s, const pare_ctx *ctx, pare_error *err) {
    return data->col_ptr ? write_sparse(data, s, ctx, err) : write_dense(data, s, err);
}
