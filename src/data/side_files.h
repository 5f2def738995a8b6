/* Labels, weights and feature groups that stand in files of their own. */
#ifndef PARE_DATA_SIDE_FILES_H
#define PARE_DATA_SIDE_FILES_H

#include "data/dataset.h"

/* One label or value per line, n of them, becomes the target. where: the data file's name. */
PARE_NODISCARD pare_status side_labels(pare_data *data, const char *path, const char *where,
                                       const pare_ctx *ctx, pare_error *err);
/* One number >= 0 per line, n of them. */
PARE_NODISCARD pare_status side_weights(pare_data *data, const char *path, const char *where,
                                        const pare_ctx *ctx, pare_error *err);
/* A feature's name, a tab or comma and its group's name per line; every feature once. */
PARE_NODISCARD pare_status side_groups(pare_data *data, const char *path, const char *where,
                                       const pare_ctx *ctx, pare_error *err);
#endif
