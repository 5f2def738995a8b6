/* A sheet of a workbook as a table of cells: its used range, without empty rows and columns around it. */
#ifndef PARE_DATA_FORMAT_XLSX_H
#define PARE_DATA_FORMAT_XLSX_H

#include "data/format/csv.h"

typedef struct xlsx xlsx;

/* *t gives the cells of `sheet` (a name or number, NULL: the first) below row `skip`, and lives as
 * long as *out. names: the first row holds the columns' names. xlsx_close is due after a failure
 * too. */
PARE_NODISCARD pare_status xlsx_open(xlsx **out, csv_table *t, stream *s, const char *sheet,
                                     int64_t skip, bool names, const pare_ctx *ctx,
                                     pare_error *err);
void xlsx_close(xlsx *x); /* may be NULL */

#endif
