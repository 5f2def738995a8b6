/* A data set while it is made: memory for what is read, one check of all of it, the end.
 *
 * Cost: one pass over X for the checks. After data_finish every other part of the library may rely
 * on what dataset.h and la/matrix.h state without checking again. */
#include "data/builder.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "data/checksum.h"
#include "data/format/cell.h"

pare_status data_begin(data_builder *b, const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    *b = (data_builder){.data = mem_zero(mem, 1, sizeof *b->data)};
    if (!b->data) return error_memory(err);
    b->data->mem = *mem;
    b->data->checksum = mem_zero(mem, 1, sizeof *b->data->checksum);
    return b->data->checksum ? PARE_OK : error_memory(err);
}

void data_abandon(data_builder *b) { pare_data_free(data_hand_out(b)); }

pare_data *data_hand_out(data_builder *b) {
    pare_data *data = b->data;
    if (!data) return NULL;
    mem_free(&data->mem, b->fill.value);
    mem_free(&data->mem, b->fill.items);
    mem_free(&data->mem, b->fill.col_ptr);
    mem_free(&data->mem, b->fill.row);
    missing_codes_free(&b->na, &data->mem);
    strings_free(&b->event, &data->mem);
    *b = (data_builder){0};
    return data;
}

/* --- the caller's lists --- */

pare_status data_copy_texts(strings *list, const pare_allocator *mem, const char *const *from,
                            int64_t count, const char *what, pare_error *err) {
    for (int64_t i = 0; i < count; i++) {
        if (!from[i])
            return error_set(err, PARE_E_ARGUMENT, "%s %" PRId64 " is a null pointer", what, i + 1);
        if (!strings_add(list, mem, from[i], (int64_t)strlen(from[i]))) return error_memory(err);
    }
    return PARE_OK;
}

pare_status data_copy_values(target_column *out, const pare_allocator *mem, const double *from,
                             int64_t count, pare_error *err) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(from[i]))
            return error_at(err, PARE_E_DATA, i + 1, 0, -1,
                            "the target value of sample %" PRId64 " is %g, it must be finite",
                            i + 1, from[i]);
    return target_column_of_reals(out, from, count, mem) ? PARE_OK : error_memory(err);
}

/* --- memory for X --- */

/* bytes as a double: an estimate that cannot overflow is all the limit needs. */
pare_status data_check_memory(double bytes, const char *where, const pare_ctx *ctx,
                              pare_error *err) {
    if (ctx && ctx->memory_bytes > 0 && bytes > (double)ctx->memory_bytes)
        return error_set(err, PARE_E_MEMORY, "%s needs %.0f bytes of memory, the limit is %" PRId64,
                         where, bytes, ctx->memory_bytes);
    return PARE_OK;
}

/* *block = n*d items of `size` bytes. */
static pare_status alloc_items(pare_data *data, void **block, size_t size, int64_t n, int64_t d,
                               const char *where, const pare_ctx *ctx, pare_error *err) {
    pare_status status = data_check_shape(data, n, d, where, err);
    if (status == PARE_OK)
        status = data_check_memory((double)size * (double)n * (double)d, where, ctx, err);
    if (status != PARE_OK) return status;
    size_t count;
    if (!size_mul(n, d, &count)) return error_memory(err);
    data->x.n = n;
    data->x.d = d;
    *block = mem_alloc(&data->mem, (int64_t)count, size);
    return *block ? PARE_OK : error_memory(err);
}

pare_status data_alloc_dense(data_builder *b, int64_t n, int64_t d, const char *where,
                             const pare_ctx *ctx, pare_error *err) {
    void *block = NULL;
    pare_status status = alloc_items(b->data, &block, sizeof(double), n, d, where, ctx, err);
    b->fill.value = block;
    return status;
}

pare_status data_alloc_items(data_builder *b, int64_t n, int64_t d, mat_item item,
                             const char *where, const pare_ctx *ctx, pare_error *err) {
    b->fill.item = item;
    return alloc_items(b->data, &b->fill.items, mat_item_size(item), n, d, where, ctx, err);
}

pare_status data_alloc_sparse(data_builder *b, int64_t n, int64_t d, int64_t entries,
                              const char *where, const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    pare_status status = data_check_shape(data, n, d, where, err);
    if (status == PARE_OK)
        status = data_check_memory(12.0 * (double)entries + 8.0 * (double)d, where, ctx, err);
    if (status != PARE_OK) return status;
    if (d == INT64_MAX) return error_memory(err);
    data->x.n = n;
    data->x.d = d;
    b->fill.value = mem_alloc(&data->mem, entries, sizeof(double));
    b->fill.row = mem_alloc(&data->mem, entries, sizeof(int32_t));
    b->fill.col_ptr = mem_alloc(&data->mem, d + 1, sizeof(int64_t));
    return b->fill.value && b->fill.row && b->fill.col_ptr ? PARE_OK : error_memory(err);
}

/* --- checks --- */

/* Returns true if some value is NaN or infinite: all exponent bits are set. Branchless, so that it
 * vectorises and costs no more than reading. */
static bool any_special(const double *value, int64_t count) {
    const uint64_t exponent = 0x7ff0000000000000u;
    uint64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        found |= (bits & exponent) == exponent;
    }
    return found != 0;
}

/* Checks column j as it is stored; allow: NaN is accepted as a missing value. */
static pare_status check_column(const data_builder *b, int64_t j, const column *c, bool allow,
                                const char *where, pare_error *err) {
    const pare_data *data = b->data;
    if (!any_special(c->value, c->count)) return PARE_OK;
    for (int64_t e = 0; e < c->count; e++) {
        bool missing = isnan(c->value[e]);
        if (isfinite(c->value[e]) || (missing && allow)) continue;
        char made_up[32];
        int64_t row = c->index ? c->index[e] : e;
        return error_at(err, PARE_E_DATA, row + 1, j + 1, -1,
                        "%s: feature %" PRId64 " (\"%.200s\") of sample %" PRId64 " is %s %s",
                        where, j + 1, pare_data_name(data, j, made_up), row + 1,
                        missing ? "missing;" : "infinite,",
                        missing ? cell_missing_advice(b->model) : "values must be finite");
    }
    return PARE_OK;
}

span data_own_columns(const data_builder *b, int64_t d) {
    span own = {0, d};
    if (b->ranks && d >= b->ranks->count)
        mat_distributed_range(d, b->ranks->count, b->ranks->index, &own.from, &own.to);
    return own;
}

/* Every value must be finite, or NaN where allowed. */
static pare_status check_values(const data_builder *b, bool allow, const char *where,
                                pare_error *err) {
    const pare_data *data = b->data;
    view all = view_all(&data->x);
    walk w;
    column c;
    int64_t j;
    pare_status status = walk_open(&w, &all, NULL, all.d, NULL, err);
    if (status == PARE_OK && !mat_in_memory(&data->x)) {
        span own = data_own_columns(b, all.d);
        w.at = own.from;
        w.stop = own.to;
    }
    while (status == PARE_OK && walk_next(&w, &j, &c))
        status = check_column(b, j, &c, allow, where, err);
    return walk_end(&w, status, err);
}

/* Makes x of the arrays that a reader filled, unless the reader has set x. */
static pare_status make_matrix(data_builder *b, const char *where, pare_error *err) {
    pare_data *data = b->data;
    int64_t n = data->x.n, d = data->x.d;
    data_arrays *from = &b->fill;
    csc_arrays of = {from->col_ptr, from->row, from->value};
    pare_status status = PARE_OK;
    if (data->x.ops) return PARE_OK;
    if (from->col_ptr) {
        TRY(mat_csc_check(n, d, &of, where, err));
        TRY(mat_csc_own(&data->x, n, d, of, &data->mem, err));
    } else if (from->items) {
        void *items = from->items;
        from->items = NULL;
        TRY(mat_items_own(&data->x, n, d, from->item, items, &data->mem, err));
    } else
        data->x = mat_dense_own(n, d, from->value);
    *from = (data_arrays){0};
done:
    return status;
}

pare_status data_refuse_missing(data_builder *b, const char *where, pare_error *err) {
    pare_status status = make_matrix(b, where, err);
    if (status == PARE_OK) status = check_values(b, false, where, err);
    b->finite = status == PARE_OK;
    return status;
}

pare_status data_complete(data_builder *b, const char *where, pare_error *err) {
    const pare_data *data = b->data;
    int64_t n = data->x.n, d = data->x.d;
    pare_status status = PARE_OK;
    TRY(data_check_shape(data, n, d, where, err));
    TRY(data_check_list(&data->names, d, "feature names", "features", b->recode, where, err));
    TRY(data_check_list(&data->groups, d, "feature groups", "features", b->recode, where, err));
    TRY(data_check_list(&data->target.text, n, "target values", "samples", b->recode, where, err));
    TRY(data_check_list(&data->target.strata, n, "strata", "samples", b->recode, where, err));
    TRY(data_check_list(&data->target_name, 1, "name of the target", "targets", b->recode, where,
                        err));
    TRY(data_check_list(&data->id_name, 1, "name of the sample ids", "their columns", b->recode,
                        where, err));
    TRY(data_check_list(&data->ids, n, "sample ids", "samples", b->recode, where, err));
    TRY(data_check_list(&data->fold_group, n, "fold groups", "samples", b->recode, where, err));
    TRY(data_check_list(&data->fold, n, "folds", "samples", b->recode, where, err));
    TRY(data_check_list(&data->batch, n, "batches", "samples", b->recode, where, err));
    TRY(data_check_weights(data->weight, n, where, err));
    TRY(data_check_names(&data->names, &data->mem, b->in_file, where, err));
    TRY(make_matrix(b, where, err));
    if (!b->finite) TRY(check_values(b, true, where, err));
done:
    return status;
}

pare_status data_finish(pare_data **out, data_builder *b, const char *where, pare_error *err) {
    pare_status status = data_complete(b, where, err);
    if (status == PARE_OK) *out = data_hand_out(b);
    return status;
}

/* --- removing samples --- */

/* rows[0 .. kept-1]: the samples that stay, ascending. The text is not moved. */
static void keep_strings(strings *list, const int32_t *rows, int64_t kept) {
    for (int64_t i = 0; list->count && i < kept; i++) list->start[i] = list->start[rows[i]];
    if (list->count) list->count = kept;
}

pare_status data_keep_samples(data_builder *b, const int32_t *rows, int64_t kept, pare_error *err) {
    pare_data *data = b->data;
    matrix of_kept;
    pare_status status = mat_rows(&of_kept, &data->x, true, rows, kept, &data->mem, err);
    if (status != PARE_OK) return status;
    data_changed(data);
    *data->x_written = '\0';
    data->x = of_kept;
    target_column_keep(&data->target, rows, kept);
    keep_strings(&data->ids, rows, kept);
    keep_strings(&data->fold_group, rows, kept);
    keep_strings(&data->fold, rows, kept);
    keep_strings(&data->batch, rows, kept);
    for (int64_t i = 0; data->weight && i < kept; i++) data->weight[i] = data->weight[rows[i]];
    for (int64_t i = 0; data->offset && i < kept; i++) data->offset[i] = data->offset[rows[i]];
    return PARE_OK;
}

/* Samples without ids stay named by their rows. */
static bool number_samples(pare_data *data) {
    char row[32];
    for (int64_t i = 0; i < data->x.n; i++) {
        pare_data_id(&(pare_data){0}, i, row);
        if (!strings_add(&data->ids, &data->mem, row, (int64_t)strlen(row))) return false;
    }
    return true;
}

pare_status data_drop_unlabelled(data_builder *b, const char *where, const pare_ctx *ctx,
                                 pare_error *err) {
    pare_data *data = b->data;
    const target_column *target = &data->target;
    int64_t n = target_column_count(target), kept = 0;
    int32_t *rows = mem_alloc(&data->mem, n, sizeof *rows);
    pare_status status = PARE_OK;
    TRY_MEM(rows);
    for (int64_t i = 0; i < n; i++)
        if (target->time ? !isnan(target->time[i])
                         : !target->text.count || *strings_at(&target->text, i))
            rows[kept++] = (int32_t)i;
    if (kept == 0 && b->unlabelled) {
        status = error_set(err, PARE_E_DATA, "%s: the target of every sample is missing", where);
    } else if (kept == 0) {
        target_column_free(&data->target, &data->mem);
    } else if (kept < n) {
        ctx_log(ctx, PARE_LOG_INFO,
                "%s: %" PRId64 " of %" PRId64 " samples have no target and are left out", where,
                n - kept, n);
        if (data->ids.count == 0) TRY_MEM(number_samples(data));
        TRY(data_keep_samples(b, rows, kept, err));
    }
done:
    mem_free(&data->mem, rows);
    return status;
}
