/* How far the path's means could have been elsewhere with other samples: percentile intervals by the
 * bootstrap of what was predicted for samples left out, widened for training samples. */
#ifndef PARE_SELECT_BOOTSTRAP_H
#define PARE_SELECT_BOOTSTRAP_H

#include "select/path.h"

/* Fills in the intervals of the metric that chooses: of the nested estimate for any metric, of every
 * point where the metric is a mean over samples. Samples are drawn with replacement, or whole groups
 * where these are never parted; a sample counts as often in every part that tests it. Needs the
 * scores of the test samples; NaN where they were not kept. */
PARE_NODISCARD pare_status bootstrap_intervals(pare_path *p, const pare_ctx *ctx, pare_error *err);

#endif
