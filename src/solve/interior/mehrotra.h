/* Mehrotra's predictor and corrector, for every problem whose gap is the sum of the products of pairs.
 *
 * A step: the systems are factored at the point; the predictor heads for products 0; the share of the
 * gap that it would leave says, cubed, at what share of the products the corrector aims, with the
 * second-order terms of the predictor. Where they mislead, a third direction heads for the central path
 * without them. Steps end when the gap is small enough, or when rounding lets none go on, which is no
 * error: the best point stands. */
#ifndef PARE_SOLVE_INTERIOR_MEHROTRA_H
#define PARE_SOLVE_INTERIOR_MEHROTRA_H

#include <stdbool.h>

#include <pare/model.h>

typedef enum interior_verdict { INTERIOR_GO_ON, INTERIOR_SOLVED, INTERIOR_STUCK } interior_verdict;

/* A problem: its operations on a state of its own, and constants of its steps. *fine: false where
 * rounding, or an interruption, ends the method. */
typedef struct interior_method {
    const char *name;
    /* Looks at the point, whose products sum to `gap`, and keeps it if it is the best so far. */
    pare_status (*judge)(void *self, double gap, interior_verdict *verdict, const pare_ctx *ctx,
                         pare_error *err);
    pare_status (*factor)(void *self, bool *fine, const pare_ctx *ctx, pare_error *err);
    /* The direction in which the products become `centre`; correct: less the second-order terms of
     * the last one. */
    pare_status (*direction)(void *self, double centre, bool correct, bool *fine,
                             const pare_ctx *ctx, pare_error *err);
    /* The sum of the products after steps of these lengths; 0, 0: now. */
    double (*products)(const void *self, double primal, double dual);
    /* Shortens steps to where a bound is met. */
    void (*reach)(const void *self, double *primal, double *dual);
    void (*move)(void *self, double primal, double dual);

    int max_steps;
    double share;      /* of the way to the boundary that a step goes */
    double least_step; /* shorter ones: rounding has taken over */
    /* 0: none of these. */
    double least_centre;    /* of the gap, that the corrector aims at */
    double far, cautious;   /* `cautious` is the share while the predictor leaves more than `far` of
                               the gap, and towards the central path */
    double worse, centring; /* a corrector that leaves more than `worse` of the gap is misled:
                               `centring` of it is the aim instead */
} interior_method;

/* pairs: how many. *outcome: optimal, max_iter, or why it was stopped; *steps: counted on. */
PARE_NODISCARD pare_status interior_run(void *self, double pairs, const interior_method *m,
                                        int64_t *steps, pare_outcome *outcome, const pare_ctx *ctx,
                                        pare_error *err);

#endif
