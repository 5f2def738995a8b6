/* ComBat (Johnson, Li and Rabinovic 2007) from the moments of each batch, as sva's with mod = NULL and
 * its stopping rule. */
#ifndef PARE_DATA_FEATURE_COMBAT_H
#define PARE_DATA_FEATURE_COMBAT_H

#include <pare/status.h>

#include "base/memory.h"

/* Moments of g features in each of `batches` batches, a block of g numbers for each batch; their grand
 * mean, and the pooled deviation, of which no feature has 0. */
typedef struct combat_moments {
    int64_t batches, g;
    const double *size;              /* of each batch: the weight of its samples, above 1 */
    const double *mean, *var;        /* var: over that weight */
    const double *grand, *deviation; /* g */
} combat_moments;

/* shift and scale (batches x g) with which x becomes (x - shift) * scale. g is at least 2, and so is the
 * number of batches. Memory for the work from the arena. */
PARE_NODISCARD pare_status combat_fit(double *shift, double *scale, const combat_moments *of,
                                      arena *mem, pare_error *err);

#endif
