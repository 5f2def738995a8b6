/* The state of l1_simplex.h. See l1_simplex.c for the symbols. */
#ifndef PARE_SOLVE_L1_L1_SIMPLEX_STATE_H
#define PARE_SOLVE_L1_L1_SIMPLEX_STATE_H

#include "base/memory.h"
#include "solve/l1/l1_inverse.h"
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
    int64_t n, d, p;    /* p: columns, the last is the intercept's if p > d */
    double *X;          /* n x p */
    double *y, *s;      /* n */
    double *c;          /* p */
    double *range;      /* p: largest |x_ij| */
    double *blur;       /* p: rounding in X_j'u */
    bool *used;         /* p: in S */
    bool *is_exact;     /* n: in E */
    int64_t m;          /* |E| = |S| */
    int64_t *E, *S;     /* m */
    double *side;       /* n: sign of r_i outside E */
    double *sign;       /* p: sign of w_j in S */
    int64_t most;       /* m at most */
    double *zero_rows;  /* n x m: scratch of a start */
    l1_inverse basis;   /* B */
    int64_t age;        /* pivots since it was made from the data */
    double *z, *dz;     /* m */
    double *level;      /* m: of a pivot, see l1_inverse.h */
    double *r, *dr, *f; /* n */
    double *u, *price;  /* n, p */
    l1_kink *kinks;     /* n + m */
    int64_t n_hot, hot[L1_HOT];
    double heat[L1_HOT]; /* their excess when they were listed */
    lp_weight *weight;
    double size, heaviest; /* the largest |y_i|, s_i */
    double fastest;        /* rate along the edge, in the units of y */
    int64_t zero_steps;
};

#endif
