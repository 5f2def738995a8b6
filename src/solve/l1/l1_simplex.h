/* Small least-absolute-error programs, solved repeatedly with different costs,
 * without a general solver.
 *
 * PROBLEM   minimise over w, b   sum_j c_j |w_j| + sum_i s_i |w'x_i + b - y_i|
 *           c_j >= 0, inf: w_j = 0;  0 <= s_i < inf; b only with an intercept
 * The vertex of the last solve is the start of the next: it is feasible for any costs.
 *
 * COST      per pivot O(m^2), m being the number of features in use, and one product with X; an LU
 *           of the m x m basis now and then; memory: a dense copy of X. Nothing is allocated after
 *           l1_simplex_new.
 * WHY       lp.h solves the same programs, to the same objectives (1e-15, relative), but slower:
 *           best-subset with k = 5, each program from the one before, here and there in s:
 *           40 x 25 0.03 and 0.07, 80 x 30 0.24 and 0.65, 150 x 30 0.10 and 0.26.
 * GUARANTEE none by itself: the caller checks the gap, and uses another solver if this one
 *           gave up. */
#ifndef PARE_SOLVE_L1_L1_SIMPLEX_H
#define PARE_SOLVE_L1_L1_SIMPLEX_H

#include "solve/lp/lp.h"

typedef struct l1_simplex l1_simplex;

/* Returns true if a program of this size is faster here than through lp.h. */
bool l1_simplex_suits(int64_t n, int64_t d);

/* x and y (n) are copied. On failure *out is NULL. */
PARE_NODISCARD pare_status l1_simplex_new(l1_simplex **out, const view *x, const double *y,
                                          bool intercept, const pare_ctx *ctx, pare_error *err);
void l1_simplex_free(l1_simplex *q);

/* Pointers are into the simplex and valid until its next solve. */
typedef struct l1_vertex {
    double objective;        /* from X, at (weight, b) */
    const lp_weight *weight; /* the nonzero w_j, ascending */
    int64_t n_weight;
    double b;
    const double *f; /* n: w'x_i + b */
    const double *u; /* n: the dual, feasible up to rounding */
    int64_t pivots;
} l1_vertex;

/* cost: d, loss: n. False: gave up, on a basis that is singular to rounding or
 * on too many pivots; the next solve starts from zero. */
bool l1_simplex_solve(l1_simplex *q, l1_vertex *out, const double *cost, const double *loss);

/* The next solve starts from the vertex at this point; from zero if it is no vertex. */
void l1_simplex_start(l1_simplex *q, const lp_weight *weight, int64_t count, double b);

/* max_j |X_j'u| / c_j with the costs of the last solve; inf where c_j = 0 and X_j'u is not. The
 * intercept does not count. */
double l1_simplex_worst_price(const l1_simplex *q, const double *u);
/* What rounding may add to that: large where a c_j is tiny compared with the column's losses. */
double l1_simplex_price_rounding(const l1_simplex *q);

#endif
