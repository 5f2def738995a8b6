/* The Newton systems of the Weston-Watkins dual: for the N variables a = (i, m), m != y_i, and D >
 * 0
 *     M x + E'mu = r,  E x = q,      M = Q + D,  Q_ab = K_ij / unit ([y_i = y_j] - [y_i = l] - ...)
 * (ww_dual.c), with factors of size n of each class instead of one of size n (c - 1).
 *
 * In terms of B (B_im = -x_im, and sum_m x_im for the own class) M is a matrix K + D_k for each
 * class k by itself, where D_k is 0 for the class's own samples, under sum_k B_ik = 0 for each
 * sample; E x are the sums 1'B_k. Eliminating the classes leaves an n x n matrix for the
 * multipliers nu of the samples:
 *     S = sum_k T_k - T_k 1 1'T_k / (1'T_k 1),   T_k = (K + D_k)^-1.
 * The own samples' 0 becomes delta_i = THETA / sum_m (1 / D_im): as (sum_m x_im)^2 is at most
 * sum_m D_im x_im^2 times that sum, the matrix so changed is between M and (1 + THETA) M, and every
 * correction by the residual of M itself leaves at most a share THETA of the error. */
#ifndef PARE_SOLVE_SVM_WW_SYSTEM_H
#define PARE_SOLVE_SVM_WW_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

typedef struct ww_system {
    int64_t n, c, N, e;   /* e: the classes 0 .. e-1 have a row in E */
    const double *K;      /* n x n */
    double unit;          /* K is divided by it */
    const int32_t *cls;   /* n */
    const int32_t *i, *m; /* N: of each variable */
    double *D;            /* N */
    double *A;            /* n x n x c: factors of I + R_k K R_k, where R_k = D_k^-1/2 */
    double *R;            /* n x c; 0: not a variable */
    double *h, *mass;     /* n x c, c: T_k 1 and its sum */
    double *inverse, *S;  /* n x n */
    double *B, *KB;       /* n x c: scratch */
    double *nu;           /* n */
    double *left, *more;  /* N + e */
} ww_system;

/* The bytes that it takes. */
double ww_system_bytes(int64_t n, int64_t c, int64_t N);
/* Memory for what is not given (n .. m); false: there is none. */
bool ww_system_prepare(ww_system *w, arena *mem);
/* false: rounding spoilt the factors. */
bool ww_system_factor(ww_system *w, const double *D);
/* x: r, then the solution; mu: q, then the solution. */
void ww_system_solve(ww_system *w, double *x, double *mu);

#endif
