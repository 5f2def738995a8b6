/* Names and annotations go in one parcel from rank 0 to the other ranks. If X stays in a file, each
 * rank reads its own columns there; the rank before it hashes them as well, so that different files
 * are detected. Otherwise rank 0 sends each rank its columns, some at a time, and keeps its own. */
#include "data/sample/divide.h"

#include <inttypes.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "data/checksum.h"

enum {
    KIND = 16,
    MAX_MESSAGE = 1 << 23,
    DIGEST = 32,
    LISTS = 8
}; /* MAX_MESSAGE: bytes to a rank at a time */

/* ---- the parcel ---- */

typedef struct parcel {
    const pare_allocator *mem;
    char *bytes;
    int64_t size, capacity, at;
    bool failed; /* out of memory, or read beyond its end */
} parcel;

static void put(parcel *p, const void *from, int64_t size) {
    if (p->size + size > p->capacity) {
        int64_t capacity = 2 * p->capacity + size + 256;
        if (p->failed || !mem_resize(p->mem, &p->bytes, capacity, 1)) {
            p->failed = true;
            return;
        }
        p->capacity = capacity;
    }
    memcpy(p->bytes + p->size, from, (size_t)size);
    p->size += size;
}

static void get(parcel *p, void *to, int64_t size) {
    if (p->failed || !p->bytes || size > p->size - p->at) {
        p->failed = true;
        memset(to, 0, (size_t)size);
        return;
    }
    memcpy(to, p->bytes + p->at, (size_t)size);
    p->at += size;
}

static void put_strings(parcel *p, const strings *list) {
    put(p, &list->count, sizeof list->count);
    for (int64_t i = 0; i < list->count; i++) {
        const char *text = strings_at(list, i);
        put(p, text, (int64_t)strlen(text) + 1);
    }
}

static void get_strings(parcel *p, strings *list, const pare_allocator *mem) {
    int64_t count;
    get(p, &count, sizeof count);
    for (int64_t i = 0; i < count && !p->failed; i++) {
        const char *text = p->bytes + p->at, *end = memchr(text, 0, (size_t)(p->size - p->at));
        p->failed = !end || !strings_add(list, mem, text, end - text);
        if (end) p->at += end - text + 1;
    }
}

static void put_array(parcel *p, const void *array, int64_t size) {
    if (!array) size = 0;
    put(p, &size, sizeof size);
    if (size) put(p, array, size);
}

static void *get_array(parcel *p, const pare_allocator *mem) {
    int64_t size;
    get(p, &size, sizeof size);
    void *array = size > 0 ? mem_alloc(mem, size, 1) : NULL;
    if (array) get(p, array, size);
    p->failed = p->failed || (size > 0 && !array);
    return array;
}

/* X without its numbers. */
typedef struct shape {
    int64_t n, d;
    char kind[KIND], written[65];
    bool missing, numbered;
} shape;

static void lists_of(strings *list[LISTS], pare_data *data) {
    strings *const all[LISTS] = {&data->names,         &data->target.text, &data->ids,
                                 &data->fold_group,    &data->fold,        &data->groups,
                                 &data->target.strata, &data->batch};
    memcpy(list, all, sizeof all);
}

static void put_annotations(parcel *p, const data_builder *b) {
    pare_data *data = b->data;
    shape s;
    strings *list[LISTS];
    memset(&s, 0, sizeof s);
    s.n = data->x.n;
    s.d = data->x.d;
    strncpy(s.kind, mat_kind(&data->x), KIND - 1);
    memcpy(s.written, data->x_written, sizeof s.written);
    s.missing = data->x.missing;
    s.numbered = data->numbered;
    put(p, &s, sizeof s);
    lists_of(list, data);
    for (int k = 0; k < LISTS; k++) put_strings(p, list[k]);
    put_array(p, data->target.time, s.n * (int64_t)sizeof *data->target.time);
    put_array(p, data->target.event, s.n * (int64_t)sizeof *data->target.event);
    put_array(p, data->weight, s.n * (int64_t)sizeof *data->weight);
    put_array(p, data->offset, s.n * (int64_t)sizeof *data->offset);
    put_array(p, data->cost, s.d * (int64_t)sizeof *data->cost);
    put_array(p, data->kept, s.d * (int64_t)sizeof *data->kept);
    put_array(p, data->sign, s.d * (int64_t)sizeof *data->sign);
}

static void get_annotations(parcel *p, data_builder *b, shape *s) {
    pare_data *data = b->data;
    strings *list[LISTS];
    get(p, s, sizeof *s);
    memcpy(data->x_written, s->written, sizeof s->written);
    data->numbered = s->numbered;
    lists_of(list, data);
    for (int k = 0; k < LISTS; k++) get_strings(p, list[k], &data->mem);
    data->target.time = get_array(p, &data->mem);
    data->target.event = get_array(p, &data->mem);
    data->target.n = data->target.time ? s->n : 0;
    data->weight = get_array(p, &data->mem);
    data->offset = get_array(p, &data->mem);
    data->cost = get_array(p, &data->mem);
    data->kept = get_array(p, &data->mem);
    data->sign = get_array(p, &data->mem);
}

/* ---- checks ---- */

static pare_status check_count(int64_t d, const pare_ranks *r, const char *where, pare_error *err) {
    if (d >= r->count) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT,
                     "%d ranks are more than the %" PRId64 " features of %s: each must have one",
                     (int)r->count, d, where);
}

/* ---- a file that all ranks read ---- */

static pare_status compare_annotations(const data_builder *b, const char *where,
                                       const pare_ranks *r, arena *mem, pare_error *err) {
    parcel p = {.mem = &b->data->mem};
    sha256 hash;
    pare_status status = PARE_OK;
    unsigned char *digest = ARENA_NEW(mem, unsigned char, r->count *DIGEST);
    int64_t *start = ARENA_NEW(mem, int64_t, r->count + 1);
    TRY_MEM(digest && start);
    put_annotations(&p, b);
    TRY_MEM(!p.failed);
    sha256_init(&hash);
    sha256_update(&hash, p.bytes, (size_t)p.size);
    sha256_final(&hash, digest + r->index * DIGEST);
    for (int32_t k = 0; k <= r->count; k++) start[k] = k * DIGEST;
    TRY(ranks_gather(r, digest, start, err));
    for (int32_t k = 1; k < r->count; k++)
        if (memcmp(digest, digest + k * DIGEST, DIGEST) != 0)
            TRY(error_set(err, PARE_E_DATA,
                          "rank %d sees another %s than rank 0: sizes, names or targets differ",
                          (int)k, where));
done:
    mem_free(p.mem, p.bytes);
    return status;
}

/* Sets `missing` on all ranks; each has checked its own columns. */
static pare_status find_missing(data_builder *b, const pare_ranks *r, arena *mem, pare_error *err) {
    matrix *x = &b->data->x;
    bool *missing = ARENA_ZERO(mem, bool, r->count);
    int64_t *start = ARENA_NEW(mem, int64_t, r->count + 1);
    if (!missing || !start) return error_memory(err);
    for (int32_t k = 0; k <= r->count; k++) start[k] = k * (int64_t)sizeof *missing;
    missing[r->index] = x->missing;
    pare_status status = ranks_gather(r, missing, start, err);
    for (int32_t k = 0; k < r->count; k++) x->missing = x->missing || missing[k];
    return status;
}

/* Compares hashes of each rank's columns, as it and the rank before it read them. */
static pare_status compare_columns(const pare_data *data, const char *where, const pare_ranks *r,
                                   arena *mem, const pare_ctx *ctx, pare_error *err) {
    int32_t next = (r->index + 1) % r->count;
    unsigned char *digest = ARENA_NEW(mem, unsigned char, r->count * 2 * DIGEST);
    int64_t *start = ARENA_NEW(mem, int64_t, r->count + 1), from, to;
    PASS_MEM(digest && start);
    for (int k = 0; k < 2; k++) {
        mat_distributed_range(data->x.d, r->count, k ? next : r->index, &from, &to);
        PASS(data_columns_digest(&data->x, from, to, ctx, digest + (2 * r->index + k) * DIGEST,
                                 err));
    }
    for (int32_t k = 0; k <= r->count; k++) start[k] = 2 * k * DIGEST;
    PASS(ranks_gather(r, digest, start, err));
    for (int32_t k = 0; k < r->count; k++) {
        int32_t behind = (k + 1) % r->count;
        if (memcmp(digest + (2 * k + 1) * DIGEST, digest + 2 * behind * DIGEST, DIGEST) == 0)
            continue;
        mat_distributed_range(data->x.d, r->count, behind, &from, &to);
        PASS(error_set(err, PARE_E_DATA,
                       "ranks %d and %d see different files: %s differs in features %" PRId64
                       " to %" PRId64,
                       (int)k, (int)behind, where, from + 1, to));
    }
    return PARE_OK;
}

pare_status data_divide_file(data_builder *b, const char *where, const pare_ranks *r,
                             const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_data *data = b->data;
    pare_status status = PARE_OK;
    TRY(find_missing(b, r, &mem, err));
    TRY(compare_annotations(b, where, r, &mem, err));
    matrix own = data->x;
    TRY(check_count(own.d, r, where, err));
    TRY(ranks_agree(r, compare_columns(data, where, r, &mem, ctx, err), err));
    data->x = (matrix){0};
    TRY(mat_distributed(&data->x, own.d, &own, 0, own.missing, r, &data->mem, err));
done:
    arena_free(&mem);
    return status;
}

/* ---- data that rank 0 has read ---- */

/* Columns from .. to - 1 of rank 0's X, to[...] n numbers each. */
static pare_status read_columns(walk *w, int64_t from, int64_t to, double *out) {
    column c;
    for (int64_t j = from; j < to; j++, out += w->v->n) {
        if (!walk_at(w, j, &c)) return w->status;
        column_spread(&c, w->v->n, out);
    }
    return PARE_OK;
}

/* In rounds, each rank but 0 gets its next columns. w: open on rank 0. */
static pare_status send_columns(walk *w, matrix *own, const shape *s, const pare_ranks *r,
                                arena *mem, pare_error *err) {
    int64_t at_once = MAX_MESSAGE / (8 * s->n) + 1, rounds = 0, from, to, size = 8 * s->n;
    int64_t *give = ARENA_NEW(mem, int64_t, r->count + 1);
    int64_t *take = ARENA_ZERO(mem, int64_t, r->count + 1);
    double *out = r->index ? NULL : ARENA_NEW(mem, double, at_once * s->n * r->count);
    double *in = r->index ? ARENA_NEW(mem, double, at_once * s->n) : NULL;
    PASS_MEM(give && take && (r->index ? in : out));
    for (int32_t k = 1; k < r->count; k++) {
        mat_distributed_range(s->d, r->count, k, &from, &to);
        int64_t need = (to - from + at_once - 1) / at_once;
        rounds = need > rounds ? need : rounds;
    }
    for (int64_t round = 0; round < rounds; round++) {
        memset(give, 0, sizeof *give * (size_t)(r->count + 1));
        for (int32_t k = 0; k < r->count; k++) {
            mat_distributed_range(s->d, r->count, k, &from, &to);
            int64_t first = from + round * at_once;
            int64_t count = k == 0 || first >= to ? 0 : to - first < at_once ? to - first : at_once;
            give[k + 1] = give[k] + (r->index == 0 ? count * size : 0);
            if (r->index == 0) PASS(read_columns(w, first, first + count, out + give[k] / 8));
            if (r->index != k) continue;
            for (int32_t q = 1; q <= r->count; q++) take[q] = count * size;
        }
        PASS(ranks_exchange(r, out, give, in, take, err));
        for (int64_t q = 0; r->index && q < take[1] / size; q++)
            own->ops->save(own, round * at_once + q, in + q * s->n);
    }
    return PARE_OK;
}

/* Rank 0 makes its own part last, after the other ranks have theirs. */
static pare_status divide_columns(data_builder *b, const shape *s, const pare_ranks *r, arena *mem,
                                  const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    pare_data *data = b->data;
    matrix own = {0};
    walk w = {0};
    view all = view_all(&data->x);
    int64_t from, to, *cols;
    mat_distributed_range(s->d, r->count, r->index, &from, &to);
    if (r->index == 0) status = walk_open(&w, &all, NULL, all.d, ctx, err);
    if (r->index) status = mat_make_kind(&own, s->kind, s->n, to - from, &data->mem, err);
    TRY(ranks_agree(r, status, err));
    TRY(send_columns(&w, &own, s, r, mem, err));
    if (r->index == 0) {
        TRY(walk_close(&w, err));
        TRY_MEM(cols = ARENA_NEW(mem, int64_t, to));
        for (int64_t j = 0; j < to; j++) cols[j] = j;
        pare_ctx with = *ctx;
        with.allocator = data->mem;
        all.cols = cols;
        all.d = to;
        TRY(mat_compact(&own, &all, &with, err));
        mat_free(&data->x, &data->mem);
    }
    TRY(mat_distributed(&data->x, s->d, &own, from, s->missing, r, &data->mem, err));
done:
    if (r->index == 0) status = walk_end(&w, status, err);
    mat_free(&own, &data->mem);
    return status;
}

pare_status data_divide_read(data_builder *b, const char *where, const pare_ranks *r,
                             const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    arena mem = arena_of(ctx);
    parcel p = {.mem = ctx_allocator(ctx)};
    shape s = {0};
    if (r->index == 0 && mat_is_sparse(&b->data->x))
        status = error_set(err, PARE_E_ARGUMENT,
                           "%s is sparse, and sparse data are not divided among ranks: `storage` "
                           "dense reads it as dense data, or one process takes it as it is",
                           where);
    if (r->index == 0 && status == PARE_OK) {
        put_annotations(&p, b);
        if (p.failed) status = error_memory(err);
    } else if (status == PARE_OK) {
        status = data_begin(b, ctx, err);
    }
    TRY(ranks_agree(r, status, err));
    TRY(ranks_tell(r, 0, &p.size, sizeof p.size, err));
    if (r->index && !(p.bytes = mem_alloc(p.mem, p.size, 1))) status = error_memory(err);
    TRY(ranks_agree(r, status, err));
    TRY(ranks_tell(r, 0, p.bytes, p.size, err));
    if (r->index)
        get_annotations(&p, b, &s);
    else
        get(&p, &s, sizeof s);
    TRY(ranks_agree(r, p.failed ? error_memory(err) : PARE_OK, err));
    TRY(check_count(s.d, r, where, err));
    TRY(divide_columns(b, &s, r, &mem, ctx, err));
done:
    mem_free(p.mem, p.bytes);
    arena_free(&mem);
    return status;
}
