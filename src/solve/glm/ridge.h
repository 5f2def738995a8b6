/* The ridge over all features at once, where a working set would be all of X:
 *
 *   minimise over B (d x c), b (c)   L(X B + 1 b' + offset) + lambda/2 |B|^2        (loss.h)
 *
 * by Newton's method; each step's system by conjugate gradients, whose products are two passes over
 * X. No part of X is copied. MEMORY: 8 (d + n) c numbers. At the solution B = X'U / lambda. */
#ifndef PARE_SOLVE_GLM_RIDGE_H
#define PARE_SOLVE_GLM_RIDGE_H

#include "la/matrix.h"
#include "solve/glm/loss.h"

/* U: n x c, output by output. Fails where it is interrupted. */
PARE_NODISCARD pare_status glm_ridge_dual(const view *x, const glm_loss *loss, bool intercept,
                                          double lambda, double *U, const pare_ctx *ctx,
                                          pare_error *err);

#endif
