/* How the numbers of a data set are kept once they are read. */
#ifndef PARE_DATA_STORAGE_H
#define PARE_DATA_STORAGE_H

#include "data/dataset.h"

/* dense, sparse, or auto (also NULL): dense numbers of which at most SPARSE_SHARE are not 0 become
 * sparse, all else stays as it is. */
PARE_NODISCARD pare_status data_store(pare_data *data, const char *word, const pare_ctx *ctx,
                                      pare_error *err);
/* Refuses another word. */
PARE_NODISCARD pare_status storage_check(const char *word, pare_error *err);

#endif
