/* Reads a model file from an open stream: pare_model_load for any source of bytes. */
#ifndef PARE_REPORT_MODEL_FILE_H
#define PARE_REPORT_MODEL_FILE_H

#include "model/model.h"
#include "data/format/stream.h"

PARE_NODISCARD pare_status model_load_stream(pare_model **out, stream *s, const pare_ctx *ctx,
                                             pare_error *err);

#endif
