/* X'U of one view, or of several views of one matrix in one pass over X. */
#ifndef PARE_LA_PASS_TMUL_H
#define PARE_LA_PASS_TMUL_H

#include "la/product/tile.h"

enum {
    MAX_FEW_RHS = 4, /* right-hand sides that take the interleaved way; more go through BLAS */
    MAX_TMUL_REQUESTS = 64 /* products of a pass */
};

/* One product: X'U of a view, or (X.X)'U. */
typedef struct tmul_request {
    const view *v;
    const double *U;
    int64_t c; /* MAX_FEW_RHS at most */
    bool squared;
    double *out;
} tmul_request;

/* A pass over X for a batch of products. Columns are processed in chunks that share nothing, so
 * that the bits of a product depend neither on the threads nor on the other products of the
 * batch. */
typedef struct tmul_pass {
    const tmul_request *const *request;
    int64_t count, chunks, wide;
    bool whole;     /* columns are loaded with all rows of X, and each product reads its own */
    failure failed; /* in some chunk */
} tmul_pass;

/* Returns true if the product may share a pass with others: X has no missing values and at most
 * SIMD_BLOCK_ROWS rows, and the columns of the view ascend. */
bool tmul_shares(const tmul_request *a);
/* request: products with one matrix that may all share, or a single one. They stay the caller's. */
tmul_pass tmul_plan(const tmul_request *const *request, int64_t count);
/* Doubles of scratch, aligned to 64 bytes, that a thread needs. */
int64_t tmul_scratch(const tmul_pass *p);
/* The same for any shared pass over x. */
int64_t tmul_scratch_shared(const matrix *x);
/* Computes one chunk; returns how many columns of X it read. */
int64_t tmul_chunk(tmul_pass *p, int64_t chunk, double *scratch);

#endif
