/* Private to glm/: how large x'U can be at dual points where x was not read, from where it was.
 *
 * In the norms <U, V> = sum_i U_i V_i / share_i and |x|^2 = sum_i share_i x_i^2 (x centred where there is
 * an intercept), with P the projection onto the points that x was read at:
 *   |x'U| <= |x'PU| + |U - PU| |x less its part along them|
 * for one such point U0, or for two, U0 and the last of a pass. */
#ifndef PARE_SOLVE_GLM_BOUND_H
#define PARE_SOLVE_GLM_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

/* A point to be bounded as a combination of those that are known: u U0 + v U1 + a rest. */
typedef struct bound_part {
    double u, v, away;
} bound_part;

typedef struct bounds {
    int64_t kept, count; /* points that were kept, and that are asked for */
    double *limit;       /* count: what |x'U| may be, for a norm of 1 */
    bound_part *one;     /* kept x count: v is 0 */
    bound_part *two;     /* kept x count: with the last point asked for; itself: zeros */
    double *inverse;     /* kept x 3: (inverse of the products of U0 and U1): 00, 01, 11 */
    double *size;        /* kept: <U0, U0> */
    bound_part *most; /* kept: the largest of `one` over the points, each as a share of its limit */
    arena mem;
} bounds;

/* point: kept x n, those that columns were read at; U: count points; weight: n, 1 / share or 0.
 * false: out of memory. Free with bounds_close, also after that. */
bool bounds_open(bounds *b, const double *point, int64_t kept, const double *const *U,
                 const double *limit, int64_t count, const double *weight, int64_t n,
                 const pare_allocator *mem);
void bounds_close(bounds *b);

/* Whether |x'U| <= norm limit at all points: g0 is x'U0 at kept point `when`, norm2 |x|^2. */
bool bound_holds(const bounds *b, int64_t when, double g0, double norm2, double norm);
/* The same but at the last point, where x'U is g1. */
bool bound_holds_between(const bounds *b, int64_t when, double g0, double g1, double norm2,
                         double norm);

#endif
