/* The two-class support vector machine on a given Gram matrix.
 *
 * PROBLEM   minimise over w, b   1/2 |w|^2 + sum_i loss_i,   with K_ij = x_i'x_j,
 *           loss_i = C_i max(0, 1 - y_i f_i)              where r_i = 0 (C_i = inf: hard margin)
 *                  = max(0, 1 - y_i f_i)^2 / (2 r_i)      where r_i > 0 (then C_i = inf)
 * DUAL      maximise sum alpha - 1/2 (alpha.y)'(K + diag r)(alpha.y),
 *           0 <= alpha_i <= C_i, and y'alpha = 0 if there is an intercept.
 * A sample may have both a ridge and a finite C: its loss is then quadratic up to slack r_i C_i and
 * linear beyond. Hard, soft and ridge samples may be mixed. */
#ifndef PARE_SOLVE_SVM_SVM_DUAL_H
#define PARE_SOLVE_SVM_SVM_DUAL_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/model.h>
#include <pare/status.h>

typedef struct svm_problem {
    int64_t n;
    const double *K;     /* n x n, symmetric, both triangles; never changed */
    const double *y;     /* n, each -1 or +1 */
    const double *C;     /* n, each >= 0 or INFINITY. 0: the sample is ignored */
    const double *ridge; /* n, each >= 0; NULL: zeros */
    bool intercept;      /* an unregularised b; false: b = 0 */
    double tol_rel;      /* stop when gap <= tol_rel max(|primal|, |dual|) */
    int64_t max_iter;    /* 0: the solver's own, generous */
    bool warm;           /* alpha holds the duals of a neighbouring problem */
} svm_problem;

/* The primal point that `primal`, `f` and `b` belong to is w = scale * sum_i alpha_i y_i x_i, with
 * the b that is best for this w or, where that closes the gap as well, the mean b of the samples
 * strictly between their bounds. Without hard samples (C_i = inf and r_i = 0) scale is 1. With hard
 * samples only, scale is the number that makes min_i y_i f_i = 1 over them, so that w is feasible
 * and primal = 1/2 |w|^2; with hard and other samples mixed it is that number or 1, whichever is
 * larger. At an optimum scale is 1 within about the relative gap. alpha itself is never scaled: it
 * is feasible for the dual, with the value `dual`. */
typedef struct svm_solution {
    double *alpha; /* n, given by the caller; in (if warm) and out */
    double *f;     /* n, given by the caller: decision values scale K (alpha.y) + b */
    double b;
    double scale;         /* see above */
    double primal, dual;  /* objectives at the returned points; gap = primal - dual >= 0. primal is
                              infinite while no scale satisfies the hard margins */
    pare_outcome outcome; /* optimal, max_iter, time_limit or cancelled */
    bool inseparable;     /* hard margins certified to be impossible by alpha, zero on samples
                              that are not hard, y'alpha = 0 with an intercept, scaled to sum 2 with
                              |sum alpha_i y_i x_i| <= 1e-6 max sqrt(K_ii). Then outcome is optimal,
                              primal and dual are infinite, b = 0, scale = 1 */
    int64_t iterations;   /* pair steps and Newton steps together */
} svm_solution;

/* PARE_OK also for inseparable and for limits reached: read the solution. max_iter is also the
 * outcome where rounding keeps the gap above tol_rel: it is then the best gap found to be possible.
 * With one class only (all y equal) and an intercept the optimum is w = 0, b = y. Deterministic.
 * Memory O(n^2) for the free part at most. PARE_E_ARGUMENT for numbers outside their ranges. */
PARE_NODISCARD pare_status svm_dual_solve(svm_solution *s, const svm_problem *p,
                                          const pare_ctx *ctx, pare_error *err);

#endif
