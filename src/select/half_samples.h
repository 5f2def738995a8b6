/* Complementary pairs of half-samples: the two of a pair have no sample in common. */
#ifndef PARE_SELECT_HALF_SAMPLES_H
#define PARE_SELECT_HALF_SAMPLES_H

#include "select/plan.h"

/* 2 `pairs` splits that train on one half-sample each and test on nothing; those of pair b are 2b
 * and 2b + 1. Without groups both half-samples have floor(n_c / 2) samples of every class (of an
 * odd number one, drawn anew each time, is in neither); a group (of each sample, or NULL) is kept
 * in one of them, which are then as even as the groups allow. From the arena. Returns an error for
 * a class with fewer than two samples for each half-sample, or one that the groups keep in one of
 * them. */
PARE_NODISCARD pare_status half_samples_draw(cv_part **out, arena *mem, const target *y,
                                             const int32_t *group, int64_t n, int64_t pairs,
                                             uint64_t seed, const pare_ctx *ctx, pare_error *err);

#endif
