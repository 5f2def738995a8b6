/* A dgCMatrix of R's package Matrix: compressed columns, slots i, p, x, Dim and Dimnames. Where its rows
 * are features, its columns are the rows of X, and are dealt to the columns while x is read. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/format/rdata.h"

enum { AT_ONCE = 1 << 12 };

typedef struct slots {
    const robject *i, *p, *x;
    int64_t rows, columns, entries;
} slots;

static pare_status damaged(const rdata *r, pare_error *err) {
    return error_set(err, PARE_E_FORMAT,
                     "%s: R's file is damaged: the parts of a sparse matrix do "
                     "not fit each other",
                     r->name);
}

static pare_status find_slots(slots *s, const rdata *r, const robject *of, pare_error *err) {
    const robject *dim = rdata_attribute(r, of, "Dim");
    s->i = rdata_attribute(r, of, "i");
    s->p = rdata_attribute(r, of, "p");
    s->x = rdata_attribute(r, of, "x");
    if (!dim || dim->type != ROBJECT_INTEGER || dim->length != 2 || !dim->kept || !s->i || !s->p ||
        !s->x || s->i->type != ROBJECT_INTEGER || s->p->type != ROBJECT_INTEGER ||
        s->x->type != ROBJECT_REAL || s->i->length != s->x->length || !(dim->kept[0] >= 0) ||
        !(dim->kept[1] >= 0) || (double)s->p->length != dim->kept[1] + 1)
        return damaged(r, err);
    s->rows = (int64_t)dim->kept[0];
    s->columns = (int64_t)dim->kept[1];
    s->entries = s->x->length;
    return PARE_OK;
}

/* Integers to 64 or 32 bits. */
static pare_status read_integers(rdata *r, const robject *of, int64_t *wide, int32_t *narrow,
                                 pare_error *err) {
    double value[AT_ONCE];
    for (int64_t i = 0; i < of->length; i += AT_ONCE) {
        int64_t count = of->length - i < AT_ONCE ? of->length - i : AT_ONCE;
        PASS(rdata_numbers(r, of, i, count, value, err));
        for (int64_t k = 0; k < count; k++) {
            if (!(value[k] >= 0 && value[k] <= INT32_MAX)) return damaged(r, err);
            if (wide)
                wide[i + k] = (int64_t)value[k];
            else
                narrow[i + k] = (int32_t)value[k];
        }
    }
    return PARE_OK;
}

/* Checks what the numbers are dealt by. */
static pare_status check(const rdata *r, const slots *s, const int64_t *p, const int32_t *i,
                         pare_error *err) {
    if (p[0] != 0 || p[s->columns] != s->entries) return damaged(r, err);
    for (int64_t j = 0; j < s->columns; j++)
        if (p[j] > p[j + 1]) return damaged(r, err);
    for (int64_t e = 0; e < s->entries; e++)
        if (i[e] >= s->rows) return damaged(r, err);
    return PARE_OK;
}

static pare_status read_straight(data_builder *b, rdata *r, const slots *s, const pare_ctx *ctx,
                                 pare_error *err) {
    PASS(data_alloc_sparse(b, s->rows, s->columns, s->entries, r->name, ctx, err));
    PASS(read_integers(r, s->i, NULL, b->fill.row, err));
    PASS(read_integers(r, s->p, b->fill.col_ptr, NULL, err));
    PASS(check(r, s, b->fill.col_ptr, b->fill.row, err));
    PASS(rdata_numbers(r, s->x, 0, s->entries, b->fill.value, err));
    missing_codes_apply(&b->na, b->fill.value, s->entries);
    return PARE_OK;
}

/* Entry e, of column j of the file, goes to column i[e] of X. */
static pare_status deal(data_builder *b, rdata *r, const slots *s, const int64_t *p,
                        const int32_t *i, int64_t *next, pare_error *err) {
    double value[AT_ONCE];
    int64_t *col_ptr = b->fill.col_ptr, e = 0;
    memset(col_ptr, 0, (size_t)(s->rows + 1) * sizeof *col_ptr);
    for (int64_t k = 0; k < s->entries; k++) col_ptr[i[k] + 1]++;
    for (int64_t k = 0; k < s->rows; k++) col_ptr[k + 1] += col_ptr[k];
    for (int64_t k = 0; k < s->rows; k++) next[k] = col_ptr[k];
    for (int64_t j = 0; j < s->columns; j++)
        for (; e < p[j + 1]; e++) {
            int64_t left = s->entries - e;
            if (e % AT_ONCE == 0) {
                pare_status status =
                    rdata_numbers(r, s->x, e, left < AT_ONCE ? left : AT_ONCE, value, err);
                if (status != PARE_OK) return status;
                missing_codes_apply(&b->na, value, left < AT_ONCE ? left : AT_ONCE);
            }
            int64_t to = next[i[e]]++;
            b->fill.row[to] = (int32_t)j;
            b->fill.value[to] = value[e % AT_ONCE];
        }
    return PARE_OK;
}

static pare_status read_turned(data_builder *b, rdata *r, const slots *s, const pare_ctx *ctx,
                               pare_error *err) {
    const pare_allocator *mem = &b->data->mem;
    int32_t *i = NULL;
    int64_t *p = NULL, *next = NULL;
    pare_status status = PARE_OK;
    TRY(data_alloc_sparse(b, s->columns, s->rows, s->entries, r->name, ctx, err));
    TRY_MEM(i = mem_alloc(mem, s->entries, sizeof *i));
    TRY_MEM(p = mem_alloc(mem, s->columns + 1, sizeof *p));
    TRY_MEM(next = mem_alloc(mem, s->rows, sizeof *next));
    TRY(read_integers(r, s->i, NULL, i, err));
    TRY(read_integers(r, s->p, p, NULL, err));
    TRY(check(r, s, p, i, err));
    TRY(deal(b, r, s, p, i, next, err));
done:
    mem_free(mem, i);
    mem_free(mem, p);
    mem_free(mem, next);
    return status;
}

static pare_status read_names(data_builder *b, rdata *r, const robject *of, const slots *s,
                              bool turned, pare_error *err) {
    pare_data *data = b->data;
    const robject *names = rdata_attribute(r, of, "Dimnames");
    int64_t length[2] = {s->rows, s->columns};
    if (!names || names->type != ROBJECT_LIST || names->length != 2) return PARE_OK;
    for (int k = 0; k < 2; k++) {
        const robject *own = names->child[k];
        if (own->type != ROBJECT_TEXT || own->length != length[k]) continue;
        strings *to = (k == 1) != turned ? &data->names : &data->ids;
        PASS(rdata_list(to, &data->mem, r, own, err));
    }
    return PARE_OK;
}

pare_status rdata_read_sparse(data_builder *b, rdata *r, const robject *of,
                              const pare_read_options *o, const pare_ctx *ctx, pare_error *err) {
    slots s;
    const char *named = o->target && !o->labels ? "target" : o->drop ? "drop" : NULL;
    if (named)
        return error_set(
            err, PARE_E_ARGUMENT,
            "%s: %s names a column, but a sparse matrix holds features alone: `labels` "
            "gives the target, `exclude` leaves features out",
            r->name, named);
    PASS(missing_codes_check_sparse(&b->na, r->name, err));
    PASS(find_slots(&s, r, of, err));
    PASS((o->features_in_rows ? read_turned : read_straight)(b, r, &s, ctx, err));
    PASS(read_names(b, r, of, &s, o->features_in_rows, err));
    if (!o->allow_missing) PASS(data_refuse_missing(b, r->name, err));
    return PARE_OK;
}
