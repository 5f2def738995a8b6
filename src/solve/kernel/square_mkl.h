/* lp-norm multiple kernel learning with the squared loss, on single features' kernels.
 *
 * PROBLEM   minimise over eta >= 0, f_ko in the space of K_k
 *               1/2 sum_k sum_o |f_ko|^2 / eta_k + lambda1 sum_o sum_i s_i (y_io - f_o(x_i))^2
 *                   + lambda2 sum_k eta_k^p,   f_o = sum_k f_ko,   p > 1
 *           K_k: the kernel of feature k, centred and of trace 1; y centred.
 * DUAL      maximise over a   sum_o y_o'a_o - sum_io a_io^2 / (4 lambda1 s_i)
 *               - lambda2 (p-1) sum_k (s_k / (2 lambda2 p))^(p/(p-1)),   s_k = sum_o a_o'K_k a_o.
 * SOLUTION  f_ko = eta_k K_k a_o, (K + R) a_o = y_o with K = sum_k eta_k K_k, R = 1/(2 lambda1 s_i);
 *           eta_k = (s_k / (2 lambda2 p))^(1/(p-1)). Columns of a sum to 0.
 * ALGORITHM in x = ln eta: near p = 1 weights are 1e-100 and less. At a p: a by Cholesky, s_k of all
 *           features (solve/kernel/kernel_align.h), gap; a Newton step in x
 *           (solve/kernel/mkl_newton.h), shortened while it does not lower the objective, and where
 *           no step does the exact minimum over eta for the current f, which cannot raise it. From
 *           a cold start p goes down from 2 by halving p - 1.
 * COST      each step a pass with n^2 / 2 kernel values a feature with a weight and O(20 n) for s,
 *           (n c)^2 memory for c outputs. */
#ifndef PARE_SOLVE_KERNEL_SQUARE_MKL_H
#define PARE_SOLVE_KERNEL_SQUARE_MKL_H

#include <pare/model.h>

#include "solve/kernel/kernel_columns.h"

typedef struct square_mkl {
    /* The problem, before square_mkl_open. */
    const view *data;
    kernel_kind kind;
    double given_gamma;   /* NaN: automatic */
    const double *weight; /* n: s_i, each above 0 */
    const double *y;      /* n x c, each column centred by s */
    int64_t c;
    /* The rest of it, before square_mkl_solve. */
    double p, lambda1, lambda2;
    double tol;   /* relative gap */
    double least; /* weights above this are never left out of K, and solved for until they are
                     settled: near there one has next to no part in the gap; INFINITY: none */

    /* The solution. Kernels that together change the objective by less than a hundredth of tol are
     * left out of K: weight 0. */
    double *trace, *gamma; /* d; trace 0: constant */
    double *x, *s;         /* d: ln eta_k, s_k */
    double *weight_of;     /* d: eta_k over the trace; 0: not in K */
    double *K;             /* n x n, centred */
    double *a;             /* n x c */
    double primal, dual;
    pare_outcome outcome;
    int64_t steps; /* of all solves */

    int64_t n, n_active, *active; /* features that are not constant */
    bool started, none;           /* none: no kernel tells anything of y */
    double smallest;              /* weight in K */
    double *factor;               /* n x n */
    double *ridge;                /* n */
    bool *free;                   /* n x c: all */
    double *dx, *x_before, *s_before, *scratch;
    align_target t;
    kernel_columns columns;
    arena mem;
} square_mkl;

/* One pass over X. Borrows the problem. Close it also after a failure. */
PARE_NODISCARD pare_status square_mkl_open(square_mkl *m, const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status square_mkl_close(square_mkl *m, pare_status status, pare_error *err);

/* Half the largest s_k where all weights are equal and sum to 1: with lambda2 that large they sum to
 * about 1 where p is near 1. 0: no kernel tells anything of y. */
PARE_NODISCARD pare_status square_mkl_lambda2(double *out, square_mkl *m, const pare_ctx *ctx,
                                              pare_error *err);

/* Solves from the current state, the first time by stages. */
PARE_NODISCARD pare_status square_mkl_solve(square_mkl *m, const pare_ctx *ctx, pare_error *err);

/* Relative gap of the solution. */
double square_mkl_gap(const square_mkl *m);

#endif
