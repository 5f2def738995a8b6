/* Shared by the parts of the interior point solver of the group hinge: group_hinge_interior.c (the
 * iteration), group_hinge_normal.c (its linear systems) and group_hinge_outputs.c (their
 * preconditioner). Blocks over samples and outputs are row-major: the
 * numbers of a sample are contiguous, as its cone requires. */
#ifndef PARE_SOLVE_HINGE_GROUP_HINGE_INTERIOR_H
#define PARE_SOLVE_HINGE_GROUP_HINGE_INTERIOR_H

#include "base/memory.h"
#include "solve/hinge/group_hinge.h"
#include "solve/interior/cones.h"

/* The linear systems: over features and the intercept, m x c, column-major. */
typedef struct gh_normal {
    int64_t m;
    double *x;                    /* n x m, row-major; the intercept's column of ones is the last */
    double *E, *v;                /* n x c: sample i brings x_i x_i' (x) (diag E_i - v_i v_i') */
    double *scale, *u;            /* feature j brings scale_j I - u_j u_j': s; m x c */
    double *T;                    /* n x c */
    double *r, *p, *Mp, *y, *dot; /* m x c each: conjugate gradients; m */
    double *common, common_sum;   /* n: the part of E - v^2 that most outputs share at a sample */
    double *shared, *y_rows;      /* s x s: factor B of it; n x m: X B^-T */
    int64_t capacity;             /* numbers that factor can hold */
    double *factor;               /* of one output after the other */
    int64_t *at, *side, *first;   /* c: where it starts; its size; c + 1: its extra samples */
    int32_t *active;              /* n c: these samples */
    double *root, *lift, *pivot;  /* with each: root of what is extra; solve_few(); c */
    double *buffer;               /* a block of that size for each thread */
    int64_t buffer_size;
} gh_normal;

typedef struct gh_interior {
    const gh_problem *problem;
    gh_point *at, *trial; /* the best point so far; scratch */
    double tol_rel, size; /* size: of the objective */
    const pare_ctx *ctx;
    arena mem;
    int threads;
    int64_t n, c, s, *sample; /* samples with weight; outputs; features; n: which they are */
    double *sign, *y, *dy;    /* n x c: y = residual - (target - sign f) > 0 */
    /* One for each sample (s1 residuals, z1 multipliers, z0 weight from the start), one for each
     * feature (s1 its row of W, z1 its price, z0 on its way to lambda); tails of c numbers. */
    cones samples, features;
    double *b;
    gh_normal system;
    double *rank_one;   /* n: (Q + D)^-1 = (flat + D)^-1 (I + rank_one u u' (flat + D)^-1) */
    double *step, *rhs; /* m x c: of W and b */
    double *row_sum;    /* n: scratch */
    double *price;      /* s x c: scratch */
    int64_t inner;      /* conjugate gradient steps so far */
    int64_t unsolved;   /* systems that they did not solve */
} gh_interior;

/* Fixed chunks of rows, and panels of outputs, for threads. */
enum { GH_CHUNK = 96, GH_PANEL = 64 };

PARE_NODISCARD pare_status gh_normal_open(gh_normal *s, const gh_interior *w, arena *mem,
                                          pare_error *err);
/* out (m x c) = x' T, and T = x V for V (m x c). */
void gh_normal_gather(const gh_interior *w, double *out);
void gh_normal_expand(const gh_interior *w, const double *V);
/* out = the system's matrix times V. */
void gh_normal_multiply(const gh_interior *w, const double *V, double *out);

/* From x = step on: until the residual is `share` of the right-hand side (both in the
 * preconditioner's norm) and, with aim > 0, small enough for a gap of `aim` in an objective of
 * `size`. false: interrupted. */
bool gh_normal_solve(gh_interior *w, const double *rhs, bool warm, double share, double aim,
                     double size);

bool gh_outputs_factor(gh_interior *w); /* false: interrupted */
void gh_outputs_solve(const gh_interior *w, const double *r, double *y);

/* gh_solve by this solver; outcome max_iter also where it gave up early. */
PARE_NODISCARD pare_status gh_interior_solve(gh_point *at, const gh_problem *p, double tol_rel,
                                             const pare_ctx *ctx, pare_error *err);
/* The same where other solvers are stuck: starts far from the boundary. */
PARE_NODISCARD pare_status gh_interior_rescue(gh_point *at, const gh_problem *p, double tol_rel,
                                              const pare_ctx *ctx, pare_error *err);

#endif
