/* A linear predictor whose features are monomials of columns. In the model file: "features":
 * [{"index", "name"}, ...], the columns of the data that it needs, and in each selected monomial
 * "terms": [[index, power], ...]. */
#ifndef PARE_MODEL_PREDICTOR_MONOMIALS_H
#define PARE_MODEL_PREDICTOR_MONOMIALS_H

#include "model/model.h"

/* The model, fitted to `monomials`, the expansion of data, becomes one on the data. */
PARE_NODISCARD pare_status model_on_monomials(pare_model *m, const pare_data *data,
                                              const pare_data *monomials, pare_error *err);

/* Whether the terms are those of the selected monomials of the data, whose columns they name. */
bool monomials_match(const pare_model *m, const pare_data *data);

#endif
