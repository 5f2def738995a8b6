/* A .zip archive, one member at a time as a stream: stored or deflated, also beyond 4 GB. Its
 * directory is at its end, so the archive must be a plain file or memory. */
#ifndef PARE_DATA_FORMAT_ZIP_H
#define PARE_DATA_FORMAT_ZIP_H

#include "data/format/stream.h"

typedef struct zip_member {
    const char *name; /* in the archive's memory */
    int method;       /* 0 stored, 8 deflated */
    uint32_t crc;
    int64_t packed, size; /* bytes in the archive, and of the member itself */
    int64_t at;           /* of its own header */
} zip_member;

typedef struct zip {
    stream *s;
    const pare_allocator *mem;
    char *directory;
    zip_member *member;
    int64_t count;
} zip;

/* Reads the directory. Free with zip_close, also after a failure. */
PARE_NODISCARD pare_status zip_open(zip *z, stream *s, const pare_ctx *ctx, pare_error *err);
void zip_close(zip *z);
/* The index of the member of that name, or -1. */
int64_t zip_find(const zip *z, const char *name);

/* Member i as a stream of its own, with `name` for messages; only one at a time. */
PARE_NODISCARD pare_status zip_member_open(stream *out, zip *z, int64_t i, const char *name,
                                           const pare_ctx *ctx, pare_error *err);
void zip_member_close(stream *s);

#endif
