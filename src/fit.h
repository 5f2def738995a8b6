/* Shared by fitting and checking: a model's certificates from raw data. */
#ifndef PARE_FIT_H
#define PARE_FIT_H

#include "model/model.h"
#include "registry.h"

/* The method whose problem the predictor solves: the model's own or its final classifier; set, unless
 * NULL, becomes the settings under which it ran. */
const method *model_final(all_settings *set, const pare_model *model);

/* Objective and certificate of the model's predictor, and of its selecting problem if it has one.
 * Outcomes are not touched. */
PARE_NODISCARD pare_status model_certify(pare_report *found, pare_report *selection,
                                         const pare_model *model, const pare_data *data,
                                         const target *y, const pare_ctx *ctx, pare_error *err);

/* pare_fit without its warnings about the data, which somebody has been told of before. */
PARE_NODISCARD pare_status fit_again(pare_model **out, const pare_data *data,
                                     const pare_settings *settings, const pare_ctx *ctx,
                                     pare_error *err);

/* Refuses a model that does not describe these data: another size, class, name or scaling. used: the
 * data, or what the method made of them. */
PARE_NODISCARD pare_status model_verify(const pare_model *model, const pare_data *data,
                                        const pare_data *used, const target *y, const pare_ctx *ctx,
                                        pare_error *err);

#endif
