/* Linear models with an l1 penalty and a piecewise linear loss, for wide data: two instances of
 * the master program of lp.h.
 *
 * MARGIN    minimise over w, b   sum_j c_j |w_j| + sum_i s_i max(0, 1 - y_i (w'x_i + b))
 * FIT       minimise over w, b   sum_j c_j |w_j| + sum_i s_i |w'x_i + b - y_i|
 *           c_j > 0, inf: w_j = 0;  s_i >= 0, inf: the loss must be zero (hard margin, exact fit)
 *           groups of features: c_g max_j |w_j| for each; in the duals
 *           sum_j |sum_i u_i x_ij| <= c_g; signs s_j w_j >= 0: (s_j ..)_+ in place of |..|
 * DUAL      margin: maximise sum u_i,     0 <= u_i <= s_i, |sum_i u_i y_i x_ij| <= c_j, sum u y = 0
 *           fit:    maximise sum u_i y_i, |u_i| <= s_i,      |sum_i u_i x_ij| <= c_j,     sum u = 0
 *           the last only with an intercept
 * GUARANTEE objective is that of (w, b) recomputed from X; the duals satisfy all constraints, so
 *           objective - bound is a certified gap. Hard margins hold exactly: (w, b) is rescaled. */
#ifndef PARE_SOLVE_LP_L1_PROGRAM_H
#define PARE_SOLVE_LP_L1_PROGRAM_H

#include "solve/lp/lp.h"

typedef enum l1_loss { L1_MARGIN, L1_FIT } l1_loss;

typedef struct l1_spec {
    l1_loss loss;
    const view *x;           /* its arrays are borrowed until l1_free */
    const double *y;         /* n; margin: each -1 or +1. Copied */
    const double *cost;      /* d: c. Copied */
    const double *loss_cost; /* n: s. Copied */
    bool intercept;
    double tol_rel;          /* on the gap; 0: 1e-9 */
    const lp_groups *groups; /* borrowed like x; NULL: none */
    const signed char *sign; /* d, borrowed: of w_j, see lp.h; NULL: none */
} l1_spec;

typedef struct l1_program l1_program;

/* Pointers are into the program and valid until its next call. */
typedef struct l1_solution {
    pare_outcome outcome;
    bool infeasible;         /* hard samples contradict each other: dual is the proof: its objective
                                is 1, and |sum_i u_i (y_i) x_ij| <= residual, which is rounding */
    double objective, bound; /* objective: NaN if infeasible or stopped before feasible */
    double residual;         /* 0 unless infeasible */
    const lp_weight *weight; /* the nonzero w_j, ascending */
    int64_t n_weight;
    double b;
    const double *dual;  /* n: u */
    const double *price; /* d: sum_i u_i (y_i) x_ij, or NULL: not at hand */
    const double *f;     /* n: w'x_i + b */
    int64_t pivots, passes, generated;
} l1_solution;

PARE_NODISCARD pare_status l1_create(l1_program **out, const l1_spec *spec, const pare_ctx *ctx,
                                     pare_error *err);
void l1_free(l1_program *p);

/* New c (d) and s (n, infinite where it was and only there); NULL: as they are. The basis stays. */
void l1_set_costs(l1_program *p, const double *cost, const double *loss_cost);

/* The next solve may start from this point, if it can; ascending features. */
void l1_start(l1_program *p, const lp_weight *weight, int64_t count, double b);

/* Prices (d) close to those of the next solve, which tries the largest first. */
void l1_expect(l1_program *p, const double *price);

PARE_NODISCARD pare_status l1_solve(l1_program *p, l1_solution *out, const pare_ctx *ctx,
                                    pare_error *err);

#endif
