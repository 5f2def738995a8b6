/* The samples of a Cox model in the order of its sums: stratum by stratum, the latest times first.
 *
 * A block is what enters the risk set at the time of some events: first the samples with an event at
 * that time (tied), then the censored of that time and up to the next later event. The samples of a
 * stratum that are censored before its first event are a last block without events. Risk set of a block:
 * its samples and those of the blocks before it in its stratum.
 *
 * A term is a factor of the partial likelihood, c ln(sum over the risk set - less of the tied):
 *   breslow   one per block, c the tied shares together, less 0
 *   efron     one per tied sample, l-th of m: c their mean share, less l / m */
#ifndef PARE_SOLVE_GLM_RISK_SETS_H
#define PARE_SOLVE_GLM_RISK_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/status.h>

#include "base/memory.h"

typedef struct risk_block {
    int64_t from, others, to; /* of order: the tied from `from`, in row order, then the others */
    double tied, rest; /* scratch of one evaluation: sums over the tied, and over the rest of the */
    double tied_sum, rest_sum; /* risk set; the same of a product with the curvature */
} risk_block;

typedef struct risk_sets {
    int64_t n, n_blocks, n_strata;
    int32_t *order;
    risk_block *block;
    int64_t *first; /* n_strata + 1: the first block of each */
    double *weight; /* n */
    bool efron;
    double least; /* no fitted values have a smaller loss */
} risk_sets;

/* time, event (1 or 0) and stratum (below n_strata, or NULL: one) of n samples; weight NULL: ones.
 * Memory from the arena. */
PARE_NODISCARD pare_status risk_sets_open(risk_sets *r, arena *mem, int64_t n, const double *time,
                                          const int32_t *event, const int32_t *stratum,
                                          int64_t n_strata, const double *weight, bool efron,
                                          pare_error *err);

static inline int64_t risk_terms(const risk_sets *r, const risk_block *b) {
    int64_t tied = b->others - b->from;
    return r->efron || tied == 0 ? tied : 1;
}

/* The part of the tied that term l of a block leaves in. */
static inline double risk_part(const risk_sets *r, const risk_block *b, int64_t l) {
    return r->efron ? 1 - (double)l / (double)(b->others - b->from) : 1;
}

#endif
