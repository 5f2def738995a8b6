/* A stream of what a file holds compressed by bzip2 or xz; gzip is the stream's own. */
#ifndef PARE_DATA_FORMAT_UNPACK_H
#define PARE_DATA_FORMAT_UNPACK_H

#include "data/format/stream.h"

typedef struct unpack { /* not to be moved while it is open */
    stream *packed;
    stream s;         /* what is inside; `packed` itself is used where it is not compressed */
    void *state;      /* of the library, or NULL */
    int64_t limit;    /* bytes that xz may take */
    bool is_xz, used; /* used: s is read from, not `packed` */
    bool at_end;      /* of a compressed stream; another may follow */
} unpack;

/* packed is at its start and outlives *u. unpack_close is due after a failure too. */
PARE_NODISCARD pare_status unpack_open(unpack *u, stream *packed, const pare_ctx *ctx,
                                       pare_error *err);
/* The stream to read from. */
static inline stream *unpack_stream(unpack *u) { return u->used ? &u->s : u->packed; }
/* Back to the start. */
PARE_NODISCARD pare_status unpack_rewind(unpack *u, pare_error *err);
void unpack_close(unpack *u);

#endif
