/* The Newton system of the pairwise losses: for the second derivatives D of the loss in the scores
 * (a smooth one's by rank_pairs, or those of an interior point method), and z > 0 of the features
 * (with cones: their Z instead of diag(z), see cones.h)
 *     (Z^-1 + X'D X) dw = r
 * by a Cholesky factor of size d, or an LU factor of size N of I + D X Z X' where that is
 * smaller. */
#ifndef PARE_SOLVE_RANK_RANK_SYSTEM_H
#define PARE_SOLVE_RANK_RANK_SYSTEM_H

#include "solve/rank/push_system.h"
#include "solve/rank/pair_losses.h"

/* out = D v. */
typedef void (*rank_curve)(void *loss, const double *v, double *out);

typedef struct rank_system {
    const view *x;
    rank_curve curve;
    void *loss;
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
                                            rank_curve curve, void *loss, const cones *blocks,
                                            bool fixed_z, const pare_ctx *ctx, pare_error *err);
/* The units' points s and y of the central path at the w and prices that they have. */
void rank_cones_centre(cones *c, double mu);
/* Scales the cones and gives z (d) with l2 on top; without cones it is 1 / l2. false: rounding has
 * put a point outside. */
bool rank_cones_weights(const rank_system *s, cones *c, double l2, double *z);
/* *definite: false where rounding spoilt the factor. */
PARE_NODISCARD pare_status rank_system_factor(rank_system *s, const double *z, bool *definite,
                                              const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status rank_system_solve(rank_system *s, const double *r, double *dw,
                                             const pare_ctx *ctx, pare_error *err);

#endif
