/* Probabilities for a predictor whose decision values are none of a likelihood: sigmoids, or a
 * temperature for log odds, on the decision values of samples that were held out of the whole fit,
 * scaling and selection included. */
#ifndef PARE_SELECT_CALIBRATE_H
#define PARE_SELECT_CALIBRATE_H

#include "base/context.h"
#include "model/probability.h"
#include "select/fitting.h"

enum { CALIBRATION_FOLDS = 5 };

/* How probabilities of a fit of m (and its final classifier) under `set` to all samples of data
 * come from its decision values: of that kind, from stratified folds by seed that keep the data's
 * fold groups whole, fewer folds where a class has fewer samples. flat: see temperature_fit. Memory
 * from the arena. If the context stopped the fits, *stopped says why and out->kind is
 * PROBABILITY_NONE.
 * COST  one fit a fold, whose passes over X are shared. */
PARE_NODISCARD pare_status calibrate(probability *out, bool *flat, arena *mem,
                                     probability_kind kind, const pare_data *data, const target *y,
                                     const method *m, const method *classifier,
                                     const all_settings *set, uint64_t seed, interruption *stopped,
                                     const pare_ctx *ctx, pare_error *err);

/* The proportion of each class of y among n samples of these weights (NULL: ones). */
void class_proportions(double *prior, const target *y, const double *weight, int64_t n);

/* Fits out->kind to the decision values F (n x outputs, column-major) of held-out samples, whose
 * classes are y's; into out->a and b (one per output) or out->temperature, around out->prior. */
PARE_NODISCARD pare_status calibrate_scores(probability *out, bool *flat, const double *F,
                                            int64_t n, int64_t outputs, const target *y,
                                            const double *weight, const pare_ctx *ctx,
                                            pare_error *err);

#endif
