/* Quantiles of weighted values. */
#ifndef PARE_DATA_FEATURE_QUANTILE_H
#define PARE_DATA_FEATURE_QUANTILE_H

#include "base/order.h"

/* The p-quantile of the values, which are sorted ascending; weight: by their index, or NULL. With
 * integer weights it is that of the values repeated as often, interpolated linearly; else the value
 * at which the cumulative weight reaches p. */
double quantile_of(const ranked *sorted, int64_t count, const double *weight, double p);

#endif
