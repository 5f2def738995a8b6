/* Factors of small dense matrices, column-major with a stride of `stride` numbers from column to
 * column. */
#ifndef PARE_LA_FACTOR_H
#define PARE_LA_FACTOR_H

#include <stdbool.h>
#include <stdint.h>

/* Cholesky's factor of A (n x n), in place; only this triangle, 'L' or 'U', is read and written.
 * Returns how many columns were positive definite to rounding: n where all is well. Never n if
 * there is a NaN. */
int64_t chol_columns(char triangle, int64_t n, double *A, int64_t stride);
static inline bool chol_factor(char triangle, int64_t n, double *A, int64_t stride) {
    return chol_columns(triangle, n, A, stride) == n;
}
/* B (n x columns, contiguous) becomes A^-1 B. */
void chol_solve(char triangle, int64_t n, const double *A, int64_t stride, double *B,
                int64_t columns);

/* Factors A and solves; false: not positive definite, B is unchanged. */
static inline bool chol_factor_solve(char triangle, int64_t n, double *A, int64_t stride, double *B,
                                     int64_t columns) {
    bool definite = chol_factor(triangle, n, A, stride);
    if (definite) chol_solve(triangle, n, A, stride, B, columns);
    return definite;
}

/* P L U of A (rows x columns), in place; false: a pivot is exactly 0. pivot: row k and row pivot[k]
 * - 1 change places, one after the other. */
bool lu_factor(int64_t rows, int64_t columns, double *A, int64_t stride, int *pivot);
/* B (n x columns, column stride B_stride) becomes A^-1 B, or A'^-1 B. */
void lu_solve(bool transposed, int64_t n, const double *A, int64_t stride, const int *pivot,
              double *B, int64_t B_stride, int64_t columns);

#endif
