#ifndef PARE_METHOD_PREDICT_KERNEL_H
#define PARE_METHOD_PREDICT_KERNEL_H

#include "data/model.h"

/* As pare_predict, for a model with a kernel; cols: the data's column of each selected feature. */
PARE_NODISCARD pare_status predict_kernel(double *scores, const pare_model *m,
                                          const pare_data *data, const int64_t *cols,
                                          const pare_ctx *ctx, pare_error *err);

#endif
