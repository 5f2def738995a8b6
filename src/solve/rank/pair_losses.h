/* Ranking by pairs: the mean over all pairs of a positive and a negative of a loss of the
 * difference of their scores, in O(N log N) by sorting instead of N^2.
 *
 * PROBLEM   minimise over w   sum_ij c_i c_j loss(1 - x_i'w + x_j'w) + lambda Omega(w)
 *           loss(h) = max(0, h)^2 (squared) or max(0, h) (hinge); c: shares of the weight within
 *           the class. Penalties as in push.h, which also lends its problem: `cost` has m + n
 *           numbers.
 * DUAL      gamma_ij >= 0, <= c_i c_j for the hinge, with a_i = sum_j gamma_ij, b_j = sum_i
 *           gamma_ij and g = sum_i a_i x_i - sum_j b_j x_j:
 *           squared   sum gamma - sum gamma^2 / (4 c_i c_j) - (lambda Omega)*(g), at
 *                     gamma_ij = 2 c_i c_j max(0, 1 - f_i + f_j): the N scores f are its record;
 *           hinge     sum gamma - (lambda Omega)*(g): the N sums a, b are its record. */
#ifndef PARE_SOLVE_RANK_PAIR_LOSSES_H
#define PARE_SOLVE_RANK_PAIR_LOSSES_H

#include "base/memory.h"
#include "base/order.h"
#include "solve/rank/push.h"

/* Sums over pairs of a loss whose corner is a parabola: phi(h) = 0 up to 0, h^2 / (2 width) up to
 * width, h - width/2 beyond; without the last piece (width 1/2) the squared loss itself. */
typedef struct rank_pairs {
    int64_t m, n;
    const double *cost; /* m + n */
    double width;
    bool bent;            /* the loss has its last piece */
    ranked *key;          /* m + n, sorted within each class by score, highest first */
    int64_t *from, *to;   /* m + n, in that order: the partners whose pair is on the parabola */
    double *s0, *s1, *s2; /* m + 1 and n + 1 sums from the top: cost, cost score, cost score^2 */
} rank_pairs;

typedef struct rank_sums {
    double hinge, squared; /* of max(0, h) and its square */
    double smooth;         /* of phi */
    double total;          /* of phi'(h) */
    double open;           /* of max(0, h) - h phi'(h): what the corner costs the duality gap */
} rank_sums;

PARE_NODISCARD pare_status rank_pairs_init(rank_pairs *r, arena *mem, int64_t m, int64_t n,
                                           const double *cost, bool bent, pare_error *err);
/* At scores f (m + n): all sums weighted by c_i c_j, and per row those of phi'(h). */
void rank_pairs_sums(rank_pairs *r, const double *f, rank_sums *out, double *slope);
/* Another width, and the slopes as if the pairs on the parabola stayed on it, at f as before: the
 * model that finds where they go. The next curve belongs to it. */
void rank_pairs_narrow(rank_pairs *r, double width, double *slope);
/* out = D v for the second derivatives D of the smooth loss in the scores of the last sums. */
void rank_pairs_curve(void *pairs, const double *v, double *out);

/* Any penalty. A warm start needs w only. */
PARE_NODISCARD pare_status rank_svm_solve(push_solution *out, const push_problem *p, bool squared,
                                          const pare_ctx *ctx, pare_error *err);
/* The same for l2 and more features than samples, which rank_svm_solve passes on. */
PARE_NODISCARD pare_status rank_svm_reduced(push_solution *out, const push_problem *p, bool squared,
                                            const pare_ctx *ctx, pare_error *err);

#endif
