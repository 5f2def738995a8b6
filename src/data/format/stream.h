/* Bytes in and out: plain files, .gz and standard input look the same to a reader; a sink writes
 * a temporary file and renames it, so that a failed run leaves no file behind. */
#ifndef PARE_DATA_FORMAT_STREAM_H
#define PARE_DATA_FORMAT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/status.h>

#include "data/format/text_encoding.h"

typedef struct stream {
    const char *name; /* as the user gave it, "standard input" for "-" */
    const char *path; /* the real path, NULL for standard input */
    bool can_rewind;  /* a plain file: reading it twice costs no memory */
    char *buffer;     /* bytes [at, end) are unread; one sentinel NUL follows end */
    size_t at, end, capacity;
    int64_t length;     /* total bytes if known beforehand, else 0 */
    int64_t limit;      /* bytes that the buffer may grow to; 0: any */
    int64_t base;       /* offset in the (decompressed) input of buffer[0] */
    bool eof;           /* nothing follows buffer[end) */
    void *source;       /* gzFile; NULL: memory */
    const char *memory; /* the rest of a stream over memory, read `piece` bytes a fill */
    size_t memory_at, memory_size, piece;
    /* Without source and memory: up to `want` bytes to buffer + end, and eof; see
     * data/format/zip.c. */
    pare_status (*pull)(struct stream *s, size_t want, pare_error *err);
    void *pull_from;
    text_decoder decoder; /* what is read becomes UTF-8 with line feeds: see stream_text */
    const pare_allocator *mem;
} stream;

/* Opens path; "-": standard input. gzip is recognised by its first bytes, not by the name. */
PARE_NODISCARD pare_status stream_open(stream *s, const char *path, const pare_ctx *ctx,
                                       pare_error *err);
/* A stream over bytes that the caller keeps. At most `piece` bytes (>= 1) come with each fill, so
 * that tests meet every split; can_rewind is true and may be set to false. */
PARE_NODISCARD pare_status stream_open_memory(stream *s, const char *name, const void *bytes,
                                              size_t size, size_t piece, const pare_ctx *ctx,
                                              pare_error *err);
/* Moves [at, end) to the front and reads more behind it, growing the buffer if it is full. Sets eof
 * when nothing follows. A damaged or truncated .gz is an error, never a silent end. */
PARE_NODISCARD pare_status stream_fill(stream *s, pare_error *err);
PARE_NODISCARD pare_status stream_rewind(stream *s, pare_error *err);
/* Where can_rewind is true: seeks to a byte; the number of bytes. */
PARE_NODISCARD pare_status stream_seek(stream *s, int64_t at, pare_error *err);
PARE_NODISCARD pare_status stream_size(stream *s, int64_t *bytes, pare_error *err);
/* Before anything is read: this is a text in that encoding (utf-8, latin1, cp1252 or utf-16; NULL:
 * utf-8), or in the one that its byte order mark tells. From here on it is UTF-8, and lines that end
 * in carriage returns end in line feeds. */
PARE_NODISCARD pare_status stream_text(stream *s, const char *encoding, pare_error *err);
/* At the start of a text: skips a UTF-8 byte order mark. */
PARE_NODISCARD pare_status stream_skip_mark(stream *s, pare_error *err);
void stream_close(stream *s);

typedef struct sink {
    const char *name;
    char *temporary; /* written here, then renamed; NULL: standard output, a device or a pipe */
    char *path;      /* what a link points to, not the link */
    void *file;      /* FILE *, or gzFile when the path ends in .gz */
    bool gzip;
    const pare_allocator *mem;
} sink;

PARE_NODISCARD pare_status sink_open(sink *s, const char *path, const pare_ctx *ctx,
                                     pare_error *err);
PARE_NODISCARD pare_status sink_write(sink *s, const void *bytes, size_t size, pare_error *err);
/* Flushes, closes and checks the temporary file. */
PARE_NODISCARD pare_status sink_finish(sink *s, pare_error *err);
/* Renames a finished file into place. Where there are several, all are finished before any is
 * renamed. */
PARE_NODISCARD pare_status sink_place(sink *s, pare_error *err);
PARE_NODISCARD pare_status sink_commit(sink *s, pare_error *err); /* both */
void sink_abandon(sink *s); /* removes the temporary; safe after the file is in place */
/* Checks that a file could be written there, without writing it. */
PARE_NODISCARD pare_status sink_check(const char *path, const pare_ctx *ctx, pare_error *err);

#endif
