/* Data distributed over ranks (pare/ranks.h): each rank has all names, targets and weights, and its
 * columns of X. */
#ifndef PARE_DATA_SAMPLE_DIVIDE_H
#define PARE_DATA_SAMPLE_DIVIDE_H

#include "base/ranks.h"
#include "data/dataset.h"

/* Every rank has opened a file in which X stays: rejects files that differ. */
PARE_NODISCARD pare_status data_divide_file(pare_data *data, const char *where,
                                            const pare_ranks *ranks, const pare_ctx *ctx,
                                            pare_error *err);
/* Rank 0 has read *data; distributes it to all ranks. */
PARE_NODISCARD pare_status data_divide_read(pare_data **data, const char *where,
                                            const pare_ranks *ranks, const pare_ctx *ctx,
                                            pare_error *err);

#endif
