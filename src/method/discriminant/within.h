/* Every feature less its class means: the input of linear discriminants. */
#ifndef PARE_METHOD_DISCRIMINANT_WITHIN_H
#define PARE_METHOD_DISCRIMINANT_WITHIN_H

#include "method/method.h"

typedef struct within {
    int64_t n, d, c;
    double total;     /* sum of the weights */
    double *weight;   /* n */
    double *of_class; /* c: weight of each class */
    double *mean;     /* d: of all samples, in units of the view */
    double *M;        /* d x c: class means less that, in the same units */
    /* d: the pooled deviation within classes, sqrt(sum w r^2 / (total - c)), its square at least
     * FLOOR of the total variance; 0: a constant feature. */
    double *dev;
} within;

/* Returns an error for a total weight that is not above the number of classes. One pass over X;
 * memory from the arena. */
PARE_NODISCARD pare_status within_make(within *out, arena *mem, const fit_job *job,
                                       const pare_ctx *ctx, pare_error *err);

#endif
