/* Sums over pairs of samples with coefficients that are the same for every feature, as graphs and
 * neighbourhoods define them. One walk over the columns; each is scored by itself. */
#ifndef PARE_METHOD_FILTER_SAMPLE_PAIRS_H
#define PARE_METHOD_FILTER_SAMPLE_PAIRS_H

#include "method/method.h"

typedef struct pair_list {
    int64_t n;
    int64_t *start; /* n + 1: the pairs of sample i */
    int32_t *other;
    double *coef;
} pair_list;

/* The score of a column from its n values and sum_pairs coef |x_i - x_other| (or its square). */
typedef double pair_score(const void *user, const double *x, double sum);

/* Scores and ranks all columns of the view. */
PARE_NODISCARD pare_status pairs_run(fit_result *r, const view *x, const pair_list *p, bool squared,
                                     pair_score *score, const void *user, const pare_ctx *ctx,
                                     pare_error *err);

/* D (n x n) = distances of the samples in the 1-norm over all columns, from tiles of columns, or
 * for sparse data from the pairs of stored entries. */
PARE_NODISCARD pare_status manhattan(double *D, const view *x, const pare_ctx *ctx,
                                     pare_error *err);

/* A graph of nearest neighbours in the scaled features: i and j are joined where one is among the
 * nearest of the other, by w_i w_j exp(-dist^2 / t), t the mean of dist^2 over the edges. */
typedef struct graph {
    pair_list edges; /* each once */
    double *degree;  /* n: sums over the edges of a sample */
    double total;    /* of the degrees */
} graph;

PARE_NODISCARD pare_status graph_make(graph *g, arena *mem, const fit_job *job, int64_t neighbours,
                                      const pare_ctx *ctx, pare_error *err);

#endif
