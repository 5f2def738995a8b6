/* Class indicators of the least squares methods: for output k and sample i the sign +1 for the own
 * class and -1 for the others, and the target 1 or 0. Two classes have one output, that of the last
 * class: f_1 = 1 - f_2 at an optimum, since swapping (f_1, f_2) for (1 - f_2, 1 - f_1) changes no
 * residual norm and no penalty, and the problems are convex. */
#ifndef PARE_METHOD_DISCRIMINANT_INDICATOR_H
#define PARE_METHOD_DISCRIMINANT_INDICATOR_H

#include "method/method.h"

typedef struct indicator {
    int64_t n, c;   /* c: outputs, 1 for two classes */
    double *sign;   /* n x c */
    double *target; /* n x c */
    double *weight; /* n */
    double total;   /* of weight */
    bool intercept;
    bool centred; /* the columns are centred under these weights already */
} indicator;

/* Returns PARE_E_ARGUMENT for two classes without an intercept, which lack the symmetry. */
PARE_NODISCARD pare_status indicator_make(indicator *out, arena *mem, const fit_job *job,
                                          pare_error *err);

/* v with its columns centred by their weighted means (with an intercept the problem stays the same,
 * and the Gram of raw intensities is much better conditioned): shift is new memory, mean the d
 * means. */
PARE_NODISCARD pare_status indicator_centre(view *out, double **mean, arena *mem, const view *v,
                                            const double *weight, const pare_ctx *ctx,
                                            pare_error *err);

#endif
