#include "la/factor.h"

#include <lapacke.h>
#include <math.h>

int64_t chol_columns(char triangle, int64_t n, double *A, int64_t stride) {
    if (n == 0) return 0;
    lapack_int failed =
        LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, triangle, (lapack_int)n, A, (lapack_int)stride);
    if (failed != 0) return failed > 0 ? failed - 1 : 0;
    return isfinite(A[(n - 1) * stride + n - 1])
               ? n
               : n - 1; /* a NaN anywhere spreads to the last pivot */
}

void chol_solve(char triangle, int64_t n, const double *A, int64_t stride, double *B,
                int64_t columns) {
    if (n == 0 || columns == 0) return;
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, triangle, (lapack_int)n, (lapack_int)columns, A,
                        (lapack_int)stride, B, (lapack_int)n);
}

bool lu_factor(int64_t rows, int64_t columns, double *A, int64_t stride, int *pivot) {
    return rows == 0 || columns == 0 ||
           LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, (lapack_int)rows, (lapack_int)columns, A,
                               (lapack_int)stride, pivot) == 0;
}

void lu_solve(bool transposed, int64_t n, const double *A, int64_t stride, const int *pivot,
              double *B, int64_t B_stride, int64_t columns) {
    if (n == 0 || columns == 0) return;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, transposed ? 'T' : 'N', (lapack_int)n,
                        (lapack_int)columns, A, (lapack_int)stride, pivot, B, (lapack_int)B_stride);
}
