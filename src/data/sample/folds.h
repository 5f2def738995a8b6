/* Assigns samples to folds: the only place where samples are split at random. */
#ifndef PARE_DATA_SAMPLE_FOLDS_H
#define PARE_DATA_SAMPLE_FOLDS_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/status.h>

/* fold[i] in 0 .. k-1 for each of n samples; the same for the same seed. cls and group hold a class
 * and a group per sample, 0 .. n-1 each, or are NULL.
 * Without groups: sizes differ by at most one, and so do the counts of each class.
 * With groups: a group is never split; folds are balanced greedily, in size and in classes, and
 * none is empty.
 * Rejected: k < 2, k > n, a class with some but fewer than k samples, fewer groups than k. */
PARE_NODISCARD pare_status folds_make(int32_t *fold, int64_t n, int64_t k, const int32_t *cls,
                                      const int32_t *group, uint64_t seed, const pare_ctx *ctx,
                                      pare_error *err);

/* train[i]: sample i is one of n_train drawn at random, stratified by class (cls may be NULL): each
 * class has its proportion of them, to less than one sample. Rejected: n_train < 1, n_train >= n, a
 * class without training samples. */
PARE_NODISCARD pare_status folds_split(bool *train, int64_t n, int64_t n_train, const int32_t *cls,
                                       uint64_t seed, const pare_ctx *ctx, pare_error *err);

#endif
