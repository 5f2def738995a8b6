/* The predictor on a weighted sum of single features' kernels, for all methods that weigh them:
 *
 *   classes      1/2 |f|_K^2 + C sum_i s_i max(0, 1 - y_i f_i), an output per class if more than
 *   two
 *   regression   1/2 |f|_K^2 + C/2 sum_i s_i (y_i - f_i)^2 (kernel ridge regression)
 *
 * with K = sum_j weight_j k_j centred, an intercept, and sample weights s. Rbf and delta kernels
 * give a kernel model, the linear one coefficients. */
#ifndef PARE_METHOD_KERNEL_KERNEL_PREDICTOR_H
#define PARE_METHOD_KERNEL_KERNEL_PREDICTOR_H

#include "method/method.h"
#include "solve/kernel/kernel_align.h"

typedef struct weighted_kernels {
    kernel_kind kind;
    const double *gamma, *weight; /* of each view column; weight: with the trace divided out */
    double tol, C_ratio;
} weighted_kernels;

/* Fits it to all columns of the job; *C NaN becomes C_ratio times n / tr(K), or C_ratio where
 * K is zero. Sets support,
 * predictor, dual (regression: the residuals times C s), objective, outcome and iterations. */
PARE_NODISCARD pare_status weighted_kernels_fit(fit_result *r, const fit_job *job,
                                                const weighted_kernels *k, double *C,
                                                const pare_ctx *ctx, pare_error *err);

/* The solution of a problem on the centred kernel K = sum_j weight_j k_j: signed duals U that sum
 * to 0, intercepts, and the duals as certify wants them. */
typedef struct kernel_solution {
    const double *U, *b, *dual; /* n x c, c, n x c */
    int64_t c;
} kernel_solution;

/* Stores it as the predictor of r, whose support is set already. K: n x n. */
PARE_NODISCARD pare_status weighted_kernels_give(fit_result *r, const fit_job *job,
                                                 const weighted_kernels *w,
                                                 const kernel_solution *s, const double *K,
                                                 const pare_ctx *ctx, pare_error *err);

/* Kernel ridge regression on a centred K: signed duals U (n) and the intercept for it. */
PARE_NODISCARD pare_status kernel_ridge_solve(double *U, double *b, const fit_job *job,
                                              const double *K, double C, arena *mem,
                                              pare_error *err);

/* Returns an error for settings that the predictor does not support: no intercept. */
PARE_NODISCARD pare_status weighted_kernels_check(const fit_job *job, const char *name,
                                                  pare_error *err);

#endif
