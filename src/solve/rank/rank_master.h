/* The pairwise ranking problem on a few columns, by an interior point method for the penalty and
 * Newton steps for the loss, whose corner is rounded less and less.
 *
 * PROBLEM   minimise over w, s   L_width(w) + l2/2 |w|^2 + l1 sum_k s_k,  |w_k| <= s_k in unit k
 *           L_width: the smooth pairwise loss of rank_svm.h; the hinge's in the limit width -> 0.
 * PAIRS     (s, w).(l1, -y) = mu on the central path, y = X'(a, -b) - l2 w at its end, where a and
 *           b are the loss's slopes. For every w and mu, s and y on the path are known: any w is a
 *           start, so that new columns or another lambda cost a few steps only.
 * COST      about 30 steps from zero; each a pass of X to form a matrix of size min(N, d), two or
 *           three products with X and as many sorts. */
#ifndef PARE_SOLVE_RANK_RANK_MASTER_H
#define PARE_SOLVE_RANK_RANK_MASTER_H

#include "solve/rank/pair_losses.h"

typedef struct rank_master {
    const push_problem *p; /* on these columns; tol_rel: where to stop */
    const double *start_w; /* d */
    const int64_t *unit_start;
    int64_t n_units;
    double l1, l2;
    rank_pairs *pairs; /* width: in and out */
    double mu;         /* in: where to start on the path; out: where it ended */
    double *w;         /* d, out */
    double *slope;     /* N, out of rank_interior_solve: feasible sums a, b of gamma (rank_svm.h) */
    int64_t steps;     /* added to */
    pare_outcome outcome;
} rank_master;

PARE_NODISCARD pare_status rank_master_solve(rank_master *m, const pare_ctx *ctx, pare_error *err);

/* The hinge itself with a variable for each pair (rank_interior.c), with RANK_PAIR_NUMBERS numbers
 * for each: exact to rounding, where corners that are rounded stall. */
enum { RANK_PAIR_NUMBERS = 8 };
PARE_NODISCARD pare_status rank_interior_solve(rank_master *m, const pare_ctx *ctx,
                                               pare_error *err);

#endif
