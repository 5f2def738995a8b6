/* The data set: made from arrays or by a reader, checked once in data_finish, freed as a whole.
 *
 * Cost: one pass over X for the checks. After data_finish every other part of the library may rely
 * on what dataset.h and la/matrix.h state without checking again. */
#include "data/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "data/checksum.h"

pare_data *data_new(const pare_ctx *ctx) {
    const pare_allocator *mem = ctx_allocator(ctx);
    pare_data *data = mem_zero(mem, 1, sizeof *data);
    if (!data) return NULL;
    data->mem = *mem;
    data->checksum = mem_zero(mem, 1, sizeof *data->checksum);
    if (data->checksum) return data;
    mem_free(mem, data);
    return NULL;
}

void pare_data_free(pare_data *data) {
    if (!data) return;
    pare_allocator mem = data->mem;
    mat_free(&data->x, &mem);
    mem_free(&mem, data->fill.value);
    mem_free(&mem, data->fill.items);
    mem_free(&mem, data->fill.col_ptr);
    mem_free(&mem, data->fill.row);
    mem_free(&mem, data->weight);
    mem_free(&mem, data->offset);
    if (!data->shares_names) strings_free(&data->names, &mem);
    target_column_free(&data->target, &mem);
    strings_free(&data->ids, &mem);
    strings_free(&data->fold_group, &mem);
    strings_free(&data->fold, &mem);
    strings_free(&data->dropped, &mem);
    if (!data->shares_groups) strings_free(&data->groups, &mem);
    if (!data->shares_terms) mem_free(&mem, data->cost);
    if (!data->shares_terms) mem_free(&mem, data->kept);
    mem_free(&mem, data->checksum);
    mem_free(&mem, data);
}

int64_t pare_data_n(const pare_data *data) { return data->x.n; }
int64_t pare_data_d(const pare_data *data) { return data->x.d; }
bool pare_data_is_sparse(const pare_data *data) { return mat_is_sparse(&data->x); }
bool pare_data_has_target(const pare_data *data) { return target_column_count(&data->target) > 0; }

const char *pare_data_name(const pare_data *data, int64_t j, char buffer[32]) {
    if (data->names.count) return strings_at(&data->names, j);
    snprintf(buffer, 32, "x%" PRId64, j + 1);
    return buffer;
}

/* --- memory for X --- */

pare_status data_check_shape(const pare_data *data, int64_t n, int64_t d, const char *where,
                             pare_error *err) {
    if (n <= 0) return error_set(err, PARE_E_DATA, "%s has no samples", where);
    if (d < 0 || (d == 0 && !(data && data->may_lack_features)))
        return error_set(err, PARE_E_DATA, "%s has no features", where);
    if (n > INT32_MAX)
        return error_set(err, PARE_E_DATA, "%s has %" PRId64 " samples, at most %d are allowed",
                         where, n, INT32_MAX);
    return PARE_OK;
}

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

pare_status data_alloc_dense(pare_data *data, int64_t n, int64_t d, const char *where,
                             const pare_ctx *ctx, pare_error *err) {
    void *block = NULL;
    pare_status status = alloc_items(data, &block, sizeof(double), n, d, where, ctx, err);
    data->fill.value = block;
    return status;
}

pare_status data_alloc_items(pare_data *data, int64_t n, int64_t d, mat_item item,
                             const char *where, const pare_ctx *ctx, pare_error *err) {
    data->fill.item = item;
    return alloc_items(data, &data->fill.items, mat_item_size(item), n, d, where, ctx, err);
}

pare_status data_alloc_sparse(pare_data *data, int64_t n, int64_t d, int64_t entries,
                              const char *where, const pare_ctx *ctx, pare_error *err) {
    pare_status status = data_check_shape(data, n, d, where, err);
    if (status == PARE_OK)
        status = data_check_memory(12.0 * (double)entries + 8.0 * (double)d, where, ctx, err);
    if (status != PARE_OK) return status;
    if (d == INT64_MAX) return error_memory(err);
    data->x.n = n;
    data->x.d = d;
    data->fill.value = mem_alloc(&data->mem, entries, sizeof(double));
    data->fill.row = mem_alloc(&data->mem, entries, sizeof(int32_t));
    data->fill.col_ptr = mem_alloc(&data->mem, d + 1, sizeof(int64_t));
    return data->fill.value && data->fill.row && data->fill.col_ptr ? PARE_OK : error_memory(err);
}

/* --- checks --- */

pare_status data_check_list(const strings *list, int64_t expected, const char *what,
                            const char *whose, const char *where, pare_error *err) {
    int64_t odd = strings_find_not_utf8(list);
    if (odd >= 0)
        return error_set(err, PARE_E_FORMAT,
                         "%s: number %" PRId64
                         " of the %s is not UTF-8 text, most likely Latin-1; convert the file, for "
                         "instance with iconv -f latin1 -t utf-8",
                         where, odd + 1, what);
    if (list->count == 0 || list->count == expected) return PARE_OK;
    return error_set(err, PARE_E_DATA, "%s: the number of %s is %" PRId64 ", that of %s %" PRId64,
                     where, what, list->count, whose, expected);
}

pare_status data_check_names(const strings *names, const pare_allocator *mem, const char *where,
                             pare_error *err) {
    if (names->count == 0) return PARE_OK;
    strings_index index;
    int64_t second;
    if (!strings_index_make(&index, names, mem, &second)) return error_memory(err);
    pare_status status = PARE_OK;
    if (second >= 0) {
        const char *name = strings_at(names, second);
        int64_t first = strings_index_find(&index, name, (int64_t)strlen(name));
        status = error_at(err, PARE_E_DATA, 0, second + 1, -1,
                          "%s: features %" PRId64 " and %" PRId64
                          " have the same name \"%.200s\", names must differ",
                          where, first + 1, second + 1, name);
    }
    strings_index_free(&index, mem);
    return status;
}

pare_status data_check_weights(const double *weight, int64_t n, const char *where,
                               pare_error *err) {
    if (!weight) return PARE_OK;
    bool positive = false;
    for (int64_t i = 0; i < n; i++) {
        if (!(weight[i] >= 0 && weight[i] < INFINITY))
            return error_at(err, PARE_E_DATA, i + 1, 0, -1,
                            "%s: the weight of sample %" PRId64
                            " is %g, it must be a finite number, at least 0",
                            where, i + 1, weight[i]);
        positive = positive || weight[i] > 0;
    }
    if (!positive) return error_set(err, PARE_E_DATA, "%s: all sample weights are 0", where);
    return PARE_OK;
}

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
static pare_status check_column(const pare_data *data, int64_t j, const column *c, bool allow,
                                const char *where, pare_error *err) {
    if (!any_special(c->value, c->count)) return PARE_OK;
    for (int64_t e = 0; e < c->count; e++) {
        bool missing = isnan(c->value[e]);
        if (isfinite(c->value[e]) || (missing && allow)) continue;
        char made_up[32];
        int64_t row = c->index ? c->index[e] : e;
        return error_at(err, PARE_E_DATA, row + 1, j + 1, -1,
                        "%s: feature %" PRId64 " (\"%.200s\") of sample %" PRId64 " is %s", where,
                        j + 1, pare_data_name(data, j, made_up), row + 1,
                        missing
                            ? "missing, refused without `missing` mean, median, indicator or drop"
                            : "infinite, values must be finite");
    }
    return PARE_OK;
}

span data_own_columns(const pare_data *data, int64_t d) {
    span own = {0, d};
    if (data->ranks && d >= data->ranks->count)
        mat_distributed_range(d, data->ranks->count, data->ranks->index, &own.from, &own.to);
    return own;
}

/* Every value must be finite, or NaN where allowed. */
static pare_status check_values(const pare_data *data, bool allow, const char *where,
                                pare_error *err) {
    view all = view_all(&data->x);
    walk w;
    column c;
    int64_t j;
    pare_status status = walk_open(&w, &all, NULL, all.d, NULL, err);
    if (status == PARE_OK && !mat_in_memory(&data->x)) {
        span own = data_own_columns(data, all.d);
        w.at = own.from;
        w.stop = own.to;
    }
    while (status == PARE_OK && walk_next(&w, &j, &c))
        status = check_column(data, j, &c, allow, where, err);
    return walk_end(&w, status, err);
}

/* Makes x of the arrays that a reader filled, unless the reader has set x. */
static pare_status make_matrix(pare_data *data, const char *where, pare_error *err) {
    int64_t n = data->x.n, d = data->x.d;
    data_arrays *from = &data->fill;
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

pare_status data_refuse_missing(pare_data *data, const char *where, pare_error *err) {
    pare_status status = make_matrix(data, where, err);
    if (status == PARE_OK) status = check_values(data, false, where, err);
    data->finite = status == PARE_OK;
    return status;
}

pare_status data_finish(pare_data *data, const char *where, pare_error *err) {
    int64_t n = data->x.n, d = data->x.d;
    pare_status status = PARE_OK;
    TRY(data_check_shape(data, n, d, where, err));
    TRY(data_check_list(&data->names, d, "feature names", "features", where, err));
    TRY(data_check_list(&data->groups, d, "feature groups", "features", where, err));
    TRY(data_check_list(&data->target.text, n, "target values", "samples", where, err));
    TRY(data_check_list(&data->ids, n, "sample ids", "samples", where, err));
    TRY(data_check_list(&data->fold_group, n, "fold groups", "samples", where, err));
    TRY(data_check_list(&data->fold, n, "folds", "samples", where, err));
    TRY(data_check_weights(data->weight, n, where, err));
    TRY(data_check_names(&data->names, &data->mem, where, err));
    TRY(make_matrix(data, where, err));
    if (!data->finite) TRY(check_values(data, true, where, err));
done:
    return status;
}

/* --- removing samples --- */

/* rows[0 .. kept-1]: the samples that stay, ascending. The text is not moved. */
static void keep_strings(strings *list, const int32_t *rows, int64_t kept) {
    for (int64_t i = 0; list->count && i < kept; i++) list->start[i] = list->start[rows[i]];
    if (list->count) list->count = kept;
}

static pare_status keep_samples(pare_data *data, const int32_t *rows, int64_t kept,
                                pare_error *err) {
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
    for (int64_t i = 0; data->weight && i < kept; i++) data->weight[i] = data->weight[rows[i]];
    for (int64_t i = 0; data->offset && i < kept; i++) data->offset[i] = data->offset[rows[i]];
    return PARE_OK;
}

/* Lists the complete samples; rows holds n. */
static pare_status list_complete(const pare_data *data, int32_t *rows, int64_t *kept,
                                 const pare_ctx *ctx, pare_error *err) {
    view all = view_all(&data->x);
    walk w;
    column c;
    int64_t j, n = data->x.n;
    pare_status status = walk_open(&w, &all, NULL, all.d, ctx, err);
    if (status != PARE_OK) return status;
    memset(rows, 0, (size_t)n * sizeof *rows);
    while (walk_next(&w, &j, &c))
        for (int64_t e = 0; e < c.count; e++)
            if (isnan(c.value[e])) rows[c.index ? c.index[e] : e] = -1;
    *kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (rows[i] >= 0) rows[(*kept)++] = (int32_t)i;
    return walk_close(&w, err);
}

pare_status pare_data_drop_missing(pare_data *data, int64_t *dropped, const pare_ctx *ctx,
                                   pare_error *err) {
    int64_t n = data->x.n, kept = 0;
    double weight = 0;
    const pare_allocator *mem = ctx_allocator(ctx);
    if (dropped) *dropped = 0;
    if (!data->x.missing) return PARE_OK;
    int32_t *rows = mem_alloc(mem, n, sizeof *rows);
    pare_status status = PARE_OK;
    TRY_MEM(rows);
    TRY(list_complete(data, rows, &kept, ctx, err));
    if (kept == 0) {
        status = error_set(
            err, PARE_E_DATA,
            "every one of the %" PRId64 " samples has a missing value, so none would be left", n);
        goto done;
    }
    for (int64_t i = 0; data->weight && i < kept; i++) weight += data->weight[rows[i]];
    if (data->weight && !(weight > 0)) {
        status = error_set(err, PARE_E_DATA, "every sample without a missing value has weight 0");
        goto done;
    }
    TRY(keep_samples(data, rows, kept, err));
    if (dropped) *dropped = n - kept;
done:
    mem_free(mem, rows);
    return status;
}

pare_status data_drop_unlabelled(pare_data *data, const char *where, const pare_ctx *ctx,
                                 pare_error *err) {
    int64_t n = data->target.text.count, kept = 0;
    int32_t *rows = mem_alloc(&data->mem, n, sizeof *rows);
    pare_status status = PARE_OK;
    TRY_MEM(rows);
    for (int64_t i = 0; i < n; i++)
        if (*strings_at(&data->target.text, i)) rows[kept++] = (int32_t)i;
    if (kept == 0) {
        target_column_free(&data->target, &data->mem);
    } else if (kept < n) {
        ctx_log(ctx, PARE_LOG_INFO,
                "%s: %" PRId64 " of %" PRId64 " samples have no target and are left out", where,
                n - kept, n);
        TRY(keep_samples(data, rows, kept, err));
    }
done:
    mem_free(&data->mem, rows);
    return status;
}

const char *pare_data_id(const pare_data *data, int64_t i, char buffer[32]) {
    if (data->ids.count) return strings_at(&data->ids, i);
    snprintf(buffer, 32, "%lld", (long long)i + 1);
    return buffer;
}

const char *pare_data_target(const pare_data *data, int64_t i, char buffer[32]) {
    return target_column_count(&data->target) ? target_column_text(&data->target, i, buffer) : NULL;
}
