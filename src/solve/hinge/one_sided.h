/* Ridge-penalised squared residuals, one-sided or plain, for several outputs on the same samples.
 *
 * PROBLEM   for every output, minimise over w, b   sum_i s_i r_i^2 + lambda |w|^2,  f = X w + b,
 *           r_i = max(0, sign_i (target_i - f_i)) one-sided, target_i - f_i otherwise.
 * DUAL      with u_i = s_i r_i (signed as target - f) and a = 2 u
 *           sum a_i target_i - sum a_i^2 / (4 s_i) - |X'a|^2 / (4 lambda),
 *           sign.a >= 0 if one-sided, sum a = 0 with an intercept. At the optimum w = X'u / lambda.
 * The features come as their n x n Gram matrix K (d >= n), or as themselves, n x d (d < n). */
#ifndef PARE_SOLVE_HINGE_ONE_SIDED_H
#define PARE_SOLVE_HINGE_ONE_SIDED_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/model.h>
#include <pare/status.h>

typedef struct os_problem {
    int64_t n, c, d;
    const double *K;      /* n x n, both triangles; or NULL */
    const double *x;      /* n x d; used if K is NULL */
    const double *sign;   /* n x c, each -1 or +1 */
    const double *target; /* n x c */
    const double *weight; /* n, each >= 0 */
    bool intercept, one_sided;
    double lambda;  /* > 0 */
    double tol_rel; /* stop when gap <= tol_rel max(|primal|, |dual|), output by output */
} os_problem;

typedef struct os_solution {
    double *U; /* n x c, the caller's: w = X'U / lambda if K was given */
    double *W; /* d x c, the caller's, if x was given */
    double *b; /* c, the caller's */
    int64_t steps;
    pare_outcome outcome; /* max_iter: rounding kept some gap above tol_rel */
} os_solution;

/* Semismooth Newton steps with an exact line search: from the plain least squares solution, whose
 * factor all outputs share, a handful of steps each on the samples that have a residual. Outputs
 * run in parallel; the result does not depend on the number of threads. */
PARE_NODISCARD pare_status os_solve(os_solution *s, const os_problem *p, const pare_ctx *ctx,
                                    pare_error *err);

#endif
