/* Data sets from the caller's arrays, copied or borrowed; rows of another data set. A target from
 * arrays stays what it is: codes with the order of their labels, or numbers. */
#include <inttypes.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/builder.h"
#include "data/sample/batches.h"
#include "data/feature/terms.h"

static const char *const in_memory = "the data set";

static pare_status copy_lists(data_builder *b, const char *const *names, const char *const *labels,
                              const double *values, pare_error *err) {
    pare_data *data = b->data;
    if (labels && values)
        return error_set(err, PARE_E_ARGUMENT, "give labels or target values, not both");
    if (names)
        PASS(data_copy_texts(&data->names, &data->mem, names, data->x.d, "feature name", err));
    if (labels)
        PASS(data_copy_texts(&data->target.text, &data->mem, labels, data->x.n, "label", err));
    if (values) PASS(data_copy_values(&data->target, &data->mem, values, data->x.n, err));
    return PARE_OK;
}

pare_status pare_data_dense(pare_data **out, int64_t n, int64_t d, const double *x,
                            const char *const *names, const char *const *labels,
                            const double *values, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    data_builder b = {0};
    *out = NULL;
    TRY(ctx_check(ctx, err));
    if (!x) return error_set(err, PARE_E_ARGUMENT, "x is a null pointer");
    TRY(data_begin(&b, ctx, err));
    TRY(data_alloc_dense(&b, n, d, in_memory, ctx, err));
    memcpy(b.fill.value, x, (size_t)(n * d) * sizeof *x);
    TRY(copy_lists(&b, names, labels, values, err));
    TRY(data_finish(out, &b, in_memory, err));
done:
    data_abandon(&b);
    return status;
}

pare_status pare_data_sparse(pare_data **out, int64_t n, int64_t d, const int64_t *col_ptr,
                             const int32_t *row, const double *x, const char *const *names,
                             const char *const *labels, const double *values, const pare_ctx *ctx,
                             pare_error *err) {
    pare_status status = PARE_OK;
    data_builder b = {0};
    *out = NULL;
    TRY(ctx_check(ctx, err));
    if (!col_ptr) return error_set(err, PARE_E_ARGUMENT, "col_ptr is a null pointer");
    TRY(data_check_shape(NULL, n, d, in_memory, err));
    /* before its last pointer gives the size of the copies */
    TRY(mat_csc_check(n, d, &(csc_arrays){.col_ptr = col_ptr}, in_memory, err));
    int64_t entries = col_ptr[d];
    if (entries && (!row || !x))
        return error_set(err, PARE_E_ARGUMENT,
                         "row or x is a null pointer, and there are %" PRId64 " entries", entries);
    TRY(data_begin(&b, ctx, err));
    TRY(data_alloc_sparse(&b, n, d, entries, in_memory, ctx, err));
    memcpy(b.fill.col_ptr, col_ptr, (size_t)(d + 1) * sizeof *col_ptr);
    if (entries) {
        memcpy(b.fill.row, row, (size_t)entries * sizeof *row);
        memcpy(b.fill.value, x, (size_t)entries * sizeof *x);
    }
    TRY(copy_lists(&b, names, labels, values, err));
    TRY(data_finish(out, &b, in_memory, err));
done:
    data_abandon(&b);
    return status;
}

/* --- borrowed --- */

/* Finishes a data set around its x. On failure the borrowed arrays are released: by the matrix,
 * if it was made. */
static pare_status borrowed(pare_data **out, data_builder *b, mat_release release,
                            pare_status status, pare_error *err) {
    bool made = b->data && b->data->x.ops;
    if (status == PARE_OK) status = data_finish(out, b, in_memory, err);
    if (status == PARE_OK) return PARE_OK;
    data_abandon(b);
    if (!made && release.call) release.call(release.user);
    return status;
}

/* The checks with which every borrowing constructor begins. */
static pare_status open_borrowed(data_builder *b, const void *x, const char *what, int64_t n,
                                 int64_t d, const pare_ctx *ctx, pare_error *err) {
    *b = (data_builder){0};
    pare_status status = ctx_check(ctx, err);
    if (status == PARE_OK) status = data_check_shape(NULL, n, d, in_memory, err);
    if (status != PARE_OK) return status;
    if (!x) return error_set(err, PARE_E_ARGUMENT, "%s is a null pointer", what);
    return data_begin(b, ctx, err);
}

pare_status pare_data_borrow_dense(pare_data **out, int64_t n, int64_t d, const double *x,
                                   int64_t row_stride, int64_t col_stride, pare_release release,
                                   void *user, const pare_ctx *ctx, pare_error *err) {
    data_builder b;
    mat_release r = {release, user};
    *out = NULL;
    pare_status status = open_borrowed(&b, x, "x", n, d, ctx, err);
    if (status == PARE_OK)
        status = mat_strided(&b.data->x, n, d, x, row_stride, col_stride, r, &b.data->mem, err);
    return borrowed(out, &b, r, status, err);
}

pare_status pare_data_borrow_float(pare_data **out, int64_t n, int64_t d, const float *x,
                                   int64_t row_stride, int64_t col_stride, pare_release release,
                                   void *user, const pare_ctx *ctx, pare_error *err) {
    data_builder b;
    mat_release r = {release, user};
    *out = NULL;
    pare_status status = open_borrowed(&b, x, "x", n, d, ctx, err);
    if (status == PARE_OK)
        status =
            mat_strided_float(&b.data->x, n, d, x, row_stride, col_stride, r, &b.data->mem, err);
    return borrowed(out, &b, r, status, err);
}

pare_status pare_data_borrow_sparse(pare_data **out, int64_t n, int64_t d, const void *col_ptr,
                                    int ptr_bits, const void *row, int row_bits, const double *x,
                                    pare_release release, void *user, const pare_ctx *ctx,
                                    pare_error *err) {
    data_builder b;
    mat_release r = {release, user};
    csc_foreign from = {col_ptr, row, x, ptr_bits == 64, row_bits == 64};
    *out = NULL;
    pare_status status = open_borrowed(&b, col_ptr, "col_ptr", n, d, ctx, err);
    if (status == PARE_OK &&
        ((ptr_bits != 32 && ptr_bits != 64) || (row_bits != 32 && row_bits != 64)))
        status = error_set(err, PARE_E_ARGUMENT,
                           "pointers of %d and rows of %d bits: each must be "
                           "32 or 64",
                           ptr_bits, row_bits);
    int64_t entries = 0;
    if (status == PARE_OK)
        entries = from.ptr_is_64 ? ((const int64_t *)col_ptr)[d] : ((const int32_t *)col_ptr)[d];
    if (status == PARE_OK && entries > 0 && (!row || !x))
        status =
            error_set(err, PARE_E_ARGUMENT,
                      "row or x is a null pointer, and there are %" PRId64 " entries", entries);
    if (status == PARE_OK)
        status = mat_csc_borrow(&b.data->x, n, d, &from, r, in_memory, &b.data->mem, err);
    return borrowed(out, &b, r, status, err);
}

/* --- rows of another --- */

pare_status pare_data_subset(pare_data **out, const pare_data *of, const int32_t *rows, int64_t n,
                             const pare_ctx *ctx, pare_error *err) {
    data_builder b = {0};
    pare_status status = PARE_OK;
    *out = NULL;
    TRY(ctx_check(ctx, err));
    if (!rows) return error_set(err, PARE_E_ARGUMENT, "rows is a null pointer");
    TRY(data_check_shape(of, n, of->x.d, "the subset", err));
    for (int64_t i = 0; i < n; i++)
        if (rows[i] < 0 || rows[i] >= of->x.n)
            return error_at(err, PARE_E_ARGUMENT, i + 1, 0, -1,
                            "row %" PRId32 " is asked for, allowed are 0 to %" PRId64, rows[i],
                            of->x.n - 1);
    TRY(data_begin(&b, ctx, err));
    pare_data *data = b.data;
    data->may_lack_features = of->may_lack_features;
    data->merge_case = of->merge_case;
    TRY(mat_rows(&data->x, &of->x, false, rows, n, &data->mem, err));
    data->names = of->names;
    data->groups = of->groups;
    data->shares_names = data->shares_groups = true;
    terms_share(&b, of);
    TRY_MEM(target_column_take(&data->target, &of->target, rows, n, &data->mem));
    TRY_MEM(strings_take(&data->ids, &of->ids, rows, n, &data->mem));
    TRY_MEM(strings_take(&data->fold_group, &of->fold_group, rows, n, &data->mem));
    TRY_MEM(strings_take(&data->fold, &of->fold, rows, n, &data->mem));
    TRY_MEM(batches_take(data, of, rows, n));
    if (of->weight) {
        TRY_MEM(data->weight = mem_alloc(&data->mem, n, sizeof *data->weight));
        for (int64_t i = 0; i < n; i++) data->weight[i] = of->weight[rows[i]];
        TRY(data_check_weights(data->weight, n, "the subset", err));
    }
    if (of->offset) {
        TRY_MEM(data->offset = mem_alloc(&data->mem, n, sizeof *data->offset));
        for (int64_t i = 0; i < n; i++) data->offset[i] = of->offset[rows[i]];
    }
    *out = data_hand_out(&b);
done:
    data_abandon(&b);
    return status;
}
