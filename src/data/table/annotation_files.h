/* Labels, feature names and feature groups from files of their own. */
#ifndef PARE_DATA_TABLE_ANNOTATION_FILES_H
#define PARE_DATA_TABLE_ANNOTATION_FILES_H

#include "data/builder.h"

/* The target from o->labels, one for each sample in any of the forms of annotation_values.h;
 * o->target: the column of a table, or NULL. where: the data file's name. */
PARE_NODISCARD pare_status annotation_labels(data_builder *b, const pare_read_options *o,
                                             const char *where, const pare_ctx *ctx,
                                             pare_error *err);
/* o->names: one feature name a line, d of them, for data that have none. */
PARE_NODISCARD pare_status annotation_names(data_builder *b, const pare_read_options *o,
                                            const char *where, const pare_ctx *ctx,
                                            pare_error *err);
/* o->groups: a feature's name, a tab or comma and its group's name per line; every feature once. */
PARE_NODISCARD pare_status annotation_groups(data_builder *b, const pare_read_options *o,
                                             const char *where, const pare_ctx *ctx,
                                             pare_error *err);
#endif
