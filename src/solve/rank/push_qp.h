/* Linear and quadratic programs of ranking at the top, by an interior point method.
 *
 * PROBLEM   minimise over w, t   sum_i c_i xi_i + l1 |w|_1 + l2/2 |w|^2
 *           xi_i >= o_i - x_i'w + t,  xi_i >= 0     positive rows (c_i > 0)
 *           t >= o_j + x_j'w                        negative rows (c_j = 0), at least one
 * DUAL      maximise   sum_r o_r pi_r - l2/2 |w|^2  with  0 <= pi_i <= c_i on positive rows,
 *           pi_j >= 0 and sum_j pi_j = sum_i pi_i on negative ones,
 *           |X+'pi+ - X-'pi- - l2 w|_inf <= l1.
 *           With groups l1 |w|_1 is l1 sum_g |w_g|_2, and the last norm the largest |.|_2 of a
 *           group.
 *
 * Rows are samples of a view, and a few further ones that are given as numbers.
 * COST      about 20 to 40 iterations, each N k^2 with k = min(N, d): a pass that forms a k x k
 *           matrix, and five products with X. Linear in the samples where they outnumber features.
 * GUARANTEE every iterate is feasible on both sides, up to rounding. */
#ifndef PARE_SOLVE_RANK_PUSH_QP_H
#define PARE_SOLVE_RANK_PUSH_QP_H

#include <stdbool.h>

#include <pare/context.h>
#include <pare/model.h>
#include <pare/status.h>

#include "la/matrix.h"

typedef struct push_rows {
    const view *x;       /* the samples among the rows; NULL: none */
    const double *extra; /* n_extra further rows, row-major n_extra x d, after the samples */
    int64_t n_extra, d;
    const double *K; /* X X' of the samples where the caller has it; only used if l1 = 0 */
} push_rows;

typedef struct push_qp {
    push_rows rows;
    const double *cost, *offset; /* one per row; cost 0: a negative row */
    int64_t n_groups; /* 0: none. Groups are runs of features, and l1 weighs their norms; l2 = 0 */
    const int64_t *group_start; /* n_groups + 1 */
    double l1, l2;              /* l1 + l2 > 0 */
    double tol_rel;             /* stop at a gap of this share of the objective */
} push_qp;

/* The caller gives the arrays; all are written. */
typedef struct push_qp_solution {
    double *w;    /* d: primal */
    double *dual; /* one per row: pi */
    double t, objective, bound;
    int64_t iterations;
    pare_outcome outcome;
} push_qp_solution;

PARE_NODISCARD pare_status push_qp_solve(push_qp_solution *out, const push_qp *p,
                                         const pare_ctx *ctx, pare_error *err);

#endif
