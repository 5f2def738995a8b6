/* Private to glm/: prices X'U of all columns at dual points, in passes that serve several points.
 *
 * Each block keeps its price at the last point it was read for, and which that was. Where blocks
 * are single features of one output, that bounds its price at other points (bound.h): columns whose
 * bound stays allowed at every point of a pass are not read; the others are read for the last
 * point, and for those before it only where the bound from two points does not exclude them. */
#ifndef PARE_SOLVE_GLM_PRICE_H
#define PARE_SOLVE_GLM_PRICE_H

#include "solve/glm/glm.h"

/* A dual point to be priced: in: U and lambda; out: the rest, over all blocks. */
typedef struct price_point {
    const double *U; /* n x c, the outputs of a sample together */
    double lambda;
    double price;     /* the largest */
    double conjugate; /* of X'U, for alpha < 1 */
} price_point;

typedef struct prices {
    const glm_problem *p;
    const pare_ctx *ctx;
    double
        *last; /* n_blocks: the price at the last point it was read for; with bounds x'U / norm */
    int32_t *when;  /* n_blocks: number of that point */
    double *norm2;  /* n_blocks, or NULL: no bounds */
    double *weight; /* n, with bounds: 1 / share, or 0 */
    double *point;  /* points x n, kept for the bounds */
    int64_t n_points, capacity;
    bool *above;   /* n_blocks: above lambda alpha at some point of the last pass */
    int64_t *cols; /* d: columns to read, of the base */
    int64_t *list; /* n_blocks: the blocks to read */
    double *U, *out;
    int64_t U_capacity, out_capacity;
    double passes;
} prices;

PARE_NODISCARD pare_status prices_open(prices *s, const glm_problem *p, const pare_ctx *ctx,
                                       pare_error *err);
void prices_close(prices *s);
/* The price of a block at the last point it was read for. */
double prices_last(const prices *s, int64_t g);
/* One pass over the columns that no bound excludes. all: over every column. */
PARE_NODISCARD pare_status prices_pass(prices *s, price_point *point, int64_t count, bool all,
                                       pare_error *err);

#endif
