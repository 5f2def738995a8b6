/* What a model file says of all features of its data that were fitted: costs, groups, and which were
 * left out before. `pare check` needs neither from its user then. */
#ifndef PARE_MODEL_FEATURE_TERMS_H
#define PARE_MODEL_FEATURE_TERMS_H

#include <jansson.h>

#include "model/model.h"

/* From the data that were fitted. */
PARE_NODISCARD pare_status model_keep_terms(pare_model *m, const pare_data *data, pare_error *err);

/* "groups", and "excluded" or "only"; each NULL: there is nothing to say. */
json_t *model_groups_json(const pare_model *m);
json_t *model_left_json(const pare_model *m, const char **key);

/* Those, and what is kept and what all cost, from a file; n_features is set. false: *wrong, a key, is
 * not what it *should be; NULL: out of memory. */
bool model_terms_read(pare_model *m, const json_t *root, const char **wrong, const char **should);

/* groups: from the model's, all memory from the arena. */
PARE_NODISCARD pare_status model_groups(strings *groups, const pare_model *m, arena *mem,
                                        pare_error *err);

#endif
