/* How much the selection depends on the samples: the stability index of Nogueira, Sechidis and
 * Brown (JMLR 18, 2018) with its asymptotic confidence interval. */
#ifndef PARE_SELECT_STABILITY_H
#define PARE_SELECT_STABILITY_H

#include <stdint.h>

#include <pare/context.h>
#include <pare/status.h>

typedef struct stability {
    double index;     /* 1: always the same features; 0: as if drawn at random */
    double low, high; /* 95% CI */
} stability;          /* NaN with fewer than two sets, or where all or none of d are selected */

/* Of `sets` selections of d features: set i holds count[i] different features, pick[i][0 ..].
 * frequency: NULL, or d numbers that receive the proportion of the sets that hold each feature. */
PARE_NODISCARD pare_status stability_of(stability *out, double *frequency,
                                        const int64_t *const *pick, const int64_t *count,
                                        int64_t sets, int64_t d, const pare_ctx *ctx,
                                        pare_error *err);

#endif
