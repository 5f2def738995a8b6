/* The tables of a path's outputs, and access to them by name. */
#include "report/path_fields.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    JSON = PARE_SHOWN_JSON,
    TSV = PARE_SHOWN_TSV,
    PYTHON = PARE_SHOWN_PYTHON,
    R = PARE_SHOWN_R,
    PAGE = PARE_SHOWN_PAGE,
    CSV = PARE_SHOWN_CSV,
    EVERYWHERE = JSON | TSV | PYTHON | R | PAGE | CSV,
    OPTIONAL = PARE_SHOWN_OPTIONAL,
    WHOLE = PARE_SHOWN_WHOLE
};

#define TYPE_OF(value)                                                                             \
    _Generic((value),                                                                              \
        double: PARE_COLUMN_REAL,                                                                  \
        int64_t: PARE_COLUMN_INTEGER,                                                              \
        bool: PARE_COLUMN_FLAG,                                                                    \
        const char *: PARE_COLUMN_TEXT,                                                            \
        default: PARE_COLUMN_OTHER)
#define FIELD_OF(table, of, member, field, name, shown, words)                                     \
    {{table, field, name, words, TYPE_OF(((of *)0)->member), shown},                               \
     offsetof(of, member),                                                                         \
     NULL,                                                                                         \
     NULL},
#define MADE_OF(table, make, type, field, name, shown, words)                                      \
    {{table, field, name, words, PARE_COLUMN_##type, shown}, 0, make, NULL},
#define LIST_OF(table, list, field)                                                                \
    {{table, field, field, NULL, PARE_COLUMN_LIST, JSON | OPTIONAL}, 0, NULL, &list##_TABLE},
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const path_run *run_of(const pare_path *p, int64_t run) { return &p->run[run]; }

static const path_field FEATURE_ROW[] = {
#define FEATURE_FIELDS
#define FIELD(type, ...) FIELD_OF("features", path_feature, __VA_ARGS__)
#define FIELD_IN(...) FIELD_OF("features", path_feature, __VA_ARGS__)
#define FIELD_MADE(...) MADE_OF("features", __VA_ARGS__)
#include "select/path_fields.def"
};
static int64_t features(const pare_path *p, int64_t run) { return run_of(p, run)->n_feature; }
static const void *feature_at(const pare_path *p, int64_t run, int64_t i) {
    return &run_of(p, run)->feature[i];
}
static const path_table FEATURES_TABLE = {"features", FEATURE_ROW, COUNT(FEATURE_ROW), features,
                                          feature_at};

static const path_field FREQUENCY_ROW[] = {
#define FREQUENCY_FIELDS
#define FIELD(type, ...) FIELD_OF("frequency", path_frequency, __VA_ARGS__)
#define FIELD_MADE(...) MADE_OF("frequency", __VA_ARGS__)
#include "select/path_fields.def"
};
static int64_t frequencies(const pare_path *p, int64_t run) { return run_of(p, run)->n_frequency; }
static const void *frequency_at(const pare_path *p, int64_t run, int64_t i) {
    return &run_of(p, run)->frequency[i];
}
static const path_table FREQUENCIES_TABLE = {"frequency", FREQUENCY_ROW, COUNT(FREQUENCY_ROW),
                                             frequencies, frequency_at};

static const path_field JUNCTURE_ROW[] = {
#define JUNCTURE_FIELDS
#define FIELD(type, ...) FIELD_OF("junctures", path_juncture, __VA_ARGS__)
#define FIELD_MADE(...) MADE_OF("junctures", __VA_ARGS__)
#include "select/path_fields.def"
};
static int64_t junctures(const pare_path *p, int64_t run) {
    return run_of(p, run)->has_junctures ? run_of(p, run)->n_junctures : -1;
}
static const void *juncture_at(const pare_path *p, int64_t run, int64_t i) {
    return &run_of(p, run)->juncture[i];
}
static const path_table JUNCTURES_TABLE = {"junctures", JUNCTURE_ROW, COUNT(JUNCTURE_ROW),
                                           junctures, juncture_at};

static const path_field COHORT_ROW[] = {
#define COHORT_FIELDS
#define FIELD(type, ...) FIELD_OF("cohorts", path_cohort, __VA_ARGS__)
#define FIELD_IN(...) FIELD_OF("cohorts", path_cohort, __VA_ARGS__)
#define FIELD_MADE(...) MADE_OF("cohorts", __VA_ARGS__)
#include "select/path_fields.def"
};
static int64_t cohorts(const pare_path *p, int64_t run) {
    return run_of(p, run)->cohort ? p->n_cohorts : -1;
}
static const void *cohort_at(const pare_path *p, int64_t run, int64_t i) {
    return &run_of(p, run)->cohort[i];
}
static const path_table COHORTS_TABLE = {"cohorts", COHORT_ROW, COUNT(COHORT_ROW), cohorts,
                                         cohort_at};

static const path_field RISK_GROUP_ROW[] = {
#define RISK_GROUP_FIELDS
#define FIELD(type, ...) FIELD_OF("risk_groups", path_risk_group, __VA_ARGS__)
#define FIELD_MADE(...) MADE_OF("risk_groups", __VA_ARGS__)
#include "select/path_fields.def"
};
static int64_t risk_groups(const pare_path *p, int64_t run) {
    return run_of(p, run)->n_risk_groups;
}
static const void *risk_group_at(const pare_path *p, int64_t run, int64_t i) {
    return &run_of(p, run)->risk_group[i];
}
static const path_table RISK_GROUPS_TABLE = {"risk_groups", RISK_GROUP_ROW, COUNT(RISK_GROUP_ROW),
                                             risk_groups, risk_group_at};

static const path_field SURVIVAL_GROUP_ROW[] = {
#define SURVIVAL_GROUP_FIELDS
#define FIELD(type, ...) FIELD_OF("calibration_at", path_survival_group, __VA_ARGS__)
#include "select/path_fields.def"
};
static int64_t survival_groups(const pare_path *p, int64_t run) {
    return run_of(p, run)->n_survival_groups;
}
static const void *survival_group_at(const pare_path *p, int64_t run, int64_t i) {
    return &run_of(p, run)->survival_group[i];
}
static const path_table SURVIVAL_GROUPS_TABLE = {"calibration_at", SURVIVAL_GROUP_ROW,
                                                 COUNT(SURVIVAL_GROUP_ROW), survival_groups,
                                                 survival_group_at};

static const path_field POINT_ROW[] = {
#define POINT_FIELDS
#define FIELD(type, ...) FIELD_OF("points", path_point, __VA_ARGS__)
#define FIELD_IN(...) FIELD_OF("points", path_point, __VA_ARGS__)
#define FIELD_MADE(...) MADE_OF("points", __VA_ARGS__)
#include "select/path_fields.def"
};
static int64_t points(const pare_path *p, int64_t run) {
    (void)run;
    return p->setup.n_sizes;
}
static const void *point_at(const pare_path *p, int64_t run, int64_t i) {
    return &run_of(p, run)->point[i];
}
static const path_table POINTS_TABLE = {"points", POINT_ROW, COUNT(POINT_ROW), points, point_at};

static const path_field PAIR_ROW[] = {
#define PAIR_FIELDS
#define FIELD(type, ...) FIELD_OF("pairs", path_pair, __VA_ARGS__)
#define FIELD_IN(...) FIELD_OF("pairs", path_pair, __VA_ARGS__)
#include "select/path_fields.def"
};
static int64_t pairs(const pare_path *p, int64_t run) {
    (void)run;
    return p->n_pairs;
}
static const void *pair_at(const pare_path *p, int64_t run, int64_t i) {
    (void)run;
    return &p->pair[i];
}
static const path_table PAIRS_TABLE = {"pairs", PAIR_ROW, COUNT(PAIR_ROW), pairs, pair_at};

static const path_field RUN_ROW[] = {
#define RUN_FIELDS
#define FIELD(type, ...) FIELD_OF("runs", path_run, __VA_ARGS__)
#define FIELD_IN(...) FIELD_OF("runs", path_run, __VA_ARGS__)
#define FIELD_MADE(...) MADE_OF("runs", __VA_ARGS__)
#define FIELD_LIST(...) LIST_OF("runs", __VA_ARGS__)
#include "select/path_fields.def"
};
static int64_t runs(const pare_path *p, int64_t run) {
    (void)run;
    return p->setup.n_methods;
}
static const void *run_at(const pare_path *p, int64_t run, int64_t i) {
    (void)run;
    return &p->run[i];
}
static const path_table RUNS_TABLE = {"runs", RUN_ROW, COUNT(RUN_ROW), runs, run_at};

static const path_field PATH_ROW[] = {
#define PATH_FIELDS
#define FIELD(type, ...) FIELD_OF("path", pare_path, __VA_ARGS__)
#define FIELD_IN(...) FIELD_OF("path", pare_path, __VA_ARGS__)
#define FIELD_MADE(...) MADE_OF("path", __VA_ARGS__)
#define FIELD_LIST(...) LIST_OF("path", __VA_ARGS__)
#include "select/path_fields.def"
};
static int64_t one(const pare_path *p, int64_t run) {
    (void)p;
    (void)run;
    return 1;
}
static const void *path_at(const pare_path *p, int64_t run, int64_t i) {
    (void)run;
    (void)i;
    return p;
}
static const path_table PATH_TABLE = {"path", PATH_ROW, COUNT(PATH_ROW), one, path_at};

static const path_table *const tables[] = {
    &PATH_TABLE,        &RUNS_TABLE,      &POINTS_TABLE,      &FEATURES_TABLE,
    &FREQUENCIES_TABLE, &JUNCTURES_TABLE, &RISK_GROUPS_TABLE, &SURVIVAL_GROUPS_TABLE,
    &COHORTS_TABLE,     &PAIRS_TABLE};

const path_table *path_table_named(const char *name) {
    for (size_t t = 0; t < COUNT(tables); t++)
        if (strcmp(tables[t]->name, name) == 0) return tables[t];
    return NULL;
}

path_row path_row_of(const path_table *t, const pare_path *p, int64_t run, int64_t row) {
    /* a row of `runs` is a run itself */
    return (path_row){p, t == &RUNS_TABLE ? row : run, row, t->at(p, run, row)};
}

static const void *place(const path_field *f, const path_row *row) {
    return (const char *)row->at + f->offset;
}

double path_field_real(const path_field *f, const path_row *row) {
    switch (f->column.type) {
    case PARE_COLUMN_REAL: return *(const double *)place(f, row);
    case PARE_COLUMN_INTEGER: return (double)*(const int64_t *)place(f, row);
    case PARE_COLUMN_FLAG: return *(const bool *)place(f, row);
    default: return NAN;
    }
}

int64_t path_field_integer(const path_field *f, const path_row *row) {
    return *(const int64_t *)place(f, row);
}

const char *path_field_text(const path_field *f, const path_row *row) {
    return f->column.type == PARE_COLUMN_TEXT ? *(const char *const *)place(f, row) : NULL;
}

bool path_field_defined(const path_field *f, const path_row *row) {
    switch (f->column.type) {
    case PARE_COLUMN_REAL: return !isnan(path_field_real(f, row));
    case PARE_COLUMN_FLAG: return path_field_real(f, row) != 0;
    case PARE_COLUMN_TEXT: return path_field_text(f, row) != NULL;
    case PARE_COLUMN_LIST: return f->list->rows(row->path, row->run) >= 0;
    default: return true;
    }
}

static bool any_defined(const path_table *t, const path_field *f, const pare_path *p) {
    for (int64_t m = 0; m < p->setup.n_methods; m++)
        for (int64_t i = 0; i < t->rows(p, m); i++) {
            path_row row = path_row_of(t, p, m, i);
            if (path_field_defined(f, &row)) return true;
        }
    return false;
}

const path_field *path_field_next(const path_table *t, const pare_path *p, int32_t document,
                                  size_t *i) {
    while (*i < t->count) {
        const path_field *f = &t->field[(*i)++];
        if (!(f->column.shown & document)) continue;
        if (!(f->column.shown & OPTIONAL) || any_defined(t, f, p)) return f;
    }
    return NULL;
}

bool pare_path_column(pare_column *out, int64_t i) {
    for (size_t t = 0; t < COUNT(tables) && i >= 0; i -= (int64_t)tables[t++]->count)
        if (i < (int64_t)tables[t]->count) {
            *out = tables[t]->field[i].column;
            return true;
        }
    return false;
}

int64_t pare_path_rows(const pare_path *p, const char *name, int64_t run) {
    const path_table *t = path_table_named(name);
    if (!t || run < 0 || run >= p->setup.n_methods) return 0;
    return t->rows(p, run) < 0 ? 0 : t->rows(p, run);
}

/* The field of that name that lies in the row; NULL: there is none. */
static const path_field *find(path_row *row, const pare_path *p, const char *table,
                              const char *field, int64_t run, int64_t i) {
    const path_table *t = path_table_named(table);
    if (i < 0 || i >= pare_path_rows(p, table, run)) return NULL;
    *row = path_row_of(t, p, run, i);
    for (size_t f = 0; f < t->count; f++)
        if (strcmp(t->field[f].column.field, field) == 0) return &t->field[f];
    return NULL;
}

double pare_path_number(const pare_path *p, const char *table, const char *field, int64_t run,
                        int64_t i) {
    path_row row;
    const path_field *f = find(&row, p, table, field, run, i);
    return f ? path_field_real(f, &row) : NAN;
}

const char *pare_path_text(const pare_path *p, const char *table, const char *field, int64_t run,
                           int64_t i) {
    path_row row;
    const path_field *f = find(&row, p, table, field, run, i);
    return f ? path_field_text(f, &row) : NULL;
}
