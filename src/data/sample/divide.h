/* Data distributed over ranks (pare/ranks.h): each rank has all names, targets and weights, and its
 * columns of X. */
#ifndef PARE_DATA_SAMPLE_DIVIDE_H
#define PARE_DATA_SAMPLE_DIVIDE_H

#include "base/ranks.h"
#include "data/builder.h"

/* Every rank has opened a file in which X stays, and completed its data set: rejects files that
 * differ. */
PARE_NODISCARD pare_status data_divide_file(data_builder *b, const char *where,
                                            const pare_ranks *ranks, const pare_ctx *ctx,
                                            pare_error *err);
/* Rank 0 has completed its data set; distributes it to all ranks, whose builders are zeros. */
PARE_NODISCARD pare_status data_divide_read(data_builder *b, const char *where,
                                            const pare_ranks *ranks, const pare_ctx *ctx,
                                            pare_error *err);

#endif
