/* What may stand beside X for each sample, in a column of the data or in a file of its own: weights,
 * groups that folds keep together, folds, offsets. A further one is a row of the table in sides.c and a list in
 * pare_data. */
#ifndef PARE_DATA_SIDES_H
#define PARE_DATA_SIDES_H

#include "data/format/cell.h"
#include "data/dataset.h"

typedef enum side { SIDE_WEIGHT, SIDE_FOLD_GROUP, SIDE_FOLD, SIDE_OFFSET, N_SIDES } side_kind;

/* "weights" and so on. */
const char *side_name(side_kind which);
/* "weight" where its values must be numbers, else NULL. */
const char *side_number(side_kind which);
/* What the options say of it: a column or a file; NULL: nothing. */
const char *side_option(const pare_read_options *o, side_kind which);
/* Whether a table is to be joined by the samples' ids, for one of these or for the labels. */
bool sides_join(const pare_read_options *o);
/* Refuses what is no column unless it is a file, or a table with a column's name behind it. */
PARE_NODISCARD pare_status side_check_file(side_kind which, const char *from, const char *where,
                                           pare_error *err);
/* Whether the data have it. */
bool side_there(const pare_data *data, side_kind which);

/* The value of sample i, i = 0, 1, ... in turn. */
PARE_NODISCARD pare_status side_put(pare_data *data, side_kind which, int64_t i, const char *text,
                                    int64_t length, const place *at, pare_error *err);

/* All values from a file in any of the forms of side_values.h. where: the data file's name. */
PARE_NODISCARD pare_status side_read(pare_data *data, side_kind which, const pare_read_options *o,
                                     const char *where, const pare_ctx *ctx, pare_error *err);

#endif
