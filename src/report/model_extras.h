/* Parts of the model file that only some models have: the training samples of a nearest-neighbour
 * decision, and the weights of a selecting problem. */
#ifndef PARE_REPORT_MODEL_EXTRAS_H
#define PARE_REPORT_MODEL_EXTRAS_H

#include <jansson.h>

#include "data/model.h"

/* NULL where the model has none: the key is then left out. */
json_t *neighbours_json(const pare_model *m);
/* false: neither missing nor what it should be, or no memory. */
bool neighbours_load(pare_model *m, const json_t *neighbours);

/* Adds support, intercept and coef to the selection, if the model keeps them; returns it. */
json_t *with_selection_point(json_t *selection, const pare_model *m);
bool selection_point_load(pare_model *m, const json_t *selection);

#endif
