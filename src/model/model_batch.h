/* The batches of a model's training data: how each selected feature was adjusted, in the model and in
 * its file, and the same for new data. */
#ifndef PARE_MODEL_MODEL_BATCH_H
#define PARE_MODEL_MODEL_BATCH_H

#include <jansson.h>

#include "data/feature/batch_adjust.h"
#include "model/model.h"

struct model_batch {
    batch_method method;
    const char *column; /* where the training data had them; NULL: in an array */
    int64_t count;
    const char **name;
    double *shift, *scale;    /* count x n_selected: a block for each batch */
    double *mean, *deviation; /* n_selected; deviation 0: the feature is not adjusted */
};

/* Keeps the adjustment of the selected features. */
PARE_NODISCARD pare_status model_batch_keep(pare_model *m, const batch_adjustment *from,
                                            const pare_data *data, pare_error *err);

/* NULL: the model has none. */
json_t *model_batch_to_json(const pare_model *m);
/* Sets m->batch if the file has one; m->n_selected is set. PARE_E_FORMAT if it is not *expected. */
PARE_NODISCARD pare_status model_batch_from_json(pare_model *m, const json_t *file,
                                                 const char **expected);

/* Returns an error for data without the batches that the model needs, or with some that it does not
 * use. */
PARE_NODISCARD pare_status model_check_batch(const pare_model *m, const pare_data *data,
                                             pare_error *err);

/* The selected features, columns cols of x, as the model's predictor sees them; fill is of every column
 * of x, or NULL. Unseen batches are treated as the data say. Memory from the arena. */
PARE_NODISCARD pare_status model_batch_apply(view *x, const pare_model *m, const pare_data *data,
                                             const int64_t *cols, const double *fill, arena *mem,
                                             const pare_ctx *ctx, pare_error *err);

#endif
