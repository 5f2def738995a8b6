/* Equal samples on both sides of a fold: what was learned by heart is then counted as predicted. */
#ifndef PARE_SELECT_DUPLICATE_SAMPLES_H
#define PARE_SELECT_DUPLICATE_SAMPLES_H

#include "select/leaks.h"
#include "data/sample/positive_weight.h"
#include "select/plan.h"

/* Tells (leaks_tell) of samples whose features are all equal to those of one on the other side of a
 * part, where so many features do not agree by chance. One pass over X. */
PARE_NODISCARD pare_status duplicate_samples_find(strings *notes, const pare_allocator *mem,
                                                  const weighted_samples *here, const cv_plan *plan,
                                                  const pare_ctx *ctx, pare_error *err);

#endif
