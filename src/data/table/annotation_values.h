/* One value for each sample from a separate file of any supported form. */
#ifndef PARE_DATA_TABLE_ANNOTATION_VALUES_H
#define PARE_DATA_TABLE_ANNOTATION_VALUES_H

#include "data/format/cell.h"
#include "data/dataset.h"

typedef struct annotation_values {
    strings value;  /* n, in the order of the samples */
    char path[512]; /* of the file, for messages */
    int64_t before; /* lines before the first value; < 0: not one value a line */
} annotation_values;

/* `from`: a .npy, one value a line (a line more at the top is a header), a vector in a file of R's
 * (FILE:OBJECT where it holds several), or a table TABLE:COLUMN; with `wanted` the whole of `from` is
 * the table. Tables are joined to the samples by their ids, which are in the column `id`, or else in
 * the first one. where: the data file's name. */
PARE_NODISCARD pare_status annotation_values_read(annotation_values *out, const pare_data *data,
                                                  const char *from, const char *wanted,
                                                  const pare_read_options *o, const char *where,
                                                  const pare_ctx *ctx, pare_error *err);
/* Checks that there are as many values as samples; what: "weights" and so on. */
PARE_NODISCARD pare_status annotation_values_check(const annotation_values *v, const char *what,
                                                   const pare_data *data, const char *where,
                                                   pare_error *err);
void annotation_values_free(annotation_values *v, const pare_data *data);
/* The place of the value of sample i. */
place annotation_values_place(const annotation_values *v, const pare_data *data, int64_t i,
                              char buffer[32]);

#endif
