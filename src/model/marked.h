/* Models with indicators of missing values (data/feature/indicators.h): the columns of new data
 * that their inputs come from. In the file an indicator input has `missing_of`, the index of its
 * column. */
#ifndef PARE_MODEL_MARKED_H
#define PARE_MODEL_MARKED_H

#include <jansson.h>

#include "data/dataset.h"
#include "model/model.h"

struct marked_inputs {
    int64_t n_raw; /* the required columns, each once */
    int64_t *raw_index;
    const char **raw_name;
    int64_t n_inputs; /* of the predictor */
    int64_t *place;   /* n_inputs: position among the columns */
    bool *marks;      /* n_inputs: whether it is the indicator of the column */
};

/* Maps the inputs of a model that was fitted to `marked`, which indicators_make made of `data`, to
 * the columns of `data`. */
PARE_NODISCARD pare_status model_on_indicators(pare_model *m, const pare_data *data,
                                               const pare_data *marked, pare_error *err);

/* The number of columns that a model's indices may refer to. */
int64_t model_columns(const pare_model *m);

/* Adds `missing_of` to the inputs of the file, `features` or else `selected`. */
void marked_to_json(json_t *file, const pare_model *m);
/* Returns PARE_E_FORMAT if the inputs are not valid. */
PARE_NODISCARD pare_status marked_from_json(pare_model *m, const json_t *file);

/* Whether the inputs come from columns of these names in `data`. */
bool marked_match(const pare_model *m, const pare_data *data);

/* From the required columns of X to the predictor's inputs: *out is X followed by the indicators,
 * free with mat_free; cols: in, of the n_raw columns; *inputs: n_inputs columns of *out, from the
 * arena. */
PARE_NODISCARD pare_status marked_apply(matrix *out, int64_t **inputs, arena *mem,
                                        const pare_model *m, const matrix *x, const int64_t *cols,
                                        const pare_ctx *ctx, pare_error *err);

#endif
