/* Features by name: the lists of `keep`, `exclude` and `only`, costs and signs of features, and data
 * reduced to some of their columns. */
#ifndef PARE_DATA_FEATURE_CHOOSE_H
#define PARE_DATA_FEATURE_CHOOSE_H

#include "data/builder.h"

/* The features' names, generated ones (x1, x2, ...) included. false: out of memory. */
bool feature_names(strings *out, const pare_data *data);

/* Sets is[j] of every feature that the list names: a file with an entry a line, or entries with
 * commas between them. An entry is a feature, a column of text that was coded (all of its
 * features), or a POSIX extended expression behind `re:`, which goes to the end of the list and may
 * match anywhere in a name. option: whose list it is; where: whose features. */
PARE_NODISCARD pare_status features_named(bool *is, const pare_data *data, const char *list,
                                          const char *option, const char *where,
                                          const pare_ctx *ctx, pare_error *err);

/* One line for each feature: its name, a tab or comma, a number above 0. Sets their costs. */
PARE_NODISCARD pare_status features_cost(data_builder *b, const char *path, const char *where,
                                         const pare_ctx *ctx, pare_error *err);

/* The same with + or -; sign: a file of such lines, or + or - for all features. */
PARE_NODISCARD pare_status features_sign(data_builder *b, const char *sign, const char *where,
                                         const pare_ctx *ctx, pare_error *err);

/* Applies keep, cost, sign, only and exclude (each may be NULL), in that order; kept features stay under
 * `only`. See data_drop_columns. */
typedef struct feature_choice {
    const char *keep, *cost, *sign, *only, *exclude;
} feature_choice;
PARE_NODISCARD pare_status features_choose(data_builder *b, const feature_choice *by,
                                           const char *where, const pare_ctx *ctx, pare_error *err);

#endif
