#include "data/feature/indicators.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "data/builder.h"
#include "data/sample/batches.h"

static bool add(strings *list, const pare_allocator *mem, const char *text) {
    return strings_add(list, mem, text, (int64_t)strlen(text));
}

static bool copy_list(strings *to, const strings *from, const pare_allocator *mem) {
    for (int64_t i = 0; i < from->count; i++)
        if (!add(to, mem, strings_at(from, i))) return false;
    return true;
}

/* Indicators as bytes in columns. */
static pare_status make_dense(matrix *out, const view *x, const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    walk w = {0};
    column c;
    int64_t j, n = x->n;
    uint8_t *value = NULL;
    pare_status status = PARE_OK;
    TRY(ctx_check_memory(ctx, (double)n * (double)x->d, "the indicators of missing values", err));
    TRY_MEM(value = mem_zero(mem, n * x->d, sizeof *value));
    TRY(walk_open(&w, x, NULL, x->d, ctx, err));
    while (walk_next(&w, &j, &c))
        for (int64_t e = 0; e < c.count; e++)
            if (isnan(c.value[e])) value[j * n + (c.index ? c.index[e] : e)] = 1;
    TRY(walk_close(&w, err));
    return mat_items_own(out, n, x->d, MAT_U1, value, mem, err);
done:
    mem_free(mem, value);
    return status;
}

/* Indicators as the places of the missing values. */
static pare_status make_sparse(matrix *out, const view *x, const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    walk w = {0};
    column c;
    int64_t j, *col_ptr = mem_zero(mem, x->d + 1, sizeof *col_ptr), at = 0;
    int32_t *row = NULL;
    double *value = NULL;
    pare_status status = PARE_OK;
    TRY_MEM(col_ptr);
    TRY(walk_open(&w, x, NULL, x->d, ctx, err));
    while (walk_next(&w, &j, &c)) {
        for (int64_t e = 0; e < c.count; e++) at += isnan(c.value[e]) != 0;
        col_ptr[j + 1] = at;
    }
    TRY(walk_close(&w, err));
    TRY_MEM(row = mem_alloc(mem, at, sizeof *row));
    TRY_MEM(value = mem_alloc(mem, at, sizeof *value));
    for (int64_t e = 0; e < at; e++) value[e] = 1;
    TRY(walk_open(&w, x, NULL, x->d, ctx, err));
    for (at = 0; walk_next(&w, &j, &c);)
        for (int64_t e = 0; e < c.count; e++)
            if (isnan(c.value[e])) row[at++] = c.index ? c.index[e] : (int32_t)e;
    TRY(walk_close(&w, err));
    TRY(mat_csc_own(out, x->n, x->d, (csc_arrays){col_ptr, row, value}, mem, err));
done:
    if (status != PARE_OK) {
        mem_free(mem, col_ptr);
        mem_free(mem, row);
        mem_free(mem, value);
    }
    return status;
}

pare_status indicators_hstack(matrix *out, const matrix *x, const int64_t *of, int64_t count,
                              const pare_ctx *ctx, pare_error *err) {
    view those = view_all(x);
    matrix right = {0};
    those.cols = of;
    those.d = count;
    pare_status status = (mat_is_sparse(x) ? make_sparse : make_dense)(&right, &those, ctx, err);
    return status == PARE_OK ? mat_hstack(out, x, &right, ctx_allocator(ctx), err) : status;
}

/* The columns with missing values: *of, from the arena. */
static pare_status find_columns(int64_t **of, int64_t *count, const pare_data *data, arena *mem,
                                const pare_ctx *ctx, pare_error *err) {
    view all = view_all(&data->x);
    col_stats *stats = ARENA_NEW(mem, col_stats, all.d);
    *count = 0;
    PASS_MEM(stats);
    PASS_MEM(*of = ARENA_NEW(mem, int64_t, all.d));
    PASS(mat_stats(&all, NULL, stats, ctx, err));
    for (int64_t j = 0; j < all.d; j++)
        if (stats[j].missing > 0) (*of)[(*count)++] = j;
    return PARE_OK;
}

/* Names and groups of all columns and of the indicators. */
static pare_status name_columns(data_builder *b, const pare_data *data, const int64_t *of,
                                int64_t count, arena *scratch, pare_error *err) {
    pare_data *out = b->data;
    const pare_allocator *mem = &out->mem;
    char made_up[32];
    for (int64_t j = 0; j < data->x.d + count; j++) {
        int64_t base = j < data->x.d ? j : of[j - data->x.d];
        const char *name = pare_data_name(data, base, made_up);
        PASS_MEM(
            add(&out->groups, mem, data->groups.count ? strings_at(&data->groups, base) : name));
        if (base == j) {
            PASS_MEM(add(&out->names, mem, name));
            continue;
        }
        size_t length = strlen(name);
        char *text = ARENA_NEW(scratch, char, (int64_t)(length + sizeof INDICATOR_SUFFIX));
        PASS_MEM(text);
        memcpy(text, name, length);
        memcpy(text + length, INDICATOR_SUFFIX, sizeof INDICATOR_SUFFIX);
        PASS_MEM(add(&out->names, mem, text));
    }
    return PARE_OK;
}

/* The sign of all features where it is one, else 0. */
static signed char common_sign(const pare_data *data) {
    for (int64_t j = 1; j < data->x.d; j++)
        if (data->sign[j] != data->sign[0]) return 0;
    return data->sign[0];
}

/* An indicator costs what its column does, and is kept with it; it has a sign only where all features
 * have that one: what a missing value tells is not what the column tells. */
static pare_status copy_terms(data_builder *b, const pare_data *data, const int64_t *of,
                              int64_t count, pare_error *err) {
    pare_data *out = b->data;
    int64_t d = data->x.d;
    if (data->cost && !(out->cost = mem_alloc(&out->mem, d + count, sizeof *out->cost)))
        return error_memory(err);
    if (data->kept && !(out->kept = mem_alloc(&out->mem, d + count, sizeof *out->kept)))
        return error_memory(err);
    if (data->sign && !(out->sign = mem_alloc(&out->mem, d + count, sizeof *out->sign)))
        return error_memory(err);
    signed char common = data->sign ? common_sign(data) : 0;
    for (int64_t j = 0; j < d + count; j++) {
        int64_t base = j < d ? j : of[j - d];
        if (data->cost) out->cost[j] = data->cost[base];
        if (data->kept) out->kept[j] = data->kept[base];
        if (data->sign) out->sign[j] = j < d ? data->sign[j] : common;
    }
    return PARE_OK;
}

static pare_status copy_samples(data_builder *b, const pare_data *data, pare_error *err) {
    pare_data *out = b->data;
    const pare_allocator *mem = &out->mem;
    int64_t n = data->x.n;
    PASS_MEM(target_column_take(&out->target, &data->target, NULL, n, mem) &&
             copy_list(&out->ids, &data->ids, mem) &&
             copy_list(&out->fold_group, &data->fold_group, mem) &&
             copy_list(&out->fold, &data->fold, mem) && batches_take(out, data, NULL, n));
    if (data->weight) {
        PASS_MEM(out->weight = mem_alloc(mem, n, sizeof(double)));
        memcpy(out->weight, data->weight, sizeof(double) * (size_t)n);
    }
    if (data->offset) {
        PASS_MEM(out->offset = mem_alloc(mem, n, sizeof(double)));
        memcpy(out->offset, data->offset, sizeof(double) * (size_t)n);
    }
    return PARE_OK;
}

/* Rejects data in which a column already has the name of an indicator. */
static pare_status check_names(const pare_data *out, const pare_data *data, const int64_t *of,
                               pare_error *err) {
    strings_index index;
    int64_t again;
    char made_up[32];
    if (!strings_index_make(&index, &out->names, &out->mem, &again)) return error_memory(err);
    strings_index_free(&index, &out->mem);
    if (again < data->x.d) return PARE_OK;
    return error_set(err, PARE_E_DATA,
                     "`missing` indicator: the data have a column \"%.128s\" already, which the "
                     "indicator of \"%.128s\" would be called",
                     strings_at(&out->names, again),
                     pare_data_name(data, of[again - data->x.d], made_up));
}

pare_status indicators_make(pare_data **out, const pare_data *data, const pare_ctx *ctx,
                            pare_error *err) {
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    data_builder b = {0};
    int64_t count, *of;
    *out = NULL;
    if (!data->x.missing) goto done;
    TRY(find_columns(&of, &count, data, &scratch, ctx, err));
    if (count == 0) goto done;
    TRY(data_begin(&b, ctx, err));
    TRY(name_columns(&b, data, of, count, &scratch, err));
    TRY(check_names(b.data, data, of, err));
    TRY(copy_samples(&b, data, err));
    TRY(copy_terms(&b, data, of, count, err));
    TRY(indicators_hstack(&b.data->x, &data->x, of, count, ctx, err));
    *out = data_hand_out(&b);
done:
    data_abandon(&b);
    arena_free(&scratch);
    return status;
}
