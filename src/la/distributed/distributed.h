/* X distributed over ranks: each holds some of its columns. distributed.c has the matrix itself and what is done
 * column by column, distributed_sum.c what is summed over columns; matrix.c turns to them where a matrix,
 * or what it shows, is distributed and the context may talk to the other ranks. */
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
    omp_lock_t lock; /* of what follows: columns of others that came before */
    int64_t at_once; /* columns that are asked for together */
    int64_t slots, *key;
    double *kept, *staged;
} distributed;

/* The distributed matrix behind x, or NULL: x is all here. */
const distributed *distributed_under(const matrix *x);

/* How the columns of a call are shared out: `unit` neighbours go together, units from[r] ..
 * from[r + 1] - 1 are rank r's. */
typedef struct share {
    const pare_ranks *ranks; /* NULL: this process does all */
    int64_t units;
    int64_t *from; /* ranks + 1 */
} share;

/* Of columns S of the view (NULL: all `count`). Room from mem. */
pare_status share_make(share *out, const view *v, const int64_t *S, int64_t count, int64_t unit,
                       arena *mem, const pare_ctx *ctx, pare_error *err);
/* *out = columns S[from] .. S[to - 1] of a view (S NULL: from .. to - 1), as a rank works on them alone:
 * those of its own where they are, without a way around. Room from mem. */
pare_status share_part(view *out, const view *v, const int64_t *S, int64_t from, int64_t to,
                       arena *mem, pare_error *err);
/* v, with the columns that `part` has of a view of the same columns. */
view share_align(const view *v, const view *part);
/* The context of what a rank does alone. */
pare_ctx alone(const pare_ctx *ctx);

/* The operations of matrix.h on views of which distributed_under is not NULL, where ctx_ranks is not. */
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
