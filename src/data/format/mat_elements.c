/* FORMAT   a header of 128 bytes, then elements: a tag of 8 bytes (type, size) and so many bytes. A
 *          matrix is made of elements itself: flags, dimensions, name, and by its class numbers,
 *          the three parts of a sparse one, or the matrices that a cell or struct holds. Inner
 *          elements are padded to 8 bytes; up to 4 bytes may be in the tag itself. A compressed
 *          element is one matrix, tag and all, as a zlib stream.
 * CHECKS   every element ends within the one that it is in; a matrix has as many numbers, cells or
 *          fields as its dimensions say. Of compressed ones only what comes before the numbers is
 *          inflated: as deflate gains a factor of 1032 at most, that bounds the claims after it. */
#define _XOPEN_SOURCE 700 /* pread */
#include "data/format/mat_elements.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"

enum { HEADER = 128, TAG = 8, MAX_DEPTH = 16, MAX_DIMENSIONS = 32 };
enum { INT8 = 1, INT32 = 5, UINT32 = 6, MATRIX = 14, COMPRESSED = 15 }; /* types of elements */
/* Classes of matrices: numbers are from CLASS_CHAR to CLASS_LAST, but for the sparse. */
enum { CLASS_CELL = 1, CLASS_STRUCT = 2, CLASS_CHAR = 4, CLASS_SPARSE = 5, CLASS_LAST = 15 };
enum { CLASS_FUNCTION = 16 };
static const int64_t MAX_DEFLATE = 1032;

/* A sequence of bytes: those of the file, or their inflated form. */
typedef struct source {
    int file;
    off_t at, end;
    bool little, packed;
    z_stream z;
    unsigned char in[4096];
} source;

typedef struct tag {
    uint32_t type;
    int64_t size, padded; /* padded: what follows the tag, 0 where it holds the bytes itself */
    unsigned char small[4];
} tag;

static uint32_t word(const unsigned char *p, bool little) {
    return little
               ? (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24
               : (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

static bool inflate_some(source *s, void *out, int64_t count) {
    s->z.next_out = out;
    s->z.avail_out = (uInt)count;
    while (s->z.avail_out > 0) {
        if (s->z.avail_in == 0) {
            int64_t left = s->end - s->at, most = (int64_t)sizeof s->in;
            int64_t part = left < most ? left : most;
            if (part == 0 || pread(s->file, s->in, (size_t)part, s->at) != part) return false;
            s->at += part;
            s->z.next_in = s->in;
            s->z.avail_in = (uInt)part;
        }
        int code = inflate(&s->z, Z_SYNC_FLUSH);
        if (code != Z_OK && !(code == Z_STREAM_END && s->z.avail_out == 0)) return false;
    }
    return true;
}

static bool take(source *s, void *out, int64_t count) {
    if (s->packed) {
        bool fine = inflate_some(s, out, count);
        s->z.next_out = NULL; /* the buffer is local */
        return fine;
    }
    if (count > s->end - s->at || pread(s->file, out, (size_t)count, s->at) != count) return false;
    s->at += count;
    return true;
}

static bool skip(source *s, int64_t count) {
    unsigned char buffer[4096];
    if (!s->packed) {
        if (count > s->end - s->at) return false;
        s->at += count;
        return true;
    }
    while (count > 0) {
        int64_t part = count < (int64_t)sizeof buffer ? count : (int64_t)sizeof buffer;
        if (!take(s, buffer, part)) return false;
        count -= part;
    }
    return true;
}

/* Reads the next tag within *left bytes, and subtracts the element from *left. */
static bool next_tag(source *s, tag *t, int64_t *left) {
    unsigned char bytes[TAG];
    if (*left < TAG || !take(s, bytes, TAG)) return false;
    uint32_t first = word(bytes, s->little);
    bool small = first >> 16 != 0;
    *t = (tag){.type = small ? first & 0xffff : first};
    t->size = small ? (int64_t)(first >> 16) : (int64_t)word(bytes + 4, s->little);
    t->padded = small ? 0 : (t->size + 7) / 8 * 8;
    if (t->type == MATRIX) t->padded = t->size;
    memcpy(t->small, bytes + 4, 4);
    *left -= TAG;
    if (small ? t->size > 4 : t->padded > *left) return false;
    *left -= t->padded;
    return true;
}

/* The bytes of an element of at most `most`. */
static bool content(source *s, const tag *t, unsigned char *out, int64_t most) {
    if (t->size > most) return false;
    if (t->padded == 0) return memcpy(out, t->small, (size_t)t->size), true;
    return take(s, out, t->size) && skip(s, t->padded - t->size);
}

/* Bytes of one number of a type; 0: not a numeric type. */
static int64_t item_bytes(uint32_t type) {
    static const int64_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8, 0, 0, 1, 2, 4};
    return type < sizeof sizes / sizeof sizes[0] ? sizes[type] : 0;
}

static bool is_index(uint32_t type) { return type == INT32 || type == UINT32; }

typedef struct shape {
    int class_type;
    int64_t count, columns; /* the product of all dimensions; without the first */
} shape;

static bool read_shape(source *s, shape *out, int64_t *left) {
    unsigned char flags[8] = {0}, dims[4 * MAX_DIMENSIONS] = {0};
    tag t;
    if (!next_tag(s, &t, left) || !content(s, &t, flags, sizeof flags)) return false;
    out->class_type = (int)(word(flags, s->little) & 0xff);
    if (!next_tag(s, &t, left) || !content(s, &t, dims, sizeof dims) || t.size < 8) return false;
    out->count = out->columns = 1;
    for (int64_t k = 0; k < t.size / 4; k++) {
        int64_t size = (int32_t)word(dims + 4 * k, s->little);
        int64_t most =
            size > 0 ? INT64_MAX / 64 / size : INT64_MAX; /* 0 rows with any number of columns */
        if (size < 0 || out->count > most || out->columns > most) return false;
        out->count *= size;
        if (k > 0) out->columns *= size;
    }
    return next_tag(s, &t, left) && t.type == INT8 && skip(s, t.padded); /* its name */
}

static bool check_matrix(source *s, int64_t left, int depth);

/* `count` matrices one after the other. */
static bool check_parts(source *s, int64_t count, int64_t *left, int depth) {
    tag t;
    if (count > *left / TAG) return false;
    for (int64_t k = 0; k < count; k++)
        if (!next_tag(s, &t, left) || t.type != MATRIX || !check_matrix(s, t.size, depth + 1))
            return false;
    return true;
}

static bool check_struct(source *s, const shape *x, int64_t *left, int depth) {
    unsigned char length[8] = {0};
    tag t;
    if (!next_tag(s, &t, left) || !content(s, &t, length, sizeof length)) return false;
    int64_t each = (int32_t)word(length, s->little);
    if (each <= 0 || !next_tag(s, &t, left) || !skip(s, t.padded)) return false;
    int64_t fields = t.size / each;
    if (fields > 0 && x->count > *left / TAG / fields) return false;
    return check_parts(s, x->count * fields, left, depth);
}

/* Row numbers, column starts with the end of the last, and values: as many of these as the starts
 * say. */
static bool check_sparse(source *s, const shape *x, int64_t *left) {
    tag row, col, value;
    unsigned char last[4];
    int64_t before = 4 * x->columns;
    if (!next_tag(s, &row, left) || !is_index(row.type) || !skip(s, row.padded)) return false;
    if (!next_tag(s, &col, left) || !is_index(col.type) || col.size / 4 != x->columns + 1)
        return false;
    memcpy(last, col.small, sizeof last);
    if (col.padded > 0 &&
        !(skip(s, before) && take(s, last, 4) && skip(s, col.padded - before - 4)))
        return false;
    if (!next_tag(s, &value, left) || !skip(s, value.padded)) return false;
    int64_t entries = (int32_t)word(last, s->little), bytes = item_bytes(value.type);
    if (entries == 0) return true;
    return entries > 0 && bytes > 0 && entries <= row.size / 4 && entries <= value.size / bytes;
}

/* Checks a matrix within `left` bytes. If it is valid all are used up, or only the numbers of a
 * compressed one remain. */
static bool check_matrix(source *s, int64_t left, int depth) {
    shape x;
    tag t;
    if (left == 0) return true; /* an empty one */
    if (depth > MAX_DEPTH || !read_shape(s, &x, &left)) return false;
    if (x.class_type == CLASS_CELL || x.class_type == CLASS_FUNCTION) {
        if (!check_parts(s, x.count, &left, depth)) return false;
    } else if (x.class_type == CLASS_STRUCT) {
        if (!check_struct(s, &x, &left, depth)) return false;
    } else if (x.class_type == CLASS_SPARSE) {
        if (!check_sparse(s, &x, &left)) return false;
    } else if (x.class_type >= CLASS_CHAR && x.class_type <= CLASS_LAST &&
               (x.count > 0 || left >= TAG)) { /* an empty one may have numbers, of size 0 */
        if (!next_tag(s, &t, &left)) return false;
        int64_t bytes = item_bytes(t.type);
        bool nothing = t.type == 0 && t.size == 0 && x.count == 0;
        if (!nothing && (bytes == 0 || t.size / bytes < x.count)) return false;
        if (depth == 0 && s->packed) return true; /* not inflated twice */
        if (!skip(s, t.padded)) return false;
    }
    return skip(s, left);
}

static bool check_compressed(source *s, int64_t size) {
    tag t;
    s->packed = true;
    s->z = (z_stream){.next_in = NULL};
    if (inflateInit(&s->z) != Z_OK) return false;
    int64_t left = size > INT64_MAX / MAX_DEFLATE ? INT64_MAX : size * MAX_DEFLATE;
    bool fine = next_tag(s, &t, &left) && t.type == MATRIX && check_matrix(s, t.size, 0);
    inflateEnd(&s->z);
    s->packed = false;
    return fine;
}

static pare_status damaged(const source *s, const char *name, pare_error *err) {
    return error_at(err, PARE_E_FORMAT, 0, 0, (int64_t)s->at,
                    "%s is a damaged .mat file: a variable before byte %" PRId64
                    " is not as large as it says",
                    name, (int64_t)s->at);
}

pare_status mat_check_elements(int file, const char *name, pare_error *err) {
    unsigned char header[HEADER], bytes[TAG];
    off_t size = lseek(file, 0, SEEK_END), at = HEADER;
    if (pread(file, header, sizeof header, 0) != (ssize_t)sizeof header)
        return error_set(err, PARE_E_FORMAT, "%s is not a .mat file: it has less than 128 bytes",
                         name);
    bool little = memcmp(header + 126, "IM", 2) == 0;
    if (!little && memcmp(header + 126, "MI", 2) != 0)
        return error_at(err, PARE_E_FORMAT, 0, 0, 126,
                        "%s is not a .mat file of version 5, 7 or 7.3: "
                        "its bytes 126 and 127 are neither IM nor MI",
                        name);
    if (header[little ? 125 : 124] != 1) return PARE_OK;
    for (; at < size; at += (off_t)TAG + word(bytes + 4, little)) {
        if (pread(file, bytes, TAG, at) != TAG) break;
        int64_t length = word(bytes + 4, little);
        source s = {.file = file, .at = at + TAG, .end = at + TAG + length, .little = little};
        uint32_t type = word(bytes, little);
        if (s.end > size) continue; /* truncated: reported below */
        if (type == MATRIX ? !check_matrix(&s, length, 0)
                           : type == COMPRESSED && !check_compressed(&s, length))
            return damaged(&s, name, err);
    }
    if (at == size) return PARE_OK;
    return error_at(err, PARE_E_FORMAT, 0, 0, (int64_t)size,
                    "%s is cut short: it has %" PRId64 " bytes and needs %" PRId64 " or more", name,
                    (int64_t)size, (int64_t)(at < size ? at + (off_t)TAG : at));
}
