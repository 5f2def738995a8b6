/* Matrix Market files, with samples or with features in rows. */
#ifndef PARE_DATA_FORMAT_MTX_H
#define PARE_DATA_FORMAT_MTX_H

#include "data/builder.h"
#include "data/format/stream.h"

/* transposed: rows are features, columns samples; coordinate files only. */
PARE_NODISCARD pare_status mtx_read(data_builder *b, stream *s, const pare_read_options *o,
                                    bool transposed, const pare_ctx *ctx, pare_error *err);

/* Sorts the entries of every column by row; rejects an entry that occurs twice. */
PARE_NODISCARD pare_status mtx_sort_rows(data_builder *b, const char *name, pare_error *err);

#endif
