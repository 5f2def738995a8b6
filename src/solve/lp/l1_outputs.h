/* Linear classifiers for several outputs with one cost per feature, as linear programs.
 *
 * SEPARATE  for each output k with labels y_ik (+1: own class; one output: class 1)
 *           minimise  sum_j c_j |w_kj| + sum_i s_ik max(0, 1 - y_ik f_ik),   f_ik = w_k'x_i + b_k
 * TOGETHER  minimise  sum_kj c_j |w_kj| + sum_i sum_{k != c(i)} s_ik max(0, 1 - f_i,c(i) + f_ik)
 *           (Weston and Watkins' constraints).  s_ik = inf: a hard margin, 0: ignored.
 * DUAL      separate: that of l1_program.h for each output. Together: maximise sum u_ik over
 *           0 <= u_ik <= s_ik, k != c(i), with U_ik = -u_ik and U_i,c(i) = sum_k u_ik:
 *           |X_j'U_k| <= c_j for all j, k, and with intercepts sum_i U_ik = 0 for all k.
 * Groups of features: c_g max_j |w_kj| for each group and output; sum_j |X_j'U_k| <= c_g.
 * GUARANTEE as l1_program.h: objective from X, feasible duals, hard margins exact. */
#ifndef PARE_SOLVE_LP_L1_OUTPUTS_H
#define PARE_SOLVE_LP_L1_OUTPUTS_H

#include <stdbool.h>

#include <pare/model.h>

#include "la/matrix.h"
#include "solve/lp/lp.h"

typedef struct outputs_spec {
    const view *x;
    const int32_t *cls; /* n */
    int64_t c;          /* outputs: 1 for two classes, else the classes */
    bool together;
    const double *cost;      /* d; the same for all features of a group */
    const lp_groups *groups; /* NULL: none */
    const double *loss;      /* n x c: s; together: those of the own class are not read */
    bool intercept;
} outputs_spec;

/* Arrays are the caller's. Where it is infeasible, they hold nothing of use. */
typedef struct outputs_solution {
    pare_outcome outcome;
    bool infeasible;
    int64_t culprit; /* if infeasible and separate: the output */
    double objective, bound;
    double *W;    /* d x c */
    double *b;    /* c */
    double *dual; /* n x c: u */
    double *f;    /* n x c */
    int64_t pivots;
} outputs_solution;

PARE_NODISCARD pare_status l1_outputs_solve(outputs_solution *out, const outputs_spec *spec,
                                            const pare_ctx *ctx, pare_error *err);

/* l1_together.c: the second form. */
PARE_NODISCARD pare_status l1_together_solve(outputs_solution *out, const outputs_spec *spec,
                                             const pare_ctx *ctx, pare_error *err);

/* The slack of margin (i, k) at f; together: 0 for the own class. */
double l1_outputs_slack(const outputs_spec *spec, const double *f, int64_t i, int64_t k);

#endif
