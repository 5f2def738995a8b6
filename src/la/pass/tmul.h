/* X'U of one view, or of several views of one matrix in one pass over X. */
#ifndef PARE_LA_PASS_TMUL_H
#define PARE_LA_PASS_TMUL_H

#include "la/product/tile.h"

enum {
    TMUL_FEW = 4,
    TMUL_MAX_REQUESTS = 64 /* products of a pass at most */
};

/* One product: X'U of a view, or (X.X)'U. */
typedef struct tmul_request {
    const view *v;
    const double *U;
    int64_t c; /* TMUL_FEW at most */
    bool squared;
    double *out;
} tmul_request;

/* A pass over X. Columns go by in chunks that share nothing, so that any division among threads and any
 * company of other products gives the same bits. */
typedef struct tmul_pass {
    const tmul_request *const *ask;
    int64_t count, chunks, wide;
    bool whole;     /* columns come with all rows of X, and each product picks its own */
    failure failed; /* in some chunk */
} tmul_pass;

/* Whether the product may share a pass with others: X has no missing values and not too many rows, and the
 * columns are in ascending order. */
bool tmul_shares(const tmul_request *a);
/* ask: products with one matrix that share, or one alone. They stay the caller's. */
tmul_pass tmul_plan(const tmul_request *const *ask, int64_t count);
/* Doubles of scratch, aligned to 64 bytes, that a thread needs. */
int64_t tmul_scratch(const tmul_pass *p);
/* The same for any pass of products that share, with as many rows as x or fewer. */
int64_t tmul_scratch_shared(const matrix *x);
/* Columns of X that were read for it. */
int64_t tmul_chunk(tmul_pass *p, int64_t chunk, double *scratch);

#endif
