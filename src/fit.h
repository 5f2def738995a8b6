/* Shared by fitting and checking: a model's certificates from raw data. */
#ifndef PARE_FIT_H
#define PARE_FIT_H

#include "data/kernel.h"
#include "data/model.h"
#include "registry.h"

/* Objective and certificate of the model's predictor, and of its selecting problem if it has one.
 * Outcomes are not touched. */
PARE_NODISCARD pare_status model_certify(pare_report *predictor, pare_report *selection,
                                         const pare_model *model, const pare_data *data,
                                         const target *y, const pare_ctx *ctx, pare_error *err);

/* Sets model->kernel from the kernel of r, whose columns are the selected ones in order. */
struct fitting;
PARE_NODISCARD pare_status fill_kernel(pare_model *model, const struct fitting *f,
                                       const fit_result *r, const pare_ctx *ctx, pare_error *err);

/* The training samples where the result decides by the nearest of them; nothing otherwise. */
PARE_NODISCARD pare_status fill_neighbours(pare_model *model, const pare_data *data,
                                           const target *y, const fit_result *r,
                                           const pare_ctx *ctx, pare_error *err);

/* Refuses a model that does not describe these data: another size, class, name or scaling. used: the
 * data, or what the method made of them. */
PARE_NODISCARD pare_status model_verify(const pare_model *model, const pare_data *data,
                                        const pare_data *used, const target *y, const pare_ctx *ctx,
                                        pare_error *err);

#endif
