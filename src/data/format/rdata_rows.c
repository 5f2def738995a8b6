/* A matrix or data frame of R's whose rows are features: a column is a sample, with the row names as the
 * names of features. A row may be the target, if it has the name of one. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/format/csv.h"
#include "data/format/rdata.h"
#include "data/table/annotations.h"
#include "data/table/duplicate_names.h"
#include "data/table/roles.h"
#include "data/table/table.h"

typedef struct reader {
    data_builder *b;
    rdata *r;
    const rtable *t;
    const pare_read_options *o;
    const pare_ctx *ctx;
    strings rows;        /* their names, or none */
    int64_t first;       /* column that is a sample: behind a column of names */
    unsigned char *role; /* of each row */
    int64_t d, n;
    double *value; /* of a column */
    table x;
    place at;
} reader;

/* The names of rows: R's own, or a first column of texts. */
static pare_status list_rows(reader *q, pare_error *err) {
    const rtable *t = q->t;
    const pare_allocator *mem = &q->b->data->mem;
    const robject *first = !t->whole && t->columns > 0 ? t->column[0] : NULL;
    rvector kind = first ? rdata_vector(q->r, first) : RVECTOR_NONE;
    if (t->row_names) return rdata_list(&q->rows, mem, q->r, t->row_names, err);
    if (kind != RVECTOR_TEXTS && kind != RVECTOR_FACTOR) return PARE_OK;
    q->first = 1;
    return rdata_list(&q->rows, mem, q->r, first, err);
}

static pare_status list_samples(reader *q, pare_error *err) {
    const rtable *t = q->t;
    const pare_allocator *mem = &q->b->data->mem;
    strings all = {0};
    pare_status status = PARE_OK;
    if (!t->column_names) return PARE_OK;
    TRY(rdata_list(&all, mem, q->r, t->column_names, err));
    for (int64_t i = q->first; i < all.count; i++) {
        const char *name = strings_at(&all, i);
        TRY_MEM(strings_add(&q->b->data->ids, mem, name, (int64_t)strlen(name)));
    }
done:
    strings_free(&all, mem);
    return status;
}

/* Names that repeat get numbers, but for those of dropped rows. */
static pare_status number_rows(reader *q, const roles *wanted, pare_error *err) {
    const pare_allocator *mem = &q->b->data->mem;
    name_numbers numbers = {.mem = mem};
    strings named = {0};
    pare_status status = PARE_OK;
    if (!names_numbered(q->o, NULL)) return PARE_OK;
    for (int64_t i = 0; i < q->rows.count; i++) {
        const char *name = strings_at(&q->rows, i);
        if (!roles_drop(wanted, name)) TRY_MEM(names_number(&numbers, name, &name));
        if (q->o->describe && strcmp(name, strings_at(&q->rows, i)) != 0)
            TRY_MEM(strings_add(&q->b->data->repeated, mem, name, (int64_t)strlen(name)));
        TRY_MEM(strings_add(&named, mem, name, (int64_t)strlen(name)));
    }
    strings_free(&q->rows, mem);
    q->rows = named;
    named = (strings){0};
done:
    strings_free(&named, mem);
    names_numbers_free(&numbers);
    return status;
}

/* The roles by name; a later row may have a more usual name of a target than an earlier one. */
static pare_status name_rows(reader *q, roles *wanted, pare_error *err) {
    int best = 4, times;
    int64_t target = -1;
    char shown[CELL_SHOWN];
    pare_status status = PARE_OK;
    for (int64_t i = 0; i < q->rows.count; i++) {
        const char *name = strings_at(&q->rows, i);
        role which = roles_of(wanted, name, &times);
        int usual = wanted->default_target ? roles_usual_target(name) : -1;
        q->role[i] = (unsigned char)which;
        if (times > 1 && which != ROLE_SKIP)
            return error_set(
                err, PARE_E_DATA,
                "%s: two rows are named %s: `duplicate_names number` keeps both, `drop` "
                "leaves both out",
                q->at.file, cell_shown(name, (int64_t)strlen(name), shown));
        if (times && which != ROLE_FEATURE) continue;
        if (usual >= 0 && usual < best) {
            best = usual;
            target = i;
        } else if (!times && which == ROLE_FEATURE) {
            TRY(roles_refuse_leak(wanted, name, q->at.file, "row", err));
        }
    }
    if (target >= 0) {
        q->role[target] = ROLE_TARGET;
        roles_say_target(wanted, strings_at(&q->rows, target), q->at.file, "row");
    }
    for (int64_t i = 0; i < q->rows.count; i++) {
        const char *name = strings_at(&q->rows, i);
        if (q->role[i] == ROLE_TARGET)
            TRY_MEM(strings_add(&q->b->data->target_name, &q->b->data->mem, name,
                                (int64_t)strlen(name)));
    }
    TRY(roles_check_seen(wanted, q->at.file, "row", err));
done:
    return status;
}

static pare_status assign_roles(reader *q, const pare_ctx *ctx, pare_error *err) {
    pare_data *data = q->b->data;
    roles wanted = {0};
    pare_status status = PARE_OK;
    TRY_MEM(q->role = mem_zero(&data->mem, q->t->rows, 1));
    TRY(roles_begin(&wanted, q->o, ctx, err));
    TRY(number_rows(q, &wanted, err));
    if (q->rows.count) TRY(name_rows(q, &wanted, err));
    if (!q->rows.count && wanted.wanted.count) {
        status = error_set(err, PARE_E_DATA, "%s: the rows have no names, \"%.64s\" is not found",
                           q->at.file, strings_at(&wanted.wanted, 0));
        goto done;
    }
    for (int64_t i = 0; i < q->t->rows; i++) {
        if (q->role[i] != ROLE_FEATURE) continue;
        q->d++;
        if (!q->rows.count) continue;
        const char *name = strings_at(&q->rows, i);
        TRY_MEM(strings_add(&data->names, &data->mem, name, (int64_t)strlen(name)));
    }
done:
    roles_free(&wanted);
    return status;
}

/* A row that is no feature: its value in one sample. */
static pare_status take_other(reader *q, int64_t sample, int64_t row, pare_error *err) {
    pare_data *data = q->b->data;
    char text[32];
    double value = q->value[row];
    int length = value == value ? number_format(value, text) : 0;
    text[length] = '\0';
    switch ((role)q->role[row]) {
    case ROLE_TARGET: return csv_add_target(q->b, text, length, &q->at, err);
    case ROLE_ID:
        if (sample == 0)
            strings_free(&data->ids, &data->mem); /* they replace those of the columns */
        return strings_add(&data->ids, &data->mem, text, length) ? PARE_OK : error_memory(err);
    case ROLE_FEATURE:
    case ROLE_MAYBE_ID:
    case ROLE_SKIP: return PARE_OK;
    case ROLE_ANNOTATION:
    default:
        return annotation_put(q->b, roles_annotation(q->role[row]), sample, text, length, &q->at,
                              err);
    }
}

/* A column that is no sample, where rows are described. */
static void no_numbers(reader *q, int64_t j) {
    for (int64_t k = 0; k < q->t->rows; k++) q->value[k] = NAN;
    ctx_log(q->ctx, PARE_LOG_WARNING,
            "%s: column %lld is no vector of numbers, though with features in rows every column is "
            "a sample",
            q->at.file, (long long)(j + 1));
}

static pare_status read_sample(reader *q, int64_t i, pare_error *err) {
    const rtable *t = q->t;
    int64_t j = i + q->first, to = 0;
    double *row;
    pare_status status = PARE_OK;
    bool numbers = t->whole || rdata_vector(q->r, t->column[j]) == RVECTOR_NUMBERS;
    if (!numbers && !q->o->describe)
        return error_set(err, PARE_E_DATA,
                         "%s: column %lld is no vector of numbers; with features in rows every "
                         "column is a sample",
                         q->at.file, (long long)(j + 1));
    TRY(table_row(&q->x, &row, err));
    if (numbers)
        TRY(rdata_column(q->r, t, j, q->value, err));
    else
        no_numbers(q, j);
    missing_codes_apply(&q->b->na, q->value, t->rows);
    for (int64_t k = 0; k < t->rows; k++) {
        double value = q->value[k];
        q->at.line = k + 1;
        q->at.name = q->rows.count ? strings_at(&q->rows, k) : NULL;
        if (q->role[k] != ROLE_FEATURE) {
            TRY(take_other(q, i, k, err));
            continue;
        }
        if (!q->o->describe) TRY(cell_check_number(value, q->o->allow_missing, &q->at, err));
        row[to++] = value;
    }
done:
    return status;
}

pare_status rdata_read_rows(data_builder *b, rdata *r, const rtable *t, const pare_read_options *o,
                            const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = &b->data->mem;
    reader q = {.b = b,
                .r = r,
                .t = t,
                .o = o,
                .ctx = ctx,
                .at = {.file = r->name, .byte = -1, .sheet = true, .model = o->only != NULL}};
    pare_status status = PARE_OK;
    TRY(list_rows(&q, err));
    TRY(list_samples(&q, err));
    TRY(assign_roles(&q, ctx, err));
    q.n = t->columns - q.first;
    TRY(data_check_memory(8.0 * (double)t->rows, r->name, ctx, err));
    TRY_MEM(q.value = mem_alloc(mem, t->rows, sizeof *q.value));
    TRY(table_begin(&q.x, b, q.n, q.d, r->name, ctx, err));
    for (int64_t i = 0; i < q.n; i++) TRY(read_sample(&q, i, err));
    TRY(table_finish(&q.x, err));
done:
    table_free(&q.x);
    mem_free(mem, q.value);
    mem_free(mem, q.role);
    strings_free(&q.rows, mem);
    return status;
}
