/* Runs one reader on an open stream, from data_begin to data_finish. */
#ifndef PARE_TESTS_READ_STREAM_H
#define PARE_TESTS_READ_STREAM_H

#include "data/builder.h"

/* *out is NULL on failure. where: the name that data_finish's messages give the file. */
PARE_NODISCARD pare_status read_stream(pare_data **out, data_reader read, struct stream *s,
                                       const char *where, const pare_read_options *o,
                                       const pare_ctx *ctx, pare_error *err);

#endif
