/* Proximal operators of ranking at the top. */
#ifndef PARE_SOLVE_RANK_PUSH_PROX_H
#define PARE_SOLVE_RANK_PUSH_PROX_H

#include <stdint.h>

/* (p, q) becomes the minimiser over (a, b) of
 *     sum_i c_i (1 - a_i + max_j b_j)_+ + mu/2 |a - p|^2 + mu/2 |b - q|^2,
 * c > 0 (m), n >= 1. One monotone equation in t = max b,
 *     sum_i clip(mu (1 + t - p_i), 0, c_i) = mu sum_j (q_j - t)_+ ,
 * whose pieces are lines: Newton steps inside a shrinking bracket end in the right piece.
 * O(m + n) a step, about ten steps. */
void push_prox(int64_t m, double *p, const double *c, int64_t n, double *q, double mu);

/* v, n_groups runs of `size` numbers one after the other, becomes its projection onto
 *     sum over groups of max |v_i| <= radius.
 * Each group is cut at a height; the heights remove the same sum from every group that is not
 * removed whole. scratch: 2 * n_groups * size numbers. O(N log size). */
void l1inf_project(int64_t n_groups, int64_t size, double *v, double radius, double *scratch);

#endif
