/* Dense storage: what dense.c and dense_product.c share. */
#ifndef PARE_LA_DENSE_H
#define PARE_LA_DENSE_H

#include "la/storage.h"

/* Columns of a tile: about 2^17 numbers, which stay in a core's cache between load and product. */
int64_t dense_tile_width(int64_t n);

/* The view shows the matrix's own rows and values: a column needs no copy. */
bool dense_is_direct(const view *v);

/* out = factor * the view's column over base column `base`, n numbers. */
void dense_load(const view *v, int64_t base, double factor, double *out);

pare_status dense_gram(const view *a, const view *b, const double *z, double *K,
                       const pare_ctx *ctx, pare_error *err);
pare_status dense_gram_many(int64_t count, const view *v, const double *const *z, double *const *K,
                            const pare_ctx *ctx, pare_error *err);
pare_status dense_mul(const view *v, const int64_t *S, int64_t s, const double *W, int64_t c,
                      double *F, const pare_ctx *ctx, pare_error *err);

#endif
