/* The paper's own algorithm for dlsr-fs, kept as the reference for tests of the fast one. */
#ifndef PARE_METHOD_DISCRIMINANT_DLSR_IRLS_H
#define PARE_METHOD_DISCRIMINANT_DLSR_IRLS_H

#include "method/blocks.h"
#include "method/discriminant/indicator.h"

/* Algorithm 2 on the view: W is d x c, b has c, L is n x c (multipliers of certify). Stops when the
 * objective changes by less than tol / 100 of itself (stationary), or after MAX_IRLS (max_iter). */
PARE_NODISCARD pare_status dlsr_irls(double *W, double *b, double *L, int64_t *iterations,
                                     const indicator *of, const view *x,
                                     const feature_blocks *blocks, double lambda, double tol,
                                     pare_outcome *outcome, const pare_ctx *ctx, pare_error *err);

#endif
