/* Tells the user before a fit or a path how long it will take, if that is long. */
#ifndef PARE_FIT_DURATION_NOTICE_H
#define PARE_FIT_DURATION_NOTICE_H

#include "registry.h"

/* fits: their number, each down to k features (below 1: not given) on n of the samples of `data`,
 * as many at once as there are threads. */
typedef struct duration_notice {
    const method *m;
    const all_settings *set;
    int64_t n, k;
    double fits;
} duration_notice;
void duration_notice_log(const duration_notice *of, const pare_data *data, const target *y,
                         const pare_ctx *ctx);

#endif
