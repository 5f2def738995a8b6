#include "data/table/roles.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/format/cell.h"
#include "data/table/id_column.h"

static bool want(roles *r, const char *name, int64_t length) {
    return strings_add(&r->wanted, r->mem, name, length);
}

static const char *role_name(int which) {
    static const char *const name[] = {"feature", "target", "id", "dropped column", "id"};
    return which < ROLE_ANNOTATION ? name[which] : annotation_name(roles_annotation(which));
}

/* Rejects a column with two roles. Names in `only` may repeat other options. */
static pare_status check_conflicts(roles *r, int64_t count, pare_error *err) {
    char shown[CELL_SHOWN];
    for (int64_t i = 0; i < count; i++) {
        const char *name = strings_at(&r->wanted, i);
        int64_t first = strings_index_find(&r->index, name, (int64_t)strlen(name));
        if (first != i && r->role_of[first] != r->role_of[i])
            return error_set(err, PARE_E_ARGUMENT, "column %s is asked for both as %s and as %s",
                             cell_shown(name, (int64_t)strlen(name), shown),
                             role_name(r->role_of[first]), role_name(r->role_of[i]));
    }
    return PARE_OK;
}

const char *roles_id(const pare_read_options *o) {
    return o->id && strcmp(o->id, "none") != 0 ? o->id : NULL;
}

pare_status roles_begin(roles *r, const pare_read_options *o, const pare_ctx *ctx,
                        pare_error *err) {
    memset(r, 0, sizeof *r);
    r->mem = ctx_allocator(ctx);
    r->ctx = ctx;
    r->names_id = o->id != NULL;
    r->may_lack = o->only_present;
    r->other_target = o->labels ? "`labels`" : o->time ? "`time` and `event`" : NULL;
    r->rest = o->only ? ROLE_SKIP : ROLE_FEATURE;
    r->default_target = !o->target && !o->no_target && !r->other_target;
    r->event[0] = r->event[1] = -1;
    enum { FIXED = 2, N_ROLES = FIXED + N_ANNOTATIONS + 2 };
    int64_t at[N_ROLES], duplicate; /* where the names of each role end in `wanted` */
    unsigned char order[N_ROLES] = {ROLE_TARGET, ROLE_ID};
    bool join = annotations_join(o);
    const char *target = o->labels ? NULL : o->target; /* else a column of the labels' table */
    const char *id = join && o->features_in_rows ? NULL : roles_id(o); /* the header has them */
    r->id = join ? roles_id(o) : NULL;
    bool enough = !target || want(r, target, (int64_t)strlen(target));
    at[0] = r->wanted.count;
    enough = enough && (!id || want(r, id, (int64_t)strlen(id)));
    at[1] = r->wanted.count;
    for (int k = 0; k < N_ANNOTATIONS; k++) {
        const char *from = annotation_option(o, (annotation_kind)k);
        bool is_id = k == ANNOTATION_FOLD_GROUP && from && id && strcmp(from, id) == 0; /* both */
        int64_t before = annotation_before_value((annotation_kind)k, from);
        if (before) r->event[1] = 1 + (r->event[0] = r->wanted.count);
        enough = enough && (!from || is_id || want(r, from, (int64_t)strlen(from))) &&
                 (!before || want(r, from, before));
        order[FIXED + k] = (unsigned char)(ROLE_ANNOTATION + k);
        at[FIXED + k] = r->wanted.count;
    }
    enough = enough && strings_add_list(&r->wanted, r->mem, o->drop);
    order[N_ROLES - 2] = ROLE_SKIP;
    at[N_ROLES - 2] = r->wanted.count;
    for (int64_t i = 0; o->only && i < o->n_only && enough; i++)
        enough = want(r, o->only[i], (int64_t)strlen(o->only[i]));
    int64_t all = at[N_ROLES - 1] = r->wanted.count;
    order[N_ROLES - 1] = ROLE_FEATURE;
    enough = enough && (r->role_of = mem_alloc(r->mem, all, 1)) &&
             (r->seen = mem_zero(r->mem, all, 1)) &&
             strings_index_make(&r->index, &r->wanted, r->mem, &duplicate);
    if (!enough) return error_memory(err);
    for (int64_t i = 0, k = 0; i < all; i++) {
        while (i >= at[k]) k++;
        r->role_of[i] = order[k];
    }
    return check_conflicts(r, at[N_ROLES - 2], err);
}

role roles_of(roles *r, const char *name, int *times) {
    int64_t i = strings_index_find(&r->index, name, (int64_t)strlen(name));
    *times = 0;
    if (i < 0 || (i == r->event[1] && r->seen[r->event[0]])) return r->rest;
    if (r->seen[i] < 2) r->seen[i]++;
    *times = r->seen[i];
    return (role)r->role_of[i];
}

bool roles_drop(const roles *r, const char *name) {
    int64_t i = strings_index_find(&r->index, name, (int64_t)strlen(name));
    return i >= 0 && r->role_of[i] == ROLE_SKIP;
}

int roles_usual_target(const char *name) {
    static const char *const usual[] = {"class", "target", "label", "y"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, usual[i]) == 0) return i;
    return -1;
}

pare_status roles_check_seen(const roles *r, const char *file, const char *what, pare_error *err) {
    char shown[CELL_SHOWN];
    for (int64_t i = 0; i < r->wanted.count; i++) {
        const char *name = strings_at(&r->wanted, i);
        int64_t length = (int64_t)strlen(name), first = strings_index_find(&r->index, name, length);
        if (i == r->event[1] || (i == r->event[0] && r->seen[i + 1])) continue;
        if (!r->seen[first] && r->role_of[i] >= ROLE_ANNOTATION) {
            pare_status status =
                annotation_check_file(roles_annotation(r->role_of[i]), name, file, err);
            if (status != PARE_OK) return status;
        } else if (!r->seen[first] && r->role_of[i] == ROLE_FEATURE &&
                   (r->may_lack || (strchr(name, '=') && strcmp(what, "column") == 0))) {
            continue; /* COLUMN=VALUE is a code of a column of text: see data/table/categorical.h */
        } else if (!r->seen[first])
            return error_set(err, PARE_E_DATA, "%s: there is no %s %s (asked for as %s)", file,
                             what, cell_shown(name, length, shown), role_name(r->role_of[i]));
    }
    return PARE_OK;
}

pare_status roles_refuse_leak(const roles *r, const char *name, const char *file, const char *what,
                              pare_error *err) {
    if (!r->other_target || roles_usual_target(name) < 0) return PARE_OK;
    return error_set(err, PARE_E_DATA,
                     "%s: the %s \"%s\" would be a feature, since the target comes from %s; "
                     "leave it out with `drop`",
                     file, what, name, r->other_target);
}

void roles_say_target(const roles *r, const char *name, const char *file, const char *what) {
    char shown[CELL_SHOWN];
    ctx_log(r->ctx, PARE_LOG_INFO, "%s: the target is the %s %s; `target` chooses another", file,
            what, cell_shown(name, (int64_t)strlen(name), shown));
}

pare_status roles_assign(roles *r, const strings *columns, const char *file, unsigned char *out,
                         pare_error *err) {
    int64_t target = -1, last = -1;
    int best = 4;
    const char *whole = r->event[0] < 0 ? NULL : strings_at(&r->wanted, r->event[0]);
    for (int64_t j = 0; whole && j < columns->count;
         j++) /* it wins over COLUMN, wherever that is */
        if (strcmp(strings_at(columns, j), whole) == 0) r->seen[r->event[0]] = 1;
    for (int64_t j = 0; j < columns->count; j++) {
        const char *name = strings_at(columns, j);
        int times;
        out[j] = (unsigned char)roles_of(r, name, &times);
        if (j == 0 && !*name) {
            out[j] = r->names_id ? ROLE_SKIP : ROLE_MAYBE_ID;
            continue;
        }
        if (j == 0 && !times && !r->names_id && columns->count > 1 && id_column_usual(name)) {
            out[j] = ROLE_MAYBE_ID;
            continue;
        }
        if (times && out[j] != ROLE_FEATURE) continue;
        if (!times && r->rest == ROLE_FEATURE)
            PASS(roles_refuse_leak(r, name, file, "column", err));
        last = j;
        int usual = roles_usual_target(name);
        if (usual >= 0 && usual < best) {
            best = usual;
            target = j;
        }
    }
    if (r->id && columns->count &&
        !*strings_at(columns, 0)) { /* perhaps of the joined table only */
        int64_t i = strings_index_find(&r->index, r->id, (int64_t)strlen(r->id));
        if (i >= 0 && !r->seen[i]) {
            out[0] = ROLE_ID;
            r->seen[i] = 1;
        }
    }
    const char *what = target < 0 ? "last column," : "column";
    if (target < 0) target = last;
    if (r->default_target && target >= 0) {
        roles_say_target(r, strings_at(columns, target), file, what);
        out[target] = ROLE_TARGET;
    }
    return roles_check_seen(r, file, "column", err);
}

void roles_free(roles *r) {
    if (!r->mem) return;
    strings_free(&r->wanted, r->mem);
    strings_index_free(&r->index, r->mem);
    mem_free(r->mem, r->role_of);
    mem_free(r->mem, r->seen);
}
