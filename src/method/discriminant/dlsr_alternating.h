/* The paper's own algorithm for dlsr, kept as the reference for tests of the fast one. */
#ifndef PARE_METHOD_DISCRIMINANT_DLSR_ALTERNATING_H
#define PARE_METHOD_DISCRIMINANT_DLSR_ALTERNATING_H

#include "method/discriminant/indicator.h"

/* Algorithm 1 on the Gram matrix K: U is n x c with W = X'U / lambda, b has c. Stops when the
 * objective falls by less than tol / 10 of itself (stationary), or after MAX_ALTERNATIONS turns
 * (max_iter). */
PARE_NODISCARD pare_status dlsr_alternating(double *U, double *b, int64_t *iterations,
                                            pare_outcome *outcome, const indicator *of,
                                            const double *K, double lambda, double tol,
                                            const pare_ctx *ctx, pare_error *err);

#endif
