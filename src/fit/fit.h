/* Shared by fitting and checking: a model's certificates from raw data. */
#ifndef PARE_FIT_FIT_H
#define PARE_FIT_FIT_H

#include "data/dataset.h"
#include "model/model.h"
#include "registry.h"

/* The method whose problem the predictor solves: the model's own or its final classifier; *set,
 * unless set is NULL, becomes the settings under which it ran. */
const method *model_final(all_settings *set, const pare_model *model);

/* How its decision values come to probabilities of the classes, if they are calibrated. */
probability_kind model_probability(const pare_model *model);

/* Sets how the model of this fit gives probabilities; its predictor must be set already. */
struct fitting;
PARE_NODISCARD pare_status model_calibrate(pare_model *model, const struct fitting *f,
                                           const pare_ctx *ctx, pare_error *err);

/* The weights of the fit: sample weights times class weights. */
PARE_NODISCARD pare_status model_weights(const double **out, arena *mem, const pare_model *model,
                                         const pare_data *data, const target *y, pare_error *err);

/* Objective and certificate of the model's predictor, and of its selection problem if it has one.
 * Does not change outcomes. */
PARE_NODISCARD pare_status model_certify(pare_report *found, pare_report *selection,
                                         const pare_model *model, const pare_data *data,
                                         const target *y, const pare_ctx *ctx, pare_error *err);

/* Sets the outcomes of a model by its certificates, which model_certify has found. */
PARE_NODISCARD pare_status model_conclude(pare_model *model, pare_error *err);
/* If any step was stopped (a search for k, a fold of the calibration), the outcome is that stop. */
void model_conclude_stop(pare_model *model, const pare_ctx *ctx);
/* Whether the outcomes are those that follow from the model's methods and certificates. */
bool model_outcomes_hold(const pare_model *model);

/* pare_fit for a caller that has warned of the time it takes. notes: with the notes about the data,
 * for which all of X is read. */
PARE_NODISCARD pare_status fit_quietly(pare_model **out, const pare_data *data,
                                       const pare_settings *settings, bool notes,
                                       const pare_ctx *ctx, pare_error *err);

/* Range, mean and deviation of the selected features in the data that were fitted; and, by the setting
 * `alternatives`, the columns that correlate most with each. */
struct expansion;
PARE_NODISCARD pare_status model_summarise(pare_model *model, const pare_data *used,
                                           const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status model_find_alternatives(pare_model *model, const struct expansion *wide,
                                                   const pare_ctx *ctx, pare_error *err);
/* Returns an error where the model's are not those of the data. */
PARE_NODISCARD pare_status model_verify_summary(const pare_model *m, const struct expansion *wide,
                                                const pare_ctx *ctx, pare_error *err);

/* Returns an error for a model that does not describe these data: another size, class, name or
 * scaling. */
PARE_NODISCARD pare_status model_verify(const pare_model *model, const struct expansion *wide,
                                        const target *y, const pare_ctx *ctx, pare_error *err);

#endif
