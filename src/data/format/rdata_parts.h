/* What items of R's serialisation are made of: words, lengths, texts; and the objects made of them. */
#ifndef PARE_DATA_FORMAT_RDATA_PARTS_H
#define PARE_DATA_FORMAT_RDATA_PARTS_H

#include "data/format/rdata_tree.h"

/* The flags of an item: its type in the last eight bits, and these. */
enum {
    HAS_ATTRIBUTES = 1 << 9,
    HAS_TAG = 1 << 10,
    LATIN1 = 1 << 14, /* of texts, with the eleven bits before them */
    UTF8 = 1 << 15,
    ASCII = 1 << 18
};

enum { /* types of items */
       SYMBOL = 1,
       PAIRLIST = 2,
       CLOSURE = 3,
       ENVIRONMENT = 4,
       PROMISE = 5,
       CALL = 6,
       SPECIAL = 7,
       BUILTIN = 8,
       TEXT = 9,
       LOGICAL = 10,
       INTEGER = 13,
       REAL = 14,
       COMPLEX = 15,
       TEXTS = 16,
       DOTS = 17,
       LIST = 19,
       EXPRESSION = 20,
       BYTE_CODE = 21,
       POINTER = 22,
       WEAK = 23,
       RAW = 24,
       S4 = 25,
       ALTERNATIVE = 238,
       ATTRIBUTE_LIST = 239,
       ATTRIBUTE_CALL = 240, /* these and the next two only within compiled functions */
       CODE_REFERENCE = 243,
       CODE_DEFINITION = 244,
       BASE_ENVIRONMENT = 241,
       EMPTY_ENVIRONMENT = 242,
       PACKAGE = 247,
       PERSISTENT = 248,
       NAMESPACE = 249,
       BASE_NAMESPACE = 250,
       MISSING_ARGUMENT = 251,
       UNBOUND = 252,
       GLOBAL_ENVIRONMENT = 253,
       NIL = 254,
       REFERENCE = 255
};

pare_status rdata_damaged(const rdata *r, const char *what, pare_error *err);
PARE_NODISCARD pare_status rdata_take_integer(rdata *r, int32_t *out, pare_error *err);
PARE_NODISCARD pare_status rdata_take_length(rdata *r, int64_t *out, pare_error *err);
/* A text and its flags, to the end of r->texts. A missing one becomes NA. */
PARE_NODISCARD pare_status rdata_take_text(rdata *r, pare_error *err);

/* Rejects what the memory limit does not allow, all taken together. */
PARE_NODISCARD pare_status rdata_count_bytes(rdata *r, double bytes, pare_error *err);
PARE_NODISCARD pare_status rdata_new(rdata *r, robject_type type, robject **out, pare_error *err);
/* What holds no data; `what` outlives it. */
PARE_NODISCARD pare_status rdata_other(rdata *r, const char *what, robject **out, pare_error *err);
/* It may be referred to later. */
PARE_NODISCARD pare_status rdata_remember(rdata *r, robject *object, pare_error *err);

/* An item, at that depth of items within items. */
PARE_NODISCARD pare_status rdata_take_item(rdata *r, int depth, robject **out, pare_error *err);
/* The code of a compiled function, behind its flags. */
PARE_NODISCARD pare_status rdata_take_code(rdata *r, int depth, pare_error *err);

#endif
