/* Decision values of a fold's predictor on its test samples, scaled as the training samples
 * were. */
#ifndef PARE_SELECT_SCORE_H
#define PARE_SELECT_SCORE_H

#include "select/fitting.h"
#include "select/plan.h"

/* Writes the scores of r on the samples `rows` to F (n_rows x its scores, see predictor_apply).
 * chosen: the `count` columns that r is a refit on; NULL: all. */
PARE_NODISCARD pare_status score_rows(const fitting *f, const fit_result *r, const int64_t *chosen,
                                      int64_t count, const int32_t *rows, int64_t n_rows, double *F,
                                      const pare_ctx *ctx, pare_error *err);

/* The scores of both parts of a split. F_train: of the training samples, where the task is timed, and
 * then both are relative to its mean; else it is not used. */
PARE_NODISCARD pare_status score_part(const fitting *f, const fit_result *r, const int64_t *chosen,
                                      int64_t count, const cv_part *part, double *F,
                                      double *F_train, const pare_ctx *ctx, pare_error *err);

/* Makes the scores of n samples relative to the mean of the training samples, as the risks of a model
 * are. weight: of all samples, or NULL. */
void score_centre(double *F, int64_t n, double *F_train, int64_t n_train, const int32_t *train,
                  const double *weight);

/* Adds the offsets of those samples, if there are any, to the values of one output. */
void score_offset(double *F, const double *offset, const int32_t *rows, int64_t n);

#endif
