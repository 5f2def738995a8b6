/* Factors of small dense matrices, column-major with `apart` numbers from column to column. */
#ifndef PARE_LA_FACTOR_H
#define PARE_LA_FACTOR_H

#include <stdbool.h>
#include <stdint.h>

/* Cholesky's factor of A (n x n), in place; only this triangle, 'L' or 'U', is read and written.
 * Returns how many columns were positive definite to rounding: n where all is well. Never n if there
 * is a NaN. */
int64_t chol_columns(char triangle, int64_t n, double *A, int64_t apart);
static inline bool chol_factor(char triangle, int64_t n, double *A, int64_t apart) {
    return chol_columns(triangle, n, A, apart) == n;
}
/* B (n x columns, n apart) becomes A^-1 B. */
void chol_solve(char triangle, int64_t n, const double *A, int64_t apart, double *B,
                int64_t columns);

/* Both; false: B is as it was. */
static inline bool chol_factor_solve(char triangle, int64_t n, double *A, int64_t apart, double *B,
                                     int64_t columns) {
    bool definite = chol_factor(triangle, n, A, apart);
    if (definite) chol_solve(triangle, n, A, apart, B, columns);
    return definite;
}

/* P L U of A (rows x columns), in place; false: a pivot is exactly 0. pivot: row k and row pivot[k] - 1
 * change places, one after the other. */
bool lu_factor(int64_t rows, int64_t columns, double *A, int64_t apart, int *pivot);
/* B (n x columns, B_apart apart) becomes A^-1 B, or A'^-1 B. */
void lu_solve(bool transposed, int64_t n, const double *A, int64_t apart, const int *pivot,
              double *B, int64_t B_apart, int64_t columns);

#endif
