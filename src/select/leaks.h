/* Signs in the data themselves that an estimate will be too good to be true. They are warnings: a fit
 * and a path are what they would be without. */
#ifndef PARE_DATA_FEATURE_LEAKS_H
#define PARE_DATA_FEATURE_LEAKS_H

#include "task/task.h"

/* Tells (below) of features that equal the target, that alone separate the classes without an error
 * where chance would hardly have one of d do so (d c! / (n over n_1 .. n_c) < 0.01), or that number
 * samples which are sorted by class. A walk along X that leaves most columns after a few samples. */
PARE_NODISCARD pare_status leaks_find(strings *notes, const pare_allocator *mem,
                                      const pare_data *data, const target *y, const pare_ctx *ctx,
                                      pare_error *err);

/* A sentence for the notes and the log. */
__attribute__((format(printf, 5, 6))) pare_status leaks_tell(strings *notes,
                                                             const pare_allocator *mem,
                                                             const pare_ctx *ctx, pare_error *err,
                                                             const char *format, ...);

enum { LEAK_CHANCE_PERCENT = 1, LEAK_NAME_SHOWN = 80 };

/* At most LEAK_NAME_SHOWN bytes of a name, whole characters. */
int leaks_name_length(const char *name);

#endif
