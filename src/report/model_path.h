/* The path behind a model: in its file, and as lines of what scores or checks it. */
#ifndef PARE_REPORT_MODEL_PATH_H
#define PARE_REPORT_MODEL_PATH_H

#include <jansson.h>

#include "model/model.h"
#include "report/text.h"

/* NULL: the model has no path. */
json_t *model_path_to_json(const pare_model *m);
/* Reads the key "path" where it is there. PARE_E_FORMAT: it should be *expected. */
PARE_NODISCARD pare_status model_path_from_json(pare_model *m, const json_t *root,
                                                const char **expected);
/* "accuracy 0.87 (Wilson 95% CI 0.72 to 0.93)"; returns false where there is no estimate. */
enum { MODEL_PATH_SIZE = 200 };
bool model_path_estimate(char out[MODEL_PATH_SIZE], const pare_model *m);

#endif
