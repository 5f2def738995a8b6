/* Says before a fit or a path how long it will take, where that is long. */
#ifndef PARE_FIT_DURATION_NOTICE_H
#define PARE_FIT_DURATION_NOTICE_H

#include "registry.h"

/* fits: how many there are, each down to k features (below 1: not said) on n of the samples of `data`, as
 * many at once as there are threads. */
typedef struct effort_of {
    const method *m;
    const all_settings *set;
    int64_t n, k;
    double fits;
} effort_of;
void effort_say(const effort_of *of, const pare_data *data, const target *y, const pare_ctx *ctx);

#endif
