/* The features of a path: those in use, candidates that may enter soon, and a bound on all other
 * ones.
 *
 * For the dual u and its slope q over mu each candidate's prices X_j'u and X_j'q are kept. Of all
 * other features only |X_j'v| at one past dual v is known: |X_j'u| <= |a X_j'v| + |x_j| |u - a v|
 * for every a, so a feature cannot have entered where that is below mu. When it is not, the feature
 * becomes a candidate; when there are many, all features are priced and v becomes the current u.
 *
 * Places: the features in use (an intercept first, as feature -1) and then the candidates. The
 * first have their columns here, side by side for each sample; with dense data the candidates as
 * well. Dense data that are mostly zeros are copied without them, and are sparse then.
 *
 * COST      a product with the columns at hand; a pass over X where all are priced; O(d) for the
 *           bound. Memory O(d), n times the features in use, and dense: n times the candidates. */
#ifndef PARE_SOLVE_L1_L1_POOL_H
#define PARE_SOLVE_L1_L1_POOL_H

#include "base/memory.h"
#include "la/matrix.h"

typedef struct l1_pool {
    view x;
    int64_t n, d;
    int64_t used, count;     /* places in use, and with the candidates */
    int64_t limit, capacity; /* candidates before all are priced again; capacity in places */
    int64_t stride;          /* places with columns */
    double *X;               /* n x stride, row-major */
    int64_t *feature, *base; /* capacity: the feature, and its column in the matrix behind x */
    int64_t *place;          /* d: or -1 */
    double *at, *per;        /* capacity: X_j'u, X_j'q of the candidates */
    double *price;           /* 2 d: of all from l1_pool_price_all; after the restart d: |X_j'v| */
    double *past;            /* n: v */
    double *norm;            /* d: |x_j| */
    bool normed;
    double past_square; /* v'v */
    int64_t *found;     /* capacity */
    int64_t age;        /* calls of l1_pool_bound since all were priced */
    double *column;     /* n: scratch */
} l1_pool;

/* An upper bound of its bytes. most: the most features in use, with the intercept. */
double l1_pool_bytes(const view *x, int64_t most);

/* x is borrowed and has rows. Memory is of the arena. */
PARE_NODISCARD pare_status l1_pool_init(l1_pool *q, arena *mem, const view *x, int64_t most,
                                        bool intercept, const pare_ctx *ctx, pare_error *err);

/* Adds to the candidates all that may be priced mu or more by the dual u (n), with their prices.
 * dual: n x 2, u and q at the mu before. *many: there are too many, and none was added. */
PARE_NODISCARD pare_status l1_pool_bound(l1_pool *q, const double *u, double mu, const double *dual,
                                         bool *many, const pare_ctx *ctx, pare_error *err);

/* Prices all, in q->price. */
PARE_NODISCARD pare_status l1_pool_price_all(l1_pool *q, const double *dual, const pare_ctx *ctx,
                                             pare_error *err);
/* After that: v becomes u, the dual that has gone `by` along its slope; `entrant` (a feature, or
 * -1) is the only candidate. */
PARE_NODISCARD pare_status l1_pool_restart(l1_pool *q, const double *u, double by, int64_t entrant,
                                           const pare_ctx *ctx, pare_error *err);

/* The candidates' prices from the data. */
PARE_NODISCARD pare_status l1_pool_refresh(l1_pool *q, const double *dual, const pare_ctx *ctx,
                                           pare_error *err);

/* out (capacity), from place q->used on: X_j'v of the candidates, v: n. */
PARE_NODISCARD pare_status l1_pool_product(l1_pool *q, const double *v, double *out,
                                           const pare_ctx *ctx, pare_error *err);
/* out (used): X_j'v of the features in use. */
void l1_pool_used_product(const l1_pool *q, const double *v, double *out);
/* out (n) += alpha X_S w. */
PARE_NODISCARD pare_status l1_pool_combine(l1_pool *q, double alpha, const double *w, double *out,
                                           const pare_ctx *ctx, pare_error *err);

/* The column at a place, n. */
PARE_NODISCARD pare_status l1_pool_column(const l1_pool *q, int64_t place, double *out,
                                          const pare_ctx *ctx, pare_error *err);

/* A pivot: the candidate at `in` (< 0: none) comes into use with these values, the feature at `out`
 * (< 0: none) becomes a candidate. The candidate takes the place of the feature, or a new last
 * place; if none enters, the last feature takes the place. Prices move with them. */
void l1_pool_exchange(l1_pool *q, int64_t in, int64_t out, const double *values);

#endif
