/* Keys of the model file that concern other data than those of the fit: what the training samples were
 * like, the alternatives of selected features, and how the model was recalibrated. */
#ifndef PARE_REPORT_MODEL_SUMMARY_H
#define PARE_REPORT_MODEL_SUMMARY_H

#include <jansson.h>

#include "model/model.h"

/* The values of "range", "mean" and "deviation"; NULL: the model has none. */
json_t *model_range_json(const pare_model *m);
/* One number per selected feature, null where there is none; v NULL: NULL. */
json_t *model_numbers_json(const pare_model *m, const double *v);
/* NULL: none were asked for. */
json_t *model_alternatives_json(const pare_model *m);
/* NULL: it was not. */
json_t *model_recalibration_json(const pare_model *m);

/* Reads these keys where they are there. PARE_E_FORMAT: *key should be *expected. */
PARE_NODISCARD pare_status model_summary_from_json(pare_model *m, const json_t *root,
                                                   const char **key, const char **expected);

#endif
