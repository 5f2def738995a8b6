/* The data set: made from arrays or by a reader, checked once in data_finish, freed as a whole.
 *
 * Cost: one pass over X for the checks. After data_finish every other part of the library may rely
 * on what dataset.h and la/matrix.h say without looking again. */
#include "data/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

pare_data *data_new(const pare_ctx *ctx) {
    const pare_allocator *mem = ctx_allocator(ctx);
    pare_data *data = mem_zero(mem, 1, sizeof *data);
    if (data) data->mem = *mem;
    return data;
}

void pare_data_free(pare_data *data) {
    if (!data) return;
    pare_allocator mem = data->mem;
    mem_free(&mem, data->value);
    mem_free(&mem, data->col_ptr);
    mem_free(&mem, data->row);
    mem_free(&mem, data->weight);
    strings_free(&data->names, &mem);
    strings_free(&data->target, &mem);
    strings_free(&data->ids, &mem);
    strings_free(&data->groups, &mem);
    mem_free(&mem, data);
}

int64_t pare_data_n(const pare_data *data) { return data->x.n; }
int64_t pare_data_d(const pare_data *data) { return data->x.d; }
bool pare_data_is_sparse(const pare_data *data) { return data->col_ptr != NULL; }
bool pare_data_has_target(const pare_data *data) { return data->target.count > 0; }

const char *pare_data_name(const pare_data *data, int64_t j, char buffer[32]) {
    if (data->names.count) return strings_at(&data->names, j);
    snprintf(buffer, 32, "x%" PRId64, j + 1);
    return buffer;
}

/* --- room for X --- */

static pare_status check_shape(const pare_data *data, int64_t n, int64_t d, const char *where,
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

pare_status data_alloc_dense(pare_data *data, int64_t n, int64_t d, const char *where,
                             const pare_ctx *ctx, pare_error *err) {
    pare_status status = check_shape(data, n, d, where, err);
    if (status == PARE_OK) status = data_check_memory(8.0 * (double)n * (double)d, where, ctx, err);
    if (status != PARE_OK) return status;
    size_t count;
    if (!size_mul(n, d, &count)) return error_memory(err);
    data->x.n = n;
    data->x.d = d;
    data->value = mem_alloc(&data->mem, (int64_t)count, sizeof *data->value);
    return data->value ? PARE_OK : error_memory(err);
}

pare_status data_alloc_sparse(pare_data *data, int64_t n, int64_t d, int64_t entries,
                              const char *where, const pare_ctx *ctx, pare_error *err) {
    pare_status status = check_shape(data, n, d, where, err);
    if (status == PARE_OK)
        status = data_check_memory(12.0 * (double)entries + 8.0 * (double)d, where, ctx, err);
    if (status != PARE_OK) return status;
    if (d == INT64_MAX) return error_memory(err);
    data->x.n = n;
    data->x.d = d;
    data->value = mem_alloc(&data->mem, entries, sizeof *data->value);
    data->row = mem_alloc(&data->mem, entries, sizeof *data->row);
    data->col_ptr = mem_alloc(&data->mem, d + 1, sizeof *data->col_ptr);
    return data->value && data->row && data->col_ptr ? PARE_OK : error_memory(err);
}

/* --- what no data set may be --- */

static pare_status check_list(const strings *list, int64_t expected, const char *what,
                              const char *whose, const char *where, pare_error *err) {
    int64_t odd = strings_find_not_utf8(list);
    if (odd >= 0)
        return error_set(err, PARE_E_FORMAT,
                         "%s: number %" PRId64
                         " of the %s is not UTF-8 text; convert the file, for "
                         "instance with iconv -f latin1 -t utf-8",
                         where, odd + 1, what);
    if (list->count == 0 || list->count == expected) return PARE_OK;
    return error_set(err, PARE_E_DATA, "%s: the number of %s is %" PRId64 ", that of %s %" PRId64,
                     where, what, list->count, whose, expected);
}

static pare_status check_names(const pare_data *data, const char *where, pare_error *err) {
    if (data->names.count == 0) return PARE_OK;
    strings_index index;
    int64_t second;
    if (!strings_index_make(&index, &data->names, &data->mem, &second)) return error_memory(err);
    pare_status status = PARE_OK;
    if (second >= 0) {
        const char *name = strings_at(&data->names, second);
        int64_t first = strings_index_find(&index, name, (int64_t)strlen(name));
        status = error_at(err, PARE_E_DATA, 0, second + 1, -1,
                          "%s: features %" PRId64 " and %" PRId64
                          " have the same name \"%.200s\", names must differ",
                          where, first + 1, second + 1, name);
    }
    strings_index_free(&index, &data->mem);
    return status;
}

static pare_status check_weights(const double *weight, int64_t n, const char *where,
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

static pare_status check_col_ptr(const int64_t *col_ptr, int64_t d, const char *where,
                                 pare_error *err) {
    if (col_ptr[0] != 0)
        return error_set(err, PARE_E_DATA,
                         "%s: the column pointers start with %" PRId64 " instead of 0", where,
                         col_ptr[0]);
    for (int64_t j = 0; j < d; j++)
        if (col_ptr[j + 1] < col_ptr[j])
            return error_at(err, PARE_E_DATA, 0, j + 1, -1,
                            "%s: the pointers of column %" PRId64 " run from %" PRId64
                            " down to %" PRId64,
                            where, j + 1, col_ptr[j], col_ptr[j + 1]);
    return PARE_OK;
}

static pare_status check_rows(const pare_data *data, const char *where, pare_error *err) {
    for (int64_t j = 0; j < data->x.d; j++) {
        int64_t before = -1;
        for (int64_t e = data->col_ptr[j]; e < data->col_ptr[j + 1]; e++) {
            int64_t row = data->row[e];
            if (row < 0 || row >= data->x.n)
                return error_at(err, PARE_E_DATA, 0, j + 1, -1,
                                "%s: column %" PRId64 " has an entry in row %" PRId64
                                ", rows are 0 to %" PRId64,
                                where, j + 1, row, data->x.n - 1);
            if (row <= before)
                return error_at(err, PARE_E_DATA, row + 1, j + 1, -1,
                                "%s: column %" PRId64 " has row %" PRId64 " after row %" PRId64
                                ", rows must ascend",
                                where, j + 1, row, before);
            before = row;
        }
    }
    return PARE_OK;
}

/* Whether some value is NaN or infinite: all exponent bits are set. Branchless, so that it
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

static int64_t column_start(const pare_data *data, int64_t j) {
    return data->col_ptr ? data->col_ptr[j] : j * data->x.n;
}

/* Every value must be finite, or NaN where allowed; *missing: there is a NaN. */
static pare_status check_values(const pare_data *data, bool allow_missing, const char *where,
                                bool *missing, pare_error *err) {
    *missing = false;
    for (int64_t j = 0; j < data->x.d; j++) {
        int64_t start = column_start(data, j), end = column_start(data, j + 1);
        if (!any_special(data->value + start, end - start)) continue;
        for (int64_t e = start; e < end; e++) {
            if (isfinite(data->value[e])) continue;
            *missing = *missing || isnan(data->value[e]);
            if (isnan(data->value[e]) && allow_missing) continue;
            char made_up[32];
            int64_t row = data->col_ptr ? data->row[e] : e - start;
            return error_at(err, PARE_E_DATA, row + 1, j + 1, -1,
                            "%s: feature %" PRId64 " (\"%.200s\") of sample %" PRId64 " is %s",
                            where, j + 1, pare_data_name(data, j, made_up), row + 1,
                            isnan(data->value[e]) ? "missing, and missing values are refused"
                                                  : "infinite, values must be finite");
        }
    }
    return PARE_OK;
}

pare_status data_refuse_missing(const pare_data *data, const char *where, pare_error *err) {
    bool missing;
    return check_values(data, false, where, &missing, err);
}

pare_status data_finish(pare_data *data, const char *where, pare_error *err) {
    int64_t n = data->x.n, d = data->x.d;
    bool missing;
    pare_status status = PARE_OK;
    TRY(check_shape(data, n, d, where, err));
    TRY(check_list(&data->names, d, "feature names", "features", where, err));
    TRY(check_list(&data->groups, d, "feature groups", "features", where, err));
    TRY(check_list(&data->target, n, "target values", "samples", where, err));
    TRY(check_list(&data->ids, n, "sample ids", "samples", where, err));
    TRY(check_weights(data->weight, n, where, err));
    TRY(check_names(data, where, err));
    if (data->col_ptr) {
        TRY(check_col_ptr(data->col_ptr, d, where, err));
        TRY(check_rows(data, where, err));
    }
    TRY(check_values(data, true, where, &missing, err));
    data->x = data->col_ptr ? mat_csc(n, d, data->col_ptr, data->row, data->value)
                            : mat_dense(n, d, data->value);
    data->x.missing = missing;
done:
    return status;
}

/* --- from the caller's arrays --- */

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

static pare_status copy_lists(pare_data *data, const char *const *names, const char *const *labels,
                              const double *values, pare_error *err) {
    pare_status status = PARE_OK;
    if (labels && values)
        return error_set(err, PARE_E_ARGUMENT, "give labels or target values, not both");
    if (names) TRY(copy_strings(&data->names, &data->mem, names, data->x.d, "feature name", err));
    if (labels) TRY(copy_strings(&data->target, &data->mem, labels, data->x.n, "label", err));
    for (int64_t i = 0; values && i < data->x.n; i++) {
        char text[32];
        if (!isfinite(values[i]))
            return error_at(err, PARE_E_DATA, i + 1, 0, -1,
                            "the target value of sample %" PRId64 " is %g, it must be finite",
                            i + 1, values[i]);
        TRY_MEM(strings_add(&data->target, &data->mem, text, number_format(values[i], text)));
    }
done:
    return status;
}

pare_status pare_data_dense(pare_data **out, int64_t n, int64_t d, const double *x,
                            const char *const *names, const char *const *labels,
                            const double *values, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    pare_data *data = NULL;
    *out = NULL;
    if (!x) return error_set(err, PARE_E_ARGUMENT, "x is a null pointer");
    TRY_MEM(data = data_new(ctx));
    TRY(data_alloc_dense(data, n, d, in_memory, ctx, err));
    memcpy(data->value, x, (size_t)(n * d) * sizeof *x);
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
    if (!col_ptr) return error_set(err, PARE_E_ARGUMENT, "col_ptr is a null pointer");
    TRY(check_shape(data, n, d, in_memory, err));
    TRY(check_col_ptr(col_ptr, d, in_memory, err)); /* before its last entry sizes the copies */
    int64_t entries = col_ptr[d];
    if (entries && (!row || !x))
        return error_set(err, PARE_E_ARGUMENT,
                         "row or x is a null pointer, and there are %" PRId64 " entries", entries);
    TRY_MEM(data = data_new(ctx));
    TRY(data_alloc_sparse(data, n, d, entries, in_memory, ctx, err));
    memcpy(data->col_ptr, col_ptr, (size_t)(d + 1) * sizeof *col_ptr);
    if (entries) {
        memcpy(data->row, row, (size_t)entries * sizeof *row);
        memcpy(data->value, x, (size_t)entries * sizeof *x);
    }
    TRY(copy_lists(data, names, labels, values, err));
    TRY(data_finish(data, in_memory, err));
    *out = data;
    data = NULL;
done:
    pare_data_free(data);
    return status;
}

/* --- removing samples --- */

/* place[i]: the new position of sample i, or -1. The text stays where it is. */
static void keep_strings(strings *list, const int32_t *place) {
    int64_t kept = 0;
    for (int64_t i = 0; i < list->count; i++)
        if (place[i] >= 0) list->start[kept++] = list->start[i];
    list->count = kept;
}

/* Marks incomplete samples with -1 and numbers the others; returns how many others there are. */
static int64_t place_complete(const pare_data *data, int32_t *place) {
    int64_t n = data->x.n, d = data->x.d, kept = 0;
    memset(place, 0, (size_t)n * sizeof *place);
    for (int64_t j = 0; j < d; j++) {
        int64_t start = column_start(data, j), end = column_start(data, j + 1);
        for (int64_t e = start; e < end; e++)
            if (isnan(data->value[e])) place[data->col_ptr ? data->row[e] : e - start] = -1;
    }
    for (int64_t i = 0; i < n; i++)
        if (place[i] >= 0) place[i] = (int32_t)kept++;
    return kept;
}

static void keep_values(pare_data *data, const int32_t *place) {
    int64_t n = data->x.n, d = data->x.d, to = 0, from = 0;
    for (int64_t j = 0; j < d; j++) {
        int64_t end = data->col_ptr ? data->col_ptr[j + 1] : (j + 1) * n;
        for (; from < end; from++) {
            int32_t at = place[data->col_ptr ? data->row[from] : from - j * n];
            if (at < 0) continue;
            if (data->col_ptr) data->row[to] = at;
            data->value[to++] = data->value[from];
        }
        if (data->col_ptr) data->col_ptr[j + 1] = to;
    }
}

pare_status pare_data_drop_missing(pare_data *data, int64_t *dropped, const pare_ctx *ctx,
                                   pare_error *err) {
    int64_t n = data->x.n, kept = 0;
    double weight = 0;
    const pare_allocator *mem = ctx_allocator(ctx);
    if (dropped) *dropped = 0;
    if (!data->x.missing) return PARE_OK;
    int32_t *place = mem_alloc(mem, n, sizeof *place);
    if (!place) return error_memory(err);
    pare_status status = PARE_OK;
    int64_t remain = place_complete(data, place);
    if (remain == 0) {
        status = error_set(
            err, PARE_E_DATA,
            "every one of the %" PRId64 " samples has a missing value, so none would be left", n);
        goto done;
    }
    for (int64_t i = 0; data->weight && i < n; i++)
        if (place[i] >= 0) weight += data->weight[i];
    if (data->weight && !(weight > 0)) {
        status = error_set(err, PARE_E_DATA, "every sample without a missing value has weight 0");
        goto done;
    }
    keep_values(data, place);
    keep_strings(&data->target, place);
    keep_strings(&data->ids, place);
    for (int64_t i = 0; data->weight && i < n; i++)
        if (place[i] >= 0) data->weight[kept++] = data->weight[i];
    data->x.n = remain;
    data->x.missing = false;
    if (dropped) *dropped = n - remain;
done:
    mem_free(mem, place);
    return status;
}

const char *pare_data_id(const pare_data *data, int64_t i, char buffer[32]) {
    if (data->ids.count) return strings_at(&data->ids, i);
    snprintf(buffer, 32, "%lld", (long long)i + 1);
    return buffer;
}

const char *pare_data_target(const pare_data *data, int64_t i) {
    return data->target.count ? strings_at(&data->target, i) : NULL;
}
