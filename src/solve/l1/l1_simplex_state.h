/* What the files of l1_simplex.h share: the state, and the basis inverse. See l1_simplex.c for the
 * symbols. */
#ifndef PARE_SOLVE_L1_L1_SIMPLEX_STATE_H
#define PARE_SOLVE_L1_L1_SIMPLEX_STATE_H

#include <lapacke.h>

#include "base/memory.h"
#include "solve/l1/l1_simplex.h"

typedef struct l1_kink {
    double step, rate, gain; /* rate: of its value; gain: of the slope beyond it */
    bool is_feature, passed;
    int64_t index; /* position in S, or sample */
    int64_t order; /* sample, or n + column */
} l1_kink;

enum { L1_HOT = 32 }; /* columns priced at every pivot */

struct l1_simplex {
    pare_allocator mem;
    arena own;
    int64_t n, d, p;      /* p: columns, the last is the intercept's if p > d */
    double *X;            /* n x p */
    double *y, *s;        /* n */
    double *c;            /* p */
    double *range;        /* p: largest |x_ij| */
    double *blur;         /* p: rounding in X_j'u */
    bool *used;           /* p: in S */
    bool *is_exact;       /* n: in E */
    int64_t m;            /* |E| = |S| */
    int64_t *E, *S;       /* m */
    double *side;         /* n: sign of r_i outside E */
    double *sign;         /* p: sign of w_j in S */
    int64_t most;         /* m at most */
    double *M;            /* m x m, factored */
    double *zero_rows;    /* n x m: scratch of a start */
    lapack_int *pivot;    /* m */
    double *B;            /* a column for each of E, `most` apart */
    bool fresh;           /* M is factored as it is */
    int64_t age;          /* pivots since B was made from M */
    double *z, *dz;       /* m */
    double *left, *right; /* m: the product that B changes by */
    double *r, *dr, *f;   /* n */
    double *u, *price;    /* n, p */
    l1_kink *kinks;       /* n + m */
    int64_t n_hot, hot[L1_HOT];
    double heat[L1_HOT]; /* their excess when they were listed */
    lp_weight *weight;
    double size, heaviest; /* the largest |y_i|, s_i */
    double fastest;        /* rate along the edge, in the units of y */
    int64_t zero_steps;
};

/* M's factors, and B from them; false where M is singular. */
bool l1_basis_refresh(l1_simplex *q);

/* v = M^-1 v or M'^-1 v, with the factors where there are any. scratch: m. */
void l1_basis_solve(const l1_simplex *q, bool transposed, double *v, double *scratch);

/* What B becomes when column j takes place k of S, or, if both grow, the last place of S and sample i
 * the last of E; left is M^-1 X_Ej. */
void l1_basis_enter(l1_simplex *q, bool grow, int64_t k, int64_t j, int64_t i);

/* What B becomes when sample i takes place e of E. */
void l1_basis_swap(l1_simplex *q, int64_t e, int64_t i);

/* What B becomes without place k of S and place e of E, which the last ones take. */
void l1_basis_leave(l1_simplex *q, int64_t k, int64_t e);

#endif
