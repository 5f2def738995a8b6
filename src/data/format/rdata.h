/* Objects of R's files as tables and lists. */
#ifndef PARE_DATA_FORMAT_RDATA_H
#define PARE_DATA_FORMAT_RDATA_H

#include "data/builder.h"
#include "data/format/rdata_values.h"

/* The object of that name; NULL: the only one there is. */
PARE_NODISCARD pare_status rdata_find(const rdata *r, const char *name, const robject **out,
                                      pare_error *err);

/* A matrix or a data frame. */
typedef struct rtable {
    int64_t rows, columns;
    const robject *whole;   /* of a matrix: the numbers of its columns, one after the other */
    robject *const *column; /* of a data frame */
    const robject *row_names, *column_names; /* NULL: there are none */
} rtable;

/* Rejects what is neither. */
PARE_NODISCARD pare_status rdata_table(rtable *out, const rdata *r, const robject *of,
                                       pare_error *err);
/* Columns are features, or rows are: into the builder, by the options. */
PARE_NODISCARD pare_status rdata_read_columns(data_builder *b, rdata *r, const rtable *t,
                                              const pare_read_options *o, const pare_ctx *ctx,
                                              pare_error *err);
PARE_NODISCARD pare_status rdata_read_rows(data_builder *b, rdata *r, const rtable *t,
                                           const pare_read_options *o, const pare_ctx *ctx,
                                           pare_error *err);
/* A sparse matrix of the package Matrix. */
PARE_NODISCARD pare_status rdata_read_sparse(data_builder *b, rdata *r, const robject *of,
                                             const pare_read_options *o, const pare_ctx *ctx,
                                             pare_error *err);

/* Reads column j of the table, t->rows numbers. */
PARE_NODISCARD pare_status rdata_column(rdata *r, const rtable *t, int64_t j, double *out,
                                        pare_error *err);
/* Adds the texts of a vector to a list. */
PARE_NODISCARD pare_status rdata_list(strings *out, const pare_allocator *mem, rdata *r,
                                      const robject *of, pare_error *err);

#endif
