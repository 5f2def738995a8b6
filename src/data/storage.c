#include "data/storage.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"

static const double SPARSE_SHARE = 0.05; /* of numbers that are not 0, up to which auto is sparse */

pare_status storage_check(const char *word, pare_error *err) {
    if (!word || strcmp(word, "auto") == 0 || strcmp(word, "dense") == 0 ||
        strcmp(word, "sparse") == 0)
        return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT, "`storage`: \"%.40s\" is not one of auto dense sparse",
                     word);
}

/* Counts nonzeros, a missing value among them, into col_ptr. *many: there are more than `most`, and
 * counting stopped. */
static pare_status count_entries(int64_t *col_ptr, const matrix *x, double most, bool *many,
                                 const pare_ctx *ctx, pare_error *err) {
    view all = view_all(x);
    walk w;
    column c;
    int64_t j;
    pare_status status = walk_open(&w, &all, NULL, x->d, ctx, err);
    if (status != PARE_OK) return status;
    col_ptr[0] = 0;
    *many = false;
    while (!*many && walk_next(&w, &j, &c)) {
        col_ptr[j + 1] = col_ptr[j];
        for (int64_t e = 0; e < c.count; e++) col_ptr[j + 1] += c.value[e] != 0;
        *many = (double)col_ptr[j + 1] > most;
    }
    return walk_close(&w, err);
}

static pare_status fill_entries(int32_t *row, double *value, const matrix *x, const pare_ctx *ctx,
                                pare_error *err) {
    view all = view_all(x);
    walk w;
    column c;
    int64_t j, at = 0;
    pare_status status = walk_open(&w, &all, NULL, x->d, ctx, err);
    if (status != PARE_OK) return status;
    while (walk_next(&w, &j, &c))
        for (int64_t e = 0; e < c.count; e++) {
            if (c.value[e] == 0) continue;
            row[at] = c.index ? c.index[e] : (int32_t)e;
            value[at++] = c.value[e];
        }
    return walk_close(&w, err);
}

/* `only_few`: not where more than SPARSE_SHARE of the numbers are nonzero. */
static pare_status make_sparse(data_builder *b, bool only_few, const pare_ctx *ctx,
                               pare_error *err) {
    pare_data *data = b->data;
    const matrix *x = &data->x;
    const pare_allocator *mem = &data->mem;
    int64_t *col_ptr = mem_alloc(mem, x->d + 1, sizeof *col_ptr);
    int32_t *row = NULL;
    double *value = NULL;
    matrix made;
    bool many;
    pare_status status = PARE_OK;
    TRY_MEM(col_ptr);
    double all = (double)x->n * (double)x->d;
    TRY(count_entries(col_ptr, x, only_few ? SPARSE_SHARE * all : all, &many, ctx, err));
    if (many) {
        mem_free(mem, col_ptr);
        return PARE_OK;
    }
    TRY_MEM(row = mem_alloc(mem, col_ptr[x->d], sizeof *row));
    TRY_MEM(value = mem_alloc(mem, col_ptr[x->d], sizeof *value));
    TRY(fill_entries(row, value, x, ctx, err));
    TRY(mat_csc_own(&made, x->n, x->d, (csc_arrays){col_ptr, row, value}, mem, err));
    mat_free(&data->x, mem);
    data->x = made;
    return PARE_OK;
done:
    mem_free(mem, col_ptr);
    mem_free(mem, row);
    mem_free(mem, value);
    return status;
}

static pare_status make_dense(data_builder *b, const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    const matrix *x = &data->x;
    pare_status status =
        ctx_check_memory(ctx, 8 * (double)x->n * (double)x->d, "the numbers, stored dense", err);
    if (status != PARE_OK) return status;
    double *value = mem_alloc(&data->mem, x->n * x->d, sizeof *value);
    if (!value) return error_memory(err);
    view all = view_all(x);
    walk w;
    column c;
    int64_t j;
    status = walk_open(&w, &all, NULL, x->d, ctx, err);
    while (status == PARE_OK && walk_next(&w, &j, &c)) column_spread(&c, x->n, value + j * x->n);
    status = walk_end(&w, status, err);
    if (status != PARE_OK) {
        mem_free(&data->mem, value);
        return status;
    }
    matrix made = mat_dense_own(x->n, x->d, value);
    mat_free(&data->x, &data->mem);
    data->x = made;
    return PARE_OK;
}

pare_status data_store(data_builder *b, const char *word, const pare_ctx *ctx, pare_error *err) {
    const pare_data *data = b->data;
    bool dense = word && strcmp(word, "dense") == 0, sparse = word && strcmp(word, "sparse") == 0;
    if (mat_is_sparse(&data->x) ? !dense : dense && mat_in_memory(&data->x)) return PARE_OK;
    if (!dense && !sparse && !mat_in_memory(&data->x)) return PARE_OK;
    return dense ? make_dense(b, ctx, err) : make_sparse(b, !sparse, ctx, err);
}
