/* The rule for the column of sample ids that no option names: a first column with a usual name, whose
 * values all differ and are text or integers. Only its last value decides, so that until then it is
 * read as ids and as a feature. */
#ifndef PARE_DATA_TABLE_ID_COLUMN_H
#define PARE_DATA_TABLE_ID_COLUMN_H

#include "data/builder.h"
#include "data/format/cell.h"

typedef struct id_column {
    bool there;   /* the first column may be the ids */
    bool feature; /* it is the first feature otherwise, else it is dropped */
    place text,
        gap; /* of the first value that is text, and of the first that is missing though none
                        may be; file NULL: there is none */
    int64_t text_row, gap_row;
} id_column;

/* id sample sample_id name barcode patient, in any letter case */
bool id_column_usual(const char *name);

/* Whether the values are all there, all different, and text or integers. */
PARE_NODISCARD pare_status id_column_check(bool *out, const strings *ids, const pare_allocator *mem,
                                           pare_error *err);
/* Logs that the column was taken for the ids, and keeps its name. */
PARE_NODISCARD pare_status id_column_name(pare_data *data, const char *name, const char *where,
                                          const pare_ctx *ctx, pare_error *err);

/* The next value goes to the ids, and to *number, which may be NULL. `allow`: it may be missing. */
PARE_NODISCARD pare_status id_column_put(id_column *c, data_builder *b, const char *text,
                                         int64_t length, bool allow, const place *at,
                                         double *number, pare_error *err);
/* After the last row, names and values of the features being in place: the column becomes the ids,
 * or its place among the features stays and there are no ids. *ids: which. coded: a column of text
 * is no error. Logs what was decided. */
PARE_NODISCARD pare_status id_column_settle(id_column *c, data_builder *b, const char *name,
                                            bool coded, bool *ids, const char *where,
                                            const pare_ctx *ctx, pare_error *err);

#endif
