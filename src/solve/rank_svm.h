/* Ranking by pairs: the mean over all pairs of a positive and a negative of a loss of the difference
 * of their scores, in O(N log N) by sorting instead of N^2.
 *
 * PROBLEM   minimise over w   sum_ij c_i c_j loss(1 - x_i'w + x_j'w) + lambda Omega(w)
 *           loss(h) = max(0, h)^2 (squared) or max(0, h) (hinge); c: shares of the weight within the
 *           class. Penalties as in push.h, which also lends its problem: `cost` has m + n numbers.
 * DUAL      gamma_ij >= 0, <= c_i c_j for the hinge, with a_i = sum_j gamma_ij, b_j = sum_i gamma_ij
 *           and g = sum_i a_i x_i - sum_j b_j x_j:
 *           squared   sum gamma - sum gamma^2 / (4 c_i c_j) - (lambda Omega)*(g), at
 *                     gamma_ij = 2 c_i c_j max(0, 1 - f_i + f_j): the N scores f are its record;
 *           hinge     sum gamma - (lambda Omega)*(g): the N sums a, b are its record. */
#ifndef PARE_SOLVE_RANK_SVM_H
#define PARE_SOLVE_RANK_SVM_H

#include "base/memory.h"
#include "solve/push.h"

typedef struct rank_key {
    double score;
    int64_t index;
} rank_key;

/* Scratch for the sums over pairs. */
typedef struct rank_pairs {
    int64_t m, n;
    const double *cost; /* m + n */
    rank_key *key;      /* m + n, sorted within each class by score, highest first */
} rank_pairs;

PARE_NODISCARD pare_status rank_pairs_init(rank_pairs *r, arena *mem, int64_t m, int64_t n,
                                           const double *cost, pare_error *err);
/* At scores f (m + n): hinge and squared loss, and the sums over the pairs with 1 - f_i + f_j > 0 of
 * c_i c_j (count) and of c_i c_j (1 - f_i + f_j) (linear) for each row; linear may be NULL. */
void rank_pairs_sums(rank_pairs *r, const double *f, double *hinge, double *squared, double *count,
                     double *linear);

/* Accelerated proximal gradient steps on the squared loss; any penalty. */
PARE_NODISCARD pare_status rank_squared(push_solution *out, const push_problem *p,
                                        const pare_ctx *ctx, pare_error *err);
/* Cutting planes on the hinge loss; not for groups. */
PARE_NODISCARD pare_status rank_hinge(push_solution *out, const push_problem *p,
                                      const pare_ctx *ctx, pare_error *err);

#endif
