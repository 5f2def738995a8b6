/* Platt's sigmoid: from a decision value to the probability of the positive class. */
#ifndef PARE_SELECT_PLATT_H
#define PARE_SELECT_PLATT_H

#include <stdbool.h>
#include <stdint.h>

/* p = 1 / (1 + exp(a f + b)) of least cross-entropy to smoothed targets, (N+ + 1) / (N+ + 2) for
 * the positive samples and 1 / (N- + 2) for the others, N the sums of weights (NULL: ones). f must
 * be of samples that the predictor was not trained on. J. Platt. Probabilistic outputs for support
 * vector machines. Advances in Large Margin Classifiers, 1999; Newton's method as in H.-T. Lin,
 * C.-J. Lin, R. C. Weng. A note on Platt's probabilistic outputs. Machine Learning 68:267-276,
 * 2007. */
void platt_fit(double *a, double *b, int64_t n, const double *f, const bool *positive,
               const double *weight);

#endif
