/* The temperature of log odds: by how much held-out samples say that they are too sure. */
#ifndef PARE_SELECT_TEMPERATURE_H
#define PARE_SELECT_TEMPERATURE_H

#include <stdbool.h>
#include <stdint.h>

/* The T > 0 at which softmax(ln prior + (f - ln prior) / T) has the least cross-entropy to smoothed
 * targets: (N + 1) / (N + c) for the own class and 1 / (N + c) for each other, N the sum of the
 * weights (NULL: ones), c = n_classes. F: n x n_classes, column-major, or of two classes n scores f
 * that stand for (0, f), of samples that the predictor was not trained on. Where no finite T is best
 * T is so large that the prior is all that is left, and *flat is true; without any score to tell the
 * classes apart T is 1. C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger. On calibration of modern neural
 * networks. ICML 2017, here around the prior and with Platt's smoothed targets. */
double temperature_fit(bool *flat, const double *F, int64_t n, int64_t n_classes,
                       const int32_t *cls, const double *log_prior, const double *weight);

#endif
