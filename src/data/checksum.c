/* What is hashed, all integers and numbers as little-endian 64-bit words unless stated otherwise:
 *
 *     n, d, then the digest of each block of COLUMNS columns in order;
 *     the number of targets, then each with its NUL;
 *     the number of weights, then the weights;
 *     offsets, if there are any, likewise.
 *
 * A block is its columns one after the other: how many entries are not zero, their rows as 32-bit
 * words (not if all n are there), then their values. -0 is a zero, every NaN is the same NaN. So
 * the hash depends neither on the storage nor on the threads, which take blocks of a fixed size. */
#include "data/checksum.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sha256.h"

enum { COLUMNS = 32, BATCH = 512 };

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LITTLE32(x) (x)
#define LITTLE64(x) (x)
#else
#define LITTLE32(x) __builtin_bswap32(x)
#define LITTLE64(x) __builtin_bswap64(x)
#endif

static void add_count(sha256 *s, int64_t count) {
    uint64_t word = LITTLE64((uint64_t)count);
    sha256_update(s, &word, sizeof word);
}

static uint64_t canonical(double value) {
    uint64_t bits = 0x7ff8000000000000u;
    if (!isnan(value)) memcpy(&bits, &value, sizeof bits);
    return LITTLE64(bits);
}

/* Nonzero entries, without a branch for each: an entry that is not kept is overwritten by the
 * next. */
static void add_rows(sha256 *s, const column *c, int64_t from, int64_t to) {
    uint32_t rows[BATCH];
    int64_t kept = 0;
    for (int64_t e = from; e < to; e++) {
        rows[kept] = LITTLE32((uint32_t)(c->index ? c->index[e] : e));
        kept += c->value[e] != 0;
    }
    sha256_update(s, rows, (size_t)kept * sizeof *rows);
}

static void add_values(sha256 *s, const column *c, int64_t from, int64_t to) {
    uint64_t bits[BATCH];
    int64_t kept = 0;
    for (int64_t e = from; e < to; e++) {
        bits[kept] = canonical(c->value[e]);
        kept += c->value[e] != 0;
    }
    sha256_update(s, bits, (size_t)kept * sizeof *bits);
}

static void add_column(sha256 *s, const column *c, int64_t n) {
    int64_t nonzero = 0;
    for (int64_t e = 0; e < c->count; e++) nonzero += c->value[e] != 0;
    add_count(s, nonzero);
    for (int64_t e = 0; nonzero < n && e < c->count; e += BATCH)
        add_rows(s, c, e, e + BATCH < c->count ? e + BATCH : c->count);
    for (int64_t e = 0; e < c->count; e += BATCH)
        add_values(s, c, e, e + BATCH < c->count ? e + BATCH : c->count);
}

/* `fresh` is copied: sha256_init queries the processor, which is slow in a virtual machine. */
static void hash_block(walk *w, int64_t block, const sha256 *fresh, unsigned char digest[32]) {
    sha256 s = *fresh;
    column c;
    for (int64_t j = block * COLUMNS; j < w->stop && j < (block + 1) * COLUMNS; j++)
        if (walk_at(w, j, &c)) add_column(&s, &c, w->v->n);
    sha256_final(&s, digest);
}

/* "1.0" in a file and 1 in an array are the same value. */
static void add_target(sha256 *s, const char *text) {
    double value;
    char shortest[32];
    if (number_parse_all(text, &value) && isfinite(value)) {
        number_format(value, shortest);
        text = shortest;
    }
    sha256_update(s, text, strlen(text) + 1);
}

/* *s = the hash of n, d and the digests of the blocks. */
static pare_status hash_view(sha256 *s, const view *x, const pare_ctx *ctx, pare_error *err) {
    int64_t blocks = (x->d + COLUMNS - 1) / COLUMNS;
    arena mem = arena_of(ctx);
    int threads = ctx_threads(ctx);
    pare_status status = PARE_OK;
    enum { DIGEST = 32 };
    unsigned char *digests;
    sha256 fresh;
    walk *walks;
    TRY_MEM(digests = ARENA_NEW(&mem, unsigned char, blocks *DIGEST));
    TRY_MEM(walks = ARENA_NEW(&mem, walk, threads));
    TRY(walks_open(walks, threads, x, NULL, x->d, ctx, err));
    sha256_init(&fresh);
    span own = mat_share(x, COLUMNS, ctx);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t b = own.from; b < own.to; b++)
        hash_block(&walks[omp_get_thread_num()], b, &fresh, digests + b * DIGEST);
    TRY(walks_end(walks, threads, PARE_OK, err));
    TRY(mat_join(x, COLUMNS, digests, DIGEST, ctx, err));
    *s = fresh;
    add_count(s, x->n);
    add_count(s, x->d);
    sha256_update(s, digests, (size_t)blocks * DIGEST);
done:
    arena_free(&mem);
    return status;
}

static pare_status hash_matrix(sha256 *s, const pare_data *data, const pare_ctx *ctx,
                               pare_error *err) {
    view all = view_all(&data->x);
    return hash_view(s, &all, ctx, err);
}

pare_status data_columns_digest(const matrix *x, int64_t from, int64_t to, const pare_ctx *ctx,
                                unsigned char digest[32], pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    view some = view_all(x);
    sha256 s;
    int64_t *cols = mem_alloc(mem, to - from, sizeof *cols);
    if (!cols) return error_memory(err);
    for (int64_t j = from; j < to; j++) cols[j - from] = j;
    some.cols = cols;
    some.d = to - from;
    pare_status status = hash_view(&s, &some, ctx, err);
    if (status == PARE_OK) sha256_final(&s, digest);
    mem_free(mem, cols);
    return status;
}

pare_status data_matrix_digest(const pare_data *data, const pare_ctx *ctx, unsigned char digest[32],
                               pare_error *err) {
    sha256 s;
    pare_status status = hash_matrix(&s, data, ctx, err);
    if (status == PARE_OK) sha256_final(&s, digest);
    return status;
}

static pare_status compute(const pare_data *data, const pare_ctx *ctx, char hex[65],
                           pare_error *err) {
    sha256 s, matrix_only;
    char digits[32];
    unsigned char digest[32];
    PASS(hash_matrix(&s, data, ctx, err));
    matrix_only = s;
    sha256_final(&matrix_only, digest);
    sha256_hex(digest, hex);
    if (*data->x_written && strcmp(hex, data->x_written) != 0)
        return error_set(
            err, PARE_E_DATA,
            "the numbers of the data file are not those that were written to it: it is "
            "damaged or was changed");
    add_count(&s, target_column_count(&data->target));
    for (int64_t i = 0; i < target_column_count(&data->target); i++)
        add_target(&s, target_column_text(&data->target, i, digits));
    if (data->target.strata.count) add_count(&s, data->x.n);
    for (int64_t i = 0; i < data->target.strata.count; i++)
        add_target(&s, strings_at(&data->target.strata, i));
    add_count(&s, data->weight ? data->x.n : 0);
    for (int64_t i = 0; data->weight && i < data->x.n; i++) {
        uint64_t bits = canonical(data->weight[i]);
        sha256_update(&s, &bits, sizeof bits);
    }
    if (data->offset) add_count(&s, data->x.n);
    for (int64_t i = 0; data->offset && i < data->x.n; i++) {
        uint64_t bits = canonical(data->offset[i]);
        sha256_update(&s, &bits, sizeof bits);
    }
    sha256_final(&s, digest);
    sha256_hex(digest, hex);
    return PARE_OK;
}

pare_status data_checksum(const pare_data *data, const pare_ctx *ctx, char hex[65],
                          pare_error *err) {
    kept_checksum *kept = data->checksum;
    int none = 0;
    if (atomic_load(&kept->state) == 2) {
        memcpy(hex, kept->hex, sizeof kept->hex);
        return PARE_OK;
    }
    pare_status status = compute(data, ctx, hex, err);
    if (status != PARE_OK || !atomic_compare_exchange_strong(&kept->state, &none, 1)) return status;
    memcpy(kept->hex, hex, sizeof kept->hex);
    atomic_store(&kept->state, 2);
    return PARE_OK;
}

void data_changed(pare_data *data) { atomic_store(&data->checksum->state, 0); }

pare_status pare_data_checksum(char hex[65], const pare_data *data, const pare_ctx *ctx,
                               pare_error *err) {
    call c;
    pare_status status = call_begin(&c, ctx, err);
    if (status == PARE_OK) status = data_checksum(data, &c.ctx, hex, err);
    call_end(&c);
    return status;
}
