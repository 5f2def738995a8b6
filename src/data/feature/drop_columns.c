#include "data/feature/drop_columns.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/checksum.h"
#include "data/feature/choose.h"

/* The text is not moved. */
static void drop_strings(strings *list, const int64_t *cols, int64_t count) {
    for (int64_t q = 0; list->count && q < count; q++) list->start[q] = list->start[cols[q]];
    if (list->count) list->count = count;
}

/* Columns of n items, one after the other. */
static void drop_items(void *block, size_t size, int64_t n, const int64_t *cols, int64_t count) {
    char *at = block;
    size_t width = size * (size_t)n;
    for (int64_t q = 0; q < count; q++)
        if (cols[q] != q) memmove(at + width * (size_t)q, at + width * (size_t)cols[q], width);
}

/* In place: col_ptr is written at or before the place where it is read. */
static void drop_sparse(data_arrays *of, const int64_t *cols, int64_t count) {
    int64_t at = 0;
    for (int64_t q = 0; q < count; q++) {
        int64_t from = of->col_ptr[cols[q]], entries = of->col_ptr[cols[q] + 1] - from;
        memmove(of->value + at, of->value + from, sizeof *of->value * (size_t)entries);
        memmove(of->row + at, of->row + from, sizeof *of->row * (size_t)entries);
        at += entries;
        of->col_ptr[q + 1] = at;
    }
}

static pare_status drop_values(data_builder *b, const int64_t *cols, int64_t count,
                               const char *where, const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    data_arrays *of = &b->fill;
    int64_t n = data->x.n;
    if (data->x.ops) {
        view some = view_all(&data->x);
        matrix made;
        some.cols = cols;
        some.d = count;
        pare_ctx own = ctx ? *ctx : (pare_ctx){0};
        if (!ctx) pare_ctx_init(&own);
        own.allocator = data->mem;
        PASS(ctx_check_memory(ctx, 8.0 * (double)n * (double)count,
                              "a copy of the features that stay", err));
        PASS(mat_compact(&made, &some, &own, err));
        mat_free(&data->x, &data->mem);
        data->x = made;
    } else if (of->col_ptr) {
        csc_arrays arrays = {of->col_ptr, of->row, of->value};
        PASS(mat_csc_check(n, data->x.d, &arrays, where, err));
        drop_sparse(of, cols, count);
    } else if (of->items) {
        drop_items(of->items, mat_item_size(of->item), n, cols, count);
    } else {
        drop_items(of->value, sizeof *of->value, n, cols, count);
    }
    data->x.d = count;
    return PARE_OK;
}

/* Notes the names of the dropped columns; false: out of memory. */
static bool note_gone(data_builder *b, const bool *stays) {
    pare_data *data = b->data;
    char made_up[32];
    bool fine = true;
    for (int64_t j = 0; fine && j < data->x.d; j++) {
        if (stays[j]) continue;
        const char *name = pare_data_name(data, j, made_up);
        fine = strings_add(&data->dropped, &data->mem, name, (int64_t)strlen(name));
    }
    return fine;
}

pare_status data_drop_columns(data_builder *b, const bool *stays, const char *where,
                              const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    const pare_allocator *mem = &data->mem;
    strings names = {0};
    int64_t count = 0;
    pare_status status = PARE_OK;
    int64_t *cols = mem_alloc(mem, data->x.d, sizeof *cols);
    TRY_MEM(cols);
    for (int64_t j = 0; j < data->x.d; j++)
        if (stays[j]) cols[count++] = j;
    TRY_MEM(note_gone(b, stays));
    if (!data->names.count) TRY_MEM(feature_names(&names, data));
    TRY(drop_values(b, cols, count, where, ctx, err));
    if (names.count) {
        data->names = names;
        data->numbered = true;
        names = (strings){0};
    }
    drop_strings(&data->names, cols, count);
    drop_strings(&data->groups, cols, count);
    for (int64_t q = 0; q < count; q++) {
        if (data->cost) data->cost[q] = data->cost[cols[q]];
        if (data->kept) data->kept[q] = data->kept[cols[q]];
        if (data->sign) data->sign[q] = data->sign[cols[q]];
        if (data->text) data->text[q] = data->text[cols[q]];
    }
    data->x_written[0] = '\0';
    data_changed(data);
done:
    strings_free(&names, mem);
    mem_free(mem, cols);
    return status;
}
