/* Robust scaling: asinh((x - median) / spread), the spread being the interquartile range over 1.35, or
 * the deviation where that is 0; features of at most two values are left as they are (spread 0). */
#ifndef PARE_DATA_FEATURE_ROBUST_H
#define PARE_DATA_FEATURE_ROBUST_H

#include "base/memory.h"
#include "la/matrix.h"

/* Of every column of `rows`, missing values being `fill` (NULL: there are none): median and spread
 * (d), and stats, which come in as those of the values themselves, get mean and variance of the
 * transformed. One pass over X. */
PARE_NODISCARD pare_status robust_fit(double *median, double *spread, col_stats *stats,
                                      const view *rows, const double *weight, const double *fill,
                                      const pare_ctx *ctx, pare_error *err);

#endif
