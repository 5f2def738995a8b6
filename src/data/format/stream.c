/* Reading through zlib, which passes plain bytes through; writing to a temporary file that is
 * renamed. */
#define _POSIX_C_SOURCE 200809L
#include "data/format/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"

enum {
    MIN_CAPACITY = 1 << 18, /* bytes of buffer at the start */
    ZLIB_BUFFER = 1 << 16,  /* zlib's own buffer; larger reads of a plain file go past it */
    MAX_ZLIB = 1 << 30,     /* zlib counts in unsigned int */
    MAX_TEMPORARIES = 100   /* left over from killed runs; more is an error */
};

/* strerror may share its buffer between threads. */
static pare_status error_system(pare_error *err, const char *name, const char *what, int code) {
    char reason[128];
    if (strerror_r(code, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", code);
    return error_set(err, PARE_E_IO, "%s: cannot be %s: %s", name, what, reason);
}

/* ---- in -------------------------------------------------------------------------------------- */

static pare_status open_file(stream *s, const char *path, pare_error *err) {
    bool standard = strcmp(path, "-") == 0;
    struct stat info;
    int file = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return error_system(err, s->name, "opened", errno);
    int code = fstat(file, &info) != 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
    if (code) {
        close(file);
        return error_system(err, s->name, "read", code);
    }
    s->source = gzdopen(file, "rb");
    if (!s->source) {
        close(file);
        return error_memory(err);
    }
    gzbuffer(s->source, ZLIB_BUFFER);
    s->can_rewind = !standard && S_ISREG(info.st_mode) && gzdirect(s->source);
    return PARE_OK;
}

pare_status stream_open(stream *s, const char *path, const pare_ctx *ctx, pare_error *err) {
    bool standard = strcmp(path, "-") == 0;
    pare_status status = PARE_OK;
    memset(s, 0, sizeof *s);
    s->mem = ctx_allocator(ctx);
    s->name = standard ? "standard input" : path;
    s->path = standard ? NULL : path;
    s->limit = ctx ? ctx->memory_bytes : 0;
    s->capacity = MIN_CAPACITY;
    TRY_MEM(s->buffer = mem_alloc(s->mem, (int64_t)s->capacity + 1, 1));
    s->buffer[0] = '\0';
    TRY(open_file(s, path, err));
    return PARE_OK;
done:
    stream_close(s);
    return status;
}

pare_status stream_open_memory(stream *s, const char *name, const void *bytes, size_t size,
                               size_t piece, const pare_ctx *ctx, pare_error *err) {
    memset(s, 0, sizeof *s);
    s->mem = ctx_allocator(ctx);
    s->name = name;
    s->can_rewind = true;
    s->memory = bytes;
    s->memory_size = size;
    s->piece = s->capacity = piece;
    s->buffer = mem_alloc(s->mem, (int64_t)s->capacity + 1, 1);
    if (!s->buffer) return error_memory(err);
    s->buffer[0] = '\0';
    return PARE_OK;
}

static pare_status error_read(stream *s, pare_error *err) {
    int code;
    int system_code = errno;
    (void)gzerror(s->source, &code); /* its words name no file */
    int64_t byte = s->base + (int64_t)s->end;
    switch (code) {
    case Z_MEM_ERROR: return error_memory(err);
    case Z_ERRNO: return error_system(err, s->name, "read", system_code);
    case Z_BUF_ERROR:
        return error_at(err, PARE_E_FORMAT, 0, 0, byte,
                        "%s: the compressed file is cut short: get or write it again", s->name);
    default:
        return error_at(err, PARE_E_FORMAT, 0, 0, byte,
                        "%s: the compressed file is damaged: get or write it again", s->name);
    }
}

/* Reads up to `want` bytes to `to`, and counts them; fewer only at the end. */
static pare_status read_bytes(stream *s, char *to, size_t want, size_t *count, pare_error *err) {
    if (!s->source) {
        size_t left = s->memory_size - s->memory_at;
        if (want > s->piece) want = s->piece;
        if (want > left) want = left;
        if (want) memcpy(to, s->memory + s->memory_at, want);
        s->memory_at += want;
        *count = want;
        s->eof = s->memory_at == s->memory_size;
        return PARE_OK;
    }
    unsigned ask = want > MAX_ZLIB ? MAX_ZLIB : (unsigned)want;
    int code, got = gzread(s->source, to, ask);
    if (got < 0) return error_read(s, err);
    if ((unsigned)got < ask) {
        gzerror(s->source, &code); /* a truncated .gz reports this after its data */
        if (code != Z_OK && code != Z_STREAM_END) return error_read(s, err);
        s->eof = true;
    }
    *count = (size_t)got;
    return PARE_OK;
}

/* The decoder has seen all that is read so far. */
static pare_status check_decoded(const stream *s, pare_error *err) {
    if (!s->decoder.cut) return PARE_OK;
    return error_at(
        err, PARE_E_FORMAT, 0, 0, s->base + (int64_t)s->end,
        "%s: the UTF-16 text is cut short: it ends within a character; get the file again",
        s->name);
}

/* Reads more to buffer + end, at most `room` bytes. */
static pare_status read_more(stream *s, size_t room, pare_error *err) {
    char *to = s->buffer + s->end;
    size_t count = 0;
    if (s->pull) return s->pull(s, room, err);
    size_t raw = text_decodes(&s->decoder) ? text_input(room) : room;
    pare_status status = read_bytes(s, to + (room - raw), raw, &count, err);
    if (status != PARE_OK) return status;
    if (text_decodes(&s->decoder))
        count = text_decode(&s->decoder, to, to + (room - raw), count, s->eof);
    s->end += count;
    return check_decoded(s, err);
}

/* Grows the buffer, which is full of a single cell or line. No binary format has items that
 * long. */
static pare_status grow(stream *s, pare_error *err) {
    if (s->capacity >= MIN_CAPACITY && memchr(s->buffer, '\0', s->end))
        return error_at(err, PARE_E_FORMAT, 0, 0, s->base, "%s: NUL bytes, this is not a text file",
                        s->name);
    if (s->limit > 0 && 2 * (int64_t)s->capacity > s->limit)
        return error_at(err, PARE_E_MEMORY, 0, 0, s->base,
                        "%s: a line of more than %lld MB does not fit in the memory limit", s->name,
                        (long long)(s->capacity >> 20));
    if (!mem_resize(s->mem, &s->buffer, 2 * (int64_t)s->capacity + 1, 1)) return error_memory(err);
    s->capacity *= 2;
    return PARE_OK;
}

pare_status stream_fill(stream *s, pare_error *err) {
    if (s->at > 0) {
        memmove(s->buffer, s->buffer + s->at, s->end - s->at);
        s->base += (int64_t)s->at;
        s->end -= s->at;
        s->at = 0;
    }
    size_t least = text_decodes(&s->decoder) ? TEXT_ROOM : 1;
    pare_status status = PARE_OK;
    while (s->capacity - s->end < least && !s->eof && status == PARE_OK) status = grow(s, err);
    if (status == PARE_OK && !s->eof) status = read_more(s, s->capacity - s->end, err);
    s->buffer[s->end] = '\0';
    return status;
}

pare_status stream_rewind(stream *s, pare_error *err) {
    if (s->source && gzrewind(s->source) != 0)
        return error_system(err, s->name, "read again", errno);
    s->memory_at = s->at = s->end = 0;
    s->base = 0;
    s->eof = false;
    s->decoder.n_held = 0;
    s->buffer[0] = '\0';
    return PARE_OK;
}

pare_status stream_seek(stream *s, int64_t at, pare_error *err) {
    pare_status status = stream_rewind(s, err);
    if (status != PARE_OK) return status;
    if (s->source && gzseek(s->source, (z_off_t)at, SEEK_SET) < 0)
        return error_system(err, s->name, "read", errno);
    s->memory_at = (size_t)at < s->memory_size ? (size_t)at : s->memory_size;
    s->base = at;
    return PARE_OK;
}

pare_status stream_size(stream *s, int64_t *bytes, pare_error *err) {
    struct stat info;
    *bytes = (int64_t)s->memory_size;
    if (!s->source) return PARE_OK;
    if (stat(s->path, &info) != 0) return error_system(err, s->name, "read", errno);
    *bytes = (int64_t)info.st_size;
    return PARE_OK;
}

/* Fills the buffer up to `size` bytes, or to the end. */
static pare_status fill_to(stream *s, size_t size, pare_error *err) {
    pare_status status = PARE_OK;
    while (s->end - s->at < size && !s->eof && status == PARE_OK) status = stream_fill(s, err);
    return status;
}

/* With its mark, or ASCII in fours. */
static bool is_utf32(const char *first, size_t count) {
    return count >= 4 &&
           (memcmp(first, "\xff\xfe\0\0", 4) == 0 || memcmp(first, "\0\0\xfe\xff", 4) == 0 ||
            (!first[1] && !first[2] && !first[0] != !first[3]));
}

static pare_status refuse_encoding(const stream *s, const char *name, const char *option,
                                   pare_error *err) {
    return error_at(err, PARE_E_FORMAT, 0, 0, s->base,
                    "%s is %s text: convert it to UTF-8, for instance with iconv -f %s -t utf-8",
                    s->name, name, option);
}

static bool is_wide(const char *encoding) { return encoding && strcmp(encoding, "utf-16") == 0; }

/* A mark is certain, so it outweighs the option. */
static pare_status find_encoding(text_encoding *out, stream *s, const char *encoding,
                                 pare_error *err) {
    const char *first = s->buffer + s->at;
    size_t count = s->end - s->at;
    bool wide = count >= 2 && !first[0] != !first[1]; /* ASCII in pairs */
    *out = TEXT_UTF8;
    if (is_utf32(first, count)) return refuse_encoding(s, "UTF-32", "utf-32", err);
    if (text_other_kind(first, count))
        return error_set(err, PARE_E_FORMAT, "%s is no text but %s", s->name,
                         text_other_kind(first, count));
    if (count >= 2 && memcmp(first, "\xff\xfe", 2) == 0)
        *out = TEXT_UTF16_LE;
    else if (count >= 2 && memcmp(first, "\xfe\xff", 2) == 0)
        *out = TEXT_UTF16_BE;
    else if (count >= 3 && memcmp(first, "\xef\xbb\xbf", 3) == 0)
        *out = TEXT_UTF8;
    else if (wide && !first[0])
        return refuse_encoding(s, "big-endian UTF-16", "utf-16be", err);
    else if (is_wide(encoding) && !text_may_be_wide(first, count))
        return error_set(err, PARE_E_FORMAT,
                         "%s is no UTF-16 text: leave `encoding` out, or give another", s->name);
    else if (is_wide(encoding))
        *out = TEXT_UTF16_LE;
    else if (wide)
        return error_at(err, PARE_E_FORMAT, 0, 0, s->base,
                        "%s looks like UTF-16 text without a byte order mark: give `encoding` "
                        "utf-16",
                        s->name);
    else if (encoding && strcmp(encoding, "latin1") == 0)
        *out = TEXT_LATIN1;
    else if (encoding && strcmp(encoding, "cp1252") == 0)
        *out = TEXT_CP1252;
    return PARE_OK;
}

/* Decodes what is in the buffer. */
static pare_status decode_buffer(stream *s, pare_error *err) {
    size_t count = s->end - s->at, capacity = 3 * count + TEXT_ROOM;
    char *decoded = mem_alloc(s->mem, (int64_t)capacity + 1, 1);
    if (!decoded) return error_memory(err);
    s->end = text_decode(&s->decoder, decoded, s->buffer + s->at, count, s->eof);
    mem_free(s->mem, s->buffer);
    s->buffer = decoded;
    s->capacity = capacity;
    s->at = 0;
    s->buffer[s->end] = '\0';
    return check_decoded(s, err);
}

/* Old programs on a Macintosh, and Excel there, end lines in carriage returns: there are some, and
 * no line feed, in the first bytes. */
static pare_status find_line_ends(stream *s, pare_error *err) {
    enum { MAX_LOOK = 1 << 18 };
    size_t looked = 0;
    pare_status status = PARE_OK;
    for (;;) {
        size_t count = s->end - s->at < MAX_LOOK ? s->end - s->at : MAX_LOOK;
        if (memchr(s->buffer + s->at + looked, '\n', count - looked)) return PARE_OK;
        looked = count;
        if (s->eof || looked == MAX_LOOK) break;
        TRY(fill_to(s, looked + 1, err));
    }
    size_t cut = looked == MAX_LOOK; /* a line feed may follow the last one */
    s->decoder.cr = memchr(s->buffer + s->at, '\r', looked - cut) != NULL;
    if (s->decoder.cr) text_end_lines(s->buffer + s->at, s->end - s->at);
done:
    return status;
}

pare_status stream_text(stream *s, const char *encoding, pare_error *err) {
    pare_status status = PARE_OK;
    TRY(fill_to(s, is_wide(encoding) ? TEXT_WIDE_LOOK : 4, err));
    TRY(find_encoding(&s->decoder.from, s, encoding, err));
    if (s->decoder.from != TEXT_UTF8) TRY(decode_buffer(s, err));
    TRY(find_line_ends(s, err));
done:
    return status;
}

pare_status stream_skip_mark(stream *s, pare_error *err) {
    pare_status status = fill_to(s, 4, err);
    if (status != PARE_OK) return status;
    const char *first = s->buffer + s->at;
    size_t count = s->end - s->at;
    if (count >= 3 && memcmp(first, "\xef\xbb\xbf", 3) == 0) s->at += 3;
    if (is_utf32(first, count)) return refuse_encoding(s, "UTF-32", "utf-32", err);
    if (count >= 2 && (memcmp(first, "\xff\xfe", 2) == 0 || /* marks, or ASCII in pairs */
                       memcmp(first, "\xfe\xff", 2) == 0 || !first[0] != !first[1]))
        return refuse_encoding(s, "UTF-16", "utf-16", err);
    return PARE_OK;
}

void stream_close(stream *s) {
    if (s->source) gzclose_r(s->source);
    mem_free(s->mem, s->buffer);
    s->source = NULL;
    s->buffer = NULL;
}

/* ---- out ------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Resolves links: a link stays a link, also one to a file that does not exist yet. */
static pare_status follow_links(char **out, const char *path, const pare_allocator *mem,
                                pare_error *err) {
    enum { MAX_LINKS = 40 };
    char at[PATH_MAX], to[PATH_MAX];
    if (strlen(path) >= sizeof at) return error_system(err, path, "created", ENAMETOOLONG);
    strcpy(at, path);
    ssize_t length = 0;
    for (int i = 0; i < MAX_LINKS && (length = readlink(at, to, sizeof to - 1)) > 0; i++) {
        to[length] = '\0';
        const char *slash = strrchr(at, '/');
        size_t folder = to[0] == '/' || !slash ? 0 : (size_t)(slash + 1 - at);
        if (folder + (size_t)length >= sizeof at)
            return error_system(err, path, "created", ENAMETOOLONG);
        memcpy(at + folder, to, (size_t)length + 1);
    }
    if (length > 0) return error_system(err, path, "created", ELOOP);
    *out = mem_alloc(mem, (int64_t)strlen(at) + 1, 1);
    if (!*out) return error_memory(err);
    strcpy(*out, at);
    return PARE_OK;
}

/* A new file in the same folder, so that the rename stays within one file system. */
static int open_temporary(sink *s, size_t capacity) {
    for (int i = 0; i < MAX_TEMPORARIES; i++) {
        snprintf(s->temporary, capacity, "%s.tmp%d", s->path, i);
        int file = open(s->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

static pare_status open_target(sink *s, const char *path, int *file, pare_error *err) {
    struct stat info;
    pare_status status = PARE_OK;
    if (strcmp(path, "-") == 0) {
        s->name = "standard output";
        *file = dup(STDOUT_FILENO);
    } else {
        TRY(follow_links(&s->path, path, s->mem, err));
        s->gzip = ends_with(path, ".gz");
        bool there = stat(s->path, &info) == 0;
        if (there && !S_ISREG(info.st_mode)) { /* never rename over a device */
            *file = open(s->path, O_WRONLY | O_CLOEXEC);
        } else {
            size_t capacity = strlen(s->path) + 16;
            TRY_MEM(s->temporary = mem_alloc(s->mem, (int64_t)capacity, 1));
            *file = open_temporary(s, capacity);
            /* Keeps the mode of the old file; that fails if it has another owner. */
            if (*file >= 0 && there) (void)!fchmod(*file, info.st_mode & 07777);
        }
    }
    if (*file < 0) {
        status = error_system(err, s->name, "created", errno);
        mem_free(s->mem, s->temporary); /* not created here, so not removed */
        s->temporary = NULL;
    }
done:
    return status;
}

pare_status sink_check(const char *path, const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    struct stat info;
    char *at;
    if (strcmp(path, "-") == 0) return PARE_OK;
    pare_status status = follow_links(&at, path, mem, err);
    if (status != PARE_OK) return status;
    bool there = stat(at, &info) == 0;
    if (there && S_ISDIR(info.st_mode)) {
        status = error_system(err, path, "created", EISDIR);
    } else if (there && !S_ISREG(info.st_mode)) {
        if (access(at, W_OK) != 0) status = error_system(err, path, "created", errno);
    } else {
        char *slash = strrchr(at, '/');
        if (slash) slash[1] = '\0';
        if (access(slash ? at : ".", W_OK | X_OK) != 0)
            status = error_system(err, path, "created", errno);
    }
    mem_free(mem, at);
    return status;
}

pare_status sink_open(sink *s, const char *path, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    int file = -1;
    memset(s, 0, sizeof *s);
    s->mem = ctx_allocator(ctx);
    s->name = path;
    TRY(open_target(s, path, &file, err));
    s->file = s->gzip ? (void *)gzdopen(file, "wb") : (void *)fdopen(file, "wb");
    TRY_MEM(s->file);
    return PARE_OK;
done:
    if (file >= 0) close(file);
    sink_abandon(s);
    return status;
}

pare_status sink_write(sink *s, const void *bytes, size_t size, pare_error *err) {
    const char *p = bytes;
    errno = 0;
    while (s->gzip && size > 0) {
        unsigned part = size > MAX_ZLIB ? MAX_ZLIB : (unsigned)size;
        if (gzwrite(s->file, p, part) != (int)part)
            return error_system(err, s->name, "written", errno ? errno : EIO);
        p += part;
        size -= part;
    }
    if (size > 0 && fwrite(p, 1, size, s->file) != size)
        return error_system(err, s->name, "written", errno ? errno : EIO);
    return PARE_OK;
}

static bool close_file(sink *s) {
    void *file = s->file;
    s->file = NULL;
    return !file || (s->gzip ? gzclose_w(file) == Z_OK : fclose(file) == 0);
}

/* Syncs before the rename, so that the old file survives a power failure. */
static bool settle(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool fine = file >= 0 && (fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP);
    if (file >= 0) close(file);
    return fine;
}

pare_status sink_finish(sink *s, pare_error *err) {
    errno = 0;
    if (close_file(s) && (!s->temporary || settle(s->temporary))) return PARE_OK;
    return error_system(err, s->name, "written", errno ? errno : EIO);
}

pare_status sink_place(sink *s, pare_error *err) {
    if (s->temporary && rename(s->temporary, s->path) != 0)
        return error_system(err, s->name, "created", errno);
    mem_free(s->mem, s->temporary);
    s->temporary = NULL;
    sink_abandon(s);
    return PARE_OK;
}

pare_status sink_commit(sink *s, pare_error *err) {
    pare_status status = sink_finish(s, err);
    return status == PARE_OK ? sink_place(s, err) : status;
}

void sink_abandon(sink *s) {
    (void)close_file(s);
    if (s->temporary) unlink(s->temporary);
    mem_free(s->mem, s->temporary);
    mem_free(s->mem, s->path);
    s->temporary = s->path = NULL;
}
