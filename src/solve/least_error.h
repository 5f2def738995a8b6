/* The least absolute error, without a penalty.
 *
 * PROBLEM   minimise over w, b   sum_i s_i |w'x_i + b - y_i|,   b only with an intercept
 * The end of the path of l1_path.h, exact to rounding; where a basis on the way is singular to
 * rounding, the program of l1_program.h with a penalty of 1e-9 of the largest s_i, the least that
 * doubles can tell. */
#ifndef PARE_SOLVE_LEAST_ERROR_H
#define PARE_SOLVE_LEAST_ERROR_H

#include "solve/l1_path.h"
#include "solve/l1_program.h"

typedef struct least_error {
    double error;            /* of (weight, b); NaN: stopped before there was any */
    double bound;            /* no (w, b) is below it; a guess only after a singular basis */
    const lp_weight *weight; /* the nonzero w_j, ascending */
    int64_t n_weight;
    double b;
    const double *dual; /* n: |u_i| <= s_i, X'u = 0 up to the penalty; NULL after an interruption */
    pare_outcome outcome;
    int64_t pivots;
    l1_path *path; /* own what is pointed to */
    l1_program *program;
} least_error;

/* y and s: n each. Free with least_error_free, also after a failure. */
PARE_NODISCARD pare_status least_error_solve(least_error *out, const view *x, const double *y,
                                             const double *s, bool intercept, const pare_ctx *ctx,
                                             pare_error *err);
void least_error_free(least_error *e);

#endif
