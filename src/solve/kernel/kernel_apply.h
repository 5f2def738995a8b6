/* A weighted sum of single features' kernels between the samples of a view and others, applied:
 *
 *   F_to = sum_j w_j sum_i k_j(x_ij, x_tj) U_io,   U n x c, F m x c
 *
 * without the m x n kernel. k_j: rbf exp(-gamma_j (x - y)^2) or delta. COST per feature and other
 * sample: as many kernel values as the feature has values if that are few, as it has listed samples
 * otherwise; others of the commonest value cost one addition. */
#ifndef PARE_SOLVE_KERNEL_KERNEL_APPLY_H
#define PARE_SOLVE_KERNEL_KERNEL_APPLY_H

#include "la/matrix.h"
#include "solve/kernel/kernel_sum.h"

/* sum->count is 1. x and others see the same columns. PARE_E_CANCELLED: the context was
 * interrupted. */
PARE_NODISCARD pare_status kernel_apply(double *F, const view *x, const view *others,
                                        const kernel_sum *sum, const double *U, int64_t c,
                                        const pare_ctx *ctx, pare_error *err);

#endif
