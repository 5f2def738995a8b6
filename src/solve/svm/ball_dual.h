/* The smallest ball around n points given by their Gram matrix.
 *
 * PROBLEM   minimise R^2 over the centre, |x_i - centre|^2 <= R^2.
 * DUAL      maximise sum_i beta_i K_ii - beta'K beta, beta >= 0, sum beta = 1;
 *           centre = sum beta_i x_i. */
#ifndef PARE_SOLVE_SVM_BALL_DUAL_H
#define PARE_SOLVE_SVM_BALL_DUAL_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/status.h>

typedef struct ball_solution {
    double *beta; /* n, given by the caller; in (if warm) and out */
    double low,
        high; /* dual value, and the largest squared distance from the centre: R^2 is between */
} ball_solution;

/* Pair steps, O(n) each, and every n of them Newton's steps, O(m^3 + m n) each with m points of
 * weight above 0, until high - low <= tol_rel high, or rounding stops them; n^2 numbers. ridge is added to
 * the diagonal of K (n x n, both triangles), where point i stands for weight_i (NULL: 1) copies of
 * itself: without a ridge they are one point. Deterministic. */
PARE_NODISCARD pare_status ball_dual_solve(ball_solution *s, const double *K, int64_t n,
                                           double ridge, const double *weight, double tol_rel,
                                           bool warm, const pare_ctx *ctx, pare_error *err);

#endif
