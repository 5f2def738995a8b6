/* Dense or sparse storage of a data set after reading, before it is handed out. */
#ifndef PARE_DATA_STORAGE_H
#define PARE_DATA_STORAGE_H

#include "data/builder.h"

/* After data_complete. dense, sparse, or auto (also NULL): dense data with at most SPARSE_SHARE nonzeros become sparse,
 * all else is unchanged. */
PARE_NODISCARD pare_status data_store(data_builder *b, const char *word, const pare_ctx *ctx,
                                      pare_error *err);
/* Rejects any other word. */
PARE_NODISCARD pare_status storage_check(const char *word, pare_error *err);

#endif
