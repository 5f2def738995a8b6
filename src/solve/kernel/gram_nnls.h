/* Non-negative least squares on a Gram matrix: minimise v'Mv - 2 a'v over v >= 0 (Lawson and
 * Hanson's active set, many variables at a time while that gains), from a neighbour's solution.
 * COST a Cholesky factorisation of the positive part each time that variables come or go. */
#ifndef PARE_SOLVE_KERNEL_GRAM_NNLS_H
#define PARE_SOLVE_KERNEL_GRAM_NNLS_H

#include <stdint.h>

#include <pare/context.h>
#include <pare/status.h>

/* M: count x count of leading dimension ld. v: count, in: where to start, >= 0, zero for what is
 * new; out: the minimiser. Stops where no slope is above tol, or when the context is
 * interrupted. */
PARE_NODISCARD pare_status gram_nnls(double *v, const double *M, int64_t ld, const double *a,
                                     int64_t count, double tol, const pare_ctx *ctx,
                                     pare_error *err);

#endif
