/* Checksum of a data set, with which a saved model recognises its own data. */
#ifndef PARE_DATA_CHECKSUM_H
#define PARE_DATA_CHECKSUM_H

#include <stdatomic.h>

#include "data/dataset.h"

/* Computed once: threads share data sets, and the first thread to compute it stores it. */
typedef struct kept_checksum {
    atomic_int state; /* 0: none; 1: one thread writes it; 2: there */
    char hex[65];
} kept_checksum;

/* After a change of the data, which no other thread may be using. */
void data_changed(pare_data *data);

/* SHA-256 of X, target and weights, 64 hexadecimal digits and a NUL. Dense and sparse storage of
 * the same numbers agree; a numeric target counts by its value, not by its text; names, ids and
 * groups do not count. One pass over X, the first time. */
PARE_NODISCARD pare_status data_checksum(const pare_data *data, const pare_ctx *ctx, char hex[65],
                                         pare_error *err);

/* SHA-256 of X only. */
PARE_NODISCARD pare_status data_matrix_digest(const pare_data *data, const pare_ctx *ctx,
                                              unsigned char digest[32], pare_error *err);

/* SHA-256 of columns from .. to - 1 only. */
PARE_NODISCARD pare_status data_columns_digest(const matrix *x, int64_t from, int64_t to,
                                               const pare_ctx *ctx, unsigned char digest[32],
                                               pare_error *err);

#endif
