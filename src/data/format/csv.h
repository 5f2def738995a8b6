/* Shared by the readers of text tables: csv.c, csv_transposed.c, arff.c and annotation_files.c. */
#ifndef PARE_DATA_FORMAT_CSV_H
#define PARE_DATA_FORMAT_CSV_H

#include "data/format/csv_form.h"
#include "data/builder.h"

/* Adds a target that is not missing, as text. */
PARE_NODISCARD pare_status csv_add_target(data_builder *b, const char *text, int64_t length,
                                          const place *at, pare_error *err);
/* The table whose rows are features; s is at its start. */
PARE_NODISCARD pare_status csv_read_transposed(data_builder *b, stream *s, const csv_form *form,
                                               const pare_read_options *o, const pare_ctx *ctx,
                                               pare_error *err);
#endif
