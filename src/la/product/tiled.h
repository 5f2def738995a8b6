/* Products and Cholesky factors of n-sized symmetric matrices on several threads, over tiles that
 * do not depend on their number: the same bytes on any. Column-major, lower triangles; what is
 * above the diagonal may be overwritten. BLAS itself runs on one thread. */
#ifndef PARE_LA_PRODUCT_TILED_H
#define PARE_LA_PRODUCT_TILED_H

#include <stdbool.h>
#include <stdint.h>

/* C = A A' (n x n), A n x k. */
void tiled_square(int64_t n, int64_t k, const double *A, double *C, int threads);

/* A = L L' in place; false: not positive definite. */
bool tiled_factor(int64_t n, double *A, int threads);

#endif
