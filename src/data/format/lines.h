/* A text line by line; each line is in the stream's buffer as a whole. */
#ifndef PARE_DATA_FORMAT_LINES_H
#define PARE_DATA_FORMAT_LINES_H

#include "data/format/cell.h"
#include "data/format/stream.h"

typedef struct lines {
    stream *s;
    place at;   /* of the line given last */
    char *text; /* trimmed, NUL-terminated; lives until the next call */
    int64_t length;
} lines;

/* Skips a byte order mark. */
PARE_NODISCARD pare_status lines_begin(lines *l, stream *s, pare_error *err);
/* *more is false at the end. Blank lines are returned too; a NUL byte is rejected. */
PARE_NODISCARD pare_status lines_next(lines *l, bool *more, pare_error *err);
/* The same where blank lines may only stand at the end. */
PARE_NODISCARD pare_status lines_next_filled(lines *l, bool *more, pare_error *err);

#endif
