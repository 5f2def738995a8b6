/* Row-sparse linear maps under one-sided residuals: a second-order cone program, n samples, c
 * outputs, s features (a working set; the caller prices all other features).
 *
 * PROBLEM   minimise over W, b   sum_i weight_i |r_i|_2 + lambda sum_j |W^j|_2,
 *           r_ik = max(0, target_ik - sign_ik f_ik),   f = X W + 1 b'.
 *           With blocks of features: sum_g |W^g|_2 instead, one norm over all rows of a block.
 * DUAL      maximise <target, L> over L >= 0 with row norms |L_i|_2 <= weight_i; with A = sign.L:
 *           A'1 = 0 if there is an intercept, and |X_j'A|_2 <= lambda for every feature j, or
 *           block.
 * All n x c and s x c blocks are column-major. */
#ifndef PARE_SOLVE_HINGE_GROUP_HINGE_H
#define PARE_SOLVE_HINGE_GROUP_HINGE_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/model.h>
#include <pare/status.h>

typedef struct gh_problem {
    int64_t n, c;
    const double *sign;   /* n x c, each -1 or +1 */
    const double *target; /* n x c */
    const double *weight; /* n, each >= 0, of order 1 */
    bool intercept;
    double lambda; /* >= 0, for columns of X with norms of order 1 */
    int64_t s;
    const double *x; /* n x s */
    int64_t n_blocks;
    const int64_t
        *start; /* n_blocks + 1: the features of each block are contiguous; NULL: one each */
} gh_problem;

/* The number of norms, and the first feature of one. */
static inline int64_t gh_units(const gh_problem *p) { return p->start ? p->n_blocks : p->s; }
static inline int64_t gh_first(const gh_problem *p, int64_t unit) {
    return p->start ? p->start[unit] : unit;
}

/* In: where to start, all finite (zeros: cold). Out: the solution. Arrays are the caller's. */
typedef struct gh_point {
    double *W;    /* s x c; rows that are zero are exactly zero */
    double *b;    /* c */
    double *f;    /* n x c; in: fitted values near those of W and b; out: X W + 1 b' */
    double *A;    /* n x c; out: with row norms and signs of a dual point, balanced to A'1 = 0 */
    double sigma; /* proximal parameter, 0: the solver's default; out: for the next solve */
    double primal, dual; /* of W, b and of A scaled to |X_j'A| <= lambda on these features */
    int64_t steps;       /* Newton steps, added to */
    int64_t first_steps; /* of the first proximal problem: many show that sigma was too large */
    pare_outcome outcome;
} gh_point;

/* Stops at primal - dual <= tol_rel max(|primal|, |dual|). PARE_OK also where a limit was reached:
 * read the outcome. max_iter means that rounding kept the gap above tol_rel. */
PARE_NODISCARD pare_status gh_solve(gh_point *at, const gh_problem *p, double tol_rel,
                                    const pare_ctx *ctx, pare_error *err);

/* sum_i weight_i |r_i|_2 at fitted values f. */
double gh_loss(const gh_problem *p, const double *f);
/* Makes A a dual point except for the features' prices, and returns its value <target, sign.A>. */
double gh_make_feasible(const gh_problem *p, double *A);

/* Fitted values, primal and dual value of W, b and A, which is made feasible; price: s x c
 * scratch. */
void gh_measure(gh_point *at, const gh_problem *p, double *price);
double gh_relative_gap(const gh_point *at);
void gh_copy(gh_point *to, const gh_point *from, const gh_problem *p);

#endif
