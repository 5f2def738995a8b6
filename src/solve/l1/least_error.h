/* The least absolute error with a tiny penalty or none.
 *
 * PROBLEM   minimise over w, b   sum_i s_i |w'x_i + b - y_i| + mu |w|_1,   mu >= 0; b only with an
 *           intercept
 * The path of l1_path.h down to mu, exact to rounding; where a basis on the way is singular to
 * rounding, the program of l1_program.h with a penalty of at least 1e-9 of the largest s_i, the
 * least that doubles can tell. */
#ifndef PARE_SOLVE_L1_LEAST_ERROR_H
#define PARE_SOLVE_L1_LEAST_ERROR_H

#include "solve/l1/l1_path.h"
#include "solve/lp/l1_program.h"

typedef struct least_error {
    double objective;        /* of (weight, b); NaN: stopped before there was any */
    double bound;            /* no (w, b) is below it; a guess only after a singular basis */
    const lp_weight *weight; /* the nonzero w_j, ascending */
    int64_t n_weight;
    double b;
    const double
        *dual; /* n: |u_i| <= s_i, |X_j'u| <= mu up to rounding; NULL after an interruption */
    pare_outcome outcome;
    int64_t pivots;
    l1_path *path; /* own what is pointed to */
    l1_program *program;
} least_error;

/* y and s: n each. Free with least_error_free, also after a failure. */
PARE_NODISCARD pare_status least_error_solve(least_error *out, const view *x, const double *y,
                                             const double *s, double mu, bool intercept,
                                             const pare_ctx *ctx, pare_error *err);
void least_error_free(least_error *e);

#endif
