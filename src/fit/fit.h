/* Shared by fitting and checking: a model's certificates from raw data. */
#ifndef PARE_FIT_FIT_H
#define PARE_FIT_FIT_H

#include "data/dataset.h"
#include "model/model.h"
#include "registry.h"

/* The method whose problem the predictor solves: the model's own or its final classifier; set, unless
 * NULL, becomes the settings under which it ran. */
const method *model_final(all_settings *set, const pare_model *model);

/* Whether the predictor's decision values are log odds of the classes. */
bool model_has_odds(const pare_model *model);

/* Refuses `probability` where there are no classes. */
PARE_NODISCARD pare_status probability_allowed(const all_settings *set, const task_type *task,
                                               pare_error *err);
/* Sets how the model of this fit, whose predictor is there, gives probabilities. */
struct fitting;
PARE_NODISCARD pare_status model_calibrate(pare_model *model, const struct fitting *f,
                                           const pare_ctx *ctx, pare_error *err);

/* The weights under which the model was fitted: those of the samples and of their classes. */
PARE_NODISCARD pare_status model_weights(const double **out, arena *mem, const pare_model *model,
                                         const pare_data *data, const target *y, pare_error *err);

/* Objective and certificate of the model's predictor, and of its selecting problem if it has one.
 * Outcomes are not touched. */
PARE_NODISCARD pare_status model_certify(pare_report *found, pare_report *selection,
                                         const pare_model *model, const pare_data *data,
                                         const target *y, const pare_ctx *ctx, pare_error *err);

/* pare_fit without its warnings about the data, which somebody has been told of before. */
PARE_NODISCARD pare_status fit_again(pare_model **out, const pare_data *data,
                                     const pare_settings *settings, const pare_ctx *ctx,
                                     pare_error *err);

/* known: the data with the feature terms that the model was fitted with. Data that come with terms of
 * their own must have the same. Memory from the arena; nothing of `known` is to be freed. */
PARE_NODISCARD pare_status model_terms(pare_data *known, const pare_model *model,
                                       const pare_data *data, arena *mem, pare_error *err);

/* Refuses a model that does not describe these data: another size, class, name or scaling. */
struct expansion;
PARE_NODISCARD pare_status model_verify(const pare_model *model, const struct expansion *wide,
                                        const target *y, const pare_ctx *ctx, pare_error *err);

#endif
