/* Shared by the files of l1_path.h; see l1_path.c for the symbols. */
#ifndef PARE_SOLVE_L1_L1_PATH_STATE_H
#define PARE_SOLVE_L1_L1_PATH_STATE_H

#include <math.h>

#include "base/memory.h"
#include "solve/l1/l1_inverse.h"
#include "solve/l1/l1_path.h"
#include "solve/l1/l1_pool.h"

/* A fit of targets y: at the places of S, and its residuals. */
typedef struct l1_point {
    double *y, *z, *r; /* n, m, n */
} l1_point;

struct l1_path {
    pare_allocator mem;
    arena own;
    int64_t n;       /* samples with s_i > 0 */
    int64_t *sample; /* n: their numbers in the caller's data */
    double *all;     /* the caller's n: the dual returned */
    bool intercept;
    l1_pool pool;     /* S */
    l1_inverse basis; /* B */
    l1_point shown;   /* of the true targets */
    l1_point
        chooser; /* of the targets that choose the pivots: perturbed for margins, else the same */
    bool shaken;
    double *up, *down;         /* n: cost of a unit of residual above and below 0 */
    double *side;              /* n: sign of the residual outside E, 0 in E */
    int64_t m;                 /* |E|, |S| */
    int64_t *exact;            /* m: E */
    double *sign;              /* m: sign of w_S, 0: the intercept */
    double *extent;            /* m: largest |x_ij| of S */
    double *dz, *dr;           /* the edge: m, n */
    double *level;             /* m: rho on E */
    double *rho;               /* n */
    double *used, *correction; /* m: scratch */
    double *row;               /* X'rho of the candidates, by place */
    double *dual;              /* n x 2: u at mu, q */
    double *u;                 /* n: u further down */
    double *entering;          /* n: the column of the entering feature */
    lp_weight *weight;         /* of the segment returned last */
    double mu, mu_end, error, norm;
    double range; /* the largest residual of w = 0 */
    double least; /* mu_end, or the rounding error of X'u if that is more */
    int64_t zero_steps, pivots, age;
    bool lost, worn; /* worn: B is to be made from the data after this pivot */
};

/* What enters: sample E[index], or the feature at place index of the pool. */
typedef struct l1_entrant {
    bool found, is_feature;
    int64_t index, order; /* order: the feature, or the sample minus n */
    double mu, sign;
} l1_entrant;

/* The mu of u, which is constant before the first breakpoint. */
static inline double l1_path_mu(const l1_path *p) { return isinf(p->mu) ? 0 : p->mu; }

/* Returns true if the weight at place k of S is zero up to rounding, or the intercept. */
bool l1_path_is_nothing(const l1_path *p, int64_t k);

/* Recomputes everything for the current E and S from the data; *singular: the basis is, and nothing
 * has changed. */
PARE_NODISCARD pare_status l1_path_refresh(l1_path *p, bool *singular, const pare_ctx *ctx,
                                           pare_error *err);

/* Step 2: finds the next entrant. */
PARE_NODISCARD pare_status l1_path_find_entrant(l1_path *p, l1_entrant *best, const pare_ctx *ctx,
                                                pare_error *err);

/* Steps 3 and 4: the pivot with this entrant. p->lost: there is none, or the basis is singular.
 * *again: everything was recomputed from the data instead; find the entrant again. */
PARE_NODISCARD pare_status l1_path_pivot(l1_path *p, const l1_entrant *in, bool *again,
                                         const pare_ctx *ctx, pare_error *err);

#endif
