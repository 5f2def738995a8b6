/* A checksum of a data set, so that a saved model can be checked against its own data only. */
#ifndef PARE_DATA_CHECKSUM_H
#define PARE_DATA_CHECKSUM_H

#include "data/dataset.h"

/* SHA-256 of X, target and weights, 64 hexadecimal digits and a NUL. Dense and sparse storage of the
 * same numbers agree; names, ids and groups do not count. One pass over X. */
PARE_NODISCARD pare_status data_checksum(const pare_data *data, const pare_ctx *ctx, char hex[65],
                                         pare_error *err);

#endif
