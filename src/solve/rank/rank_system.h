/* The Newton system of rank_master: for the second derivatives D of the smooth pairwise loss in the
 * scores, and z > 0 of the features (with cones: their Z instead of diag(z), see cones.h)
 *     (Z^-1 + X'D X) dw = r
 * by a Cholesky factor of size d, or an LU factor of size N of I + D X Z X' where that is smaller. */
#ifndef PARE_SOLVE_RANK_RANK_SYSTEM_H
#define PARE_SOLVE_RANK_RANK_SYSTEM_H

#include "solve/rank/push_system.h"
#include "solve/rank/rank_svm.h"

typedef struct rank_system {
    const view *x;
    rank_pairs *pairs;
    push_system gram; /* of the rows, where the factor is N x N */
    int64_t N, d;
    bool tall;
    const cones *blocks;
    const double *z;
    double *M;            /* the factor */
    int *pivot;           /* N */
    double *tile, *bent;  /* N x TILE columns of X, and D times them */
    double *f, *u, *back; /* N, N, d: scratch */
    int64_t *list;        /* d: 0, 1, ... */
} rank_system;

PARE_NODISCARD pare_status rank_system_init(rank_system *s, arena *mem, const view *x,
                                            rank_pairs *pairs, const cones *blocks, bool fixed_z,
                                            const pare_ctx *ctx, pare_error *err);
/* *definite: false where rounding spoilt the factor. */
PARE_NODISCARD pare_status rank_system_factor(rank_system *s, const double *z, bool *definite,
                                              const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status rank_system_solve(rank_system *s, const double *r, double *dw,
                                             const pare_ctx *ctx, pare_error *err);

#endif
