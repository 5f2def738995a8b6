/* Newton's step for the weights of lp-norm multiple kernel learning, in n-sized algebra.
 *
 * With K = sum_k d_k K_k, machines of signed duals u_o on it and s_k = sum_o u_o'K_k u_o, the
 * weights are right where, x = ln d and N = |d|_p,
 *
 *   G_k = (p - 1) x_k + (2 - p) ln N - ln s_k + ln(2 lambda) = 0   for every kernel.
 *
 * To first order the samples strictly between their bounds keep their decision values, which gives
 * the change of u with d, where t_k = K_k u on those samples:
 *
 *   K_FF du + 1 db = - sum_k d_k dx_k t_k,   1'du = 0,   ds_k = 2 t_k'du.
 *
 * Without dx that is the system
 *
 *   (K_FF + sum_k 2 d_k / ((p-1) s_k) t_k t_k') du + 1 db = sum_k d_k / (p-1) (G_k + (2-p) m) t_k
 *
 * and m = sum_k pi_k dx_k, pi_k = (d_k / N)^p, is one number more. With the squared loss every sample
 * is free and has its ridge on the diagonal of K; with the penalty lambda sum_k d_k^p (separable)
 *
 *   G_k = (p - 1) x_k - ln s_k + ln(2 lambda p)
 *
 * and there is no m.
 * COST two passes over the columns, M^2 d + M^3 / 3 flops for M free samples (of all outputs). */
#ifndef PARE_SOLVE_KERNEL_MKL_NEWTON_H
#define PARE_SOLVE_KERNEL_MKL_NEWTON_H

#include "solve/kernel/kernel_columns.h"

typedef struct mkl_point {
    double p, lambda;
    int64_t n_active;
    const int64_t *active; /* the features that are not constant */
    const double *x, *s;   /* per feature: ln d, s_k > 0 for active ones */
    const double *K;       /* n x n, centred */
    const double *U;       /* n x c */
    const bool *free;      /* n x c: strictly between its bounds */
    double least;          /* kernels of less weight than this are not part of K */
    const double *ridge;   /* n: added to K's diagonal; NULL: none */
    bool separable;        /* the penalty is lambda sum d^p, not lambda/2 |d|_p^2 */
} mkl_point;

/* ln |d|_p of d = exp(x). */
double mkl_log_norm(const mkl_point *at);

/* dx of every active feature. *found false: the system could not be solved, or exceeds the memory
 * limit. */
PARE_NODISCARD pare_status mkl_newton(double *dx, bool *found, const mkl_point *at,
                                      kernel_columns *k, const pare_ctx *ctx, pare_error *err);

#endif
