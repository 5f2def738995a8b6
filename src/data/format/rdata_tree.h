/* The objects in a file of R's serialisation: their types, attributes and texts. Numbers of long vectors
 * stay in the file, where rdata_values.h reads them. */
#ifndef PARE_DATA_FORMAT_RDATA_TREE_H
#define PARE_DATA_FORMAT_RDATA_TREE_H

#include "base/memory.h"
#include "data/format/unpack.h"
#include "data/strings.h"

typedef enum robject_type {
    ROBJECT_NULL,
    ROBJECT_LOGICAL,
    ROBJECT_INTEGER,
    ROBJECT_REAL,
    ROBJECT_TEXT,
    ROBJECT_LIST,
    ROBJECT_PAIRS,  /* of a pairlist: its first element; attributes are such lists too */
    ROBJECT_SYMBOL, /* its text is its name */
    ROBJECT_S4,
    ROBJECT_OTHER /* functions, environments, raw bytes: nothing that holds data here */
} robject_type;

enum { ROBJECT_KEPT = 16 }; /* so many numbers of a vector are kept in memory */

typedef struct robject {
    robject_type type;
    int64_t length;
    int64_t at;    /* numbers: where they are in the file that is not compressed */
    double *kept;  /* the numbers of a short vector; else NULL */
    bool sequence; /* numbers: start, start + step, ... */
    double start, step;
    int64_t text;                  /* texts: the first in the file's list */
    const struct robject *numbers; /* texts that are the numbers of this vector; or NULL */
    struct robject **child;        /* of a list */
    const struct robject *tag, *value, *next; /* of a pairlist; next: NULL at its end */
    const struct robject *attributes;         /* a pairlist, or NULL */
    const char *what; /* "a function" and so on, where the type is ROBJECT_OTHER */
} robject;

typedef struct rdata {
    stream *file;
    unpack packed;
    stream *s;
    const char *name;
    const pare_ctx *ctx;
    const pare_allocator *mem;
    arena memory;
    strings texts;
    robject **reference; /* symbols and environments, which may be met again */
    int64_t references, reference_capacity;
    robject *nothing; /* R's NULL */
    robject *spare;   /* room for further objects */
    int64_t spares;
    double bytes; /* taken so far */
    bool latin1;  /* texts without an encoding are in this one */
    char *text;   /* buffer */
    int64_t text_capacity;
    const robject *root;
    bool named; /* root is a pairlist of objects with names; else it is the object */
} rdata;

/* Reads all but the numbers. rdata_close is due after a failure too. */
PARE_NODISCARD pare_status rdata_open(rdata *r, stream *s, const pare_ctx *ctx, pare_error *err);
void rdata_close(rdata *r);

/* The attribute or slot of that name, or NULL. */
const robject *rdata_attribute(const rdata *r, const robject *of, const char *name);
/* Text i of a vector of texts that are in the file as such, or the name of a symbol (i = 0). */
const char *rdata_text(const rdata *r, const robject *texts, int64_t i);
/* Returns true if the object has that class. */
bool rdata_is(const rdata *r, const robject *object, const char *class_name);

/* The next `size` bytes, at most 64 KB of them, at s->buffer + s->at. */
PARE_NODISCARD pare_status rdata_need(rdata *r, size_t size, pare_error *err);
PARE_NODISCARD pare_status rdata_skip(rdata *r, int64_t bytes, pare_error *err);
int32_t rdata_integer(const char *p);
double rdata_real(const char *p);

#endif
