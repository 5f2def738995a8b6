/* The weights of lp-KTA at all points of a path as combinations of those at a few of them.
 *
 * As functions of the alignment the weights at neighbouring p are nearly dependent: over a hundred
 * points some 25 span the others to 1e-6. A sum of kernels at every point is then a combination of
 * that many sums. The points are found by a pivoted QR factorisation over a sample of the
 * alignments; weights are meant before those under eps are dropped, which is not smooth. */
#ifndef PARE_SOLVE_KERNEL_KTA_BASIS_H
#define PARE_SOLVE_KERNEL_KTA_BASIS_H

#include "base/memory.h"
#include "solve/kernel/kta_weights.h"

typedef struct kta_basis {
    int64_t rank;
    int64_t *point; /* rank: positions among the path's points */
    double *coef;   /* count x rank, [s * rank + r]: of the weights at point r in those at s */
    double error;   /* largest distance over the points, relative, on the sample */
} kta_basis;

/* at: the problems of the `count` points; a: n alignments, descending. tol: the error to reach. */
PARE_NODISCARD pare_status kta_basis_make(kta_basis *b, arena *mem, const kta_problem *at,
                                          int64_t count, const double *a, int64_t n, double tol,
                                          const pare_ctx *ctx, pare_error *err);

#endif
