/* Pairs of points inside second-order cones, (s0, s1) with |s1| < s0 and (z0, -z1) with |z1| < z0,
 * under Nesterov and Todd's scaling: norms as costs, |s1| <= s0 at the price z0 of s0.
 *
 * For s and z inside the cone there is one symmetric W with
 *     W z = W^-1 s = l,   W^2 = eta^2 (2 w w' - J).
 * A step that leads the products of the scaled points to `centre` fulfils
 *     W^-1 ds + W dz = l \ (centre e - l o l - [W^-1 ds o W dz of the predictor]),
 * o the product of the cone. Multiplied by W^-1: dz = g - W^-2 ds. As dz0 is given, its line gives
 * ds0, and the others become, dz1 being the negative of z's tail,
 *     dz1 = Q ds1 - g,   Q = (I - 2 w1 w1' / (2 w0^2 - 1)) / eta^2,
 * a multiple of the identity less a rank-one term; Q^-1 = eta^2 (I + 2 w1 w1').
 * COST  a few passes over a cone's tail in each call. */
#ifndef PARE_SOLVE_INTERIOR_CONES_H
#define PARE_SOLVE_INTERIOR_CONES_H

#include <stdbool.h>

#include <pare/status.h>

#include "base/memory.h"

typedef struct cones {
    int64_t count;
    const int64_t *start;  /* count + 1: tail i is start[i] .. start[i + 1] - 1 */
    double *s0, *z0;       /* count: heads */
    double *s1, *z1;       /* tails */
    double *eta, *w0, *w1; /* the scaling: count; count; tails */
    double *det;           /* count: of the scaled point */
    double *g0, *g;        /* the aim: count; tails */
    double *ds0, *dz0;     /* the direction: count; tails. The caller gives dz0 and ds1, */
    double *ds1, *dz1;     /* and dz1 or cone_follow does */
} cones;

/* Everything 0 but count and start; tails that the caller has set already (s1, z1, ds1) stay the
 * caller's. */
PARE_NODISCARD pare_status cones_open(cones *k, arena *mem, int64_t count, const int64_t *start,
                                      pare_error *err);
/* false: rounding has put one of the points outside. */
bool cone_scale(cones *k, int64_t i);
/* The aim of the step: products of the scaled points equal to `centre`, less the second-order
 * part of the direction in k if `correct`. Fills g: the step then has dz1 = Q ds1 - g. */
void cone_aim(cones *k, int64_t i, double centre, bool correct);
/* ds0 that belongs to ds1; and dz1 as well. */
void cone_finish(cones *k, int64_t i);
void cone_follow(cones *k, int64_t i);
/* Shortens the steps to where a point leaves its cone. */
void cone_longest(const cones *k, int64_t i, double *primal, double *dual);
/* s'z after steps of these lengths, and the steps themselves. */
double cone_product(const cones *k, int64_t i, double primal, double dual);
void cone_move(cones *k, int64_t i, double primal, double dual);

#endif
