/* X distributed over ranks: each rank holds some of its columns. distributed.c has the matrix and
 * the operations column by column, distributed_sum.c those that sum over columns. matrix.c calls
 * them where a matrix, or the matrix that it shows, is distributed and the context has ranks. */
#ifndef PARE_LA_DISTRIBUTED_DISTRIBUTED_H
#define PARE_LA_DISTRIBUTED_DISTRIBUTED_H

#include <omp.h>

#include <pare/ranks.h>

#include "la/storage.h"

typedef struct distributed {
    pare_ranks ranks;
    pare_allocator mem;
    matrix own;     /* has the columns of this rank, and perhaps others */
    int64_t first;  /* the base column of its column 0 */
    int64_t *start; /* ranks + 1: rank r has start[r] .. start[r + 1] - 1 */
    int64_t service;
    omp_lock_t lock;   /* of what follows: the cache of columns of other ranks */
    int64_t max_fetch; /* columns of one request */
    int64_t slots, *key;
    double *cached, *staged;
} distributed;

/* The distributed matrix behind x; NULL: this process holds all of x. */
const distributed *distributed_under(const matrix *x);

/* How the columns of a call are divided: `unit` neighbours stay together, rank r computes units
 * from[r] .. from[r + 1] - 1. */
typedef struct share {
    const pare_ranks *ranks; /* NULL: this process computes all */
    int64_t units;
    int64_t *from; /* ranks + 1 */
} share;

/* Divides columns S of the view (NULL: all `count`). Memory from mem. */
pare_status share_make(share *out, const view *v, const int64_t *S, int64_t count, int64_t unit,
                       arena *mem, const pare_ctx *ctx, pare_error *err);
/* *out = columns S[from] .. S[to - 1] of a view (S NULL: from .. to - 1), for work on this rank. If
 * this rank holds them all, *out is a view of its own matrix. Memory from mem. */
pare_status share_part(view *out, const view *v, const int64_t *S, int64_t from, int64_t to,
                       arena *mem, pare_error *err);
/* v, restricted to the columns of `part`, which is part of a view of the same columns. */
view share_align(const view *v, const view *part);
/* The context for work of this rank without the others. */
pare_ctx single_process_ctx(const pare_ctx *ctx);

/* The operations of matrix.h where neither distributed_under nor ctx_ranks is NULL. */
pare_status distributed_gram(const view *a, const view *b, const double *z, double *K,
                             const pare_ctx *ctx, pare_error *err);
pare_status distributed_gram_many(int64_t count, const view *v, const double *const *z,
                                  double *const *K, const pare_ctx *ctx, pare_error *err);
pare_status distributed_mul(const view *v, const int64_t *S, int64_t s, const double *W, int64_t c,
                            double *F, const pare_ctx *ctx, pare_error *err);
pare_status distributed_tmul(const view *v, const double *U, int64_t c, bool squared, double *out,
                             const pare_ctx *ctx, pare_error *err);
pare_status distributed_stats(const view *v, const double *weight, col_stats *out,
                              const pare_ctx *ctx, pare_error *err);
pare_status distributed_columns(const view *v, const int64_t *S, int64_t s, double *out,
                                const pare_ctx *ctx, pare_error *err);

#endif
