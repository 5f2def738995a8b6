/* Reads files of scipy.sparse.save_npz: the lists indptr, indices and data of compressed rows or
 * columns, shape and format.
 *
 * Memory: the matrix, and while it is read a double for each of its indices. */
#include "data/format/npz_sparse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/format/mtx.h"
#include "data/format/npy.h"
#include "data/format/npy_header.h"
#include "data/format/sparse_rows.h"

typedef struct lists {
    zip *z;
    char label[512];          /* FILE: MEMBER in messages */
    bool by_columns;          /* csc; else csr */
    int64_t n, d;             /* the shape */
    int64_t n_start, n_index; /* lengths */
    double *start, *index;    /* integers */
} lists;

static pare_status damaged(const lists *l, const char *what, pare_error *err) {
    return error_set(err, PARE_E_DATA, "%s: no sparse matrix as scipy writes it: %s", l->z->s->name,
                     what);
}

static pare_status open_member(stream *out, lists *l, const char *name, const pare_ctx *ctx,
                               pare_error *err) {
    int64_t i = zip_find(l->z, name);
    if (i < 0)
        return error_set(err, PARE_E_DATA, "%s: a scipy.sparse matrix without its %s",
                         l->z->s->name, name);
    snprintf(l->label, sizeof l->label, "%.300s: %.200s", l->z->s->name, name);
    return zip_member_open(out, l->z, i, l->label, ctx, err);
}

static pare_status read_list(double **out, int64_t *count, lists *l, const char *name,
                             const pare_allocator *mem, const pare_ctx *ctx, pare_error *err) {
    stream s;
    PASS(open_member(&s, l, name, ctx, err));
    pare_status status = npy_numbers(out, count, mem, &s, ctx, err);
    zip_member_close(&s);
    return status;
}

static pare_status read_format(lists *l, const pare_ctx *ctx, pare_error *err) {
    enum { WORD = 3 };
    stream s;
    npy_header h;
    char word[WORD + 1] = "";
    PASS(open_member(&s, l, "format.npy", ctx, err));
    pare_status status = npy_peek_header(&h, &s, err);
    if (status == PARE_OK) status = npy_need(&s, WORD, "its format", err);
    if (status == PARE_OK) memcpy(word, s.buffer + s.at, WORD);
    zip_member_close(&s);
    l->by_columns = strcmp(word, "csc") == 0;
    if (status == PARE_OK && !l->by_columns && strcmp(word, "csr") != 0)
        return error_set(
            err, PARE_E_DATA,
            "%s: a scipy.sparse matrix in the format %.3s; write X.tocsr() or X.tocsc()",
            l->z->s->name, word);
    return status;
}

static pare_status read_shape(lists *l, const pare_allocator *mem, const pare_ctx *ctx,
                              pare_error *err) {
    double *shape = NULL, most = 9e15;
    int64_t count = 0;
    pare_status status = read_list(&shape, &count, l, "shape.npy", mem, ctx, err);
    bool fine = status == PARE_OK && count == 2 && shape[0] >= 0 && shape[0] < most &&
                shape[1] >= 0 && shape[1] < most;
    if (fine) l->n = (int64_t)shape[0];
    if (fine) l->d = (int64_t)shape[1];
    mem_free(mem, shape);
    return status != PARE_OK || fine ? status : damaged(l, "its shape is not two sizes", err);
}

/* The starts ascend from 0 to the number of indices, which are all below `minor`. */
static pare_status check_lists(const lists *l, pare_error *err) {
    int64_t major = l->by_columns ? l->d : l->n, minor = l->by_columns ? l->n : l->d;
    bool fine =
        l->n_start == major + 1 && l->start[0] == 0 && l->start[major] == (double)l->n_index;
    for (int64_t i = 0; fine && i < major; i++) fine = l->start[i] <= l->start[i + 1];
    if (!fine) return damaged(l, "indptr does not fit the shape and the indices", err);
    for (int64_t e = 0; e < l->n_index; e++)
        if (!(l->index[e] >= 0 && l->index[e] < (double)minor))
            return damaged(l, "an index is outside the shape", err);
    return PARE_OK;
}

/* Visits every entry in the order of the rows: counts it, or (value) puts it into its column. */
static pare_status put_rows(sparse_rows *r, const lists *l, const double *value, pare_error *err) {
    for (int64_t i = 0; i < l->n; i++) {
        pare_status status = PARE_OK;
        for (int64_t e = (int64_t)l->start[i]; e < (int64_t)l->start[i + 1]; e++)
            if (status == PARE_OK)
                status = sparse_rows_put(r, (int64_t)l->index[e], value ? value[e] : 0, err);
        if (status == PARE_OK) status = sparse_rows_end_row(r, err);
        if (status != PARE_OK) return status;
    }
    return PARE_OK;
}

static pare_status from_rows(data_builder *b, const lists *l, const double *value,
                             const pare_ctx *ctx, pare_error *err) {
    sparse_rows r;
    pare_status status = PARE_OK;
    TRY(sparse_rows_begin(&r, b, l->d, false, l->z->s->name, ctx, err));
    TRY(put_rows(&r, l, NULL, err));
    TRY(sparse_rows_fill(&r, err));
    TRY(put_rows(&r, l, value, err));
    TRY(sparse_rows_finish(&r, err));
done:
    sparse_rows_free(&r);
    return status;
}

static pare_status from_columns(data_builder *b, const lists *l, const double *value,
                                const pare_ctx *ctx, pare_error *err) {
    PASS(data_alloc_sparse(b, l->n, l->d, l->n_index, l->z->s->name, ctx, err));
    for (int64_t j = 0; j <= l->d; j++) b->fill.col_ptr[j] = (int64_t)l->start[j];
    for (int64_t e = 0; e < l->n_index; e++) {
        b->fill.row[e] = (int32_t)l->index[e];
        b->fill.value[e] = value[e];
    }
    return PARE_OK;
}

pare_status npz_read_sparse(data_builder *b, zip *z, const pare_ctx *ctx, pare_error *err) {
    const pare_data *data = b->data;
    const pare_allocator *mem = &data->mem;
    lists l = {.z = z};
    double *value = NULL;
    int64_t entries = 0;
    pare_status status = PARE_OK;
    TRY(read_format(&l, ctx, err));
    TRY(read_shape(&l, mem, ctx, err));
    TRY(data_check_shape(data, l.n, l.d, z->s->name, err));
    TRY(read_list(&l.start, &l.n_start, &l, "indptr.npy", mem, ctx, err));
    TRY(read_list(&l.index, &l.n_index, &l, "indices.npy", mem, ctx, err));
    TRY(check_lists(&l, err));
    TRY(read_list(&value, &entries, &l, "data.npy", mem, ctx, err));
    if (entries != l.n_index) {
        status = damaged(&l, "data and indices differ in length", err);
        goto done;
    }
    TRY(l.by_columns ? from_columns(b, &l, value, ctx, err) : from_rows(b, &l, value, ctx, err));
    TRY(mtx_sort_rows(b, z->s->name, err));
done:
    mem_free(mem, value);
    mem_free(mem, l.index);
    mem_free(mem, l.start);
    return status;
}
