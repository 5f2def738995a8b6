/* NumPy's .npy: one 2-D array, rows are samples, columns are features.
 *
 * Format: the magic "\x93NUMPY", a version (1.0, 2.0 or 3.0), the length of the header, the header
 * (a Python dictionary with descr, fortran_order and shape), then the items.
 *
 * Items of type f4 stay floats in memory, all others become doubles.
 * Memory: X, plus at most a quarter of it for a C-ordered file: its rows are turned into columns a
 * few at a time, so that whole cache lines of X are written. */
#define _POSIX_C_SOURCE 200809L
#include "data/npy.h"
#include "data/dataset.h"
#include "data/stream.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

enum { MAX_WIDTH = 4096, MAX_HEADER = 65536, ROWS_AT_ONCE = 8 };

typedef struct npy_header {
    char kind; /* f, i, u or b; of lists also U and S */
    int size;  /* bytes per item */
    bool swap; /* the other byte order */
    bool fortran;
    int64_t n, d;
} npy_header;

/* --- the header --- */

/* Where the parser is in the header's text. */
typedef struct cursor {
    const char *at;
} cursor;

static void skip_blanks(cursor *c) {
    while (isspace((unsigned char)*c->at)) c->at++;
}

static bool take(cursor *c, const char *token) {
    skip_blanks(c);
    size_t length = strlen(token);
    if (strncmp(c->at, token, length) != 0) return false;
    c->at += length;
    return true;
}

/* A quoted string without escapes, of at most room - 1 bytes. */
static bool take_string(cursor *c, char *out, size_t room) {
    skip_blanks(c);
    char quote = *c->at;
    if (quote != '\'' && quote != '"') return false;
    const char *end = strchr(c->at + 1, quote);
    if (!end || (size_t)(end - c->at - 1) >= room) return false;
    memcpy(out, c->at + 1, (size_t)(end - c->at - 1));
    out[end - c->at - 1] = '\0';
    c->at = end + 1;
    return true;
}

static bool take_count(cursor *c, int64_t *out) {
    skip_blanks(c);
    if (!isdigit((unsigned char)*c->at)) return false;
    for (*out = 0; isdigit((unsigned char)*c->at); c->at++)
        if (__builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, *c->at - '0', out))
            return false;
    if (*c->at == 'L') c->at++; /* as Python 2 wrote it */
    return true;
}

/* A tuple; the first two of its numbers, and how many there are. */
static bool take_shape(cursor *c, int64_t shape[2], int *dims) {
    *dims = 0;
    if (!take(c, "(")) return false;
    while (!take(c, ")")) {
        int64_t count;
        if (!take_count(c, &count)) return false;
        if (*dims < 2) shape[*dims] = count;
        ++*dims;
        if (!take(c, ",")) return take(c, ")");
    }
    return true;
}

static bool parse_dictionary(const char *text, char *descr, size_t room, npy_header *h, int *dims) {
    cursor c = {text};
    char key[32];
    bool has_descr = false, has_order = false, has_shape = false;
    int64_t shape[2] = {0, 0};
    if (!take(&c, "{")) return false;
    while (!take(&c, "}")) {
        if (!take_string(&c, key, sizeof key) || !take(&c, ":")) return false;
        if (strcmp(key, "descr") == 0) {
            has_descr = true;
            if (!take_string(&c, descr, room)) return false;
        } else if (strcmp(key, "fortran_order") == 0) {
            has_order = true;
            h->fortran = take(&c, "True");
            if (!h->fortran && !take(&c, "False")) return false;
        } else if (strcmp(key, "shape") == 0) {
            has_shape = true;
            if (!take_shape(&c, shape, dims)) return false;
        } else
            return false;
        if (!take(&c, ",")) {
            if (!take(&c, "}")) return false;
            break;
        }
    }
    skip_blanks(&c);
    h->n = shape[0];
    h->d = shape[1];
    return has_descr && has_order && has_shape && *c.at == '\0';
}

static bool host_is_little(void) {
    const uint16_t one = 1;
    char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* "<f8" and the like. */
static bool parse_descr(const char *descr, bool list, npy_header *h) {
    static const char *const known[] = {"f4", "f8", "i1", "i2", "i4", "i8",
                                        "u1", "u2", "u4", "u8", "b1"};
    if (!*descr || !strchr("<>|=", descr[0])) return false;
    h->swap = descr[0] == (host_is_little() ? '>' : '<');
    if (list && (descr[1] == 'U' || descr[1] == 'S')) { /* UTF-32 or bytes, filled up with zeros */
        cursor c = {descr + 2};
        int64_t width;
        h->kind = descr[1];
        if (!take_count(&c, &width) || *c.at || width < 1 || width > MAX_WIDTH) return false;
        h->size = (int)width * (h->kind == 'U' ? 4 : 1);
        return true;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(descr + 1, known[i]) == 0) {
            h->kind = descr[1];
            h->size = descr[2] - '0';
            return true;
        }
    return false;
}

/* Makes `bytes` bytes available at s->buffer + s->at. */
static pare_status need(stream *s, size_t bytes, const char *what, pare_error *err) {
    while (s->end - s->at < bytes && !s->eof) {
        pare_status status = stream_fill(s, err);
        if (status != PARE_OK) return status;
    }
    if (s->end - s->at >= bytes) return PARE_OK;
    return error_at(err, PARE_E_FORMAT, 0, 0, s->base + (int64_t)s->end, "%s ends within %s",
                    s->name, what);
}

static pare_status read_header(npy_header *h, stream *s, bool list, pare_error *err) {
    pare_status status = need(s, 10, "the .npy header", err);
    if (status != PARE_OK) return status;
    const unsigned char *p = (const unsigned char *)s->buffer + s->at;
    if (memcmp(p, "\x93NUMPY", 6) != 0)
        return error_at(err, PARE_E_FORMAT, 0, 0, 0,
                        "%s is not a .npy file: it does not start with "
                        "the bytes \\x93NUMPY",
                        s->name);
    unsigned major = p[6];
    if (major < 1 || major > 3)
        return error_at(err, PARE_E_FORMAT, 0, 0, 6, "%s is of .npy version %u, 1 to 3 are known",
                        s->name, major);
    size_t before = major == 1 ? 10 : 12;
    status = need(s, before, "the .npy header", err);
    if (status != PARE_OK) return status;
    p = (const unsigned char *)s->buffer + s->at;
    uint32_t length = (uint32_t)p[8] | (uint32_t)p[9] << 8;
    if (major > 1) length |= (uint32_t)p[10] << 16 | (uint32_t)p[11] << 24;
    if (length > MAX_HEADER)
        return error_at(err, PARE_E_FORMAT, 0, 0, 8,
                        "%s has a .npy header of %" PRIu32 " bytes, at most %d are allowed",
                        s->name, length, MAX_HEADER);
    status = need(s, before + length, "the .npy header", err);
    if (status != PARE_OK) return status;
    char *text = s->buffer + s->at + before, after = text[length], descr[64] = "";
    int dims = 0;
    text[length] = '\0'; /* there is a byte: the next one, or the sentinel */
    bool parsed = parse_dictionary(text, descr, sizeof descr, h, &dims);
    text[length] = after;
    int64_t at = s->base + (int64_t)(s->at + before);
    s->at += before + length;
    if (!parsed)
        return error_at(err, PARE_E_FORMAT, 0, 0, at,
                        "%s has a .npy header that is not a dictionary "
                        "of descr (one plain type), fortran_order and shape",
                        s->name);
    if (!parse_descr(descr, list, h))
        return error_at(err, PARE_E_FORMAT, 0, 0, at,
                        "%s holds items of type \"%s\", allowed are "
                        "f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1",
                        s->name, descr);
    if (list && (dims == 1 || (dims == 2 && h->d == 1))) return PARE_OK;
    if (list)
        return error_at(err, PARE_E_FORMAT, 0, 0, at,
                        "%s holds an array with %d dimensions, a list has 1", s->name, dims);
    if (dims != 2)
        return error_at(err, PARE_E_FORMAT, 0, 0, at,
                        "%s holds an array with %d dimension%s, "
                        "samples by features are 2",
                        s->name, dims, dims == 1 ? "" : "s");
    return PARE_OK;
}

/* A plain file's length is known before any memory is asked for. */
static pare_status check_length(const npy_header *h, const stream *s, pare_error *err) {
    struct stat info;
    size_t items, bytes;
    bool fits = size_mul(h->n, h->d, &items) && size_mul((int64_t)items, h->size, &bytes);
    if (!s->can_rewind || !s->path || stat(s->path, &info) != 0 || !S_ISREG(info.st_mode))
        return PARE_OK;
    int64_t left = (int64_t)info.st_size - s->base - (int64_t)s->at;
    if (fits && left == (int64_t)bytes) return PARE_OK;
    return error_at(err, PARE_E_FORMAT, 0, 0, s->base + (int64_t)s->at,
                    "%s says it holds %" PRId64 " x %" PRId64 " items of %d bytes, but %" PRId64
                    " bytes follow its header",
                    s->name, h->n, h->d, h->size, left);
}

/* --- the items --- */

static uint8_t same8(uint8_t v) { return v; }
static uint16_t swap16(uint16_t v) { return (uint16_t)(v << 8 | v >> 8); }
static uint32_t swap32(uint32_t v) { return __builtin_bswap32(v); }
static uint64_t swap64(uint64_t v) { return __builtin_bswap64(v); }

#define CODE(kind, size) (16 * (kind) + (size))
#define CONVERT(type, bits, swapped)                                                               \
    for (int64_t i = 0; i < count; i++) {                                                          \
        bits b;                                                                                    \
        type v;                                                                                    \
        memcpy(&b, in + (size_t)i * sizeof b, sizeof b);                                           \
        if (h->swap) b = swapped(b);                                                               \
        memcpy(&v, &b, sizeof v);                                                                  \
        out[i] = (double)v;                                                                        \
    }                                                                                              \
    break

static void convert(double *out, const char *in, int64_t count, const npy_header *h) {
    switch (CODE(h->kind, h->size)) {
    case CODE('f', 4): CONVERT(float, uint32_t, swap32);
    case CODE('f', 8): CONVERT(double, uint64_t, swap64);
    case CODE('i', 1): CONVERT(int8_t, uint8_t, same8);
    case CODE('i', 2): CONVERT(int16_t, uint16_t, swap16);
    case CODE('i', 4): CONVERT(int32_t, uint32_t, swap32);
    case CODE('i', 8): CONVERT(int64_t, uint64_t, swap64);
    case CODE('u', 1): CONVERT(uint8_t, uint8_t, same8);
    case CODE('u', 2): CONVERT(uint16_t, uint16_t, swap16);
    case CODE('u', 4): CONVERT(uint32_t, uint32_t, swap32);
    case CODE('u', 8): CONVERT(uint64_t, uint64_t, swap64);
    default: /* b1: any byte but 0 is true */
        for (int64_t i = 0; i < count; i++) out[i] = in[i] != 0;
    }
}

static pare_status read_items(double *out, int64_t count, const npy_header *h, stream *s,
                              pare_error *err) {
    while (count > 0) {
        pare_status status = need(s, (size_t)h->size, "its numbers", err);
        if (status != PARE_OK) return status;
        int64_t there = (int64_t)(s->end - s->at) / h->size, now = there < count ? there : count;
        convert(out, s->buffer + s->at, now, h);
        s->at += (size_t)(now * h->size);
        out += now;
        count -= now;
    }
    return PARE_OK;
}

/* rows: n_rows x d, one row after the other; they become rows i0 .. of the n x d columns. */
static void place_rows(const data_arrays *to, const double *rows, int64_t i0, int64_t n_rows,
                       int64_t n, int64_t d) {
    for (int64_t j = 0; !to->single && j < d; j++)
        for (int64_t r = 0; r < n_rows; r++) to->value[j * n + i0 + r] = rows[r * d + j];
    for (int64_t j = 0; to->single && j < d; j++)
        for (int64_t r = 0; r < n_rows; r++) to->single[j * n + i0 + r] = (float)rows[r * d + j];
}

/* Floats that are in columns already. */
static pare_status read_floats(float *out, int64_t count, const npy_header *h, stream *s,
                               pare_error *err) {
    double items[4096];
    pare_status status = PARE_OK;
    while (count > 0 && status == PARE_OK) {
        int64_t now = count < 4096 ? count : 4096;
        status = read_items(items, now, h, s, err);
        for (int64_t i = 0; status == PARE_OK && i < now; i++) out[i] = (float)items[i];
        out += now;
        count -= now;
    }
    return status;
}

static pare_status read_rows(pare_data *data, const npy_header *h, stream *s, pare_error *err) {
    int64_t n = h->n, d = h->d, at_once = n / 4;
    if (at_once > ROWS_AT_ONCE) at_once = ROWS_AT_ONCE;
    if (at_once < 1) at_once = 1;
    pare_status status = PARE_OK;
    double *rows = mem_alloc(&data->mem, at_once * d, sizeof *rows);
    if (!rows) return error_memory(err);
    for (int64_t i = 0; i < n; i += at_once) {
        int64_t now = n - i < at_once ? n - i : at_once;
        TRY(read_items(rows, now * d, h, s, err));
        place_rows(&data->fill, rows, i, now, n, d);
    }
done:
    mem_free(&data->mem, rows);
    return status;
}

pare_status read_npy(pare_data *data, stream *s, const pare_read_options *o, const pare_ctx *ctx,
                     pare_error *err) {
    npy_header h;
    pare_status status = PARE_OK;
    TRY(read_header(&h, s, false, err));
    TRY(check_length(&h, s, err));
    bool single = h.kind == 'f' && h.size == 4, columns = h.fortran || h.n == 1;
    TRY((single ? data_alloc_float32 : data_alloc_dense)(data, h.n, h.d, s->name, ctx, err));
    if (columns && single)
        TRY(read_floats(data->fill.single, h.n * h.d, &h, s, err));
    else if (columns)
        TRY(read_items(data->fill.value, h.n * h.d, &h, s, err));
    else
        TRY(read_rows(data, &h, s, err));
    while (s->at == s->end && !s->eof) TRY(stream_fill(s, err));
    if (s->at < s->end) {
        status =
            error_at(err, PARE_E_FORMAT, 0, 0, s->base + (int64_t)s->at,
                     "%s goes on after its %" PRId64 " x %" PRId64 " numbers", s->name, h.n, h.d);
        goto done;
    }
    if (!o->allow_missing) TRY(data_refuse_missing(data, s->name, err));
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
            if (h->swap) c = swap32(c);
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

pare_status npy_read_list(strings *out, const pare_allocator *mem, const char *path,
                          const pare_ctx *ctx, pare_error *err) {
    stream s = {0};
    npy_header h;
    char text[4 * MAX_WIDTH + 32];
    double number;
    pare_status status = PARE_OK;
    TRY(stream_open(&s, path, ctx, err));
    TRY(read_header(&h, &s, true, err));
    for (int64_t i = 0; i < h.n; i++) {
        bool words = h.kind == 'U' || h.kind == 'S';
        if (words) TRY(need(&s, (size_t)h.size, "its strings", err));
        if (!words) TRY(read_items(&number, 1, &h, &s, err));
        int64_t length = words ? item_text(text, s.buffer + s.at, &h) : 0;
        if (words) s.at += (size_t)h.size;
        if (!words) {
            number_format(number, text);
            length = (int64_t)strlen(text);
        }
        TRY_MEM(strings_add(out, mem, text, length));
    }
done:
    if (s.mem) stream_close(&s);
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
             host_is_little() ? '<' : '>', data->x.n, data->x.d);
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
