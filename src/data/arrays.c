/* Data sets from the caller's arrays, copied or borrowed; what is set after creation; rows of another
 * data set. A target from arrays stays what it is: codes with
 * the order of their labels, or numbers. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/checksum.h"
#include "data/feature/choose.h"
#include "data/dataset.h"
#include "data/feature/terms.h"

static const char *const in_memory = "the data set";

static pare_status copy_strings(strings *list, const pare_allocator *mem, const char *const *from,
                                int64_t count, const char *what, pare_error *err) {
    for (int64_t i = 0; i < count; i++) {
        if (!from[i])
            return error_set(err, PARE_E_ARGUMENT, "%s %" PRId64 " is a null pointer", what, i + 1);
        if (!strings_add(list, mem, from[i], (int64_t)strlen(from[i]))) return error_memory(err);
    }
    return PARE_OK;
}

static pare_status copy_values(target_column *out, const pare_allocator *mem, const double *from,
                               int64_t count, pare_error *err) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(from[i]))
            return error_at(err, PARE_E_DATA, i + 1, 0, -1,
                            "the target value of sample %" PRId64 " is %g, it must be finite",
                            i + 1, from[i]);
    return target_column_of_reals(out, from, count, mem) ? PARE_OK : error_memory(err);
}

static pare_status copy_lists(pare_data *data, const char *const *names, const char *const *labels,
                              const double *values, pare_error *err) {
    pare_status status = PARE_OK;
    if (labels && values)
        return error_set(err, PARE_E_ARGUMENT, "give labels or target values, not both");
    if (names) TRY(copy_strings(&data->names, &data->mem, names, data->x.d, "feature name", err));
    if (labels) TRY(copy_strings(&data->target.text, &data->mem, labels, data->x.n, "label", err));
    if (values) TRY(copy_values(&data->target, &data->mem, values, data->x.n, err));
done:
    return status;
}

pare_status pare_data_dense(pare_data **out, int64_t n, int64_t d, const double *x,
                            const char *const *names, const char *const *labels,
                            const double *values, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    pare_data *data = NULL;
    *out = NULL;
    TRY(ctx_check(ctx, err));
    if (!x) return error_set(err, PARE_E_ARGUMENT, "x is a null pointer");
    TRY_MEM(data = data_new(ctx));
    TRY(data_alloc_dense(data, n, d, in_memory, ctx, err));
    memcpy(data->fill.value, x, (size_t)(n * d) * sizeof *x);
    TRY(copy_lists(data, names, labels, values, err));
    TRY(data_finish(data, in_memory, err));
    *out = data;
    data = NULL;
done:
    pare_data_free(data);
    return status;
}

pare_status pare_data_sparse(pare_data **out, int64_t n, int64_t d, const int64_t *col_ptr,
                             const int32_t *row, const double *x, const char *const *names,
                             const char *const *labels, const double *values, const pare_ctx *ctx,
                             pare_error *err) {
    pare_status status = PARE_OK;
    pare_data *data = NULL;
    *out = NULL;
    TRY(ctx_check(ctx, err));
    if (!col_ptr) return error_set(err, PARE_E_ARGUMENT, "col_ptr is a null pointer");
    TRY(data_check_shape(data, n, d, in_memory, err));
    /* before its last pointer gives the size of the copies */
    TRY(mat_csc_check(n, d, &(csc_arrays){.col_ptr = col_ptr}, in_memory, err));
    int64_t entries = col_ptr[d];
    if (entries && (!row || !x))
        return error_set(err, PARE_E_ARGUMENT,
                         "row or x is a null pointer, and there are %" PRId64 " entries", entries);
    TRY_MEM(data = data_new(ctx));
    TRY(data_alloc_sparse(data, n, d, entries, in_memory, ctx, err));
    memcpy(data->fill.col_ptr, col_ptr, (size_t)(d + 1) * sizeof *col_ptr);
    if (entries) {
        memcpy(data->fill.row, row, (size_t)entries * sizeof *row);
        memcpy(data->fill.value, x, (size_t)entries * sizeof *x);
    }
    TRY(copy_lists(data, names, labels, values, err));
    TRY(data_finish(data, in_memory, err));
    *out = data;
    data = NULL;
done:
    pare_data_free(data);
    return status;
}

/* --- borrowed --- */

/* Finishes a data set around data->x. On failure the borrowed arrays are released: by the matrix,
 * if it was made. */
static pare_status borrowed(pare_data **out, pare_data *data, mat_release release,
                            pare_status status, pare_error *err) {
    bool made = data && data->x.ops;
    if (status == PARE_OK) status = data_finish(data, in_memory, err);
    if (status == PARE_OK) {
        *out = data;
        return PARE_OK;
    }
    pare_data_free(data);
    if (!made && release.call) release.call(release.user);
    return status;
}

/* The checks with which every borrowing constructor begins. */
static pare_status open_borrowed(pare_data **data, const void *x, const char *what, int64_t n,
                                 int64_t d, const pare_ctx *ctx, pare_error *err) {
    *data = NULL;
    pare_status status = ctx_check(ctx, err);
    if (status == PARE_OK) status = data_check_shape(NULL, n, d, in_memory, err);
    if (status != PARE_OK) return status;
    if (!x) return error_set(err, PARE_E_ARGUMENT, "%s is a null pointer", what);
    *data = data_new(ctx);
    return *data ? PARE_OK : error_memory(err);
}

pare_status pare_data_borrow_dense(pare_data **out, int64_t n, int64_t d, const double *x,
                                   int64_t row_stride, int64_t col_stride, pare_release release,
                                   void *user, const pare_ctx *ctx, pare_error *err) {
    pare_data *data;
    mat_release r = {release, user};
    *out = NULL;
    pare_status status = open_borrowed(&data, x, "x", n, d, ctx, err);
    if (status == PARE_OK)
        status = mat_strided(&data->x, n, d, x, row_stride, col_stride, r, &data->mem, err);
    return borrowed(out, data, r, status, err);
}

pare_status pare_data_borrow_float(pare_data **out, int64_t n, int64_t d, const float *x,
                                   int64_t row_stride, int64_t col_stride, pare_release release,
                                   void *user, const pare_ctx *ctx, pare_error *err) {
    pare_data *data;
    mat_release r = {release, user};
    *out = NULL;
    pare_status status = open_borrowed(&data, x, "x", n, d, ctx, err);
    if (status == PARE_OK)
        status = mat_strided_float(&data->x, n, d, x, row_stride, col_stride, r, &data->mem, err);
    return borrowed(out, data, r, status, err);
}

pare_status pare_data_borrow_sparse(pare_data **out, int64_t n, int64_t d, const void *col_ptr,
                                    int ptr_bits, const void *row, int row_bits, const double *x,
                                    pare_release release, void *user, const pare_ctx *ctx,
                                    pare_error *err) {
    pare_data *data;
    mat_release r = {release, user};
    csc_foreign from = {col_ptr, row, x, ptr_bits == 64, row_bits == 64};
    *out = NULL;
    pare_status status = open_borrowed(&data, col_ptr, "col_ptr", n, d, ctx, err);
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
        status = mat_csc_borrow(&data->x, n, d, &from, r, in_memory, &data->mem, err);
    return borrowed(out, data, r, status, err);
}

/* --- set after creation --- */

/* Stores a finished list, or frees it on failure, which leaves the data unchanged. */
static pare_status put(strings *place, bool *shared, strings *list, pare_status status,
                       pare_data *data) {
    if (status == PARE_OK) {
        strings old = *place;
        *place = *list;
        *list = old;
        if (shared && *shared) *list = (strings){0};
        if (shared) *shared = false;
        data_changed(data);
    }
    strings_free(list, &data->mem);
    return status;
}

/* `from` NULL: an empty list. */
static pare_status make_list(strings *list, pare_data *data, const char *const *from, int64_t count,
                             const char *one, const char *all, pare_error *err) {
    if (!from) return PARE_OK;
    pare_status status = copy_strings(list, &data->mem, from, count, one, err);
    return status == PARE_OK ? data_check_list(list, count, all, "", in_memory, err) : status;
}

/* The same of a target. */
static pare_status put_target(pare_data *data, target_column *target, pare_status status) {
    if (status == PARE_OK) {
        target_column old = data->target;
        data->target = *target;
        *target = old;
        data_changed(data);
    }
    target_column_free(target, &data->mem);
    return status;
}

pare_status pare_data_set_labels(pare_data *data, const char *const *labels, pare_error *err) {
    target_column target = {0};
    return put_target(
        data, &target,
        make_list(&target.text, data, labels, data->x.n, "label", "target values", err));
}

pare_status pare_data_set_values(pare_data *data, const double *values, pare_error *err) {
    target_column target = {0};
    pare_status status =
        values ? copy_values(&target, &data->mem, values, data->x.n, err) : PARE_OK;
    return put_target(data, &target, status);
}

static pare_status check_codes(const int32_t *code, int64_t n, int64_t n_classes, pare_error *err) {
    for (int64_t i = 0; i < n; i++)
        if (code[i] < 0 || code[i] >= n_classes)
            return error_at(err, PARE_E_DATA, i + 1, 0, -1,
                            "the code of sample %" PRId64 " is %" PRId32
                            ", allowed are 0 to %" PRId64,
                            i + 1, code[i], n_classes - 1);
    return PARE_OK;
}

pare_status pare_data_set_codes(pare_data *data, const int32_t *codes, const char *const *classes,
                                int64_t n_classes, pare_error *err) {
    target_column target = {0};
    strings levels = {0};
    pare_status status = PARE_OK;
    if (!codes || !classes)
        return error_set(err, PARE_E_ARGUMENT, "%s is a null pointer", codes ? "classes" : "codes");
    TRY(check_codes(codes, data->x.n, n_classes, err));
    TRY(make_list(&levels, data, classes, n_classes, "class name", "target values", err));
    TRY_MEM(target_column_of_codes(&target, codes, data->x.n, &levels, &data->mem));
done:
    strings_free(&levels, &data->mem);
    return put_target(data, &target, status);
}

pare_status pare_data_set_ids(pare_data *data, const char *const *ids, pare_error *err) {
    strings list = {0};
    pare_status status = make_list(&list, data, ids, data->x.n, "sample id", "sample ids", err);
    return put(&data->ids, NULL, &list, status, data);
}

pare_status pare_data_set_fold_groups(pare_data *data, const char *const *groups, pare_error *err) {
    strings list = {0};
    pare_status status =
        make_list(&list, data, groups, data->x.n, "fold group", "fold groups", err);
    return put(&data->fold_group, NULL, &list, status, data);
}

pare_status pare_data_set_names(pare_data *data, const char *const *names, pare_error *err) {
    strings list = {0};
    pare_status status =
        make_list(&list, data, names, data->x.d, "feature name", "feature names", err);
    if (status == PARE_OK) status = data_check_names(&list, &data->mem, in_memory, err);
    status = put(&data->names, &data->shares_names, &list, status, data);
    if (status == PARE_OK) data->numbered = false; /* the names are the caller's now */
    return status;
}

pare_status pare_data_set_groups(pare_data *data, const char *const *groups, pare_error *err) {
    strings list = {0};
    pare_status status =
        make_list(&list, data, groups, data->x.d, "feature group", "feature groups", err);
    return put(&data->groups, &data->shares_groups, &list, status, data);
}

/* Replaces costs or kept flags, whichever is not NULL. */
static void put_terms(pare_data *data, double *cost, bool *kept) {
    if (!data->shares_terms && data->cost != cost) mem_free(&data->mem, data->cost);
    if (!data->shares_terms && data->kept != kept) mem_free(&data->mem, data->kept);
    data->cost = cost;
    data->kept = kept;
}

/* Copies the lists shared with another data set, so that one of them can be replaced. */
static pare_status own_terms(pare_data *data, pare_error *err) {
    pare_data old = *data;
    if (!data->shares_terms) return PARE_OK;
    data->cost = NULL;
    data->kept = NULL;
    data->shares_terms = false;
    if (terms_copy(data, &old)) return PARE_OK;
    put_terms(data, NULL, NULL);
    terms_share(data, &old);
    return error_memory(err);
}

pare_status pare_data_set_costs(pare_data *data, const double *costs, pare_error *err) {
    double *own = NULL;
    pare_status status = terms_check_costs(costs, data, in_memory, err);
    if (status == PARE_OK) status = own_terms(data, err);
    if (status != PARE_OK) return status;
    if (costs) {
        own = mem_alloc(&data->mem, data->x.d, sizeof *own);
        if (!own) return error_memory(err);
        memcpy(own, costs, sizeof *own * (size_t)data->x.d);
    }
    put_terms(data, own, data->kept);
    return PARE_OK;
}

pare_status pare_data_set_kept(pare_data *data, const bool *kept, pare_error *err) {
    bool *own = NULL, any = false;
    pare_status status = own_terms(data, err);
    if (status != PARE_OK) return status;
    for (int64_t j = 0; kept && j < data->x.d; j++) any = any || kept[j];
    if (any) {
        own = mem_alloc(&data->mem, data->x.d, sizeof *own);
        if (!own) return error_memory(err);
        memcpy(own, kept, sizeof *own * (size_t)data->x.d);
    }
    put_terms(data, data->cost, own);
    return PARE_OK;
}

pare_status pare_data_choose(pare_data *data, const char *only, const char *exclude,
                             const pare_ctx *ctx, pare_error *err) {
    call c;
    const feature_choice by = {.only = only, .exclude = exclude};
    pare_status status = call_begin(&c, ctx, err);
    if (status == PARE_OK && (data->shares_names || data->shares_groups))
        status = error_set(err, PARE_E_ARGUMENT,
                           "a subset has the features of its data: choose among theirs");
    if (status == PARE_OK) status = own_terms(data, err);
    if (status == PARE_OK) status = features_choose(data, &by, in_memory, &c.ctx, err);
    call_end(&c);
    return status;
}

pare_status pare_data_set_weights(pare_data *data, const double *weights, pare_error *err) {
    double *own = NULL;
    pare_status status = data_check_weights(weights, data->x.n, in_memory, err);
    if (status != PARE_OK) return status;
    if (weights) {
        own = mem_alloc(&data->mem, data->x.n, sizeof *own);
        if (!own) return error_memory(err);
        memcpy(own, weights, sizeof *own * (size_t)data->x.n);
    }
    mem_free(&data->mem, data->weight);
    data->weight = own;
    data_changed(data);
    return PARE_OK;
}

pare_status pare_data_set_offset(pare_data *data, const double *offset, pare_error *err) {
    double *own = NULL;
    for (int64_t i = 0; offset && i < data->x.n; i++)
        if (!isfinite(offset[i]))
            return error_at(err, PARE_E_DATA, i + 1, 0, -1,
                            "%s: the offset of sample %" PRId64 " is not finite", in_memory, i + 1);
    if (offset) {
        own = mem_alloc(&data->mem, data->x.n, sizeof *own);
        if (!own) return error_memory(err);
        memcpy(own, offset, sizeof *own * (size_t)data->x.n);
    }
    mem_free(&data->mem, data->offset);
    data->offset = own;
    data_changed(data);
    return PARE_OK;
}

/* --- rows of another --- */

static pare_status gather_strings(strings *to, const strings *from, const int32_t *rows, int64_t n,
                                  const pare_allocator *mem, pare_error *err) {
    for (int64_t i = 0; from->count && i < n; i++) {
        const char *text = strings_at(from, rows[i]);
        if (!strings_add(to, mem, text, (int64_t)strlen(text))) return error_memory(err);
    }
    return PARE_OK;
}

pare_status pare_data_subset(pare_data **out, const pare_data *of, const int32_t *rows, int64_t n,
                             const pare_ctx *ctx, pare_error *err) {
    pare_data *data = NULL;
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
    TRY_MEM(data = data_new(ctx));
    data->may_lack_features = of->may_lack_features;
    TRY(mat_rows(&data->x, &of->x, false, rows, n, &data->mem, err));
    data->names = of->names;
    data->groups = of->groups;
    data->shares_names = data->shares_groups = true;
    terms_share(data, of);
    TRY_MEM(target_column_take(&data->target, &of->target, rows, n, &data->mem));
    TRY(gather_strings(&data->ids, &of->ids, rows, n, &data->mem, err));
    TRY(gather_strings(&data->fold_group, &of->fold_group, rows, n, &data->mem, err));
    TRY(gather_strings(&data->fold, &of->fold, rows, n, &data->mem, err));
    if (of->weight) {
        TRY_MEM(data->weight = mem_alloc(&data->mem, n, sizeof *data->weight));
        for (int64_t i = 0; i < n; i++) data->weight[i] = of->weight[rows[i]];
        TRY(data_check_weights(data->weight, n, "the subset", err));
    }
    if (of->offset) {
        TRY_MEM(data->offset = mem_alloc(&data->mem, n, sizeof *data->offset));
        for (int64_t i = 0; i < n; i++) data->offset[i] = of->offset[rows[i]];
    }
    *out = data;
    data = NULL;
done:
    pare_data_free(data);
    return status;
}
