/* Duplicate samples in the training and the test fold of one split: the test score then counts
 * memorised samples as predicted. */
#ifndef PARE_SELECT_DUPLICATE_SAMPLES_H
#define PARE_SELECT_DUPLICATE_SAMPLES_H

#include "select/leaks.h"
#include "data/sample/positive_weight.h"
#include "select/plan.h"

/* Reports (leaks_tell) samples whose features all equal those of a sample on the other side of a
 * split, where so many equal features are no coincidence. One pass over X. */
PARE_NODISCARD pare_status duplicate_samples_find(strings *notes, const pare_allocator *mem,
                                                  const weighted_samples *here, const cv_plan *plan,
                                                  const pare_ctx *ctx, pare_error *err);

#endif
