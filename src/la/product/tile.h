/* Operations on any kind that can load its columns: what tile.c and product.c share, and what
 * matrix.c calls where a kind has nothing better. */
#ifndef PARE_LA_PRODUCT_TILE_H
#define PARE_LA_PRODUCT_TILE_H

#include <stdatomic.h>

#include "la/storage.h"

enum { MAX_TILE = 512 }; /* columns of a tile */

/* Columns of a tile: about 2^17 numbers, which stay in a core's cache between load and product. */
int64_t tile_width(int64_t n);

/* The tree in which a product is summed (product.c): TREE_NODE consecutive columns make a node, and
 * TREE_FAN neighbours are added to one sum on the level above. */
enum { TREE_LEAF = 512, TREE_NODE = 8 * TREE_LEAF, TREE_FAN = 16, TREE_LEVELS = 16 };

/* The unit in which columns may be divided without changing the bits of X'U, for c columns of U. */
int64_t tile_tmul_unit(int64_t n, int64_t c);

/* Base column 0, where the view has all rows, no scaling, and X lies in memory as doubles: a column
 * then needs no copy. Else NULL. */
const double *tile_direct(const view *v, int64_t *stride);

/* out (n x count) = the view's columns over base[0 .. count-1], each times its factor (NULL: 1). */
pare_status tile_load(const view *v, const int64_t *base, int64_t count, const double *factor,
                      double *out, pare_error *err);

/* The same in single precision; scratch: n x count. */
pare_status tile_load_single(const view *v, const int64_t *base, int64_t count,
                             const double *factor, double *scratch, float *out, pare_error *err);

/* The first error in a parallel loop. */
typedef struct failure {
    atomic_int noted; /* 1: one thread fills in the rest */
    pare_status status;
    pare_error error;
} failure;

void failure_note(failure *f, pare_status status, const pare_error *error);
pare_status failure_end(const failure *f, pare_error *err);

/* View columns first .. first + count - 1, count <= MAX_TILE; zeros where they cannot be read. */
void load_run(const view *v, int64_t first, int64_t count, double *out, failure *failed);

pare_status tile_gram(const view *a, const view *b, const double *z, double *K, const pare_ctx *ctx,
                      pare_error *err);
pare_status tile_gram_many(int64_t count, const view *v, const double *const *z, double *const *K,
                           const pare_ctx *ctx, pare_error *err);
pare_status tile_tmul(const view *v, const double *U, int64_t c, bool squared, double *out,
                      const pare_ctx *ctx, pare_error *err);
pare_status tile_mul(const view *v, const int64_t *S, int64_t s, const double *W, int64_t c,
                     double *F, const pare_ctx *ctx, pare_error *err);
pare_status tile_stats_many(int64_t count, const view *v, const double *const *weight,
                            col_stats *const *out, const pare_ctx *ctx, pare_error *err);
pare_status tile_asinh_fit_many(int64_t count, const view *v, double unit, const asinh_fit *out,
                                const pare_ctx *ctx, pare_error *err);
pare_status tile_compact(matrix *out, const view *v, const pare_ctx *ctx, pare_error *err);
pare_status tile_walk_open(walk *w, pare_error *err);
pare_status tile_column(walk *w, int64_t j, column *out, pare_error *err);

#endif
