/* Features dropped from a finished data set whose owner asked for it. */
#ifndef PARE_DATA_REPLACE_H
#define PARE_DATA_REPLACE_H

#include "data/dataset.h"

/* stays: d, not all false; see data_drop_columns. Not while another thread uses the data. */
PARE_NODISCARD pare_status data_reduce(pare_data *data, const bool *stays, const pare_ctx *ctx,
                                       pare_error *err);

#endif
