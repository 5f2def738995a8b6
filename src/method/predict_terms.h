#ifndef PARE_METHOD_PREDICT_TERMS_H
#define PARE_METHOD_PREDICT_TERMS_H

#include "data/model.h"

/* As pare_predict, for a model on monomials; cols: the data's column of each base feature. */
PARE_NODISCARD pare_status predict_terms(double *scores, const pare_model *m, const pare_data *data,
                                         const int64_t *cols, const pare_ctx *ctx, pare_error *err);

#endif
