/* Shared by the readers of tables: csv.c, csv_transposed.c, xlsx.c, arff.c and annotation_files.c. */
#ifndef PARE_DATA_FORMAT_CSV_H
#define PARE_DATA_FORMAT_CSV_H

#include "data/format/csv_form.h"
#include "data/builder.h"

/* Adds a target that is not missing, as text. */
PARE_NODISCARD pare_status csv_add_target(data_builder *b, const char *text, int64_t length,
                                          const place *at, pare_error *err);

/* A table that is about to be read. */
typedef struct csv_table {
    fields f; /* before its first row */
    csv_form form;
    int64_t rows; /* with the header; < 0: unknown */
} csv_table;
PARE_NODISCARD pare_status csv_read_table(data_builder *b, const csv_table *from,
                                          const pare_read_options *o, const pare_ctx *ctx,
                                          pare_error *err);
/* The same where rows are features. */
PARE_NODISCARD pare_status csv_read_transposed(data_builder *b, const csv_table *from,
                                               const pare_read_options *o, const pare_ctx *ctx,
                                               pare_error *err);

#endif
