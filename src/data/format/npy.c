/* NumPy's .npy: one 2-D array, rows are samples, columns are features.
 *
 * Items of 1, 2 and 4 bytes stay what they are in memory, those of 8 become doubles.
 * Memory: X, plus at most a quarter of it for a C-ordered file: its rows are turned into columns a
 * few at a time, so that whole cache lines of X are written. */
#define _POSIX_C_SOURCE 200809L
#include "data/format/npy.h"
#include "data/builder.h"
#include "data/format/npy_header.h"
#include "data/format/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "base/number.h"

enum { BLOCK_ROWS = 8 };

/* The length of a plain file is checked before memory is allocated. */
static pare_status check_length(const npy_header *h, const stream *s, pare_error *err) {
    struct stat info;
    size_t items, bytes;
    int64_t whole = s->length;
    bool fits = size_mul(h->n, h->d, &items) && size_mul((int64_t)items, h->size, &bytes);
    if (s->can_rewind && s->path && stat(s->path, &info) == 0 && S_ISREG(info.st_mode))
        whole = (int64_t)info.st_size;
    if (!whole) return PARE_OK;
    int64_t left = whole - s->base - (int64_t)s->at;
    if (fits && left == (int64_t)bytes) return PARE_OK;
    return error_at(err, PARE_E_FORMAT, 0, 0, s->base + (int64_t)s->at,
                    "%s says it holds %" PRId64 " x %" PRId64 " items of %d bytes, but %" PRId64
                    " bytes follow its header",
                    s->name, h->n, h->d, h->size, left);
}

/* --- the items --- */

#define EACH(type, change)                                                                         \
    for (int64_t i = 0; i < count; i++) {                                                          \
        type v;                                                                                    \
        memcpy(&v, at + (size_t)i * sizeof v, sizeof v);                                           \
        change;                                                                                    \
        memcpy(at + (size_t)i * sizeof v, &v, sizeof v);                                           \
    }

/* Converts items in place to those of this machine: 8-byte integers to doubles, booleans to 0 and
 * 1. */
static void settle(char *at, int64_t count, const npy_header *h) {
    double number;
    if (h->swap && h->size == 2) EACH(uint16_t, v = npy_swap16(v))
    if (h->swap && h->size == 4) EACH(uint32_t, v = npy_swap32(v))
    if (h->swap && h->size == 8) EACH(uint64_t, v = npy_swap64(v))
    if (h->kind == 'b') EACH(uint8_t, v = v != 0)
    if (h->size == 8 && h->kind == 'i')
        EACH(int64_t, number = (double)v; memcpy(&v, &number, sizeof v))
    if (h->size == 8 && h->kind == 'u')
        EACH(uint64_t, number = (double)v; memcpy(&v, &number, sizeof v))
}

static pare_status read_items(void *to, int64_t count, const npy_header *h, stream *s,
                              pare_error *err) {
    char *out = to;
    while (count > 0) {
        PASS(npy_need(s, (size_t)h->size, "its numbers", err));
        int64_t there = (int64_t)(s->end - s->at) / h->size, now = there < count ? there : count;
        size_t bytes = (size_t)(now * h->size);
        memcpy(out, s->buffer + s->at, bytes);
        settle(out, now, h);
        s->at += bytes;
        out += bytes;
        count -= now;
    }
    return PARE_OK;
}

/* Reads all items of a plain file in the order of X, by all threads: most of the time goes to first
 * touches of memory pages. */
static pare_status read_at_once(void *to, const npy_header *h, const stream *s, const pare_ctx *ctx,
                                pare_error *err) {
    const int64_t piece = (int64_t)8 << 20, bytes = h->n * h->d * h->size;
    int64_t pieces = (bytes + piece - 1) / piece, start = s->base + (int64_t)s->at, missed = 0;
    int threads = ctx_threads(ctx), file = open(s->path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return error_set(err, PARE_E_IO, "%s cannot be opened", s->name);
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(+ : missed)
    for (int64_t k = 0; k < pieces; k++) {
        int64_t done = 0, want = bytes - k * piece < piece ? bytes - k * piece : piece;
        char *at = (char *)to + k * piece;
        for (ssize_t now = 1; done < want && now > 0; done += now > 0 ? now : 0) do
                now = pread(file, at + done, (size_t)(want - done), start + k * piece + done);
            while (now < 0 && errno == EINTR);
        missed += done < want;
        if (done == want) settle(at, want / h->size, h);
    }
    close(file);
    return missed ? error_set(err, PARE_E_IO, "%s could not be read to its end", s->name) : PARE_OK;
}

#define PLACE(type)                                                                                \
    for (int64_t j = 0; j < d; j++)                                                                \
        for (int64_t r = 0; r < n_rows; r++)                                                       \
            ((type *)to)[j * n + i0 + r] = ((const type *)rows)[r * d + j];                        \
    break

/* rows: n_rows x d, one row after the other; they become rows i0 .. of the n x d columns. */
static void place_rows(void *to, const void *rows, int64_t i0, int64_t n_rows, int64_t n, int64_t d,
                       int size) {
    switch (size) {
    case 1: PLACE(uint8_t);
    case 2: PLACE(uint16_t);
    case 4: PLACE(uint32_t);
    default: PLACE(uint64_t);
    }
}

static pare_status read_rows(void *to, const npy_header *h, stream *s, const pare_allocator *mem,
                             pare_error *err) {
    int64_t n = h->n, d = h->d, at_once = n / 4;
    if (at_once > BLOCK_ROWS) at_once = BLOCK_ROWS;
    if (at_once < 1) at_once = 1;
    pare_status status = PARE_OK;
    void *rows = mem_alloc(mem, at_once * d, (size_t)h->size);
    if (!rows) return error_memory(err);
    for (int64_t i = 0; i < n; i += at_once) {
        int64_t now = n - i < at_once ? n - i : at_once;
        TRY(read_items(rows, now * d, h, s, err));
        place_rows(to, rows, i, now, n, d, h->size);
    }
done:
    mem_free(mem, rows);
    return status;
}

/* The item type in memory of items of fewer than 8 bytes. */
static mat_item kept_as(const npy_header *h) {
    bool is_signed = h->kind == 'i';
    if (h->kind == 'f') return h->size == 2 ? MAT_F2 : MAT_F4;
    if (h->size == 1) return is_signed ? MAT_I1 : MAT_U1;
    if (h->size == 2) return is_signed ? MAT_I2 : MAT_U2;
    return is_signed ? MAT_I4 : MAT_U4;
}

/* Returns true if X stays in the file: it exceeds the memory limit, or is distributed over ranks,
 * and the file has columns in a usable form. */
static bool stays_on_disk(const npy_header *h, const stream *s, const pare_ctx *ctx) {
    double bytes = (double)h->size * (double)h->n * (double)h->d;
    double limit = ctx && ctx->memory_bytes > 0
                       ? (double)ctx->memory_bytes
                       : 0.75 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    bool as_needed = !h->swap && h->kind != 'b' && (h->size < 8 || h->kind == 'f');
    return s->path && s->can_rewind && h->fortran && as_needed && (bytes > limit || ctx_ranks(ctx));
}

static pare_status keep_on_disk(data_builder *b, const npy_header *h, mat_item item,
                                const stream *s, const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    PASS(data_check_shape(data, h->n, h->d, s->name, err));
    span own = data_own_columns(b, h->d);
    mat_file of = {.file = open(s->path, O_RDONLY | O_CLOEXEC),
                   .item = item,
                   .at = s->base + (int64_t)s->at,
                   .look = h->kind == 'f',
                   .name = s->name,
                   .from = own.from,
                   .to = own.to};
    if (of.file < 0) return error_set(err, PARE_E_IO, "%s cannot be opened", s->name);
    if (!ctx_ranks(ctx))
        ctx_log(ctx, PARE_LOG_INFO, "%s is larger than memory may take: it is read as it is needed",
                s->name);
    pare_status status = mat_on_disk(&data->x, h->n, h->d, &of, &data->mem, err);
    if (status != PARE_OK) close(of.file);
    return status;
}

pare_status read_npy(data_builder *b, stream *s, const pare_read_options *o, const pare_ctx *ctx,
                     pare_error *err) {
    const pare_data *data = b->data;
    npy_header h;
    pare_status status = PARE_OK;
    TRY(npy_read_header(&h, s, false, err));
    TRY(check_length(&h, s, err));
    if (stays_on_disk(&h, s, ctx)) {
        TRY(keep_on_disk(b, &h, h.size == 8 ? MAT_F8 : kept_as(&h), s, ctx, err));
        if (!o->allow_missing) TRY(data_refuse_missing(b, s->name, err));
        return PARE_OK;
    }
    if (h.size == 8)
        TRY(data_alloc_dense(b, h.n, h.d, s->name, ctx, err));
    else
        TRY(data_alloc_items(b, h.n, h.d, kept_as(&h), s->name, ctx, err));
    void *to = h.size == 8 ? (void *)b->fill.value : b->fill.items;
    bool in_order = h.fortran || h.n == 1;
    if (in_order && s->path && s->can_rewind && to) {
        TRY(read_at_once(to, &h, s, ctx, err));
        TRY(stream_seek(s, s->base + (int64_t)s->at + h.n * h.d * h.size, err));
    } else if (in_order)
        TRY(read_items(to, h.n * h.d, &h, s, err));
    else
        TRY(read_rows(to, &h, s, &data->mem, err));
    while (s->at == s->end && !s->eof) TRY(stream_fill(s, err));
    if (s->at < s->end) {
        status =
            error_at(err, PARE_E_FORMAT, 0, 0, s->base + (int64_t)s->at,
                     "%s goes on after its %" PRId64 " x %" PRId64 " numbers", s->name, h.n, h.d);
        goto done;
    }
    if (!o->allow_missing) TRY(data_refuse_missing(b, s->name, err));
done:
    return status;
}

/* --- a list --- */

/* The string of an item: bytes, or code points as UTF-8; text holds four bytes for each. */
static int64_t item_text(char *text, const char *item, const npy_header *h) {
    int64_t length = 0;
    for (int i = 0; i < h->size; i += h->kind == 'U' ? 4 : 1) {
        uint32_t c = (unsigned char)item[i];
        if (h->kind == 'U') {
            memcpy(&c, item + i, 4);
            if (h->swap) c = npy_swap32(c);
        }
        if (c == 0) break;
        if (h->kind == 'S' || c < 0x80) {
            text[length++] = (char)c;
        } else {
            int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
            static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
            text[length++] = (char)(lead[more] | (c >> 6 * more & (0x3fu >> more)));
            for (int k = more - 1; k >= 0; k--) text[length++] = (char)(0x80 | (c >> 6 * k & 0x3f));
        }
    }
    return length;
}

/* An item as a number. */
static double item_number(const char *item, const npy_header *h) {
    uint8_t u1;
    uint16_t u2;
    uint32_t u4;
    float f4;
    double f8;
    memcpy(&u1, item, sizeof u1);
    memcpy(&u2, item, sizeof u2);
    memcpy(&u4, item, sizeof u4);
    memcpy(&f4, item, sizeof f4);
    memcpy(&f8, item, sizeof f8);
    bool is_signed = h->kind == 'i';
    switch (h->size) {
    case 1: return is_signed ? (double)(int8_t)u1 : (double)u1;
    case 2: return h->kind == 'f' ? half_value(u2) : is_signed ? (double)(int16_t)u2 : (double)u2;
    case 4: return h->kind == 'f' ? (double)f4 : is_signed ? (double)(int32_t)u4 : (double)u4;
    default: return f8;
    }
}

pare_status npy_list(strings *out, const pare_allocator *mem, stream *s, pare_error *err) {
    npy_header h;
    char text[4 * NPY_MAX_WIDTH + 32], item[8] = {0};
    PASS(npy_read_header(&h, s, true, err));
    for (int64_t i = 0; i < h.n; i++) {
        bool words = h.kind == 'U' || h.kind == 'S';
        int64_t length;
        if (words) {
            PASS(npy_need(s, (size_t)h.size, "its strings", err));
            length = item_text(text, s->buffer + s->at, &h);
            s->at += (size_t)h.size;
        } else {
            PASS(read_items(item, 1, &h, s, err));
            number_format(item_number(item, &h), text);
            length = (int64_t)strlen(text);
        }
        PASS_MEM(strings_add(out, mem, text, length));
    }
    return PARE_OK;
}

pare_status npy_numbers(double **out, int64_t *count, const pare_allocator *mem, stream *s,
                        const pare_ctx *ctx, pare_error *err) {
    npy_header h;
    char item[8] = {0};
    PASS(npy_read_header(&h, s, true, err));
    h.d = 1;
    PASS(check_length(&h, s, err));
    if (h.kind == 'U' || h.kind == 'S')
        return error_set(err, PARE_E_FORMAT, "%s holds strings where numbers are needed", s->name);
    PASS(ctx_check_memory(ctx, 8.0 * (double)h.n, s->name, err));
    PASS_MEM(*out = mem_alloc(mem, h.n, sizeof **out));
    *count = h.n;
    for (int64_t i = 0; i < h.n; i++) {
        PASS(read_items(item, 1, &h, s, err));
        (*out)[i] = item_number(item, &h);
    }
    return PARE_OK;
}

pare_status npy_read_list(strings *out, const pare_allocator *mem, const char *path,
                          const pare_ctx *ctx, pare_error *err) {
    stream s;
    PASS(stream_open(&s, path, ctx, err));
    pare_status status = npy_list(out, mem, &s, err);
    stream_close(&s);
    return status;
}

pare_status write_npy(const pare_data *data, sink *s, const pare_ctx *ctx, pare_error *err) {
    if (mat_is_sparse(&data->x))
        return error_set(err, PARE_E_ARGUMENT,
                         "%s: .npy holds dense data only and these are sparse, write .mtx or .svm",
                         s->name);
    /* magic, version 1.0, length, dictionary; blanks and a newline fill it up to 128 bytes */
    char header[129], dictionary[118];
    snprintf(dictionary, sizeof dictionary,
             "{'descr': '%cf8', 'fortran_order': True, 'shape': (%" PRId64 ", %" PRId64 "), }",
             npy_host_is_little() ? '<' : '>', data->x.n, data->x.d);
    snprintf(header, sizeof header, "\x93NUMPY%c%c%c%c%-117s\n", 1, 0, 118, 0, dictionary);
    view all = view_all(&data->x);
    walk w = {0};
    column c;
    int64_t j;
    pare_status status = PARE_OK;
    TRY(sink_write(s, header, 128, err));
    TRY(walk_open(&w, &all, NULL, all.d, ctx, err));
    while (walk_next(&w, &j, &c))
        TRY(sink_write(s, c.value, (size_t)c.count * sizeof *c.value, err));
done:
    return walk_end(&w, status, err);
}
