/* The infinite push with a sparse or smooth penalty, reduced to m + n variables.
 *
 * PROBLEM   minimise over w    sum_i c_i (1 - x_i'w + max_j x_j'w)_+ + lambda Omega(w)
 *           i: m positives of cost c_i, sum c = 1; j: n negatives. The hinge grows with x_j'w, so
 *           the largest mean hinge over the negatives is the mean hinge at the largest negative.
 *           Omega: |w|_1; 1/2 |w|^2; sum over groups |w_g|_2; or mix |w|_1 + (1 - mix)/2 |w|^2.
 * DUAL      maximise sum_i alpha_i - (lambda Omega)*(g),  g = sum_i alpha_i x_i - sum_j beta_j x_j,
 *           0 <= alpha <= c, beta >= 0, sum beta = sum alpha.
 *           (lambda Omega)*: 0 where |g|_* <= lambda and infinite elsewhere for the norms;
 *           |g|^2/(2 lambda) for l2; sum_j (|g_j| - lambda mix)_+^2 / (2 lambda (1 - mix))
 *           for l1l2.
 *           Scaling (alpha, beta) down keeps all else, so every pair gives a lower bound. */
#ifndef PARE_SOLVE_RANK_PUSH_H
#define PARE_SOLVE_RANK_PUSH_H

#include <stdbool.h>

#include <pare/context.h>
#include <pare/model.h>
#include <pare/status.h>

#include "la/matrix.h"

typedef enum push_penalty { PUSH_L1, PUSH_L2, PUSH_GROUP, PUSH_L1L2 } push_penalty;

typedef struct push_problem {
    const view *x; /* m positives, then n negatives; m, n >= 1 */
    int64_t m, n;
    const double *cost; /* m */
    /* The positives are replaced by their mean: sum_i c_i x_i is one positive of cost 1. The empty
     * model is optimal for the same lambda, so this finds lambda_max. */
    bool collapsed;
    push_penalty penalty;
    double lambda, mix;   /* mix: l1l2 only, inside (0, 1) */
    const int64_t *group; /* d group numbers; PUSH_GROUP only */
    int64_t n_groups;
    const double *K; /* X X' of the samples where the caller has it, or NULL */
    double tol_rel;
    /* w and dual of the solution hold a solution at a nearby lambda when the solver is called:
     * start there. Not for admm and pairwise. */
    bool warm;
} push_problem;

/* w and dual are the caller's. */
typedef struct push_solution {
    double *w;    /* d */
    double *dual; /* m + n: alpha, beta, feasible */
    double objective, bound;
    int64_t iterations;
    pare_outcome outcome;
} push_solution;

/* Relative gap of a solution, 0/0 = 0. */
double push_gap(const push_solution *s);

/* Interior point method on all rows and columns, or on those generated so far: negatives that
 * exceed the maximum (cutting planes), features that break their bound. */
PARE_NODISCARD pare_status push_interior(push_solution *out, const push_problem *p, bool generate,
                                         const pare_ctx *ctx, pare_error *err);
/* The reduced alternating direction method; any penalty. */
PARE_NODISCARD pare_status push_admm(push_solution *out, const push_problem *p, const pare_ctx *ctx,
                                     pare_error *err);
/* Algorithm 1 of the paper on all m n pairs, for comparison. */
PARE_NODISCARD pare_status push_pairwise(push_solution *out, const push_problem *p,
                                         const pare_ctx *ctx, pare_error *err);

/* The smallest lambda at which w = 0 is optimal for l1, group and l1l2: the minimum of
 * |mean of positives - X-'beta|_* over the simplex; for l2 that distance itself, which is 0 exactly
 * when w = 0 is optimal for every lambda. lambda of the problem is not used. */
typedef struct push_limit {
    double lambda_max; /* 0 where it is below 1e-6 of the bound */
    double bound;      /* the value for uniform beta */
    double *dual;      /* m + n, the caller's: (c, beta) of the minimum */
    pare_outcome outcome;
} push_limit;
PARE_NODISCARD pare_status push_lambda_max(push_limit *out, const push_problem *p,
                                           const pare_ctx *ctx, pare_error *err);

/* The size of rounding errors in |difference of means|_*. u: m + n, g: d, scratch: n_groups. */
PARE_NODISCARD pare_status push_mean_scale(double *out, const push_problem *p, double *u, double *g,
                                           double *scratch, const pare_ctx *ctx, pare_error *err);

/* Parts that the solvers share. */
/* Omega(w) and |g|_*; scratch: n_groups numbers for groups. */
double push_penalty_value(const push_problem *p, const double *w, double *scratch);
double push_dual_norm(const push_problem *p, const double *g, double *scratch);
/* The loss at the scores f = X w. */
double push_loss(const push_problem *p, const double *f);
/* The s in [0, 1] at which  s total - s^2 square - (lambda Omega)*(s g)  is largest, and that
 * value: the best scaling of a dual point. square: 0 for losses that are not squared. */
double push_best_scaling(const push_problem *p, double total, double square, const double *g,
                         double *scratch, double *value);
/* v becomes argmin_z step Omega(z) + 1/2 |z - v|^2. scratch: n_groups. */
void push_penalty_prox(const push_problem *p, double step, double *v, double *scratch);
/* Copies w, dual, or both into out if they are better than those of out; f = X w and
 * g = X'(alpha, -beta) of them. scratch: n_groups. */
void push_improve(push_solution *out, const push_problem *p, const double *w, const double *f,
                  const double *dual, const double *g, double *scratch);
/* out = X'(alpha, -beta). signed_dual: m + n scratch. */
PARE_NODISCARD pare_status push_gather(const push_problem *p, const double *dual,
                                       double *signed_dual, double *out, const pare_ctx *ctx,
                                       pare_error *err);

#endif
