/* Kernels in scaled units, for methods: gamma's default, Gram matrices, and each feature's
 * contribution to |w|^2. */
#ifndef PARE_METHOD_KERNEL_KERNEL_H
#define PARE_METHOD_KERNEL_KERNEL_H

#include "method/method.h"

/* The kernel by its settings; gamma NaN becomes 1 / (d var), var the variance of all entries of x
 * by their samples' weights, as in other packages (two passes over X); 1/d on standardised
 * features. */
PARE_NODISCARD pare_status kernel_make(fit_kernel *k, const char *type, double gamma,
                                       int64_t degree, double coef0, const view *x,
                                       const double *weight, const pare_ctx *ctx, pare_error *err);

/* sums <- linear Gram (n x n) as the kernel's inner sums: inner products times gamma, or squared
 * distances times gamma; and K from them. */
void kernel_sums(const fit_kernel *k, double *sums, int64_t n);
void kernel_gram(const fit_kernel *k, const double *sums, int64_t n, double *K);

/* For each of the `count` view columns `own`: sum_o |W_o^2 - W_o(p)^2|, where W_o(p)^2 = U_o'K_p
 * U_o and K_p is the kernel without the feature (zero-norm section 4.3). Costs count n^2, n the
 * samples with a nonzero row of U. */
PARE_NODISCARD pare_status kernel_contributions(const fit_kernel *k, const view *x,
                                                const int64_t *own, int64_t count,
                                                const double *sums, const double *U, int64_t c,
                                                double *out, const pare_ctx *ctx, pare_error *err);

/* Stores the kernel and U (n x c) as the predictor of r, over all columns that are not constant. */
PARE_NODISCARD pare_status kernel_predictor(fit_result *r, const fit_kernel *k, const view *x,
                                            const double *U, int64_t c, const pare_ctx *ctx,
                                            pare_error *err);

#endif
