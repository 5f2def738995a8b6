/* A list in a .npy file: numbers, booleans or strings. */
#ifndef PARE_DATA_FORMAT_NPY_H
#define PARE_DATA_FORMAT_NPY_H

#include "data/strings.h"
#include "data/format/stream.h"

/* The items of a one-dimensional array (or one column) as text. */
PARE_NODISCARD pare_status npy_read_list(strings *out, const pare_allocator *mem, const char *path,
                                         const pare_ctx *ctx, pare_error *err);
/* The same from an open stream at its start. */
PARE_NODISCARD pare_status npy_list(strings *out, const pare_allocator *mem, stream *s,
                                    pare_error *err);
/* Its numbers: *count of them, to be freed. */
PARE_NODISCARD pare_status npy_numbers(double **out, int64_t *count, const pare_allocator *mem,
                                       stream *s, const pare_ctx *ctx, pare_error *err);

#endif
