/* Shared by fitting and checking: a model's certificates from raw data. */
#ifndef PARE_FIT_H
#define PARE_FIT_H

#include "data/model.h"
#include "registry.h"
#include "select/fitting.h"

/* Objective and certificate of the model's predictor, and of its selecting problem if it has one.
 * Outcomes are not touched. */
PARE_NODISCARD pare_status model_certify(pare_report *predictor, pare_report *selection,
                                         const pare_model *model, const pare_data *data,
                                         const target *y, const pare_ctx *ctx, pare_error *err);

/* The weights of the selecting problem in raw units, for its certificate. */
PARE_NODISCARD pare_status fill_selection_point(pare_model *model, const fitting *f,
                                                const fit_result *r, pare_error *err);

/* The training samples where the result decides by the nearest of them; nothing otherwise. */
PARE_NODISCARD pare_status fill_neighbours(pare_model *model, const pare_data *data,
                                           const target *y, const fit_result *r,
                                           const pare_ctx *ctx, pare_error *err);

#endif
