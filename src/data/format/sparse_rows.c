#include "data/format/sparse_rows.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { BLOCK_ENTRIES = 1 << 16 };

struct entry_block {
    double value[BLOCK_ENTRIES];
    int32_t column[BLOCK_ENTRIES];
};

static pare_status error_changed(const sparse_rows *r, pare_error *err) {
    return error_set(err, PARE_E_IO, "%s changed while it was being read", r->name);
}

/* Grows to d column counters; zero-filled memory costs pages only where columns are used. */
static pare_status widen(sparse_rows *r, int64_t d, pare_error *err) {
    const pare_allocator *mem = &r->b->data->mem;
    if (d > r->d_capacity) {
        int64_t limit = r->ctx ? r->ctx->memory_bytes : 0;
        if (limit > 0 && d > limit / 16) /* the counters and col_ptr */
            return error_set(
                err, PARE_E_MEMORY,
                "%s has at least %lld columns, too many for the memory limit of %lld bytes",
                r->name, (long long)d, (long long)limit);
        int64_t capacity = d < 2 * r->d_capacity ? 2 * r->d_capacity : d;
        int64_t *count = mem_zero(mem, capacity, sizeof *count);
        if (!count) return error_memory(err);
        if (r->d) memcpy(count, r->count, (size_t)r->d * sizeof *count);
        mem_free(mem, r->count);
        r->count = count;
        r->d_capacity = capacity;
    }
    r->d = d;
    return PARE_OK;
}

pare_status sparse_rows_begin(sparse_rows *r, data_builder *b, int64_t d, bool keep,
                              const char *name, const pare_ctx *ctx, pare_error *err) {
    memset(r, 0, sizeof *r);
    r->b = b;
    r->name = name;
    r->ctx = ctx;
    r->keep = keep;
    return widen(r, d, err);
}

static pare_status keep_entry(sparse_rows *r, int64_t j, double value, pare_error *err) {
    const pare_allocator *mem = &r->b->data->mem;
    int64_t at = r->entries % BLOCK_ENTRIES;
    if (at == 0) {
        int64_t limit = r->ctx ? r->ctx->memory_bytes : 0;
        if (limit > 0 && r->entries > limit / 12)
            return error_set(err, PARE_E_MEMORY,
                             "%s needs more memory than the limit of %lld bytes", r->name,
                             (long long)limit);
        if (r->n_blocks == r->block_capacity) {
            int64_t capacity = 2 * r->block_capacity + 16;
            if (!mem_resize(mem, &r->block, capacity, sizeof *r->block)) return error_memory(err);
            r->block_capacity = capacity;
        }
        entry_block *block = mem_alloc(mem, 1, sizeof *block);
        if (!block) return error_memory(err);
        r->block[r->n_blocks++] = block;
    }
    entry_block *block = r->block[r->n_blocks - 1];
    block->value[at] = value;
    block->column[at] = (int32_t)j;
    return PARE_OK;
}

pare_status sparse_rows_put(sparse_rows *r, int64_t j, double value, pare_error *err) {
    if (sparse_rows_quick(r, j, value)) return PARE_OK;
    if (r->filling) return error_changed(r, err);
    if (j >= r->d) {
        PASS(widen(r, j + 1, err));
    }
    if (r->keep) {
        PASS(keep_entry(r, j, value, err));
    }
    r->count[j]++;
    r->entries++;
    return PARE_OK;
}

pare_status sparse_rows_end_row(sparse_rows *r, pare_error *err) {
    if (r->keep) {
        if (r->n == r->row_capacity) {
            int64_t capacity = 2 * r->row_capacity + 64;
            if (!mem_resize(&r->b->data->mem, &r->row_end, capacity, sizeof *r->row_end))
                return error_memory(err);
            r->row_capacity = capacity;
        }
        r->row_end[r->n] = r->entries;
    }
    r->n++;
    if (r->filling && r->n > r->b->data->x.n) return error_changed(r, err);
    return PARE_OK;
}

pare_status sparse_rows_fill(sparse_rows *r, pare_error *err) {
    data_builder *b = r->b;
    PASS(data_alloc_sparse(b, r->n, r->d, r->entries, r->name, r->ctx, err));
    int64_t at = 0;
    for (int64_t j = 0; j < r->d; j++) {
        int64_t count = r->count[j];
        b->fill.col_ptr[j] = r->count[j] = at;
        at += count;
    }
    b->fill.col_ptr[r->d] = at;
    r->filling = true;
    r->n = 0;
    return PARE_OK;
}

pare_status sparse_rows_finish(sparse_rows *r, pare_error *err) {
    if (r->keep) {
        int64_t n = r->n, e = 0;
        pare_status status = sparse_rows_fill(r, err);
        r->keep = false; /* from here on as in a second pass */
        for (int64_t i = 0; i < n && status == PARE_OK; i++, r->n++)
            for (; e < r->row_end[i] && status == PARE_OK; e++) {
                entry_block *block = r->block[e / BLOCK_ENTRIES];
                int64_t at = e % BLOCK_ENTRIES;
                status = sparse_rows_put(r, block->column[at], block->value[at], err);
                if (at == BLOCK_ENTRIES - 1) { /* each block is freed as soon as it is copied */
                    mem_free(&r->b->data->mem, block);
                    r->block[e / BLOCK_ENTRIES] = NULL;
                }
            }
        return status;
    }
    for (int64_t j = 0; j < r->d; j++)
        if (r->count[j] != r->b->fill.col_ptr[j + 1]) return error_changed(r, err);
    return r->n == r->b->data->x.n ? PARE_OK : error_changed(r, err);
}

void sparse_rows_free(sparse_rows *r) {
    if (!r->b) return;
    const pare_allocator *mem = &r->b->data->mem;
    for (int64_t b = 0; b < r->n_blocks; b++) mem_free(mem, r->block[b]);
    mem_free(mem, r->block);
    mem_free(mem, r->row_end);
    mem_free(mem, r->count);
    memset(r, 0, sizeof *r);
}
