/* Numbers that may be codes of missing values: 9, 99, 999, 9999 and their negatives, farther from the
 * column's other values than three times the range of these, in two columns or more. */
#ifndef PARE_DATA_FEATURE_SUSPECTS_H
#define PARE_DATA_FEATURE_SUSPECTS_H

#include "data/dataset.h"

enum { N_SUSPECTS = 8, MIN_SUSPECT_COLUMNS = 2 };
double suspect_code(int k);

/* Bit k: suspect_code(k) is so far away in this column; NaN are missing. */
unsigned suspects_in(const double *value, int64_t n);

/* Logs a warning for each code that is suspect. One pass over X. */
PARE_NODISCARD pare_status suspects_warn(const pare_data *data, const char *where,
                                         const pare_ctx *ctx, pare_error *err);

#endif
