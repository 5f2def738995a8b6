/* The model file of a model on monomials: "features": [{"index", "name"}, ...], the columns of the
 * data that it needs, and in each selected monomial "terms": [[index, power], ...]. */
#ifndef PARE_REPORT_TERMS_JSON_H
#define PARE_REPORT_TERMS_JSON_H

#include <jansson.h>

#include "data/model.h"

/* NULL for a model on the columns themselves. */
json_t *features_json(const pare_model *m);
/* Of the i-th selected; NULL likewise. */
json_t *terms_json(const pare_model *m, int64_t i);

/* Sets m->terms from both; n_selected and n_features are set. PARE_E_FORMAT: they are not as they
 * should be; the message is the caller's. */
PARE_NODISCARD pare_status terms_load(pare_model *m, const json_t *features,
                                      const json_t *selected);

#endif
