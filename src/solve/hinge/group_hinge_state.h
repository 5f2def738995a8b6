/* Shared by the parts of the group hinge solver: group_hinge.c (proximal points and the gap),
 * group_hinge_inner.c (Newton steps on one proximal problem), group_hinge_system.c (their linear
 * systems) and the three ways to factor those (_active.c, _blocks.c, _woodbury.c). */
#ifndef PARE_SOLVE_HINGE_GROUP_HINGE_STATE_H
#define PARE_SOLVE_HINGE_GROUP_HINGE_STATE_H

#include "base/memory.h"
#include "solve/hinge/group_hinge.h"

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

/* The active entries of a Newton system, factored together. */
typedef struct gh_active {
    int64_t most, count;     /* capacity in entries, and entries in use: T */
    int64_t *entry, *place;  /* T: in n x c, sorted; nc: position among them, or -1 */
    int64_t *first;          /* c + 1: of each output */
    double *rest;            /* nc: 1 / diagonal of M where not active, else 0 */
    double *K;               /* n x n */
    double *N, *R;           /* T x T, the factor; T x n_active */
    double *V, *capacitance; /* T x c; c x c: the intercept */
    double *y, *sum;         /* T, c */
} gh_active;

/* The outputs of a Newton system, factored one by one. */
typedef struct gh_blocks {
    double steps;          /* conjugate gradient steps that they are expected to take */
    int64_t count;         /* c, or 1: a mean block for all */
    int64_t side;          /* of a factor: samples, or active features and the intercept */
    double *factor;        /* count of side x side */
    double *Y, *inverse;   /* count of n x (n_active + 1); count of n: E^-1/2 */
    double *share, *small; /* n_active x c; side x c */
} gh_blocks;

/* The whole Newton system, factored exactly. */
typedef struct gh_woodbury {
    int64_t most, columns; /* capacity in rank-one terms (0: not used), and terms in use */
    double *factor;        /* c of n x n */
    double *Z;             /* nc x columns */
    double *capacitance;   /* columns x columns */
    double *small;         /* columns */
} gh_woodbury;

typedef enum gh_factor { GH_ACTIVE, GH_BLOCKS, GH_WOODBURY } gh_factor;

/* The linear systems of the Newton steps. */
typedef struct gh_system {
    int64_t n_active; /* features with a non-zero row */
    int64_t units,
        *first;   /* active blocks, and where each begins among them; or n_active and NULL */
    bool coupled; /* there are rank-one terms, one for each of these */
    double *x;    /* n x n_active: those features */
    double *alpha, *beta;   /* n_active: D_j = alpha_j I + beta_j u_j u_j', u over the block */
    double *u;              /* n_active x c */
    double *diagonal;       /* n x c */
    double *row_scale;      /* n: E_i = diag + row_scale_i v_i v_i' */
    double *v;              /* n x c: sign.max(q, 0) */
    double *scaled, *t;     /* n x n_active; n_active x c */
    double *r, *p, *Mp, *y; /* nc each: conjugate gradients */
    gh_factor by;           /* which of the factorizations is in use */
    gh_active active;
    gh_blocks blocks;
    gh_woodbury woodbury;
} gh_system;

typedef struct gh_work {
    const gh_problem *problem;
    const pare_ctx *ctx;
    arena mem;
    double sigma, sigma_loss; /* proximal parameters: of W and b, of z */
    double *z0, *W0, *b0;     /* the proximal centre */
    gh_eval now, trial;
    double *step, *A_trial; /* n x c */
    double *price;          /* s x c scratch */
    gh_system system;
} gh_work;

/* gh_solve by proximal points. */
PARE_NODISCARD pare_status gh_proximal_solve(gh_point *at, const gh_problem *p, double tol_rel,
                                             const pare_ctx *ctx, pare_error *err);

void gh_evaluate(gh_work *w, const double *A, gh_eval *out);
/* Maximises over A from the given one until |gradient| <= tol; returns the Newton steps taken. */
int64_t gh_inner(gh_work *w, double *A, double tol, int64_t max_steps);

PARE_NODISCARD pare_status gh_system_open(gh_system *s, arena *mem, const gh_problem *p,
                                          pare_error *err);
/* w->step = the Newton direction at w->now, with `ridge` added to the diagonal. */
void gh_newton_direction(gh_work *w, double ridge);
/* alpha_j + beta_j u_jk^2, n_active x c: the features' part in the diagonal block of output k,
 * without the coupling of the features of a block. */
void gh_own_shares(const gh_system *s, int64_t c, double *out);

/* Threads for so many operations: for little work, waking threads costs more than it saves. */
int gh_threads(const gh_work *w, double operations);

PARE_NODISCARD pare_status gh_active_open(gh_active *a, arena *mem, const gh_problem *p,
                                          pare_error *err);
void gh_active_list(gh_work *w);
bool gh_active_factor(gh_work *w); /* false: not positive definite */
void gh_active_solve(const gh_work *w, const double *r, double *y);

PARE_NODISCARD pare_status gh_blocks_open(gh_blocks *b, arena *mem, const gh_problem *p,
                                          pare_error *err);
bool gh_blocks_factor(gh_work *w);
void gh_blocks_solve(const gh_work *w, const double *r, double *y);

PARE_NODISCARD pare_status gh_woodbury_open(gh_woodbury *b, arena *mem, const gh_problem *p,
                                            pare_error *err);
int64_t gh_woodbury_columns(const gh_work *w);
bool gh_woodbury_factor(gh_work *w);
void gh_woodbury_solve(const gh_work *w, const double *r, double *y);

#endif
