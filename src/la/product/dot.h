/* Inner products of two short vectors. */
#ifndef PARE_LA_PRODUCT_DOT_H
#define PARE_LA_PRODUCT_DOT_H

#include <stdint.h>

/* Eight running sums: enough to keep the adders busy without reassociating at the compiler's
 * whim. */
static inline double la_dot(const double *x, const double *u, int64_t n) {
    double s[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++) s[k] += x[i + k] * u[i + k];
    for (int k = 0; i < n; i++, k++) s[k] += x[i] * u[i];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* Prefetches the next column, which may lie anywhere; for a long one the start is enough. */
static inline void prefetch_column(const double *x, int64_t n) {
    for (int64_t i = 0; i < n && i < 256; i += 8) __builtin_prefetch(x + i);
}

#endif
