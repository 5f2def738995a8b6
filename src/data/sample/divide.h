/* Data that ranks share (pare/ranks.h): each has all names, targets and weights, and its part of X. */
#ifndef PARE_DATA_SAMPLE_DIVIDE_H
#define PARE_DATA_SAMPLE_DIVIDE_H

#include "base/ranks.h"
#include "data/dataset.h"

/* Every rank has opened the same file, in which X stays: refuses files that differ. */
PARE_NODISCARD pare_status data_divide_file(pare_data *data, const char *where,
                                            const pare_ranks *ranks, const pare_ctx *ctx,
                                            pare_error *err);
/* Rank 0 has read *data, which all have then. */
PARE_NODISCARD pare_status data_divide_read(pare_data **data, const char *where,
                                            const pare_ranks *ranks, const pare_ctx *ctx,
                                            pare_error *err);

#endif
