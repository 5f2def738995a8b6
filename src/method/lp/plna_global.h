/* The global minimum of plna on few samples and features.
 *
 * PROBLEM    F = sum_i s_i |a_i'x + b0 - b_i| + lambda sum_j phi(|x_j|), phi(t) = 1 - exp(-alpha t)
 * ALGORITHM  Branch and bound over boxes l_j <= |x_j| <= u_j, depth first.
 *            0. The first box: how far each x_j can go with the relaxation of 1 below the best F, in
 *               rounds, as a narrower box has steeper chords.
 *            1. A box's relaxation: phi replaced by its chord, phi(l) + slope (t - l); slope 0 where u
 *               is infinite. That is a linear program of least absolute errors with costs
 *               lambda slope_j, without bounds on x: outside [l, u] the chord is above phi, so the
 *               relaxation is below F in the box and its solution is a point like any other.
 *            2. Its dual bound ends the box if it is not below the best F by CLOSE; a solution with a
 *               lower F is improved by linearisations and becomes the best. What the dual leaves of a cost, over what the best F leaves
 *               of the bound, narrows the box.
 *            3. Branch on the feature whose chord is farthest below phi, where its |x_j| is.
 * COST       a program of plna's size per box, from the vertex before: some 30 microseconds.
 * GUARANTEE  bound: no x has an F below it, up to the rounding of products with the programs' duals,
 *            each of which is made feasible and compared with its primal. */
#ifndef PARE_METHOD_LP_PLNA_GLOBAL_H
#define PARE_METHOD_LP_PLNA_GLOBAL_H

#include "method/lp/plna_descent.h"

/* The problem, at w->lambda and w->alpha, is small enough; otherwise an error that says so. */
PARE_NODISCARD pare_status plna_global_suits(const plna_work *w, pare_error *err);

/* u: a dual of least absolute errors with these losses (n) and costs (d) near `given`: cut to the
 * losses, balanced with an intercept, and shrunk until |x_j'u| <= cost_j for all columns x (n x d), up to
 * the rounding of that product. */
void plna_dual_repair(double *u, const double *given, const double *x, const double *loss,
                      const double *cost, int64_t n, int64_t d, bool intercept);

/* Replaces *best by the global minimum. *bound: below every F; *boxes: looked at. The outcome of
 * best: optimal where the bound is within CLOSE of it; max_iter, time_limit, cancelled. */
PARE_NODISCARD pare_status plna_global(plna_work *w, plna_point *best, double *bound,
                                       int64_t *boxes, const pare_ctx *ctx, pare_error *err);

#endif
