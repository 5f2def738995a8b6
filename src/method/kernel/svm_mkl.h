/* The lp-norm multiple kernel SVM on single features' kernels; the problem is in smo_mkl.c.
 *
 * STATE      x = ln d of every feature, the SVMs (all outputs) on K = sum_k d_k K_k, s_k, and
 *            both objectives: an upper bound by (d, SVMs) and a lower one by the duals alone.
 * ALGORITHM  at a p: SVMs on K (solve/svm), s_k of all features (solve/kernel/kernel_align.h),
 *            gap; a Newton step in x (solve/kernel/mkl_newton.h), shortened while it does not lower
 *            the upper bound, and where no step does the exact minimum over d for the current SVMs,
 *            which cannot raise it. p goes down from 2 by halving p - 1, so that each p starts near
 *            its solution. */
#ifndef PARE_METHOD_KERNEL_SVM_MKL_H
#define PARE_METHOD_KERNEL_SVM_MKL_H

#include "method/svm/gram_svm.h"
#include "method/method.h"
#include "solve/kernel/kernel_columns.h"

typedef struct svm_mkl {
    const fit_job *job;
    kernel_kind kind;
    double gamma_given; /* NaN: automatic */
    double p, lambda, C, tol;
    double *trace, *gamma;     /* d */
    int64_t n_active, *active; /* features that are not constant */
    double *x, *s, *weight;    /* d: ln d; s_k; d_k over the trace, 0: not in K */
    double *null_s;            /* d: s_k of the SVMs with all duals at their bounds, for C = 1 */
    double *K;                 /* n x n, centred */
    gram_svm svm;
    align_target t; /* the duals, as kernel_align wants them */
    kernel_columns columns;
    bool *free;            /* n x outputs */
    double *dx, *x_before; /* d */
    double *a;             /* d: scratch of kernel_align */
    double primal, dual, least;
    bool started;
    pare_outcome outcome;
    int64_t iterations; /* SVMs solved */
    arena mem;
} svm_mkl;

/* One pass over X. Close it also after a failure. */
PARE_NODISCARD pare_status svm_mkl_open(svm_mkl *m, const fit_job *job, const char *kernel,
                                        double gamma, const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status svm_mkl_close(svm_mkl *m, pare_status status, pare_error *err);

/* C such that, with every sample at its bound, C times the mean diagonal of K would be `ratio`. */
double svm_mkl_C(const svm_mkl *m, double p, double lambda, double ratio);

/* Solves at m->p, lambda, C to the relative gap tol, from the current state. Kernels that together
 * change the objective by less than a hundredth of tol are left out of K: weight 0. */
PARE_NODISCARD pare_status svm_mkl_solve(svm_mkl *m, const pare_ctx *ctx, pare_error *err);

#endif
