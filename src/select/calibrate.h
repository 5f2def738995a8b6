/* Probabilities for a method that has none of its own: sigmoids on the decision values of samples
 * that were held out of the whole fit, its selection included. */
#ifndef PARE_SELECT_CALIBRATE_H
#define PARE_SELECT_CALIBRATE_H

#include "base/context.h"
#include "model/probability.h"
#include "select/fitting.h"

enum { CALIBRATION_FOLDS = 5 };

/* Calibrates the fit of m (and its final classifier) under `set` to all samples of data. Stratified
 * folds by seed, fewer where a class has fewer samples. Memory from the arena. If the context
 * stopped the fits, *stopped says why and out->kind is PROBABILITY_NONE. */
PARE_NODISCARD pare_status calibrate(probability *out, arena *mem, const pare_data *data,
                                     const target *y, const method *m, const method *classifier,
                                     const all_settings *set, uint64_t seed, interruption *stopped,
                                     const pare_ctx *ctx, pare_error *err);

/* The sigmoids of decision values F (n x outputs, column-major) of classes cls. a, b: one per
 * output. */
PARE_NODISCARD pare_status calibrate_outputs(double *a, double *b, const double *F, int64_t n,
                                             int64_t outputs, const int32_t *cls,
                                             const double *weight, const pare_ctx *ctx,
                                             pare_error *err);

#endif
