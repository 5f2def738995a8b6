/* Signs of target leakage in the data, which would make an estimate too optimistic, and features
 * that separate the classes by themselves, which may be leaks or markers. They are warnings only: fits and paths do not depend on them. */
#ifndef PARE_SELECT_LEAKS_H
#define PARE_SELECT_LEAKS_H

#include "task/task.h"

/* Reports (leaks_tell) features that equal the target; single features that separate the classes
 * without error, where that is improbable for d random features
 * (d c! / (n over n_1 .. n_c) < 0.01); and features that number samples which are sorted by class.
 * One walk along X, which ends for most columns after a few samples. */
PARE_NODISCARD pare_status leaks_find(strings *notes, const pare_allocator *mem,
                                      const pare_data *data, const target *y, const pare_ctx *ctx,
                                      pare_error *err);

/* Adds a sentence to the notes and the log. */
__attribute__((format(printf, 5, 6))) pare_status leaks_tell(strings *notes,
                                                             const pare_allocator *mem,
                                                             const pare_ctx *ctx, pare_error *err,
                                                             const char *format, ...);

enum { LEAK_CHANCE_PERCENT = 1, LEAK_NAME_SHOWN = 80 };

/* The length of a name as shown: at most LEAK_NAME_SHOWN bytes, in whole characters. */
int leaks_name_length(const char *name);

#endif
