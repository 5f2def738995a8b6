/* What the parts of the group hinge solver share: group_hinge.c (proximal points and the gap),
 * group_hinge_inner.c (Newton steps on one proximal problem), group_hinge_system.c (their linear
 * systems). */
#ifndef PARE_SOLVE_GROUP_HINGE_STATE_H
#define PARE_SOLVE_GROUP_HINGE_STATE_H

#include "base/memory.h"
#include "solve/group_hinge.h"

/* One evaluation of the proximal problem at a multiplier A. */
typedef struct gh_eval {
    double value;            /* dual function, to be maximised */
    double *G;               /* n x c: its gradient z - X W - 1 b' */
    double *q, *z;           /* n x c: target - sign.(z0 - sigma A), and the prox of the loss */
    double *norm, *keep;     /* n: |max(q_i, 0)|, and the share of it that the prox keeps */
    double *U, *W;           /* s x c: W0 + sigma X'A, and the prox of the penalty */
    double *U_norm, *U_keep; /* s */
    double *b;               /* c */
} gh_eval;

/* The linear systems of the Newton steps: (E + B B') x = rhs. */
typedef struct gh_system {
    int64_t blocks, max_columns; /* n x n factors: c or 1; columns of Z there is room for */
    int64_t live, columns;       /* active features; columns of Z in use */
    double *x;                   /* n x live: the active features */
    double *alpha, *beta;        /* live: D_j = alpha_j I + beta_j u_j u_j' */
    double *u;                   /* live x c */
    double *diagonal;            /* n x c */
    double *row_scale;           /* n: E_i = diag + row_scale_i v_i v_i' */
    double *v;                   /* n x c: sign.max(q, 0) */
    double *factor;              /* blocks of n x n */
    double *Z;                   /* nc x columns */
    double *capacitance;         /* columns x columns */
    double *scaled, *t;          /* n x live; live x c */
    double *r, *p, *Mp, *y;      /* nc each: conjugate gradients */
    double *small;               /* columns */
} gh_system;

typedef struct gh_work {
    const gh_problem *problem;
    const pare_ctx *ctx;
    arena mem;
    double sigma;
    double *z0, *W0, *b0; /* the proximal centre */
    gh_eval now, trial;
    double *step, *A_trial; /* n x c */
    double *price;          /* s x c scratch */
    gh_system system;
} gh_work;

void gh_evaluate(gh_work *w, const double *A, gh_eval *out);
/* Maximises over A from the given one until |gradient| <= tol; returns the Newton steps taken. */
int64_t gh_inner(gh_work *w, double *A, double tol, int64_t max_steps);

PARE_NODISCARD pare_status gh_system_open(gh_system *s, arena *mem, const gh_problem *p,
                                          pare_error *err);
/* w->step = the Newton direction at w->now, with `ridge` added to the diagonal. */
void gh_newton_direction(gh_work *w, double ridge);

#endif
