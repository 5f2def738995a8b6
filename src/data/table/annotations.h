/* Per-sample annotations: weights, groups that folds keep together, folds, offsets, and the times,
 * events and strata of survival. Each is a column of the data or a file of its own. A further kind is
 * a row of the table in annotations.c and a list in pare_data. */
#ifndef PARE_DATA_TABLE_ANNOTATIONS_H
#define PARE_DATA_TABLE_ANNOTATIONS_H

#include "data/format/cell.h"
#include "data/builder.h"

typedef enum annotation_kind {
    ANNOTATION_WEIGHT,
    ANNOTATION_FOLD_GROUP,
    ANNOTATION_FOLD,
    ANNOTATION_OFFSET,
    ANNOTATION_TIME,
    ANNOTATION_EVENT, /* see data/sample/read_events.h */
    ANNOTATION_STRATUM,
    ANNOTATION_BATCH,
    N_ANNOTATIONS
} annotation_kind;

/* "weights" and so on. */
const char *annotation_name(annotation_kind which);
/* "weight" where its values must be numbers, else NULL. */
const char *annotation_number(annotation_kind which);
/* Its read option: a column or a file; NULL: not given. */
const char *annotation_option(const pare_read_options *o, annotation_kind which);
/* An option COLUMN=VALUE: the length of COLUMN; else 0. Where a column or file has the whole name, that
 * is meant. */
int64_t annotation_before_value(annotation_kind which, const char *option);
/* Returns true if a table is joined by the samples' ids, for annotations or for the labels. */
bool annotations_join(const pare_read_options *o);
/* Rejects an option that is neither a column, nor a file, nor TABLE:COLUMN. */
PARE_NODISCARD pare_status annotation_check_file(annotation_kind which, const char *from,
                                                 const char *where, pare_error *err);
/* Returns true if it was among the columns of the data. */
bool annotation_there(const data_builder *b, annotation_kind which);

/* The value of sample i, i = 0, 1, ... in turn. */
PARE_NODISCARD pare_status annotation_put(data_builder *b, annotation_kind which, int64_t i,
                                          const char *text, int64_t length, const place *at,
                                          pare_error *err);

/* All values from a file in any of the forms of annotation_values.h. where: the data file's
 * name. */
PARE_NODISCARD pare_status annotation_read(data_builder *b, annotation_kind which,
                                           const pare_read_options *o, const char *where,
                                           const pare_ctx *ctx, pare_error *err);

/* What belongs to the batches besides their names, once all annotations are read: their method, and the
 * names themselves where another annotation has the same column or file. */
PARE_NODISCARD pare_status annotation_batches(data_builder *b, const pare_read_options *o,
                                              pare_error *err);

#endif
