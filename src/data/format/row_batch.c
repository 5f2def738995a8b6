#include "data/format/row_batch.h"

#include "base/context.h"
#include "base/error.h"

enum { MIN_ENTRIES = 1 << 16, SHARES = 16 }; /* entries of a batch; batches of a large matrix */

static pare_status count_rows(row_batch *b, pare_error *err) {
    walk w;
    column c;
    int64_t j;
    PASS(walk_open(&w, &b->x, NULL, b->x.d, b->ctx, err));
    while (walk_next(&w, &j, &c))
        for (int64_t e = 0; e < c.count; e++) b->row_ptr[(c.index ? c.index[e] : e) + 1]++;
    for (int64_t i = 0; i < b->x.n; i++) b->row_ptr[i + 1] += b->row_ptr[i];
    return walk_close(&w, err);
}

pare_status row_batch_open(row_batch *b, const matrix *x, const pare_ctx *ctx, pare_error *err) {
    *b = (row_batch){.x = view_all(x), .ctx = ctx};
    arena_init(&b->mem, ctx_allocator(ctx));
    PASS_MEM(b->cursor = ARENA_ZERO(&b->mem, int64_t, x->d));
    PASS_MEM(b->row_ptr = ARENA_ZERO(&b->mem, int64_t, x->n + 1));
    PASS_MEM(b->next = ARENA_NEW(&b->mem, int64_t, x->n));
    PASS(count_rows(b, err));
    b->capacity = b->row_ptr[x->n] / SHARES;
    if (b->capacity < MIN_ENTRIES) b->capacity = MIN_ENTRIES;
    if (b->capacity < x->d) b->capacity = x->d; /* no row has more entries than d */
    PASS_MEM(b->column = ARENA_NEW(&b->mem, int64_t, b->capacity));
    PASS_MEM(b->value = ARENA_NEW(&b->mem, double, b->capacity));
    return PARE_OK;
}

pare_status row_batch_next(row_batch *b, pare_error *err) {
    walk w;
    column c;
    int64_t j, start = b->row_ptr[b->last];
    b->first = b->last;
    while (b->last < b->x.n && b->row_ptr[b->last + 1] - start <= b->capacity) b->last++;
    if (b->first == b->last) return PARE_OK;
    for (int64_t i = b->first; i < b->last; i++) b->next[i] = b->row_ptr[i] - start;
    PASS(walk_open(&w, &b->x, NULL, b->x.d, b->ctx, err));
    while (walk_next(&w, &j, &c)) {
        int64_t e = b->cursor[j];
        for (; e < c.count && (c.index ? c.index[e] : e) < b->last; e++) {
            int64_t at = b->next[c.index ? c.index[e] : e]++;
            b->column[at] = j;
            b->value[at] = c.value[e];
        }
        b->cursor[j] = e;
    }
    return walk_close(&w, err);
}

void row_batch_row(const row_batch *b, int64_t i, int64_t *from, int64_t *to) {
    *from = b->row_ptr[i] - b->row_ptr[b->first];
    *to = b->row_ptr[i + 1] - b->row_ptr[b->first];
}

void row_batch_close(row_batch *b) { arena_free(&b->mem); }
