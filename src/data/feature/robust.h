/* Robust scaling: asinh((x - median) / spread), the spread being the interquartile range over 1.35,
 * or the deviation where that is 0; features of at most two values are left as they are (spread
 * 0). */
#ifndef PARE_DATA_FEATURE_ROBUST_H
#define PARE_DATA_FEATURE_ROBUST_H

#include "base/memory.h"
#include "la/matrix.h"

/* Median and spread (d) of every column of `rows`, missing values replaced by `fill` (NULL: there
 * are none). stats holds the statistics of the values, and gets mean and variance of the
 * transformed values. One pass over X. */
PARE_NODISCARD pare_status robust_fit(double *median, double *spread, col_stats *stats,
                                      const view *rows, const double *weight, const double *fill,
                                      const pare_ctx *ctx, pare_error *err);

#endif
