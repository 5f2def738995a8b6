/* Successive linearisation for plna, on all columns or on a pool of them.
 *
 * On very wide data a program uses the pool only; when the points of several starts have settled
 * there, one pass over X prices all columns with the duals of all of them, the violated columns
 * join the pool, and those starts continue. A point without violated columns has settled on all
 * columns. The pool is kept from start to start and from lambda to lambda. */
#ifndef PARE_METHOD_LP_PLNA_DESCENT_H
#define PARE_METHOD_LP_PLNA_DESCENT_H

#include "method/lp/least_norm.h"

enum { PLNA_GROUP = 16 }; /* starts that are priced in one pass */

typedef struct plna_point {
    int64_t count, capacity;
    lp_weight *weight;    /* columns of the job, ascending */
    double b, error;      /* error: sum_i loss_i |residual| */
    double value;         /* F, NaN: nothing found yet */
    double *dual;         /* n, of the linearisation at this point */
    pare_outcome outcome; /* optimal: of its program, still to be improved; stationary: settled */
} plna_point;

typedef struct plna_work {
    const fit_job *job;
    const pare_allocator *mem;
    arena own;
    int64_t n, d, programs, passes; /* passes: over X */
    double *weight, *loss;          /* n */
    double *cost, *range;           /* d: of |x_j|; largest |a_ij|, in its group */
    feature_blocks blocks;
    double *size; /* d: scratch, zero between uses */
    double heaviest, lambda, alpha, tol;
    l1_program *all;  /* over all columns */
    l1_program *some; /* over the pool; NULL: not built yet */
    bool pooled;
    int64_t n_pool, pool_capacity;
    int64_t *pool, *base;  /* ascending columns of the job, and in the matrix */
    double *packed;        /* the costs of the pool */
    bool *in_pool;         /* d */
    double *duals, *price; /* n x PLNA_GROUP, a block of columns x PLNA_GROUP */
    plna_point next;
} plna_work;

/* Whether X of this size is worth a pool. */
bool plna_is_wide(int64_t n, int64_t d);

/* Free with plna_close, also after a failure. */
PARE_NODISCARD pare_status plna_open(plna_work *w, const fit_job *job, bool pooled,
                                     const pare_ctx *ctx, pare_error *err);
void plna_close(plna_work *w);

PARE_NODISCARD pare_status plna_point_new(plna_point *p, plna_work *w, pare_error *err);
void plna_point_free(plna_point *p, const plna_work *w);
PARE_NODISCARD pare_status plna_point_copy(plna_point *to, const plna_point *from,
                                           const plna_work *w, pare_error *err);

/* The cost of |x_j| in the linearisation where x_j is x. */
double plna_slope(const plna_work *w, int64_t j, double x);
/* w->cost at x = 0, of the columns of the pool or of all. */
void plna_costs_at_zero(plna_work *w);
/* lambda sum_j (1 - exp(-alpha |x_j|)), with groups of their largest */
double plna_penalty(const plna_work *w, const plna_point *p);
/* The quantity that k limits: coefficients, or groups of them. */
int64_t plna_taken(const plna_work *w, const plna_point *p);

/* Solves the program of the costs w->cost (d) into `out`, over all columns or, if there is a pool,
 * over that. *value: its objective. */
PARE_NODISCARD pare_status plna_program(plna_work *w, bool all, plna_point *out, double *value,
                                        const pare_ctx *ctx, pare_error *err);

/* Adds the columns of the point to the pool, if there is one. */
PARE_NODISCARD pare_status plna_pool_point(plna_work *w, const plna_point *p, pare_error *err);

/* Improves `count` points, at most PLNA_GROUP, whose outcome is optimal, until no linearisation
 * gains anything: stationary; or max_iter, time_limit, cancelled. */
PARE_NODISCARD pare_status plna_settle(plna_work *w, plna_point *const *points, int64_t count,
                                       const pare_ctx *ctx, pare_error *err);

#endif
