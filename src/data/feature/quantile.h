/* Quantiles of weighted values. */
#ifndef PARE_DATA_FEATURE_QUANTILE_H
#define PARE_DATA_FEATURE_QUANTILE_H

#include "base/order.h"

/* At the share p of the values, sorted least first; weight: by their index, or NULL. Of whole weights
 * that of the values so often repeated, linear between two; else the value at p of the weight. */
double quantile_of(const ranked *sorted, int64_t count, const double *weight, double p);

#endif
