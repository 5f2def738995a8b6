/* Values for the samples out of R's files: vectors, and columns of data frames. */
#ifndef PARE_DATA_FORMAT_RDATA_LISTS_H
#define PARE_DATA_FORMAT_RDATA_LISTS_H

#include <pare/context.h>
#include <pare/status.h>

#include "data/strings.h"

/* Returns true if `from` is FILE or FILE:NAME with an extension of R's; *length: that of FILE. */
bool rdata_is_file(const char *from, int *length);

/* What is asked for, the strings that are not given are NULL. */
typedef struct rdata_wanted {
    const char *path;
    const char *name; /* the object, or a column of the data frame in an .rds */
    const char
        *column; /* of the data frame: joined by `id`, else by row names or its first column */
    const char *id;
} rdata_wanted;

/* ids: the names of the vector, or those that a data frame is joined by; empty if there are none.
 * *joined: the values are those of a data frame. */
PARE_NODISCARD pare_status rdata_read_values(strings *values, strings *ids, bool *joined,
                                             const pare_allocator *mem, const rdata_wanted *wanted,
                                             const pare_ctx *ctx, pare_error *err);

/* Adds the names of features: `from` is FILE or FILE:OBJECT, a vector of texts, or FILE:OBJECT[,J],
 * column J (from 1) of a matrix of texts or of a data frame. */
PARE_NODISCARD pare_status rdata_read_names(strings *names, const pare_allocator *mem,
                                            const char *from, const pare_ctx *ctx, pare_error *err);

#endif
