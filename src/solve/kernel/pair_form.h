/* Sums over pairs of samples of a symmetric matrix against one feature's kernel, minus 1:
 *
 *   form_j = sum_ab M_ab (k_j(x_a, x_b) - 1)
 *
 * with k_j = exp(gamma_j (x_a - x_b)^2), gamma of either sign; or [x_a = x_b] (delta); or, linear,
 * x_a x_b without the 1, for an M whose rows sum to 0. Of kernel alignments: M the residual of a
 * combination. Of dependence without a feature: M = L . K for a joint rbf kernel K, whose part of
 * the feature a positive gamma takes away.
 *
 * COST per feature half the square of the number of samples off its base value
 * (solve/kernel/feature_pairs.h) kernel values. A continuous one whose kernel is much wider than
 * its range R is a sum of few products, with x counted from the middle of the range
 *     exp(gamma (a - b)^2) - 1 = e(a) + e(b) + e(a) e(b)
 *                                + sum_{0 < k < r} (-2 gamma)^k / k!  phi_k(a) phi_k(b)
 *     e = exp(gamma x^2) - 1,  phi_k = x^k exp(gamma x^2)
 * so that M times all phi is one matrix product of 2 r n^2 flops; r is 5 where |gamma| R^2 is
 * 1/100. */
#ifndef PARE_SOLVE_KERNEL_PAIR_FORM_H
#define PARE_SOLVE_KERNEL_PAIR_FORM_H

#include "la/matrix.h"
#include "solve/kernel/kernel_align.h"

/* form[i] of the view column own[i] (NULL: i) with gamma[i], for `count` of them; M: n x n. If the
 * context is interrupted (the caller polls it again) the remaining ones are 0. */
PARE_NODISCARD pare_status pair_forms(double *form, const view *x, const int64_t *own,
                                      int64_t count, kernel_kind kind, const double *gamma,
                                      const double *M, const pare_ctx *ctx, pare_error *err);

#endif
