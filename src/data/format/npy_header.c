#include "data/format/npy_header.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"

enum { MAX_HEADER = 65536 };

/* The position of the parser in the header. */
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

/* A quoted string without escapes, of at most capacity - 1 bytes. */
static bool take_string(cursor *c, char *out, size_t capacity) {
    skip_blanks(c);
    char quote = *c->at;
    if (quote != '\'' && quote != '"') return false;
    const char *end = strchr(c->at + 1, quote);
    if (!end || (size_t)(end - c->at - 1) >= capacity) return false;
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

static bool parse_dictionary(const char *text, char *descr, size_t capacity, npy_header *h) {
    cursor c = {text};
    char key[32];
    bool has_descr = false, has_order = false, has_shape = false;
    int64_t shape[2] = {0, 0};
    if (!take(&c, "{")) return false;
    while (!take(&c, "}")) {
        if (!take_string(&c, key, sizeof key) || !take(&c, ":")) return false;
        if (strcmp(key, "descr") == 0) {
            has_descr = true;
            if (!take_string(&c, descr, capacity)) return false;
        } else if (strcmp(key, "fortran_order") == 0) {
            has_order = true;
            h->fortran = take(&c, "True");
            if (!h->fortran && !take(&c, "False")) return false;
        } else if (strcmp(key, "shape") == 0) {
            has_shape = true;
            if (!take_shape(&c, shape, &h->dims)) return false;
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

bool npy_host_is_little(void) {
    const uint16_t one = 1;
    char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* "<f8" and the like. */
static bool parse_descr(const char *descr, bool list, npy_header *h) {
    static const char *const known[] = {"f2", "f4", "f8", "i1", "i2", "i4",
                                        "i8", "u1", "u2", "u4", "u8", "b1"};
    if (!*descr || !strchr("<>|=", descr[0])) return false;
    h->swap = descr[0] == (npy_host_is_little() ? '>' : '<');
    if (list && (descr[1] == 'U' || descr[1] == 'S')) { /* UTF-32 or bytes, filled up with zeros */
        cursor c = {descr + 2};
        int64_t width;
        h->kind = descr[1];
        if (!take_count(&c, &width) || *c.at || width < 1 || width > NPY_MAX_WIDTH) return false;
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

pare_status npy_need(stream *s, size_t bytes, const char *what, pare_error *err) {
    while (s->end - s->at < bytes && !s->eof) {
        PASS(stream_fill(s, err));
    }
    if (s->end - s->at >= bytes) return PARE_OK;
    return error_at(err, PARE_E_FORMAT, 0, 0, s->base + (int64_t)s->end, "%s ends within %s",
                    s->name, what);
}

/* descr holds 64 bytes; *at: where the dictionary is. */
static pare_status read_dictionary(npy_header *h, char descr[64], int64_t *at, stream *s,
                                   pare_error *err) {
    PASS(npy_need(s, 10, "the .npy header", err));
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
    PASS(npy_need(s, before, "the .npy header", err));
    p = (const unsigned char *)s->buffer + s->at;
    uint32_t length = (uint32_t)p[8] | (uint32_t)p[9] << 8;
    if (major > 1) length |= (uint32_t)p[10] << 16 | (uint32_t)p[11] << 24;
    if (length > MAX_HEADER)
        return error_at(err, PARE_E_FORMAT, 0, 0, 8,
                        "%s has a .npy header of %" PRIu32 " bytes, at most %d are allowed",
                        s->name, length, MAX_HEADER);
    PASS(npy_need(s, before + length, "the .npy header", err));
    char *text = s->buffer + s->at + before, after = text[length];
    descr[0] = '\0';
    *h = (npy_header){0};
    text[length] = '\0'; /* there is a byte: the next one, or the sentinel */
    bool parsed = parse_dictionary(text, descr, 64, h);
    text[length] = after;
    *at = s->base + (int64_t)(s->at + before);
    s->at += before + length;
    if (!parsed)
        return error_at(err, PARE_E_FORMAT, 0, 0, *at,
                        "%s has a .npy header that is not a dictionary "
                        "of descr (one plain type), fortran_order and shape",
                        s->name);
    return PARE_OK;
}

pare_status npy_peek_header(npy_header *h, stream *s, pare_error *err) {
    char descr[64];
    int64_t at;
    pare_status status = read_dictionary(h, descr, &at, s, err);
    if (status == PARE_OK && !parse_descr(descr, h->dims == 1, h)) h->kind = 0;
    return status;
}

pare_status npy_read_header(npy_header *h, stream *s, bool list, pare_error *err) {
    char descr[64];
    int64_t at;
    PASS(read_dictionary(h, descr, &at, s, err));
    if (strcmp(descr, "|O") == 0)
        return error_at(err, PARE_E_FORMAT, 0, 0, at, "%s holds Python objects; write %s", s->name,
                        list ? "strings, y.astype(str), or numbers" : "numbers, X.astype(float)");
    if (!parse_descr(descr, list, h))
        return error_at(err, PARE_E_FORMAT, 0, 0, at,
                        "%s holds items of type \"%s\", allowed are "
                        "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1",
                        s->name, descr);
    if (list && (h->dims == 1 || (h->dims == 2 && h->d == 1))) return PARE_OK;
    if (list)
        return error_at(err, PARE_E_FORMAT, 0, 0, at,
                        "%s holds an array with %d dimensions, a list has 1", s->name, h->dims);
    if (h->dims != 2)
        return error_at(err, PARE_E_FORMAT, 0, 0, at,
                        "%s holds an array with %d dimension%s, "
                        "samples by features are 2",
                        s->name, h->dims, h->dims == 1 ? "" : "s");
    return PARE_OK;
}

uint16_t npy_swap16(uint16_t v) { return (uint16_t)(v << 8 | v >> 8); }
uint32_t npy_swap32(uint32_t v) { return __builtin_bswap32(v); }
uint64_t npy_swap64(uint64_t v) { return __builtin_bswap64(v); }
