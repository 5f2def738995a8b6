/* The multiclass SVM of Weston and Watkins on a given Gram matrix: all classes in one problem.
 *
 * PROBLEM   minimise over w_1..w_c, b   1/2 sum_k |w_k|^2 + sum_i sum_{m != y_i} loss_im(slack_im),
 *           slack_im = max(0, 1 - (f_i,y_i - f_i,m)),   f_ik = w_k'x_i + b_k,
 *           loss_im(s) = C_im s where r_im = 0 (C_im = inf: hard margin), s^2 / (2 r_im) elsewhere.
 * DUAL      maximise sum alpha - 1/2 sum_k B_k'K B_k - 1/2 sum r_im alpha_im^2,
 *           0 <= alpha_im <= C_im, B_ik = sum_m alpha_im for k = y_i, -alpha_ik otherwise; with an
 *           intercept sum_i B_ik = 0 for each k. Then w_k = sum_i B_ik x_i. */
#ifndef PARE_SOLVE_SVM_WW_DUAL_H
#define PARE_SOLVE_SVM_WW_DUAL_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/model.h>
#include <pare/status.h>

typedef struct ww_problem {
    int64_t n, c;
    const double *K;     /* n x n, symmetric, both triangles */
    const int32_t *cls;  /* n, each 0 .. c-1 */
    const double *C;     /* n x c, each >= 0 or INFINITY, of slack_im. 0: the sample is ignored */
    const double *ridge; /* n x c, each >= 0; above 0 C is taken as INFINITY */
    bool intercept;
    double tol_rel; /* stop when gap <= tol_rel max(|primal|, |dual|) */
} ww_problem;

/* The primal point is w_k = sum_i B_ik x_i, where B is that of alpha times a scale: 1 without hard
 * samples, else what makes the least margin 1. */
typedef struct ww_solution {
    double *alpha; /* n x c out, given by the caller: alpha_im, 0 for m = y_i */
    double *B;     /* n x c out, given by the caller */
    double *b;     /* c out, given by the caller; sums to 0 */
    double primal, dual;
    pare_outcome outcome; /* optimal, max_iter, time_limit or cancelled */
    bool inseparable;     /* hard margins certified to be impossible: alpha, scaled to sum 2, has
                             |w| <= 1e-6 max sqrt(K_ii); primal and dual are infinite */
    int64_t iterations;
} ww_solution;

/* Cost about 25 times c Cholesky factorisations of order n, and c n^2 in memory, which the
 * context's limit may reject. Deterministic. */
PARE_NODISCARD pare_status ww_dual_solve(ww_solution *s, const ww_problem *p, const pare_ctx *ctx,
                                         pare_error *err);

#endif
