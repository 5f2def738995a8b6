/* Kernels of single features by definition, for references on dense kernel matrices. */
#ifndef PARE_TESTS_FEATURE_KERNELS_H
#define PARE_TESTS_FEATURE_KERNELS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* exp(-(x - x')^2 / (2 var)), x x' or [x = x'], centred by the weights, of trace 1. */
static inline void write_kernel(double *K, int64_t n, const double *x, const double *w,
                                const char *kernel) {
    double total = 0, mean = 0, var = 0, all = 0, trace = 0;
    double *row = calloc((size_t)n, sizeof *row);
    for (int64_t i = 0; i < n; i++) total += w[i];
    for (int64_t i = 0; i < n; i++) mean += w[i] * x[i] / total;
    for (int64_t i = 0; i < n; i++) var += w[i] * (x[i] - mean) * (x[i] - mean) / total;
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < n; b++)
            K[a * n + b] = kernel[0] == 'l'   ? x[a] * x[b]
                           : kernel[0] == 'd' ? x[a] == x[b]
                                              : exp(-(x[a] - x[b]) * (x[a] - x[b]) / (2 * var));
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < n; b++) row[a] += w[b] * K[a * n + b] / total;
    for (int64_t a = 0; a < n; a++) all += w[a] * row[a] / total;
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < n; b++) K[a * n + b] += all - row[a] - row[b];
    for (int64_t a = 0; a < n; a++) trace += w[a] * K[a * n + a];
    for (int64_t e = 0; e < n * n; e++) K[e] /= trace;
    free(row);
}

#endif
