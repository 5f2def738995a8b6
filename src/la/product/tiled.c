#include "la/product/tiled.h"

#include "la/factor.h"

#include <cblas.h>

enum { TILE = 96 };

static int64_t width_at(int64_t n, int64_t from) { return n - from < TILE ? n - from : TILE; }

void tiled_square(int64_t n, int64_t k, const double *A, double *C, int threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t j = 0; j < n; j += TILE)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)(n - j), (int)width_at(n, j),
                    (int)k, 1, A + j, (int)n, A + j, (int)n, 0, C + j * n + j, (int)n);
}

/* For each tile of columns: factor its diagonal block, the rows below it, then update the rest. */
bool tiled_factor(int64_t n, double *A, int threads) {
    for (int64_t j = 0; j < n; j += TILE) {
        int64_t width = width_at(n, j), below = j + width;
        double *own = A + j * n + j;
        if (!chol_factor('L', width, own, n)) return false;
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int64_t i = below; i < n; i += TILE)
            cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
                        (int)width_at(n, i), (int)width, 1, own, (int)n, A + j * n + i, (int)n);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t i = below; i < n; i += TILE)
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)(n - i), (int)width_at(n, i),
                        (int)width, -1, A + j * n + i, (int)n, A + j * n + i, (int)n, 1,
                        A + i * n + i, (int)n);
    }
    return true;
}
