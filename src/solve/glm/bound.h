/* Private to glm/: bounds on x'U at dual points where column x was not read, from points where it
 * was.
 *
 * In the norms <U, V> = sum_i U_i V_i / share_i and |x|^2 = sum_i share_i x_i^2 (x centred where
 * there is an intercept), with P the projection onto the points that x was read at:
 *   |x'U| <= |x'PU| + |U - PU| |x less its part along them|,  and the same of sign x'U
 * for one such point U0, or for two, U0 and the last of a pass. */
#ifndef PARE_SOLVE_GLM_BOUND_H
#define PARE_SOLVE_GLM_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

/* A requested point as a combination of known ones: u U0 + v U1 + a rest. */
typedef struct bound_part {
    double u, v, distance;
} bound_part;

typedef struct bounds {
    int64_t kept, count; /* number of kept points, and of requested points */
    double *limit;       /* count: the limit of |x'U| at a norm of 1 */
    bound_part *one;     /* kept x count: v is 0 */
    bound_part *two;     /* kept x count: with the last requested point; for that itself: zeros */
    double *inverse;     /* kept x 3: (inverse of the products of U0 and U1): 00, 01, 11 */
    double *size;        /* kept: <U0, U0> */
    bound_part *most; /* kept: the largest of `one` over the points, each as a share of its limit */
    arena mem;
} bounds;

/* point: kept x n, the points at which columns were read; U: count points; weight: n, 1 / share or
 * 0. false: out of memory. Free with bounds_close, also after that. */
bool bounds_open(bounds *b, const double *point, int64_t kept, const double *const *U,
                 const double *limit, int64_t count, const double *weight, int64_t n,
                 const pare_allocator *mem);
void bounds_close(bounds *b);

/* A column, its |x|^2, the kept point that it was read at and what its limits are multiplied by. sign:
 * 1 or -1: only sign x'U is limited. */
typedef struct bound_of {
    int64_t when;
    int sign;
    double norm2, norm;
} bound_of;

/* Returns true if |x'U| <= norm limit at all points: g0 is x'U0. */
bool bound_holds(const bounds *b, const bound_of *x, double g0);
/* The same at all but the last point, where x'U is g1. */
bool bound_holds_between(const bounds *b, const bound_of *x, double g0, double g1);

#endif
