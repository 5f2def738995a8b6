/* A matrix or data frame of R's whose columns are features, as write.csv would write it: the row names
 * are a first column without a name. The numbers of a column go straight to their place. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/format/csv.h"
#include "data/format/rdata.h"
#include "data/table/annotations.h"
#include "data/table/categorical.h"
#include "data/table/duplicate_names.h"
#include "data/table/id_column.h"
#include "data/table/roles.h"

typedef struct reader {
    data_builder *b;
    rdata *r;
    const rtable *t;
    const pare_read_options *o;
    strings columns; /* "" for row names, then those of the table */
    bool row_names;
    unsigned char *role; /* of each of them */
    categorical text;
    /* of the column being read */
    const robject *of;
    place at;
    role is;
    bool factor;
    int64_t feature;
} reader;

/* Whether most of the texts of the column, or of its levels, are numbers. */
static bool mostly_numbers(const reader *q) {
    const robject *of = q->factor ? rdata_attribute(q->r, q->of, "levels") : q->of;
    int64_t numbers = 0, texts = 0;
    for (int64_t i = 0; of && of->type == ROBJECT_TEXT && !of->numbers && i < of->length; i++) {
        const char *text = rdata_text(q->r, of, i);
        int64_t length = (int64_t)strlen(text);
        if (cell_is_text(text, length))
            texts++;
        else
            numbers += !cell_is_missing(text, length);
    }
    return numbers > texts;
}

/* Texts and, where text is coded, the levels of a factor are codes, also if they look like numbers. */
static pare_status take_feature(reader *q, int64_t i, const char *text, int64_t length,
                                pare_error *err) {
    double *to = &q->b->fill.value[q->feature * q->t->rows + i];
    bool allow = q->o->allow_missing, codes = q->o->categorical || q->text.coded[q->feature];
    if (cell_is_missing(text, length) || missing_codes_has(&q->b->na, text, length))
        return cell_missing(to, text, length, allow, &q->at, err);
    if (!cell_is_text(text, length) && !(q->factor && codes))
        return cell_feature(to, text, length, allow, &q->at, err);
    if (cell_is_missing_number(text, length) && !q->factor)
        return codes ? categorical_maybe(&q->text, q->feature, text, &q->at, allow, to, err)
                     : cell_missing(to, text, length, allow, &q->at, err);
    if (codes) return categorical_cell(&q->text, q->feature, text, length, to, err);
    return cell_refuse_text(text, length, mostly_numbers(q), &q->at, err);
}

static pare_status take_value(void *user, int64_t i, char *text, int64_t length, pare_error *err) {
    reader *q = user;
    data_builder *b = q->b;
    pare_data *data = b->data;
    q->at.line = i + 1;
    cell_trim(&text, &length);
    text[length] = '\0';
    switch (q->is) {
    case ROLE_FEATURE: return take_feature(q, i, text, length, err);
    case ROLE_TARGET: return csv_add_target(b, text, length, &q->at, err);
    case ROLE_ID:
        return strings_add(&data->ids, &data->mem, text, length) ? PARE_OK : error_memory(err);
    case ROLE_SKIP:
    case ROLE_MAYBE_ID: return PARE_OK;
    case ROLE_ANNOTATION:
    default: return annotation_put(b, roles_annotation((int)q->is), i, text, length, &q->at, err);
    }
}

static pare_status settle_missing(reader *q, double *value, pare_error *err) {
    missing_codes_apply(&q->b->na, value, q->t->rows);
    for (int64_t i = 0; i < q->t->rows; i++) {
        if (isfinite(value[i])) continue;
        if (isinf(value[i]) && q->o->describe) continue;
        q->at.line = i + 1;
        PASS(cell_check_number(value[i], q->o->allow_missing, &q->at, err));
    }
    return PARE_OK;
}

static pare_status read_matrix_texts(reader *q, int64_t j, pare_error *err) {
    robject part = *q->t->whole; /* the column alone */
    bool real = part.type == ROBJECT_REAL;
    part.attributes = NULL;
    part.start += part.step * (double)(j * q->t->rows);
    part.at += (real ? 8 : 4) * j * q->t->rows;
    if (part.kept) part.kept += j * q->t->rows;
    part.length = q->t->rows;
    return rdata_texts(q->r, &part, take_value, q, err);
}

/* A column of what is neither number nor text, in a table that is described. */
static pare_status no_values(reader *q) {
    double *value = q->b->fill.value + q->feature * q->t->rows;
    for (int64_t i = 0; i < q->t->rows; i++) value[i] = NAN;
    q->b->data->text[q->feature] = COLUMN_OBJECTS;
    return PARE_OK;
}

/* Column j of the table. */
static pare_status read_column(reader *q, int64_t j, pare_error *err) {
    const rtable *t = q->t;
    const robject *of = t->whole ? NULL : t->column[j];
    rvector kind = of ? rdata_vector(q->r, of) : RVECTOR_NUMBERS;
    char what[RDATA_WHAT];
    pare_status status = PARE_OK;
    q->of = of;
    q->factor = kind == RVECTOR_FACTOR;
    if (q->is == ROLE_SKIP) return PARE_OK;
    if (kind == RVECTOR_NONE && q->is == ROLE_FEATURE && q->o->describe) return no_values(q);
    if (kind == RVECTOR_NONE)
        return place_error(err, &q->at,
                           "a column is a vector or a factor, this is another object "
                           "(%s); `drop` leaves it out",
                           rdata_what(q->r, of, what));
    if (kind == RVECTOR_DATES && q->is != ROLE_ID && !q->o->describe)
        return place_error(
            err, &q->at,
            "a column of dates or times may be an `id`, else `drop` leaves it out; or "
            "store a number instead, such as days");
    if (q->is != ROLE_FEATURE || (kind != RVECTOR_NUMBERS || q->text.coded[q->feature]))
        return t->whole ? read_matrix_texts(q, j, err) : rdata_texts(q->r, of, take_value, q, err);
    double *value = q->b->fill.value + q->feature * t->rows;
    TRY(rdata_column(q->r, t, j, value, err));
    TRY(settle_missing(q, value, err));
done:
    return status;
}

/* Only the first column may lack a name, as in text. */
static pare_status check_named(const reader *q, pare_error *err) {
    for (int64_t j = 1; j < q->columns.count; j++)
        if (!*strings_at(&q->columns, j))
            return error_set(err, PARE_E_FORMAT,
                             "%s: the name of column %" PRId64
                             " is empty: in R, write one with colnames(x)[%" PRId64
                             "] <-, or delete the column",
                             q->at.file, j + 1 - q->row_names, j + 1 - q->row_names);
    return PARE_OK;
}

static pare_status list_columns(reader *q, pare_error *err) {
    const rtable *t = q->t;
    const pare_allocator *mem = &q->b->data->mem;
    pare_status status = PARE_OK;
    q->row_names = t->row_names != NULL;
    if (q->row_names) TRY_MEM(strings_add(&q->columns, mem, "", 0));
    if (t->column_names) TRY(rdata_list(&q->columns, mem, q->r, t->column_names, err));
    TRY(check_named(q, err));
done:
    return status;
}

/* A matrix of numbers has no last column that would be the target by default. */
static bool lacks_target(const reader *q) {
    if (!q->t->whole || q->o->target) return false;
    for (int64_t j = 0; j < q->columns.count; j++)
        if (roles_usual_target(strings_at(&q->columns, j)) >= 0) return false;
    return true;
}

/* Names that repeat get numbers, or are rejected unless they are dropped. */
static pare_status settle_names(reader *q, const roles *wanted, pare_error *err) {
    int64_t repeat;
    char shown[CELL_SHOWN];
    if (!names_settle(&q->columns, wanted, names_numbered(q->o, &q->columns), &repeat,
                      names_changed(q->o, q->b->data), &q->b->data->mem))
        return error_memory(err);
    if (repeat < 0) return PARE_OK;
    const char *name = strings_at(&q->columns, repeat);
    return error_set(err, PARE_E_DATA,
                     "%s: two columns are named %s: `duplicate_names number` keeps both, `drop` "
                     "leaves both out",
                     q->at.file, cell_shown(name, (int64_t)strlen(name), shown));
}

static pare_status say_ids(const reader *q, const char *name, const pare_ctx *ctx,
                           pare_error *err) {
    pare_data *data = q->b->data;
    if (!q->row_names) return id_column_name(data, name, q->at.file, ctx, err);
    ctx_log(ctx, PARE_LOG_INFO, "%s: the sample ids are the row names", q->at.file);
    return strings_add(&data->id_name, &data->mem, "", 0) ? PARE_OK : error_memory(err);
}

/* The row names, or a first column with a usual name of ids or none: whether they are ids. */
static pare_status settle_id(reader *q, const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = &q->b->data->mem;
    const rtable *t = q->t;
    const char *name = strings_at(&q->columns, 0);
    const robject *of = q->row_names ? t->row_names : t->whole ? NULL : t->column[0];
    strings values = {0};
    id_fault fault = IDS_DECIMAL;
    int64_t row, first;
    char why[ID_FAULT] = "they are numbers";
    pare_status status = PARE_OK;
    if (of && (q->row_names || rdata_vector(q->r, of) != RVECTOR_NONE)) {
        TRY(rdata_list(&values, mem, q->r, of, err));
        TRY(id_column_check(&fault, &row, &first, &values, mem, err));
        if (fault != IDS_FINE)
            id_column_fault(why, fault, strings_at(&values, row), "row", first + 1, row + 1);
    }
    bool ids = fault == IDS_FINE, left = q->o->only || !*name;
    q->role[0] = (unsigned char)(ids ? ROLE_ID : left ? ROLE_SKIP : ROLE_FEATURE);
    if (ids) TRY(say_ids(q, name, ctx, err));
    if (!ids && !*name)
        id_column_left_out(q->row_names ? "row names" : "values of the column without a name", why,
                           q->at.file, ctx);
done:
    strings_free(&values, mem);
    return status;
}

/* What is a feature, and nothing is a target: a matrix without names of columns. */
static pare_status nameless(reader *q, const pare_ctx *ctx, pare_error *err) {
    const pare_read_options *o = q->o;
    const char *named = o->target && !o->labels ? "target" : o->drop ? "drop" : NULL;
    if (named)
        return error_set(err, PARE_E_ARGUMENT,
                         "%s: %s names a column, but the matrix has no names of columns",
                         q->at.file, named);
    memset(q->role, ROLE_FEATURE, (size_t)(q->t->columns + q->row_names));
    return q->row_names ? settle_id(q, ctx, err) : PARE_OK;
}

static pare_status keep_names(reader *q, pare_error *err) {
    pare_data *data = q->b->data;
    for (int64_t j = 0; j < q->columns.count; j++) {
        const char *name = strings_at(&q->columns, j);
        strings *known = q->role[j] == ROLE_TARGET ? &data->target_name
                         : q->role[j] == ROLE_ID   ? &data->id_name
                                                   : NULL;
        if (known && !strings_add(known, &data->mem, name, (int64_t)strlen(name)))
            return error_memory(err);
    }
    return PARE_OK;
}

/* Only of features is said what they are, if that is neither number nor text. */
static void release_objects(reader *q) {
    for (int64_t j = 0; !q->t->whole && j < q->t->columns; j++) {
        unsigned char *which = &q->role[j + q->row_names];
        if (*which != ROLE_SKIP && rdata_vector(q->r, q->t->column[j]) == RVECTOR_NONE)
            *which = ROLE_FEATURE;
    }
}

static pare_status assign_roles(reader *q, const pare_ctx *ctx, pare_error *err) {
    roles wanted = {0};
    pare_read_options o = *q->o;
    pare_status status = PARE_OK;
    TRY_MEM(q->role = mem_alloc(&q->b->data->mem, q->t->columns + 1, 1));
    if (!q->t->column_names) return nameless(q, ctx, err);
    o.no_target = o.no_target || lacks_target(q);
    TRY(roles_begin(&wanted, &o, ctx, err));
    TRY(settle_names(q, &wanted, err));
    TRY(roles_assign(&wanted, &q->columns, q->at.file, q->role, err));
    for (int64_t j = 0; o.only && j < q->columns.count; j++) /* codes that a model needs */
        if (q->role[j] == ROLE_SKIP && categorical_wanted(&o, strings_at(&q->columns, j)))
            q->role[j] = ROLE_FEATURE;
    if (q->o->describe) release_objects(q);
    TRY(keep_names(q, err));
    if (q->columns.count && q->role[0] == ROLE_MAYBE_ID) TRY(settle_id(q, ctx, err));
done:
    roles_free(&wanted);
    return status;
}

static pare_status begin_features(reader *q, const pare_ctx *ctx, pare_error *err) {
    data_builder *b = q->b;
    pare_data *data = b->data;
    int64_t d = 0;
    pare_status status = PARE_OK;
    for (int64_t j = 0; j < q->t->columns; j++) {
        if (q->role[j + q->row_names] != ROLE_FEATURE) continue;
        d++;
        if (!q->t->column_names) continue;
        const char *name = strings_at(&q->columns, j + q->row_names);
        TRY_MEM(strings_add(&data->names, &data->mem, name, (int64_t)strlen(name)));
    }
    if (d == 0 && !data->may_lack_features) {
        status = error_set(err, PARE_E_DATA, "%s has no features", q->at.file);
        goto done;
    }
    TRY(categorical_begin(&q->text, q->o, d, &data->mem, err));
    if (q->o->describe) TRY_MEM(data->text = mem_zero(&data->mem, d, sizeof *data->text));
    for (int64_t j = 0; q->o->only && q->t->column_names && j < d; j++)
        q->text.coded[j] = categorical_wanted(q->o, strings_at(&data->names, j));
    TRY(data_alloc_dense(b, q->t->rows, d, q->at.file, ctx, err));
done:
    return status;
}

static pare_status read_all(reader *q, pare_error *err) {
    pare_status status = PARE_OK;
    for (int64_t j = 0; j < q->t->columns; j++) {
        q->is = (role)q->role[j + q->row_names];
        q->at.line = 0;
        q->at.name = q->t->column_names ? strings_at(&q->columns, j + q->row_names) : NULL;
        TRY(read_column(q, j, err));
        q->feature += q->is == ROLE_FEATURE;
    }
    if (!q->row_names || q->role[0] == ROLE_SKIP) return PARE_OK;
    q->is = (role)q->role[0];
    q->at.name = NULL;
    TRY(rdata_texts(q->r, q->t->row_names, take_value, q, err));
done:
    return status;
}

pare_status rdata_read_columns(data_builder *b, rdata *r, const rtable *t,
                               const pare_read_options *o, const pare_ctx *ctx, pare_error *err) {
    const pare_data *data = b->data;
    reader q = {.b = b,
                .r = r,
                .t = t,
                .o = o,
                .at = {.file = r->name, .byte = -1, .sheet = true, .model = o->only != NULL}};
    pare_status status = PARE_OK;
    TRY(list_columns(&q, err));
    TRY(assign_roles(&q, ctx, err));
    TRY(begin_features(&q, ctx, err));
    TRY(read_all(&q, err));
    TRY(categorical_finish(&q.text, b, r->name, ctx, err));
done:
    categorical_free(&q.text);
    mem_free(&data->mem, q.role);
    strings_free(&q.columns, &data->mem);
    return status;
}
