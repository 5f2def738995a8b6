/* The second-order cones of group penalties in push_qp: |w_g| <= s_g with the multipliers
 * (l, -g_g), |g_g| <= l, under Nesterov and Todd's scaling.
 *
 * SYMBOLS   a cone's columns are a run, start[k] .. start[k + 1] - 1. At x = (s, w) and z = (l, -g)
 *           the scaling W has W z = W^-1 x and W^2 = eta^2 (2 (v0, v)(v0, v)' - J), so that
 *               dw = q + Z dg,   Z = eta^2 (I + 2 v v'),   ds = q0 + 2 eta^2 v0 v'dg
 *           for right-hand sides (q0, q) that cones_aim makes. */
#ifndef PARE_SOLVE_RANK_PUSH_CONE_H
#define PARE_SOLVE_RANK_PUSH_CONE_H

#include <stdbool.h>

#include <pare/status.h>

#include "base/memory.h"

typedef struct push_cones {
    int64_t count;
    const int64_t *start; /* count + 1 */
    double l;
    double *s, *ds, *q0;     /* count */
    double *v0, *eta2, *det; /* count; det: of the scaled point, s^2 - |w|^2 there */
    double *v, *q, *dg, *dx; /* d; dx: scratch of a cone */
    double *dz;              /* d: the same */
} push_cones;

PARE_NODISCARD pare_status cones_init(push_cones *c, arena *mem, int64_t count,
                                      const int64_t *start, double l, pare_error *err);
/* The scaling at (s, w) and (l, -g); false: rounding has put one of them outside. */
bool cones_scale(push_cones *c, const double *w, const double *g);
/* q0 and q for products x.z that shall become target, less what the step (ds, dw, dg) adds. */
void cones_aim(push_cones *c, double target, bool correct, const double *w, const double *dw);
/* out = Z^-1 in. */
void cones_unscale(const push_cones *c, const double *in, double *out);
/* dg and ds that belong to dw. */
void cones_follow(push_cones *c, const double *dw);
/* The smaller of `primal` and the step to the boundary, and the same for the multipliers. */
void cones_reach(const push_cones *c, const double *w, const double *g, const double *dw,
                 double *primal, double *dual);
/* Sum of the products x'z after steps of these lengths. */
double cones_pairs(const push_cones *c, const double *w, const double *g, const double *dw,
                   double primal, double dual);

#endif
