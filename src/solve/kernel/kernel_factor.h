/* A feature's kernel as a thin product: centred, of trace 1, with sample weights s,
 *   diag(sqrt s) H K H' diag(sqrt s) / tr(HKH) = Phi Phi',   Phi n x r
 * by Cholesky factorisation with pivoting, up to a trace of 1e-14: r is 1 for a linear or binary
 * feature, about 20 for an rbf kernel as wide as the feature's deviation, n at most.
 * COST n r kernel values and n r^2 flops. */
#ifndef PARE_SOLVE_KERNEL_KERNEL_FACTOR_H
#define PARE_SOLVE_KERNEL_KERNEL_FACTOR_H

#include "base/memory.h"
#include "solve/kernel/kernel_align.h"

/* phi: buffer of n x n; work: 2 n scratch. x, s: n values and weights; trace: that of HKH, > 0.
 * Gives r. */
int64_t kernel_factor(double *phi, double *work, const double *x, const double *s, int64_t n,
                      kernel_kind kind, double gamma, double trace);

#endif
