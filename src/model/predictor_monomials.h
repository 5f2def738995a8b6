/* A linear predictor whose features are monomials of columns. In the model file: "features":
 * [{"index", "name"}, ...], the required columns of the data, and in each selected monomial
 * "terms": [[index, power], ...]. */
#ifndef PARE_MODEL_PREDICTOR_MONOMIALS_H
#define PARE_MODEL_PREDICTOR_MONOMIALS_H

#include "model/model.h"

/* Turns the model of `monomials`, the expansion of data, into one of the data. */
PARE_NODISCARD pare_status model_on_monomials(pare_model *m, const pare_data *data,
                                              const pare_data *monomials, pare_error *err);

/* Whether the terms are those of the selected monomials of the data, whose columns they name. The model's
 * own are columns of `monomials`. */
bool monomials_match(const pare_model *m, const pare_data *data, const pare_data *monomials);

/* The monomials that the model uses, ascending, each once; none if it is not of monomials. */
PARE_NODISCARD pare_status monomials_used(int64_t **out, int64_t *count, const pare_model *m,
                                          arena *mem, pare_error *err);
/* Turns the model's monomials into columns of `monomials`, where these are some of them; see
 * problem/expand.h. */
PARE_NODISCARD pare_status monomials_see(pare_model *m, const pare_data *monomials, arena *mem,
                                         pare_error *err);

#endif
