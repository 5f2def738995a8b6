/* The role of each column of a named table by the read options. */
#ifndef PARE_DATA_TABLE_ROLES_H
#define PARE_DATA_TABLE_ROLES_H

#include <pare/data.h>

#include "data/table/annotations.h"
#include "data/strings.h"

/* ROLE_ANNOTATION + k: see data/table/annotations.h. */
typedef enum role {
    ROLE_FEATURE,
    ROLE_TARGET,
    ROLE_ID,
    ROLE_SKIP,
    ROLE_MAYBE_ID, /* see data/table/id_column.h */
    ROLE_ANNOTATION
} role;
static inline annotation_kind roles_annotation(int of) {
    return (annotation_kind)(of - ROLE_ANNOTATION);
}

typedef struct roles {
    const pare_allocator *mem;
    const pare_ctx *ctx; /* or NULL; guesses are logged there */
    strings wanted;      /* the names that the options mention */
    unsigned char *role_of, *seen;
    strings_index index;
    role rest;                /* of a column that is not mentioned */
    const char *id;           /* where a table is joined: its column of ids; else NULL */
    bool default_target;      /* none is named: look for the usual names */
    bool names_id;            /* no first column is needed as id: one is named, or none is wanted */
    bool may_lack;            /* requested features may be absent */
    const char *other_target; /* the options that give it, where it is no column; or NULL */
    int64_t event[2];         /* in `wanted`: COLUMN=VALUE of an event, and COLUMN; -1: none */
} roles;

/* The column that is named as id; NULL: none is. */
const char *roles_id(const pare_read_options *o);
/* On failure roles_free may still be called. */
PARE_NODISCARD pare_status roles_begin(roles *r, const pare_read_options *o, const pare_ctx *ctx,
                                       pare_error *err);
/* The role of a column of this name. *times: how many such columns there are so far, or 0 if the
 * options do not mention it. */
role roles_of(roles *r, const char *name, int *times);
/* Whether `drop` names it. */
bool roles_drop(const roles *r, const char *name);
/* 0 .. 3 for class, target, label and y, the usual names of a target, in this order; else -1. */
int roles_usual_target(const char *name);
/* After all columns: rejects an option that names no column. what: "column" or "row". */
PARE_NODISCARD pare_status roles_check_seen(const roles *r, const char *file, const char *what,
                                            pare_error *err);
/* Rejects a feature with a usual target's name where the target comes from elsewhere: possible
 * leakage. */
PARE_NODISCARD pare_status roles_refuse_leak(const roles *r, const char *name, const char *file,
                                             const char *what, pare_error *err);
/* Logs the column or row in which the target was found. */
void roles_say_target(const roles *r, const char *name, const char *file, const char *what);
/* The roles of a list of columns, with the default target; out: one role per column. */
PARE_NODISCARD pare_status roles_assign(roles *r, const strings *columns, const char *file,
                                        unsigned char *out, pare_error *err);
void roles_free(roles *r);

#endif
