/* A sparse penalty as one object: value, proximal operator, distance to the subdifferential, price
 * (dual norm) and conjugate, with costs, groups and several outputs.
 *
 *   lambda Omega(B) = lambda sum over units u of [ alpha a_u |B_u|_2 + (1 - alpha)/2 e_u |B_u|^2 ]
 *
 * A block is a feature, or a group of features that enter and leave together; a unit is a block in
 * one output, or with `rows` in all outputs at once. e is the block's cost, a = e sqrt(features in
 * it). Cost 0: the block is free, not penalised at all. Features with a sign (one output only): their
 * coefficients are of it or 0, and only a gradient against it moves them from 0.
 *
 * Coefficients of a block are m x c, the c outputs of a feature contiguous: v[k * c + o]. */
#ifndef PARE_SOLVE_GLM_PENALTY_H
#define PARE_SOLVE_GLM_PENALTY_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <pare/status.h>

#include "base/memory.h"

typedef struct penalty {
    int64_t d, c;
    double alpha; /* share of the norms, 0 .. 1 */
    bool rows;
    int64_t n_blocks;
    int64_t *start, *member; /* n_blocks + 1, d: the features of block g, member[start[g] ...] */
    int64_t *block;          /* d: the block of each feature */
    double *cost, *norm;     /* n_blocks: e and a */
    int64_t largest;         /* features of the largest block */
    bool some_free;
    const signed char *sign; /* d: 1, -1, 0: either; borrowed, set by the caller; NULL: all are 0 */
} penalty;

/* group: d numbers below n_groups, or NULL: every feature for itself. cost: d numbers >= 0, or
 * NULL: ones; a group costs the mean of its features' costs. Arrays come from the arena. */
PARE_NODISCARD pare_status penalty_open(penalty *p, arena *mem, int64_t d, int64_t c, double alpha,
                                        bool rows, const int64_t *group, int64_t n_groups,
                                        const double *cost, pare_error *err);

static inline int64_t penalty_size(const penalty *p, int64_t g) {
    return p->start[g + 1] - p->start[g];
}
static inline bool penalty_free(const penalty *p, int64_t g) { return p->cost[g] == 0; }
static inline int penalty_sign(const penalty *p, int64_t feature) {
    return p->sign ? p->sign[feature] : 0;
}
/* Whether x is no coefficient of that sign. */
static inline bool sign_against(int sign, double x) { return sign * x < 0; }
/* What moves a coefficient of 0 with that sign out of it, by the gradient. */
static inline double sign_pull(int sign, double gradient) {
    return sign == 0 ? fabs(gradient) : fmax(-sign * gradient, 0);
}

/* Of block g at lambda = 1: Omega. */
double penalty_value(const penalty *p, int64_t g, const double *v);
/* v becomes argmin_x 1/2 |x - v|^2 + step Omega(x) on block g. */
void penalty_prox(const penalty *p, int64_t g, double step, double *v);
/* The same for a unit of one number. */
double penalty_shrink(const penalty *p, int64_t g, double step, double x);
/* The distance of -gradient from lambda times the subdifferential of Omega at v: 0 at an
 * optimum. */
double penalty_distance(const penalty *p, int64_t g, double lambda, const double *v,
                        const double *gradient);
/* The largest |u| / a over the units of the block, of what pulls of u: gradient u is allowed at v = 0
 * as long as this is at most lambda alpha. 0 for a free block. */
double penalty_price(const penalty *p, int64_t g, const double *u);
/* (lambda Omega)*(-u) for alpha < 1; for alpha = 1 it is 0 where the price allows u, else
 * infinite. */
double penalty_conjugate(const penalty *p, int64_t g, double lambda, const double *u);

#endif
