#include "data/format/rdata_lists.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/format/cell.h"
#include "data/format/rdata.h"

bool rdata_is_file(const char *from, int *length) {
    static const char *const ends[] = {".rds", ".RDS", ".Rds", ".RData", ".rda", ".rdata"};
    const char *colon = strrchr(from, ':');
    for (int whole = 1; whole >= (colon ? 0 : 1); whole--) {
        size_t size = whole ? strlen(from) : (size_t)(colon - from);
        for (int k = 0; k < 6; k++) {
            size_t end = strlen(ends[k]);
            *length = (int)size;
            if (size > end && size < INT32_MAX && strncmp(from + size - end, ends[k], end) == 0)
                return true;
        }
    }
    return false;
}

typedef struct list_to {
    strings *list;
    const pare_allocator *mem;
} list_to;

static pare_status add_text(void *user, int64_t i, char *text, int64_t length, pare_error *err) {
    const list_to *to = user;
    (void)i;
    cell_trim(&text, &length);
    return strings_add(to->list, to->mem, text, length) ? PARE_OK : error_memory(err);
}

pare_status rdata_list(strings *out, const pare_allocator *mem, rdata *r, const robject *of,
                       pare_error *err) {
    list_to to = {out, mem};
    return rdata_texts(r, of, add_text, &to, err);
}

static pare_status refuse_object(const rdata *r, const robject *of, pare_error *err) {
    char what[RDATA_WHAT];
    bool frame = strncmp(rdata_what(r, of, what), "data frame", 10) == 0;
    return error_set(err, PARE_E_DATA,
                     "%s: the object is no vector of numbers or texts and no factor (%s): %s",
                     r->name, what,
                     frame ? "name a column of it, as FILE:COLUMN or by `target`"
                           : "save the vector alone, as in saveRDS(x$type, FILE)");
}

static pare_status take_vector(strings *values, strings *ids, const pare_allocator *mem, rdata *r,
                               const robject *of, pare_error *err) {
    const robject *names = rdata_attribute(r, of, "names");
    rvector kind = rdata_vector(r, of);
    if (kind == RVECTOR_NONE || kind == RVECTOR_DATES) return refuse_object(r, of, err);
    pare_status status = rdata_list(values, mem, r, of, err);
    if (status == PARE_OK && names && names->type == ROBJECT_TEXT && names->length == of->length)
        status = rdata_list(ids, mem, r, names, err);
    return status;
}

/* The column of a data frame, or NULL. */
static pare_status find_column(const robject **out, rdata *r, const rtable *t, const char *name,
                               const char *what, pare_error *err) {
    strings names = {0};
    int64_t found = -1;
    pare_status status = rdata_list(&names, r->mem, r, t->column_names, err);
    for (int64_t j = 0; status == PARE_OK && j < names.count; j++)
        if (strcmp(strings_at(&names, j), name) == 0) found = j;
    strings_free(&names, r->mem);
    if (status != PARE_OK) return status;
    if (found < 0)
        return error_set(err, PARE_E_DATA, "%s has no column \"%.64s\"%s", r->name, name, what);
    *out = t->column[found];
    return PARE_OK;
}

static pare_status take_column(strings *values, strings *ids, const pare_allocator *mem, rdata *r,
                               const robject *of, const char *wanted, const char *id,
                               pare_error *err) {
    rtable t;
    strings unused = {0};
    const robject *from;
    pare_status status = PARE_OK;
    TRY(rdata_table(&t, r, of, err));
    if (t.whole)
        return error_set(err, PARE_E_DATA, "%s: a column of a matrix is no list: save the vector",
                         r->name);
    TRY(find_column(&from, r, &t, wanted, "", err));
    TRY(take_vector(values, &unused, mem, r, from, err));
    from = t.row_names ? t.row_names : t.column[0] != from ? t.column[0] : NULL;
    if (id) TRY(find_column(&from, r, &t, id, " (asked for as id)", err));
    if (!from)
        status = error_set(err, PARE_E_DATA,
                           "%s is joined by sample ids: name their column with `id`", r->name);
    else if (from != t.row_names && rdata_vector(r, from) == RVECTOR_NONE)
        status = error_set(err, PARE_E_DATA, "%s: the column of ids%s%.64s holds none", r->name,
                           id ? " " : "", id ? id : "");
    else
        TRY(rdata_list(ids, mem, r, from, err));
done:
    strings_free(&unused, mem);
    return status;
}

static pare_status take_values(strings *values, strings *ids, bool *joined,
                               const pare_allocator *mem, rdata *r, const rdata_wanted *wanted,
                               pare_error *err) {
    const robject *of;
    const char *of_frame = wanted->column, *object = wanted->name;
    if (!of_frame && !r->named) { /* the one object of an .rds needs no name */
        of_frame = object;
        object = NULL;
    }
    PASS(rdata_find(r, object, &of, err));
    *joined = of_frame != NULL;
    return of_frame ? take_column(values, ids, mem, r, of, of_frame, wanted->id, err)
                    : take_vector(values, ids, mem, r, of, err);
}

pare_status rdata_read_values(strings *values, strings *ids, bool *joined,
                              const pare_allocator *mem, const rdata_wanted *wanted,
                              const pare_ctx *ctx, pare_error *err) {
    stream s = {0};
    rdata r = {0};
    pare_status status = PARE_OK;
    TRY(stream_open(&s, wanted->path, ctx, err));
    TRY(rdata_open(&r, &s, ctx, err));
    TRY(take_values(values, ids, joined, mem, &r, wanted, err));
done:
    rdata_close(&r);
    if (s.mem) stream_close(&s);
    return status;
}

/* --- names of features --- */

/* FILE:OBJECT[,J] in parts; wanted: J, 0 if there is none. */
typedef struct names_from {
    char *path, *object; /* object: NULL, or in path's bytes */
    int64_t wanted;
} names_from;

static pare_status split_names(names_from *out, arena *a, const char *from, pare_error *err) {
    int length;
    char *bracket, *end;
    (void)rdata_is_file(from, &length);
    PASS_MEM(out->path = arena_text(a, from));
    if (!from[length]) return PARE_OK;
    out->path[length] = '\0';
    out->object = out->path + length + 1;
    if (!(bracket = strstr(out->object, "[,"))) return PARE_OK;
    out->wanted = strtoll(bracket + 2, &end, 10);
    if (strcmp(end, "]") != 0 || out->wanted < 1)
        return error_set(err, PARE_E_ARGUMENT,
                         "`names`: after the object's name comes [,J] with J the number of a "
                         "column from 1, not \"%.32s\"",
                         bracket);
    *bracket = '\0';
    if (!*out->object) out->object = NULL;
    return PARE_OK;
}

static pare_status no_such_column(const rdata *r, int64_t columns, int64_t wanted,
                                  pare_error *err) {
    return error_set(err, PARE_E_DATA,
                     "%s: column %" PRId64 " of names is asked for, the object has %" PRId64,
                     r->name, wanted, columns);
}

static pare_status take_matrix_column(strings *names, const pare_allocator *mem, rdata *r,
                                      const robject *of, int64_t wanted, pare_error *err) {
    const robject *dim = rdata_attribute(r, of, "dim");
    strings all = {0};
    if (of->type != ROBJECT_TEXT || !dim || !dim->kept || dim->length != 2 || !(dim->kept[1] > 0))
        return refuse_object(r, of, err);
    int64_t columns = (int64_t)dim->kept[1], rows = of->length / columns;
    if (wanted > columns) return no_such_column(r, columns, wanted, err);
    pare_status status = rdata_list(&all, mem, r, of, err);
    for (int64_t i = 0; status == PARE_OK && i < rows; i++) {
        const char *text = strings_at(&all, (wanted - 1) * rows + i);
        if (!strings_add(names, mem, text, (int64_t)strlen(text))) status = error_memory(err);
    }
    strings_free(&all, mem);
    return status;
}

static pare_status take_names(strings *names, const pare_allocator *mem, rdata *r,
                              const names_from *from, pare_error *err) {
    const robject *of;
    strings unused = {0};
    rtable t;
    PASS(rdata_find(r, from->object, &of, err));
    if (from->wanted && !rdata_is(r, of, "data.frame"))
        return take_matrix_column(names, mem, r, of, from->wanted, err);
    if (from->wanted) {
        PASS(rdata_table(&t, r, of, err));
        if (from->wanted > t.columns) return no_such_column(r, t.columns, from->wanted, err);
        of = t.column[from->wanted - 1];
    }
    pare_status status = take_vector(names, &unused, mem, r, of, err);
    strings_free(&unused, mem);
    return status;
}

pare_status rdata_read_names(strings *names, const pare_allocator *mem, const char *from,
                             const pare_ctx *ctx, pare_error *err) {
    arena a;
    names_from parts = {0};
    stream s = {0};
    rdata r = {0};
    pare_status status = PARE_OK;
    arena_init(&a, mem);
    TRY(split_names(&parts, &a, from, err));
    TRY(stream_open(&s, parts.path, ctx, err));
    TRY(rdata_open(&r, &s, ctx, err));
    TRY(take_names(names, mem, &r, &parts, err));
done:
    rdata_close(&r);
    if (s.mem) stream_close(&s);
    arena_free(&a);
    return status;
}
