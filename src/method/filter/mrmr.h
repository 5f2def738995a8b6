/* Redundancy of features: the amount that a chosen feature adds to the redundancy sums of all
 * others. */
#ifndef PARE_METHOD_FILTER_MRMR_H
#define PARE_METHOD_FILTER_MRMR_H

#include "method/filter/filter.h"

enum { MRMR_OPEN = 0, MRMR_CHOSEN, MRMR_CONSTANT };

typedef struct mrmr {
    int64_t d;
    bool quotient, f_test;
    double *V, *R; /* d: relevance; sum of the redundancies with those chosen */
    char *state;   /* d */
    /* Information. */
    filter f;
    int64_t bins;
    int64_t *start;     /* d + 1: where a column's bins begin; a byte for each stored entry */
    unsigned char *bin; /* and the bin of the entries that are not stored */
    unsigned char *rest;
    int32_t *chosen;  /* n: the bins of the last chosen feature, or the classes */
    int64_t n_chosen; /* number of those bins or classes */
    /* For dense samples of weight 1: bit masks of the bins of each column and of the chosen one,
       `words` numbers each; NULL: none. */
    uint64_t *mask, *chosen_mask;
    int64_t words;
    double *margin; /* d: sum_b g(t_b), g(t) = t ln t */
    /* Correlation. */
    view x;              /* centred */
    double *over;        /* d: 1 / |x_j|, 0: constant */
    double *z, *product; /* n, d */
    const double *weight;
} mrmr;

PARE_NODISCARD pare_status mrmr_bins(mrmr *s, arena *mem, const fit_job *job, const pare_ctx *ctx,
                                     pare_error *err);
/* V from the bins. */
PARE_NODISCARD pare_status mrmr_relevance(mrmr *s, arena *mem, const pare_ctx *ctx,
                                          pare_error *err);
PARE_NODISCARD pare_status mrmr_compare(mrmr *s, int64_t chosen, const pare_ctx *ctx,
                                        pare_error *err);
PARE_NODISCARD pare_status mrmr_moments(mrmr *s, arena *mem, const fit_job *job,
                                        const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status mrmr_correlate(mrmr *s, int64_t chosen, const pare_ctx *ctx,
                                          pare_error *err);

#endif
