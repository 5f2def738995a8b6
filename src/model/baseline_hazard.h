/* The baseline hazard of a model (task/hazard.h) in its file. */
#ifndef PARE_MODEL_BASELINE_HAZARD_H
#define PARE_MODEL_BASELINE_HAZARD_H

#include <jansson.h>

#include "task/hazard.h"

struct pare_model;

/* The value of "baseline" in the model file. */
json_t *baseline_to_json(const baseline *b);
/* Sets m->baseline; names the form that a value which is not one should have. */
PARE_NODISCARD pare_status baseline_from_json(struct pare_model *m, const json_t *value,
                                              const char **expected);

#endif
