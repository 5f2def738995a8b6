/* Small linear systems by plain elimination, for references that share nothing with LAPACK. */
#ifndef PARE_TESTS_ELIMINATION_H
#define PARE_TESTS_ELIMINATION_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static inline void swap_numbers(double *a, double *b) {
    double t = *a;
    *a = *b;
    *b = t;
}

/* Solves the m x m system, a by rows, with row pivots; the solution lands in b. False: a is singular.
 * Both are overwritten. */
static inline bool eliminate(double *a, double *b, int64_t m) {
    for (int64_t k = 0; k < m; k++) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < m; i++)
            if (fabs(a[i * m + k]) > fabs(a[pivot * m + k])) pivot = i;
        if (!(fabs(a[pivot * m + k]) > 1e-11)) return false;
        for (int64_t j = 0; j < m; j++) swap_numbers(&a[k * m + j], &a[pivot * m + j]);
        swap_numbers(&b[k], &b[pivot]);
        for (int64_t i = k + 1; i < m; i++) {
            double q = a[i * m + k] / a[k * m + k];
            for (int64_t j = k; j < m; j++) a[i * m + j] -= q * a[k * m + j];
            b[i] -= q * b[k];
        }
    }
    for (int64_t k = m - 1; k >= 0; k--) {
        for (int64_t j = k + 1; j < m; j++) b[k] -= a[k * m + j] * b[j];
        b[k] /= a[k * m + k];
    }
    return true;
}

#endif
