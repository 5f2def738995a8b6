/* The path of l1-norm multiple kernel learning over lambda, on single features' kernels.
 *
 * PROBLEM   minimise over f_k in the space of K_k, b   L(sum_k f_k + b) + lambda sum_k |f_k|
 *           K_k: the kernel of feature k, centred and of trace 1; L: solve/glm/loss.h;
 *           several outputs: |f_k| = sqrt(sum_o |f_ko|^2).
 * DUAL      maximise -L*(-U) over U of column sums 0 with sqrt(sum_o U_o'K_k U_o) <= lambda, all k.
 * SOLUTION  f_k = eta_k K_k U with eta_k = |f_k| / lambda and U = -gradient of L: few kernels are
 *           active.
 * ALGORITHM 1. lambda_max from the prices sqrt(sum_o U_o'K_k U_o) of all features at f = 0.
 *           2. kernels that may soon be active as thin factors (solve/kernel/kernel_factor.h): the
 *           problem
 *           on them is a group lasso of n x r blocks (solve/glm/glm.h), solved at one lambda after
 *           another, each from the one before.
 *           3. at every lambda the prices of all d features give a duality gap of the
 *           whole problem.
 *           Kernels priced above lambda join, and 2 goes on from that lambda.
 * COST      each lambda one pass of O(20 n) a feature; factors n r for each kernel that joined.
 * STOPPING  relative gap over all features <= tol_rel at every lambda. */
#ifndef PARE_SOLVE_KERNEL_L1_MKL_H
#define PARE_SOLVE_KERNEL_L1_MKL_H

#include "solve/glm/glm.h"
#include "solve/kernel/kernel_align.h"

typedef struct l1_mkl_problem {
    const view *x;
    kernel_kind kind;
    double gamma;         /* NaN: automatic for each feature */
    const double *weight; /* n, each above 0 */
    glm_loss loss;
    double tol_rel;
} l1_mkl_problem;

/* The solution at one lambda; arrays are valid until the next. */
typedef struct l1_mkl_point {
    double lambda, objective, loss, penalty; /* objective = loss + lambda penalty */
    double gap;                              /* relative, over all features */
    int64_t n_features;
    const int64_t *feature; /* of the active kernels, ascending */
    const double *norm;     /* n_features x c: |f_ko| */
    const double *eta;      /* n_features: |f_k| / lambda */
    const double *row;      /* n: row 0 of sum_k eta_k K_k */
    const double *U;        /* n x c column by column: the duals of all outputs */
    const double *b;        /* c: of the centred kernels */
    const double *price;    /* d: sqrt(sum_o U_o'K_k U_o) */
    int64_t steps;
    pare_outcome outcome;
} l1_mkl_point;

typedef pare_status l1_mkl_see(void *user, const l1_mkl_point *point, bool *stop, pare_error *err);

typedef struct l1_mkl l1_mkl;

/* Step 1. Borrows the problem and all it points to. *out is NULL after a failure. */
PARE_NODISCARD pare_status l1_mkl_open(l1_mkl **out, const l1_mkl_problem *p, const pare_ctx *ctx,
                                       pare_error *err);
void l1_mkl_close(l1_mkl *s);

double l1_mkl_lambda_max(const l1_mkl *s);   /* 0: no kernel is ever active */
const double *l1_mkl_gamma(const l1_mkl *s); /* d: in effect */
const double *l1_mkl_trace(const l1_mkl *s); /* d: of the centred kernels; 0: constant */

/* Solves at lambda[0 .. count), best descending. *stop of a point leaves the rest. */
PARE_NODISCARD pare_status l1_mkl_run(l1_mkl *s, const double *lambda, int64_t count,
                                      l1_mkl_see *see, void *user, pare_error *err);

#endif
