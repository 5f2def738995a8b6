/* Weighted sums of single features' kernels over the samples of a view:
 *
 *   K_r = sum_j w_jr k_j,   r = 0 .. count-1
 *
 * in one pass over the features, whatever count is. k_j is computed up to a term that centring
 * removes (k_j + u 1' + 1 u'), so that values that most samples share cost nothing: centre the
 * result. COST per feature: half the square of the number of samples off its commonest value (few
 * distinct values) or off its unlisted value (sparse), n^2 / 2 otherwise
 * (solve/kernel/feature_pairs.h), at about 1.3 ns each for one sum. */
#ifndef PARE_SOLVE_KERNEL_KERNEL_SUM_H
#define PARE_SOLVE_KERNEL_KERNEL_SUM_H

#include "la/matrix.h"
#include "solve/kernel/kernel_align.h"

typedef struct kernel_sum {
    kernel_kind kind;
    const double *gamma;  /* d, of each view column (rbf) */
    int64_t count;        /* of sums */
    const double *weight; /* d x count, each >= 0 */
} kernel_sum;

/* Adds the features to what K[r] holds: n x n by rows, of which only the lower triangle (columns up
 * to the row) is to be used. */
PARE_NODISCARD pare_status kernel_sum_add(double *const *K, const view *x, const kernel_sum *sum,
                                          const pare_ctx *ctx, pare_error *err);

/* K[r]: n x n, both triangles. */
PARE_NODISCARD pare_status kernel_sum_gram(double *const *K, const view *x, const kernel_sum *sum,
                                           const pare_ctx *ctx, pare_error *err);

/* HKH with H = I - 1 s'/S; s: n sample weights, rows of weight 0 are centred with the others. */
PARE_NODISCARD pare_status kernel_sum_centre(double *K, const double *s, int64_t n,
                                             const pare_ctx *ctx, pare_error *err);

#endif
