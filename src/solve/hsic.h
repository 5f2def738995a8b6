/* What the Hilbert-Schmidt independence criterion of a joint rbf kernel becomes without one feature.
 *
 *   HSIC(S) = sum_ab L_ab K_ab,   K_ab = exp(-gamma sum_{j in S} (x_aj - x_bj)^2)
 *   HSIC(S without j) - HSIC(S) = sum_ab M_ab (exp(gamma (x_aj - x_bj)^2) - 1),   M = L . K
 *
 * with L centred, so that K need not be.
 * COST per feature the square of the number of samples off its commonest value. A continuous one whose
 * range R is not far beyond the kernel's width is a sum of r products, with t = gamma R^2 / 2
 *     exp(gamma (a - b)^2) = sum_{k < r} (-2 gamma)^k / k!  phi_k(a) phi_k(b),  phi_k = x^k exp(gamma x^2)
 * so that M times all phi is one matrix product of 2 r n^2 flops; r is 5 where gamma is 1/1000. */
#ifndef PARE_SOLVE_HSIC_H
#define PARE_SOLVE_HSIC_H

#include "la/matrix.h"

/* gain[i] = HSIC(S without own[i]) - HSIC(S) for `count` view columns; M: n x n, symmetric. */
PARE_NODISCARD pare_status hsic_gains(double *gain, const view *x, const int64_t *own,
                                      int64_t count, double gamma, const double *M,
                                      const pare_ctx *ctx, pare_error *err);

#endif
