/* What the Hilbert-Schmidt independence criterion of a joint rbf kernel becomes without one feature.
 *
 *   HSIC(S) = sum_ab L_ab K_ab,   K_ab = exp(-gamma sum_{j in S} (x_aj - x_bj)^2)
 *   HSIC(S without j) - HSIC(S) = sum_ab M_ab (exp(gamma (x_aj - x_bj)^2) - 1),   M = L . K
 *
 * with L centred, so that K need not be.
 * COST per feature the square of the number of samples off its commonest value: n^2 / 2 for a
 * continuous one, where the exponential is a power series of as many terms as its range needs. */
#ifndef PARE_SOLVE_HSIC_H
#define PARE_SOLVE_HSIC_H

#include "la/matrix.h"

/* gain[i] = HSIC(S without own[i]) - HSIC(S) for `count` view columns; M: n x n, symmetric. */
PARE_NODISCARD pare_status hsic_gains(double *gain, const view *x, const int64_t *own,
                                      int64_t count, double gamma, const double *M,
                                      const pare_ctx *ctx, pare_error *err);

#endif
