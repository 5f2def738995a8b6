/* The part of the model file that only models deciding by the nearest training sample have. */
#ifndef PARE_REPORT_NEIGHBOURS_JSON_H
#define PARE_REPORT_NEIGHBOURS_JSON_H

#include <jansson.h>

#include "data/model.h"

/* NULL where the model has none: the key is then left out. */
json_t *neighbours_json(const pare_model *m);
/* false: neither missing nor what it should be, or no memory. */
bool neighbours_load(pare_model *m, const json_t *neighbours);

#endif
