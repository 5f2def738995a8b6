/* Every column of a data set: what it was taken for, and what is in it. */
#ifndef PARE_REPORT_DESCRIBE_COLUMNS_H
#define PARE_REPORT_DESCRIBE_COLUMNS_H

#include <jansson.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "report/text.h"

typedef struct column_line {
    const char *name, *kind; /* name NULL: none is known */
    int64_t missing, distinct;
    bool numbers; /* of which there are least and largest */
    double least, largest;
    unsigned suspects; /* codes of data/feature/suspects.h */
    unsigned faults;   /* what stands against the column, a bit for each of column_fault() */
} column_line;

typedef struct column_lines {
    column_line *line;
    int64_t count;
} column_lines;

/* One pass over X; memory from the arena. */
PARE_NODISCARD pare_status columns_describe(column_lines *out, arena *mem, const pare_data *data,
                                            const pare_ctx *ctx, pare_error *err);
void columns_text(text_buffer *text, const column_lines *c);
json_t *columns_json(const column_lines *c);

#endif
