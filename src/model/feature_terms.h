/* The fields of a model file that concern all fitted features: costs, signs, groups, and features left out
 * before the fit, so that `pare check` needs none of them from its user. */
#ifndef PARE_MODEL_FEATURE_TERMS_H
#define PARE_MODEL_FEATURE_TERMS_H

#include <jansson.h>

#include "model/model.h"

/* Fills them in from the data that were fitted. */
PARE_NODISCARD pare_status model_keep_terms(pare_model *m, const pare_data *data, pare_error *err);

/* "signs", "groups", and "excluded" or "only"; each NULL if it does not apply. */
json_t *model_signs_json(const pare_model *m);
json_t *model_groups_json(const pare_model *m);
json_t *model_left_json(const pare_model *m, const char **key);

/* Reads these fields, the forced-in features, costs and signs from a file; n_features is set. Returns
 * false if *wrong, a key, is not what it *should be; NULL: out of memory. */
bool model_terms_read(pare_model *m, const json_t *root, const char **wrong, const char **should);

/* groups: from the model's; all memory from the arena. */
PARE_NODISCARD pare_status model_groups(strings *groups, const pare_model *m, arena *mem,
                                        pare_error *err);

#endif
