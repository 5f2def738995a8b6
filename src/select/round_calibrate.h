/* Probabilities inside a split: what its inner folds' decision values, which are of samples that
 * were not trained on, say of its predictors'. */
#ifndef PARE_SELECT_ROUND_CALIBRATE_H
#define PARE_SELECT_ROUND_CALIBRATE_H

#include "select/path.h"

/* The calibration of one size in a fold's result, numbers per output: a and b of sigmoids, or the
 * temperature first. NaN: none. */
enum { CALIBRATION_WIDTH = 2 };

/* Whether the round calibrates some predictors of the method; permutations only if the metric that
 * chooses is one of probabilities. Inner folds are needed. */
bool round_calibrates(const path_round *r, const path_method *m);

/* Room for the decision values of a method's inner folds and split. */
PARE_NODISCARD pare_status round_keep_open(part_under_way *out, const path_round *r,
                                           const path_method *m, int64_t j, arena *mem,
                                           pare_error *err);
/* Keeps F (n_sizes x test samples x outputs) of inner fold i at setting g. */
void round_keep_values(const path_round *r, part_under_way *under_way, int64_t j, int64_t i,
                       int64_t g, double *F);

/* The metrics of the inner folds again, with the probabilities of each setting and size, which are
 * fitted to all inner folds' decision values. */
PARE_NODISCARD pare_status round_calibrate_inner(const path_round *r, const path_method *m,
                                                 int64_t j, part_under_way *under_way, arena *mem,
                                                 const pare_ctx *ctx, pare_error *err);
/* The metrics and probabilities of the split itself, at the settings that its inner folds chose. */
PARE_NODISCARD pare_status round_calibrate_outer(const path_round *r, const path_method *m,
                                                 int64_t j, part_under_way *under_way,
                                                 fold_result *result, arena *mem,
                                                 const pare_ctx *ctx, pare_error *err);

/* How the predictor of size s of a finished split comes to probabilities; kind PROBABILITY_NONE: it
 * does not. Memory from the arena, and of the result. */
PARE_NODISCARD pare_status round_probability(probability *out, arena *mem, const path_round *r,
                                             const path_method *m, int64_t j,
                                             const fold_result *result, int64_t s, pare_error *err);

#endif
