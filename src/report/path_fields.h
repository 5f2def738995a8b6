/* The outputs of a path as select/path_fields.def describes them: tables of fields, each of which
 * says where a row has its value and what shows it. */
#ifndef PARE_REPORT_PATH_FIELDS_H
#define PARE_REPORT_PATH_FIELDS_H

#include <jansson.h>

#include "select/path.h"

/* A row of a table. run: of tables of a run, else 0; at: the struct that holds the values. */
typedef struct path_row {
    const pare_path *path;
    int64_t run, row;
    const void *at;
} path_row;

typedef struct path_table path_table;
typedef struct path_field {
    pare_column column;
    size_t offset;
    json_t *(*make)(const path_row *row); /* PARE_COLUMN_METRICS and PARE_COLUMN_OTHER */
    const path_table *list;               /* PARE_COLUMN_LIST */
} path_field;

struct path_table {
    const char *name;
    const path_field *field;
    size_t count;
    int64_t (*rows)(const pare_path *path, int64_t run); /* -1: there is no such list */
    const void *(*at)(const pare_path *path, int64_t run, int64_t row);
};

const path_table *path_table_named(const char *name); /* or NULL */
path_row path_row_of(const path_table *table, const pare_path *path, int64_t run, int64_t row);

double path_field_real(const path_field *field, const path_row *row); /* a flag is 0 or 1 */
int64_t path_field_integer(const path_field *field, const path_row *row);
const char *path_field_text(const path_field *field, const path_row *row);
bool path_field_defined(const path_field *field, const path_row *row);

/* The first field from `*i` on that the document shows in a table, and *i behind it; NULL: there are no
 * more. An optional one is left out if no row of any run has it. */
const path_field *path_field_next(const path_table *table, const pare_path *path, int32_t document,
                                  size_t *i);

/* A row as JSON; NULL: out of memory. */
json_t *path_row_json(const path_table *table, const path_row *row);

/* What is no single value. */
#define PATH_FIELDS
#define RUN_FIELDS
#define POINT_FIELDS
#define FEATURE_FIELDS
#define FREQUENCY_FIELDS
#define JUNCTURE_FIELDS
#define COHORT_FIELDS
#define RISK_GROUP_FIELDS
#define SURVIVAL_GROUP_FIELDS
#define PAIR_FIELDS
#define FIELD_MADE(make, ...) json_t *make(const path_row *row);
#include "select/path_fields.def"

#endif
