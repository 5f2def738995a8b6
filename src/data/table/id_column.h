/* The rule for the column of sample ids that no option names: a first column with a usual name, whose
 * values all differ and are text or integers. Only its last value decides, so that until then it is
 * read as ids and as a feature. */
#ifndef PARE_DATA_TABLE_ID_COLUMN_H
#define PARE_DATA_TABLE_ID_COLUMN_H

#include "data/builder.h"
#include "data/format/cell.h"

typedef struct id_column {
    bool there;              /* the first column may be the ids */
    bool feature;            /* it is the first feature otherwise, else it is dropped */
    bool unnamed;            /* it has no name, so that it is no feature */
    bool text;               /* one of its values is text */
    bool gap;                /* one is missing, though none may be */
    bool describe;           /* one may be infinite, so that they are no ids */
    int64_t infinite;        /* its row from 1 on; 0: none */
    place at;                /* of its last value */
    int64_t *line, capacity; /* of each value */
} id_column;
void id_column_free(id_column *c, const pare_allocator *mem);

/* id sample sample_id name barcode patient, in any letter case */
bool id_column_usual(const char *name);

/* Why values are no ids: these are all there, all different, and text or integers. */
typedef enum id_fault { IDS_FINE, IDS_REPEAT, IDS_MISSING, IDS_DECIMAL, IDS_INFINITE } id_fault;
/* *row: of the value at fault; *first: where it repeats, of the one before. */
PARE_NODISCARD pare_status id_column_check(id_fault *out, int64_t *row, int64_t *first,
                                           const strings *ids, const pare_allocator *mem,
                                           pare_error *err);
/* Logs that the column was taken for the ids, and keeps its name. */
PARE_NODISCARD pare_status id_column_name(pare_data *data, const char *name, const char *where,
                                          const pare_ctx *ctx, pare_error *err);
/* Logs that a column without a name, or R's names of rows, is left out; `fault` as in a sentence. */
enum { ID_FAULT = 200 };
void id_column_left_out(const char *what, const char *fault, const char *where,
                        const pare_ctx *ctx);
/* "s3" stands in lines 4 and 9; what: "line" or "row", at: that of the value. */
const char *id_column_fault(char out[ID_FAULT], id_fault fault, const char *value, const char *what,
                            int64_t first, int64_t at);

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
