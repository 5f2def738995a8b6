/* The row-sparse problem of dlsr-fs on all d features, for a falling sequence of lambdas: working
 * sets over solve/group_hinge, each followed by pricing every feature. */
#ifndef PARE_METHOD_DISCRIMINANT_DLSR_FS_PATH_H
#define PARE_METHOD_DISCRIMINANT_DLSR_FS_PATH_H

#include "base/order.h"
#include "method/blocks.h"
#include "method/discriminant/indicator.h"
#include "solve/hinge/group_hinge.h"

typedef struct fs_path {
    const indicator *of;
    const feature_blocks *blocks; /* rows that are penalised together; none: each by itself */
    view x;                       /* centred if there is an intercept */
    double *mean;
    arena mem;
    double unit;        /* columns are divided by it: then their norms are of order 1 */
    double weight_unit; /* mean weight, times sqrt 2 for one output */
    double *weight;     /* n, mean 1 */
    double lambda_max;
    bool exact_max; /* false: lambda_max is an upper bound only */

    int64_t s;        /* working set */
    int64_t *set;     /* s features, those of a block adjacent */
    int64_t n_blocks; /* number of blocks in it, */
    int64_t *start;   /* n_blocks + 1; NULL: there are none */
    int32_t *place;   /* d: position in the set, or -1 */
    double *x_set;    /* n x s, divided by unit */
    gh_point at;      /* in units of the inner problem */
    double sigma;     /* proximal parameter to start with at a nearby lambda; 0: not known */
    double lambda;    /* of the last solve */
    double *price;    /* d: |X_j'A|_2 at the last solve, in units of lambda; of j's block */
    double *products; /* d x c: scratch */
    ranked *near;     /* the most violated features of the last pass; NULL: features are too few, or
                         in blocks */
    int64_t n_near;
    int64_t *near_base; /* their columns of the matrix */

    double primal, dual; /* of the last solve, as the method states them */
    double loss;         /* the loss term of primal */
    int64_t n_active;    /* features with a non-zero row */
    int64_t counted;     /* the same, or blocks if k counts blocks */
    int64_t rounds;      /* working sets solved */
} fs_path;

/* Finds lambda_max: solves the problem without features and prices all. One pass over X to centre,
 * one to price. Free with fs_path_close, also after a failure. */
PARE_NODISCARD pare_status fs_path_open(fs_path *p, const view *x, const indicator *of,
                                        const feature_blocks *blocks, const pare_ctx *ctx,
                                        pare_error *err);
void fs_path_close(fs_path *p);

/* Solves at lambda > 0 to a relative gap over all d features, starting from the last solution. One
 * pass over X per round; with very many features, rounds among the most violated ones of the last
 * pass come between. The outcome is in p->at.outcome. */
PARE_NODISCARD pare_status fs_path_solve(fs_path *p, double lambda, double tol, const pare_ctx *ctx,
                                         pare_error *err);

/* The last solution: W over all features (d x c, zeros elsewhere), intercepts for the uncentred
 * features, and the multipliers L >= 0 of certify (n x c). */
void fs_path_result(const fs_path *p, double *W, double *b, double *L);

#endif
