/* A table in a file of its own, such as one of labels: .xlsx by its name, else text. */
#ifndef PARE_DATA_FORMAT_TABLE_FILE_H
#define PARE_DATA_FORMAT_TABLE_FILE_H

#include "data/format/csv.h"

typedef struct table_file { /* not to be moved while it is open */
    csv_table t;
    stream s;
    struct xlsx *book; /* or NULL */
} table_file;

/* table_file_close is due after a failure too. */
PARE_NODISCARD pare_status table_file_open(table_file *f, const char *path, const char *encoding,
                                           const pare_ctx *ctx, pare_error *err);
void table_file_close(table_file *f);

#endif
