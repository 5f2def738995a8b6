#include "data/table/table.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum {
    STRIP_ROWS = 8,            /* a cache line of a column */
    MIN_BLOCK_BYTES = 1 << 20, /* size of a kept block */
    BLOCK_SHARE = 6            /* the block is at most this part of the matrix */
};

static int64_t at_least_one(int64_t count) { return count > 1 ? count : 1; }

/* rows of a row-major block become rows first .. first + rows - 1 of the columns. */
static void scatter(double *value, int64_t n, int64_t d, int64_t first, const double *block,
                    int64_t rows) {
    for (int64_t strip = 0; strip < rows; strip += STRIP_ROWS) {
        int64_t count = rows - strip < STRIP_ROWS ? rows - strip : STRIP_ROWS;
        const double *from = block + strip * d;
        double *to = value + first + strip;
        for (int64_t j = 0; j < d; j++)
            for (int64_t r = 0; r < count; r++) to[j * n + r] = from[r * d + j];
    }
}

static pare_status add_block(table *t, pare_error *err) {
    const pare_allocator *mem = &t->b->data->mem;
    int64_t bytes = 8 * at_least_one(t->d), limit = t->ctx ? t->ctx->memory_bytes : 0;
    if (limit > 0 && t->done > limit / bytes)
        return error_set(err, PARE_E_MEMORY, "%s needs more memory than the limit of %lld bytes",
                         t->name, (long long)limit);
    if (t->n_blocks == t->capacity) {
        int64_t capacity = 2 * t->capacity + 16;
        if (!mem_resize(mem, &t->block, capacity, sizeof *t->block)) return error_memory(err);
        t->capacity = capacity;
    }
    double *block = mem_alloc(mem, t->block_rows, (size_t)bytes);
    if (!block) return error_memory(err);
    t->block[t->n_blocks++] = block;
    return PARE_OK;
}

pare_status table_begin(table *t, data_builder *b, int64_t n, int64_t d, const char *name,
                        const pare_ctx *ctx, pare_error *err) {
    const pare_data *data = b->data;
    memset(t, 0, sizeof *t);
    t->b = b;
    t->name = name;
    t->ctx = ctx;
    t->n = n;
    t->d = d;
    if (d == 0 && !data->may_lack_features)
        return error_set(err, PARE_E_DATA, "%s has no features", name);
    int64_t kept = at_least_one(MIN_BLOCK_BYTES / (8 * at_least_one(d))),
            share = at_least_one(n / BLOCK_SHARE);
    t->block_rows =
        n < 0 ? (kept > STRIP_ROWS ? kept : STRIP_ROWS) : (share < STRIP_ROWS ? share : STRIP_ROWS);
    if (n >= 0) {
        PASS(data_alloc_dense(b, n, d, name, ctx, err));
    }
    return add_block(t, err);
}

pare_status table_row(table *t, double **row, pare_error *err) {
    if (t->filled == t->block_rows) {
        if (t->n >= 0) {
            scatter(t->b->fill.value, t->n, t->d, t->done, t->block[0], t->filled);
        } else {
            PASS(add_block(t, err));
        }
        t->done += t->filled;
        t->filled = 0;
    }
    if (t->n >= 0 && t->done + t->filled == t->n)
        return error_set(err, PARE_E_IO, "%s changed while it was being read", t->name);
    *row = t->block[t->n_blocks - 1] + t->filled++ * t->d;
    return PARE_OK;
}

pare_status table_finish(table *t, pare_error *err) {
    int64_t n = t->done + t->filled;
    if (t->n >= 0) {
        if (n != t->n)
            return error_set(err, PARE_E_IO, "%s changed while it was being read", t->name);
        scatter(t->b->fill.value, n, t->d, t->done, t->block[0], t->filled);
        return PARE_OK;
    }
    PASS(data_alloc_dense(t->b, n, t->d, t->name, t->ctx, err));
    for (int64_t b = 0; b < t->n_blocks; b++) { /* each block is freed as soon as it is copied */
        int64_t first = b * t->block_rows,
                rows = n - first < t->block_rows ? n - first : t->block_rows;
        scatter(t->b->fill.value, n, t->d, first, t->block[b], rows);
        mem_free(&t->b->data->mem, t->block[b]);
        t->block[b] = NULL;
    }
    return PARE_OK;
}

void table_free(table *t) {
    if (!t->b) return;
    for (int64_t b = 0; b < t->n_blocks; b++) mem_free(&t->b->data->mem, t->block[b]);
    mem_free(&t->b->data->mem, t->block);
    memset(t, 0, sizeof *t);
}
