/* Private to glm/: the problem on a working set of features, at one lambda. */
#ifndef PARE_SOLVE_GLM_WORK_H
#define PARE_SOLVE_GLM_WORK_H

#include <pare/model.h>

#include "solve/glm/columns.h"
#include "solve/glm/loss.h"
#include "solve/glm/penalty.h"

/* The quadratic model of the loss at F that coordinate steps go over:
 *   -<U, D> + 1/2 sum_i D_i' h_i D_i,   D = X dB + 1 db',
 * h_i: the diagonal of the curvature (one output), share_i (diag p - p p') (several). One output
 * with another curvature than a diagonal: its product with D instead, and no h.
 * One output: the gradient in f is V + h kappa; kappa is the intercept's step, which keeps its sum
 * 0, so that coordinate steps see centred columns. */
typedef struct quadratic {
    double *h;           /* n, one output */
    double *V;           /* n x c */
    double kappa, total; /* total: sum of h */
    double *H0;          /* c x c: the intercepts' block, factored */
    double *hx;          /* per column: sum_i h_i x_i; one output */
    double *A;           /* per column, c x c: its block of the Hessian; one output: centred */
    int64_t *version;    /* per column: the model that hx and A belong to */
    int64_t now;
    double *B0, *b0; /* where the model was made */
} quadratic;

/* Dense columns next to each other, for products. */
typedef struct gathered {
    int64_t count, capacity;
    int64_t *column;      /* count: of the working set */
    double *x, *in, *out; /* n x count, count x c each */
} gathered;

/* One curvature for all outputs (precondition.c). */
typedef struct shared_curvature {
    bool suits, used;           /* suits: at the present active blocks */
    int64_t capacity, n_blocks; /* capacity: rows of A */
    double *factor, *inverse;   /* rows x rows: of A */
    double *v, *bend;           /* rows x c; n_blocks */
    int64_t *block;             /* rows: or -1 */
    double *along;              /* n_blocks x n_blocks, factored */
    double *x;                  /* n x rows: weighted columns */
    double *step, *more;        /* scratch: n_blocks, rows x c */
} shared_curvature;

enum { CURVED = 16 };

typedef struct glm_work {
    const glm_loss *loss;
    const penalty *pen;
    bool intercept;
    double lambda, tol; /* tol: relative, of the gap over the working set */
    const pare_ctx *ctx;

    columns cols;     /* the features of each block contiguous, in the order of the blocks */
    int64_t n_blocks; /* here; block[b] is its number in the penalty, first[b] its first column */
    int64_t *block, *first;
    int64_t *feature; /* per column: the view's column */
    int64_t capacity; /* columns, and blocks */

    double *B;            /* columns x c */
    double *b;            /* c */
    double *F, *U, *P;    /* n x c; U and P belong to F */
    bool fresh;           /* F belongs to B and b */
    double *D;            /* n x c: U as a dual point, its columns of sum 0 */
    double class_part[2]; /* two classes: their parts of the loss */
    double *gradient;     /* columns x c: -X'U */
    double *trial_B, *trial_b, *trial_F, *trial_U, *trial_P; /* of line searches */
    quadratic q;

    /* Newton's system over some coordinates: column * c + output, or intercepts. */
    int64_t *coord,
        *place;        /* place: (columns + 1) x c, where a coordinate is in the system, or -1 */
    double *system;    /* m x m */
    double *direction; /* m; behind it NEWTON_VECTORS - 1 more for the solvers */
    double *rows;      /* CHUNK x m: weighted rows of X */
    double *curved;    /* n x CURVED: columns of H X, one output whose curvature is no diagonal */
    int64_t n_coord, system_capacity, direction_capacity;
    gathered active;
    shared_curvature shared;

    double loss_now, penalty_now; /* of F and B */
    double trial_loss, trial_penalty, trial_class_part[2];
    double primal, dual;     /* dual: over the working set */
    int64_t steps, products; /* products: with systems that are not factored */
} glm_work;

PARE_NODISCARD pare_status work_open(glm_work *w, const view *x, const glm_loss *loss,
                                     const penalty *pen, bool intercept, const pare_ctx *ctx,
                                     pare_error *err);
void work_close(glm_work *w);
/* Appends blocks, with coefficients of 0. */
PARE_NODISCARD pare_status work_add(glm_work *w, const int64_t *block, int64_t count,
                                    pare_error *err);
/* Drops all blocks but the ones that are not 0 or free. */
void work_drop_inactive(glm_work *w);
/* F from B and b. */
void work_fit(glm_work *w);
/* Loss, penalty, U, P at F. */
void work_evaluate(glm_work *w);
/* The objective at trial_F and trial_B, with trial_U and trial_P; the trial becomes the point. */
double work_try(glm_work *w);
void work_accept(glm_work *w);
double work_penalty(const glm_work *w, const double *B); /* Omega */
bool block_active(const glm_work *w, int64_t b);

/* Coordinate steps on the quadratic model, then a line search towards the result. false: no step
 * lowers the objective. all: every active block takes several steps; otherwise only the blocks that
 * would leave 0. */
bool model_step(glm_work *w, bool all);

/* Newton's steps over the coordinates that are not 0 (signs kept), or over the free ones only. The
 * system is factored if it is small enough, else solved by conjugate gradients. */
bool newton_worth(const glm_work *w);
PARE_NODISCARD pare_status newton_active(glm_work *w, int64_t most, pare_error *err);
PARE_NODISCARD pare_status newton_free(glm_work *w, pare_error *err);
/* Collects the dense columns that have a coordinate; no others with sparse ones. false: no memory. */
bool active_gather(glm_work *w);
/* T (n x c) = X v, and out = X'T, over the columns collected; v and out: a number per coordinate,
 * those of intercepts are left alone. */
void active_sum(const glm_work *w, const double *v, double *T);
void active_dots(const glm_work *w, const double *T, double *out);
/* w->direction, the negative gradient of the loss, becomes a step; slope: along it, below 0. */
enum { NEWTON_VECTORS = 7 };
PARE_NODISCARD pare_status newton_conjugate(glm_work *w, double *slope, pare_error *err);
/* Its preconditioner at the present point, after the active columns were gathered, and z = its
 * inverse times r. D: scratch of one vector; ridge: what is added to the system's diagonal. */
PARE_NODISCARD pare_status precondition(glm_work *w, double *D, double *ridge, pare_error *err);
bool precondition_shares(const glm_work *w); /* one curvature for all outputs: a few products do */
void preconditioned(const glm_work *w, const double *D, const double *r, double *z);

/* Solves at w->lambda from the current B and b (w->fresh: false if the caller has changed them), to
 * a relative gap of tol over the working set. */
PARE_NODISCARD pare_status work_solve(glm_work *w, double tol, pare_outcome *outcome,
                                      pare_error *err);
/* The value of the best multiple of U, which belongs to F, as a dual point, given the largest price and the conjugate
 * of X'U (used for alpha < 1). */
double work_dual(const glm_work *w, const double *F, const double *U, double lambda, double price,
                 double conjugate);

#endif
