/* The Newton system of push_qp: for weights omega > 0 of the rows and z > 0 of the features
 *     (1/z) dw + X'Omega (X dw - 1 dt) = a        -1'Omega (X dw - 1 dt) = b
 * by a Cholesky factor of size d (features centred by their omega-weighted means, so that no
 * common shift of the rows is felt) or of size N, whichever is smaller. */
#ifndef PARE_SOLVE_RANK_PUSH_SYSTEM_H
#define PARE_SOLVE_RANK_PUSH_SYSTEM_H

#include "base/memory.h"
#include "solve/interior/cones.h"
#include "solve/rank/push_qp.h"

typedef struct push_system {
    push_rows rows;
    int64_t n, N, d; /* samples, rows, features */
    bool tall;       /* the factor is d x d */
    bool fixed_z;    /* z is the same in every factorisation */
    bool have_gram;
    double *M, *G;            /* the factor; N x N: X diag(z) X' */
    double *tile, *scaled;    /* rows of X in tall form; z-scaled extra rows in the other */
    const double *omega, *z;  /* of the last factorisation */
    double *mean, total;      /* tall: omega-weighted mean row; sum of omega */
    double *root, *ones, *by; /* N each: sqrt(omega), factor^-1 root, scratch */
    double *wide;             /* d: scratch */
    const cones *blocks;      /* or NULL; with them their Z takes the place of diag(z) */
    int64_t *list;            /* d: 0, 1, ..., with blocks */
    double *cone_columns;     /* N x blocks: eta sqrt(2) X_g w1_g of each cone */
    int32_t *row;             /* n: the view's rows as base rows */
} push_system;

PARE_NODISCARD pare_status push_system_init(push_system *s, arena *mem, const push_rows *rows,
                                            const cones *blocks, bool fixed_z, const pare_ctx *ctx,
                                            pare_error *err);
/* f = X w over all rows, and out = X'u. */
PARE_NODISCARD pare_status push_mul(const push_system *s, const double *w, double *f,
                                    const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status push_tmul(const push_system *s, const double *u, double *out,
                                     const pare_ctx *ctx, pare_error *err);
/* *definite: false where rounding spoilt the factor. */
PARE_NODISCARD pare_status push_system_factor(push_system *s, const double *omega, const double *z,
                                              bool *definite, const pare_ctx *ctx, pare_error *err);
/* h = X dw - 1 dt and omega_h = Omega h (N each) come along: large omega would magnify rounding
 * errors of h, so the second has its own way where the factor is N x N. */
PARE_NODISCARD pare_status push_system_solve(push_system *s, const double *a, double b, double *dw,
                                             double *dt, double *h, double *omega_h,
                                             const pare_ctx *ctx, pare_error *err);

/* With cones Z = Q^-1 of cones.h, else diag(z) (c == NULL): M += Z^-1 in the lower triangle, and
 * out = Z in, which may be the same. */
void push_add_inverse(const cones *c, const double *z, double *M, int64_t d);
void push_times_z(const cones *c, const double *z, int64_t d, const double *in, double *out);
/* s->G = X Z X' only, both triangles. */
PARE_NODISCARD pare_status push_system_gram(push_system *s, const double *z, const pare_ctx *ctx,
                                            pare_error *err);

#endif
