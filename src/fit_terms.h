#ifndef PARE_FIT_TERMS_H
#define PARE_FIT_TERMS_H

#include "data/model.h"

/* For a model fitted to `monomials`, which were made of `data`: its terms, the names of its ranking,
 * and n_features as that of `data`. */
PARE_NODISCARD pare_status fill_terms(pare_model *model, const pare_data *data,
                                      const pare_data *monomials, pare_error *err);

#endif
