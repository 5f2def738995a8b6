/* The times, events and strata of survival, once a file's are all read: which values of the event
 * mean that there was one. */
#ifndef PARE_DATA_SAMPLE_READ_EVENTS_H
#define PARE_DATA_SAMPLE_READ_EVENTS_H

#include "data/builder.h"

/* Rejects options that do not go together. */
PARE_NODISCARD pare_status events_check(const pare_read_options *o, pare_error *err);
/* The texts in b->event become those of the target: 1, true (in any letter case) or, if there is one,
 * b->event_value is an event. 1 and 2 alone are rejected, since either may be meant. A sample that
 * lacks its event or stratum gets the time NaN, for data_drop_unlabelled. Logs what may be a
 * mistake. */
PARE_NODISCARD pare_status events_settle(data_builder *b, const pare_read_options *o,
                                         const char *where, const pare_ctx *ctx, pare_error *err);

#endif
