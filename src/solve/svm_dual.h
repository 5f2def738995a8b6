/* The two-class support vector machine on a given Gram matrix.
 *
 * PROBLEM   minimise over w, b   1/2 |w|^2 + sum_i loss_i,   with K_ij = x_i'x_j,
 *           loss_i = C_i max(0, 1 - y_i f_i)              where r_i = 0 (C_i = inf: hard margin)
 *                  = max(0, 1 - y_i f_i)^2 / (2 r_i)      where r_i > 0 (then C_i = inf)
 * DUAL      maximise sum alpha - 1/2 (alpha.y)'(K + diag r)(alpha.y),
 *           0 <= alpha_i <= C_i, and y'alpha = 0 if there is an intercept. */
#ifndef PARE_SOLVE_SVM_DUAL_H
#define PARE_SOLVE_SVM_DUAL_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/model.h>
#include <pare/status.h>

typedef struct svm_problem {
    int64_t n;
    const double *K;     /* n x n, symmetric, both triangles; never changed */
    const double *y;     /* n, each -1 or +1 */
    const double *C;     /* n, each >= 0 or INFINITY. 0: the sample has no say */
    const double *ridge; /* n, each >= 0; NULL: zeros */
    bool intercept;      /* an unregularised b; false: b = 0 */
    double tol_rel;      /* stop when gap <= tol_rel max(|primal|, |dual|) */
    int64_t max_iter;    /* 0: the solver's own, generous */
    bool warm;           /* alpha holds the duals of a neighbouring problem */
} svm_problem;

typedef struct svm_solution {
    double *alpha;         /* n, given by the caller; in (if warm) and out */
    double *f;             /* n, given by the caller: decision values K (alpha.y) + b */
    double b;
    double primal, dual;   /* objectives at the returned points; gap = primal - dual >= 0 */
    pare_outcome outcome;  /* optimal, max_iter, time_limit or cancelled */
    bool inseparable;      /* hard margins proved impossible: alpha is the proof, scaled to sum 2
                              with |sum alpha_i y_i x_i| <= 1e-6 max sqrt(K_ii) */
    int64_t iterations;
} svm_solution;

/* PARE_OK also for inseparable and for limits reached: read the solution. With one class only (all
 * y equal) the optimum is w = 0, b = y. Deterministic. Memory O(n^2) for the free part at most. */
PARE_NODISCARD pare_status svm_dual_solve(svm_solution *s, const svm_problem *p,
                                          const pare_ctx *ctx, pare_error *err);

#endif
