/* 95% confidence intervals of the path's means: percentile intervals from resampled predictions of
 * the held-out samples, widened for the variance of the training samples. Few errors resample to
 * few errors, and none to none: a proportion also has Wilson's interval at the effective number of
 * samples, and the union counts (select/interval.h). */
#ifndef PARE_SELECT_BOOTSTRAP_H
#define PARE_SELECT_BOOTSTRAP_H

#include "select/path.h"

/* Fills in the intervals of the metric that chooses the size: of the nested CV estimate and the
 * chosen point for any metric, of every point where the metric is a mean over samples. Samples are
 * drawn with replacement, or whole groups where groups are kept in one fold; a sample counts as
 * often in every split that tests it. Resampling needs the scores of the test samples: where they
 * were not kept, a proportion has Wilson's interval and other metrics none. */
PARE_NODISCARD pare_status bootstrap_intervals(pare_path *p, const pare_ctx *ctx, pare_error *err);

/* The same of what the features add to the forced-in covariates: the nested score less that of those
 * alone, in every resample. Not limited to the metric's range; none where it never differs. */
PARE_NODISCARD pare_status bootstrap_added(pare_path *p, const pare_ctx *ctx, pare_error *err);

#endif
