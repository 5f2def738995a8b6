/* The elements and the text of an XML document, given to functions in the order of the file. Names are
 * without their namespaces' prefixes. */
#ifndef PARE_DATA_FORMAT_XML_H
#define PARE_DATA_FORMAT_XML_H

#include "data/format/stream.h"

typedef struct xml_handlers {
    /* attributes: for xml_attribute */
    pare_status (*start)(void *user, const char *name, const char *const *attributes,
                         pare_error *err);
    pare_status (*end)(void *user, const char *name, pare_error *err);
    /* A piece of a text; a text may come in several. NULL: not wanted. */
    pare_status (*text)(void *user, const char *text, int64_t length, pare_error *err);
} xml_handlers;

typedef struct xml { /* not to be moved while it is open */
    stream *s;
    const xml_handlers *to;
    void *user, *parser;
    int64_t fed; /* bytes given to the parser */
    int depth;
    pare_status status; /* of the handlers */
    pare_error *err;
} xml;

/* s outlives it. xml_close is due after a failure too. */
PARE_NODISCARD pare_status xml_open(xml *x, stream *s, const xml_handlers *to, void *user,
                                    pare_error *err);
/* Reads a piece of the document; *more is false after the last. */
PARE_NODISCARD pare_status xml_step(xml *x, bool *more, pare_error *err);
void xml_close(xml *x);
/* The whole document. */
PARE_NODISCARD pare_status xml_read(stream *s, const xml_handlers *to, void *user, pare_error *err);

/* The attribute of that name, or NULL. */
const char *xml_attribute(const char *const *attributes, const char *name);

#endif
