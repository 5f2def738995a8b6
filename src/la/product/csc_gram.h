/* Grams of sparse columns: declarations that the two algorithms share (csc_gram.c has the
 * mathematics). */
#ifndef PARE_LA_PRODUCT_CSC_GRAM_H
#define PARE_LA_PRODUCT_CSC_GRAM_H

#include "base/memory.h"
#include "la/kind/csc.h"

/* K = A diag(z) B' with A = S_a + 1 r_a', B = S_b + 1 r_b'. */
typedef struct product {
    const view *a, *b; /* b NULL: symmetric */
    const double *z;
    int64_t na, nb;
    row_map map_a, map_b;
    int64_t most; /* positions of one row in a view */
    bool shifted;
    double *qa, *qb, t; /* S_a Z r_b, S_b Z r_a (the same where symmetric) and r_a'Z r_b */
    double *K;          /* S_a Z S_b'; where symmetric, each pair in one of the two triangles */
} product;

typedef struct products {
    int64_t count;
    product *of;
    int threads;
} products;

/* Both add to K, qa, qb and t, which must be zero. */
pare_status csc_gram_small(products *p, arena *scratch, pare_error *err);
pare_status csc_gram_large(products *p, arena *scratch, pare_error *err);

#endif
