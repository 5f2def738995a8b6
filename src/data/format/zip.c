/* The parts of the format (PKWARE's APPNOTE 6.3) that are read: the end of the central directory,
 * with its 64-bit form, the directory's entries, and of a member's own header the two lengths that
 * give the start of its bytes. */
#define _POSIX_C_SOURCE 200809L
#include "data/format/zip.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

enum {
    END = 22, /* bytes of the end record, and of its 64-bit form and the pointer to that */
    END_64 = 56,
    LOCATOR = 20,
    ENTRY = 46,
    LOCAL = 30,
    LONGEST_COMMENT = 65535,
    MAX_DIRECTORY = 1 << 18
};

static uint32_t number(const char *p, int bytes) {
    uint32_t v = 0;
    for (int k = bytes - 1; k >= 0; k--) v = v << 8 | (unsigned char)p[k];
    return v;
}

static int64_t number_64(const char *p) {
    return (int64_t)((uint64_t)number(p + 4, 4) << 32 | number(p, 4));
}

static pare_status damaged(const stream *s, const char *what, pare_error *err) {
    return error_set(err, PARE_E_FORMAT, "%s: the archive is damaged or none: %s", s->name, what);
}

/* bytes [at, at + size) of the archive to s->buffer + s->at. */
static pare_status fetch(stream *s, int64_t at, int64_t size, int64_t whole, pare_error *err) {
    if (at < 0 || size < 0 || at > whole - size) return damaged(s, "it ends early", err);
    pare_status status = stream_seek(s, at, err);
    while (status == PARE_OK && (int64_t)(s->end - s->at) < size && !s->eof)
        status = stream_fill(s, err);
    if (status == PARE_OK && (int64_t)(s->end - s->at) < size)
        return damaged(s, "it ends early", err);
    return status;
}

/* The place of the directory. */
typedef struct place_of {
    int64_t at, size, count;
} place_of;

static pare_status find_directory(place_of *out, stream *s, int64_t whole, pare_error *err) {
    int64_t tail = whole < END + LONGEST_COMMENT ? whole : END + LONGEST_COMMENT, k;
    PASS(fetch(s, whole - tail, tail, whole, err));
    const char *p = s->buffer + s->at;
    for (k = tail - END; k >= 0; k--)
        if (memcmp(p + k, "PK\5\6", 4) == 0) break;
    if (k < 0) return damaged(s, "it has no directory", err);
    p += k;
    *out = (place_of){number(p + 16, 4), number(p + 12, 4), number(p + 10, 2)};
    int64_t locator = whole - tail + k - LOCATOR;
    if (out->at != UINT32_MAX && out->size != UINT32_MAX && out->count != UINT16_MAX)
        return PARE_OK;
    PASS(fetch(s, locator, LOCATOR, whole, err));
    p = s->buffer + s->at;
    if (memcmp(p, "PK\6\7", 4) != 0) return damaged(s, "its directory has no place", err);
    PASS(fetch(s, number_64(p + 8), END_64, whole, err));
    p = s->buffer + s->at;
    if (memcmp(p, "PK\6\6", 4) != 0) return damaged(s, "its directory has no place", err);
    *out = (place_of){number_64(p + 48), number_64(p + 40), number_64(p + 32)};
    return PARE_OK;
}

/* Sizes and places that are too large for 32 bits stand in an extra field, in this order. */
static void read_large(zip_member *m, const char *extra, int64_t length) {
    while (length >= 4) {
        int64_t size = number(extra + 2, 2), at = 4;
        if (size > length - 4) return;
        int64_t *const wide[] = {&m->size, &m->packed, &m->at};
        for (int k = 0; number(extra, 2) == 1 && k < 3; k++)
            if (*wide[k] == UINT32_MAX && at + 8 <= size + 4) {
                *wide[k] = number_64(extra + at);
                at += 8;
            }
        extra += size + 4;
        length -= size + 4;
    }
}

static pare_status read_entries(zip *z, int64_t size, pare_error *err) {
    int64_t used = 0;
    for (int64_t i = 0; i < z->count; i++) {
        char *p = z->directory + used;
        if (size - used < ENTRY || memcmp(p, "PK\1\2", 4) != 0)
            return damaged(z->s, "its directory breaks off", err);
        int64_t name = number(p + 28, 2), extra = number(p + 30, 2), note = number(p + 32, 2);
        if (size - used < ENTRY + name + extra + note)
            return damaged(z->s, "its directory breaks off", err);
        zip_member *m = &z->member[i];
        *m = (zip_member){.name =
                              p, /* moved over the parsed part of the entry, to be NUL-terminated */
                          .method = (int)number(p + 10, 2),
                          .crc = number(p + 16, 4),
                          .packed = number(p + 20, 4),
                          .size = number(p + 24, 4),
                          .at = number(p + 42, 4)};
        bool secret = number(p + 8, 2) & 1;
        read_large(m, p + ENTRY + name, extra);
        memmove(p, p + ENTRY, (size_t)name);
        p[name] = '\0';
        if (secret || (m->method != 0 && m->method != 8))
            return error_set(err, PARE_E_FORMAT,
                             "%s: %.64s is %s, only stored and deflated members are read",
                             z->s->name, m->name, secret ? "encrypted" : "compressed otherwise");
        used += ENTRY + name + extra + note;
    }
    return PARE_OK;
}

pare_status zip_open(zip *z, stream *s, const pare_ctx *ctx, pare_error *err) {
    *z = (zip){.s = s, .mem = ctx_allocator(ctx)};
    place_of at;
    int64_t whole;
    if (!s->can_rewind)
        return error_set(err, PARE_E_ARGUMENT,
                         "%s: an archive is read from a plain file, not from a pipe or a .gz",
                         s->name);
    PASS(stream_size(s, &whole, err));
    PASS(find_directory(&at, s, whole, err));
    if (at.count < 0 || at.size < 0 || at.size > MAX_DIRECTORY || at.count > at.size / ENTRY)
        return damaged(s, "its directory is too large", err);
    PASS(fetch(s, at.at, at.size, whole, err));
    PASS_MEM(z->directory = mem_alloc(z->mem, at.size + 1, 1));
    memcpy(z->directory, s->buffer + s->at, (size_t)at.size);
    PASS_MEM(z->member = mem_alloc(z->mem, at.count, sizeof *z->member));
    z->count = at.count;
    return read_entries(z, at.size, err);
}

int64_t zip_find(const zip *z, const char *name) {
    for (int64_t i = 0; i < z->count; i++)
        if (strcmp(z->member[i].name, name) == 0) return i;
    return -1;
}

void zip_close(zip *z) {
    if (!z->mem) return;
    mem_free(z->mem, z->directory);
    mem_free(z->mem, z->member);
}

/* --- a member --- */

typedef struct unpacker {
    stream *from;
    int64_t left, made; /* bytes of the archive not yet read, and bytes unpacked so far */
    zip_member m;
    uint32_t crc;
    z_stream z;
} unpacker;

/* Unpacks up to `want` bytes to s->buffer + s->end. */
static pare_status unpack(stream *s, size_t want, pare_error *err) {
    unpacker *u = s->pull_from;
    stream *from = u->from;
    size_t before = s->end, capacity = want > INT32_MAX ? INT32_MAX : want;
    bool over = false;
    while (s->end == before && !over) {
        if (from->at == from->end && u->left > 0) {
            pare_status status =
                from->eof ? damaged(from, "it ends early", err) : stream_fill(from, err);
            if (status != PARE_OK) return status;
        }
        int64_t there = (int64_t)(from->end - from->at);
        if (there > u->left) there = u->left;
        size_t taken = (size_t)there, made = taken < capacity ? taken : capacity;
        if (u->m.method == 0) {
            memcpy(s->buffer + s->end, from->buffer + from->at, made);
            taken = made;
        } else {
            u->z.next_in = (Bytef *)from->buffer + from->at;
            u->z.avail_in = (uInt)taken;
            u->z.next_out = (Bytef *)s->buffer + s->end;
            u->z.avail_out = (uInt)capacity;
            int code = inflate(&u->z, Z_NO_FLUSH);
            if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
                return damaged(from, "its bytes do not unpack", err);
            taken -= u->z.avail_in;
            made = capacity - u->z.avail_out;
            over = code == Z_STREAM_END;
            if (!over && !made && !taken) return damaged(from, "a member breaks off", err);
        }
        from->at += taken;
        u->left -= (int64_t)taken;
        s->end += made;
        if (u->m.method == 0) over = u->left == 0;
    }
    u->crc = (uint32_t)crc32(u->crc, (const Bytef *)s->buffer + before, (uInt)(s->end - before));
    u->made += (int64_t)(s->end - before);
    if (u->made > u->m.size) return damaged(from, "a member is longer than it says", err);
    s->eof = u->made == u->m.size;
    if (over && !s->eof) return damaged(from, "a member is shorter than it says", err);
    if (s->eof && u->crc != u->m.crc)
        return damaged(from, "the check sum of a member is wrong", err);
    return PARE_OK;
}

pare_status zip_member_open(stream *out, zip *z, int64_t i, const char *name, const pare_ctx *ctx,
                            pare_error *err) {
    const zip_member *m = &z->member[i];
    int64_t whole;
    pare_status status = stream_open_memory(out, name, "", 0, 1 << 18, ctx, err);
    if (status != PARE_OK) return status;
    out->can_rewind = false;
    out->length = m->size;
    unpacker *u = out->pull_from = mem_zero(z->mem, 1, sizeof *u);
    TRY_MEM(u);
    *u = (unpacker){.from = z->s, .left = m->packed, .m = *m};
    out->pull = unpack;
    TRY(stream_size(z->s, &whole, err));
    TRY(fetch(z->s, m->at, LOCAL, whole, err));
    const char *p = z->s->buffer + z->s->at;
    if (memcmp(p, "PK\3\4", 4) != 0) {
        status = damaged(z->s, "a member is not where it should be", err);
        goto done;
    }
    int64_t start = m->at + LOCAL + number(p + 26, 2) + number(p + 28, 2);
    if (m->packed < 0 || m->size < 0 || start > whole - m->packed) {
        status = damaged(z->s, "it ends early", err);
        goto done;
    }
    TRY(stream_seek(z->s, start, err));
    if (m->method == 8 && inflateInit2(&u->z, -MAX_WBITS) != Z_OK) status = error_memory(err);
done:
    if (status != PARE_OK) zip_member_close(out);
    return status;
}

void zip_member_close(stream *s) {
    unpacker *u = s->pull_from;
    if (u && u->m.method == 8) inflateEnd(&u->z);
    mem_free(s->mem, u);
    s->pull_from = NULL;
    stream_close(s);
}
