/* Warns where batches and classes go together: adjusting for batches then takes out what tells the classes
 * apart, or leaves what does not. */
#ifndef PARE_SELECT_BATCH_NOTES_H
#define PARE_SELECT_BATCH_NOTES_H

#include "task/task.h"

/* Adds to the notes and the log Cramer's V of batch and class (or event), where it is at least 0.3 and not
 * chance (p below 0.01). */
PARE_NODISCARD pare_status batch_notes_find(strings *notes, const pare_allocator *mem,
                                            const pare_data *data, const target *y,
                                            const pare_ctx *ctx, pare_error *err);

#endif
