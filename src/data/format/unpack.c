/* Reading through libbz2 and liblzma. What they keep is bounded by the block size of bzip2 (under
 * 4 MB), by the memory limit and by MAX_XZ: R writes xz with dictionaries of up to 64 MB. */
#include "data/format/unpack.h"

#include <string.h>
#ifdef PARE_HAS_BZIP2
#include <bzlib.h>
#endif
#ifdef PARE_HAS_LZMA
#include <lzma.h>
#endif

#include "base/error.h"
#include "base/memory.h"

enum { MAX_XZ = 1 << 28, PIECE = 1 << 18 };

static const char *name_of(const unpack *u) { return u->is_xz ? "xz" : "bzip2"; }

static pare_status damaged(const unpack *u, const char *what, pare_error *err) {
    return error_set(err, PARE_E_FORMAT, "%s: what %s compressed %s", u->packed->name, name_of(u),
                     what);
}

/* Unpacks from `in` to `out`: *taken and *made bytes. *over: the end of a compressed stream. */
static pare_status step(unpack *u, char *in, size_t size, char *out, size_t want, size_t *taken,
                        size_t *made, bool *over, pare_error *err) {
    *taken = *made = 0;
    *over = false;
#ifdef PARE_HAS_LZMA
    if (u->is_xz) {
        lzma_stream *z = u->state;
        z->next_in = (const uint8_t *)in;
        z->avail_in = size;
        z->next_out = (uint8_t *)out;
        z->avail_out = want;
        lzma_ret code = lzma_code(z, LZMA_RUN);
        if (code == LZMA_MEM_ERROR) return error_memory(err);
        if (code == LZMA_MEMLIMIT_ERROR)
            return error_set(err, PARE_E_MEMORY,
                             "%s needs more than %lld bytes of memory to be unpacked",
                             u->packed->name, (long long)u->limit);
        if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR)
            return damaged(u, "is damaged", err);
        *taken = size - z->avail_in;
        *made = want - z->avail_out;
        *over = code == LZMA_STREAM_END;
        return PARE_OK;
    }
#endif
#ifdef PARE_HAS_BZIP2
    if (!u->is_xz) {
        bz_stream *z = u->state;
        z->next_in = in;
        z->avail_in = (unsigned)size;
        z->next_out = out;
        z->avail_out = (unsigned)want;
        int code = BZ2_bzDecompress(z);
        if (code == BZ_MEM_ERROR) return error_memory(err);
        if (code != BZ_OK && code != BZ_STREAM_END) return damaged(u, "is damaged", err);
        *taken = size - z->avail_in;
        *made = want - z->avail_out;
        *over = code == BZ_STREAM_END;
        return PARE_OK;
    }
#endif
    (void)in;
    (void)size;
    (void)out;
    (void)want;
    return damaged(u, "cannot be read by this build of pare", err);
}

static pare_status begin(unpack *u, pare_error *err) {
#ifdef PARE_HAS_LZMA
    if (u->is_xz) {
        lzma_stream *z = u->state;
        if (lzma_stream_decoder(z, (uint64_t)u->limit, 0) != LZMA_OK) return error_memory(err);
    }
#endif
#ifdef PARE_HAS_BZIP2
    if (!u->is_xz) {
        bz_stream *z = u->state;
        memset(z, 0, sizeof *z);
        if (BZ2_bzDecompressInit(z, 0, 0) != BZ_OK) return error_memory(err);
    }
#endif
    (void)err;
    u->at_end = false;
    return PARE_OK;
}

static void end(unpack *u) {
#ifdef PARE_HAS_LZMA
    if (u->is_xz && u->state) lzma_end(u->state);
#endif
#ifdef PARE_HAS_BZIP2
    if (!u->is_xz && u->state) BZ2_bzDecompressEnd(u->state);
#endif
    (void)u;
}

/* Another stream behind the end of one, as programs that compress in pieces write it. */
static pare_status go_on(unpack *u, bool *more, pare_error *err) {
    stream *from = u->packed;
    pare_status status = PARE_OK;
    while (from->at == from->end && !from->eof && status == PARE_OK)
        status = stream_fill(from, err);
    *more = status == PARE_OK && from->at < from->end;
    if (!*more) return status;
    end(u);
    return begin(u, err);
}

static pare_status pull(stream *s, size_t want, pare_error *err) {
    unpack *u = s->pull_from;
    stream *from = u->packed;
    size_t before = s->end;
    if (want > INT32_MAX) want = INT32_MAX;
    while (s->end == before) {
        size_t taken, made;
        bool over, more;
        pare_status status = PARE_OK;
        if (u->at_end) {
            status = go_on(u, &more, err);
            if (status == PARE_OK && !more) s->eof = true;
            if (status != PARE_OK || !more) return status;
        }
        if (from->at == from->end && !from->eof) status = stream_fill(from, err);
        if (status != PARE_OK) return status;
        size_t there = from->end - from->at;
        if (there > INT32_MAX) there = INT32_MAX;
        PASS(step(u, from->buffer + from->at, there, s->buffer + s->end, want, &taken, &made, &over,
                  err));
        from->at += taken;
        s->end += made;
        u->at_end = over;
        if (!over && !taken && !made && from->eof && from->at == from->end)
            return damaged(u, "ends early", err);
    }
    return PARE_OK;
}

pare_status unpack_open(unpack *u, stream *packed, const pare_ctx *ctx, pare_error *err) {
    static const char xz[] = "\xfd"
                             "7zXZ",
                      bzip2[] = "BZh";
    pare_status status = PARE_OK;
    int64_t limit = ctx ? ctx->memory_bytes : 0;
    *u = (unpack){.packed = packed, .limit = limit > 0 && limit < MAX_XZ ? limit : MAX_XZ};
    while (packed->end - packed->at < 6 && !packed->eof && status == PARE_OK)
        status = stream_fill(packed, err);
    if (status != PARE_OK) return status;
    const char *first = packed->buffer + packed->at;
    size_t size = packed->end - packed->at;
    u->is_xz = size >= 6 && memcmp(first, xz, sizeof xz) == 0; /* with its NUL */
    u->used = u->is_xz || (size >= 3 && memcmp(first, bzip2, 3) == 0);
    if (!u->used) return PARE_OK;
    u->used = false; /* until its stream is open */
    size_t bytes = 0;
#ifdef PARE_HAS_LZMA
    if (u->is_xz) bytes = sizeof(lzma_stream);
#endif
#ifdef PARE_HAS_BZIP2
    if (!u->is_xz) bytes = sizeof(bz_stream);
#endif
    if (!bytes)
        return error_set(err, PARE_E_ARGUMENT,
                         "%s is compressed by %s, which this build of pare cannot read: it was "
                         "built without %s",
                         packed->name, name_of(u), u->is_xz ? "liblzma" : "libbz2");
    PASS(stream_open_memory(&u->s, packed->name, "", 0, PIECE, ctx, err));
    u->used = true;
    u->s.can_rewind = false;
    u->s.pull = pull;
    u->s.pull_from = u;
    void *state = mem_zero(u->s.mem, 1, (size_t)bytes);
    if (!state) return error_memory(err);
    u->state = state;
    status = begin(u, err);
    if (status != PARE_OK) {
        mem_free(u->s.mem, state);
        u->state = NULL;
    }
    return status;
}

pare_status unpack_rewind(unpack *u, pare_error *err) {
    pare_status status = stream_rewind(u->packed, err);
    if (status != PARE_OK || !u->used) return status;
    end(u);
    status = stream_rewind(&u->s, err);
    return status == PARE_OK ? begin(u, err) : status;
}

void unpack_close(unpack *u) {
    end(u);
    if (!u->used) return;
    mem_free(u->s.mem, u->state);
    stream_close(&u->s);
    u->state = NULL;
    u->used = false;
}
