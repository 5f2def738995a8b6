/* XML through expat. Documents here are what programs wrote: without a document type, whose entities
 * could grow without bounds, not nested deeply, and without endless tags, which expat would keep. */
#include "data/format/xml.h"

#include <expat.h>
#include <string.h>

#include "base/error.h"

enum { PIECE = 1 << 16, MAX_DEPTH = 64, MAX_TAG = 1 << 20, SEPARATOR = '|' };

static const char *without_namespace(const char *name) {
    const char *cut = strrchr(name, SEPARATOR);
    return cut ? cut + 1 : name;
}

const char *xml_attribute(const char *const *attributes, const char *name) {
    for (; *attributes; attributes += 2)
        if (strcmp(without_namespace(attributes[0]), name) == 0) return attributes[1];
    return NULL;
}

static pare_status damaged(const xml *x, const char *what, pare_error *err) {
    int64_t line = (int64_t)XML_GetCurrentLineNumber(x->parser);
    return error_at(err, PARE_E_FORMAT, line, 0, -1, "%s: the XML is damaged in line %lld: %s",
                    x->s->name, (long long)line, what);
}

static void stop(xml *x, pare_status status) {
    x->status = status;
    if (status != PARE_OK) XML_StopParser(x->parser, XML_FALSE);
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes) {
    xml *x = user;
    if (x->status != PARE_OK) return;
    if (++x->depth > MAX_DEPTH)
        stop(x, damaged(x, "its elements are nested too deeply", x->err));
    else
        stop(x, x->to->start(x->user, without_namespace(name), (const char *const *)attributes,
                             x->err));
}

static void XMLCALL on_end(void *user, const XML_Char *name) {
    xml *x = user;
    if (x->status != PARE_OK) return; /* expat ends an empty element after it was stopped */
    x->depth--;
    stop(x, x->to->end(x->user, without_namespace(name), x->err));
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length) {
    xml *x = user;
    if (x->status == PARE_OK) stop(x, x->to->text(x->user, text, length, x->err));
}

static void XMLCALL on_document_type(void *user, const XML_Char *name, const XML_Char *system,
                                     const XML_Char *public, int internal) {
    xml *x = user;
    (void)name;
    (void)system;
    (void)public;
    (void)internal;
    if (x->status == PARE_OK) stop(x, damaged(x, "it has a document type", x->err));
}

pare_status xml_open(xml *x, stream *s, const xml_handlers *to, void *user, pare_error *err) {
    *x = (xml){.s = s, .to = to, .user = user};
    x->parser = XML_ParserCreateNS(NULL, SEPARATOR);
    if (!x->parser) return error_memory(err);
    XML_SetUserData(x->parser, x);
    XML_SetElementHandler(x->parser, on_start, on_end);
    if (to->text) XML_SetCharacterDataHandler(x->parser, on_text);
    XML_SetStartDoctypeDeclHandler(x->parser, on_document_type);
    return PARE_OK;
}

pare_status xml_step(xml *x, bool *more, pare_error *err) {
    stream *s = x->s;
    if (s->at == s->end && !s->eof) {
        pare_status status = stream_fill(s, err);
        if (status != PARE_OK) return status;
    }
    size_t size = s->end - s->at < PIECE ? s->end - s->at : PIECE;
    x->err = err;
    enum XML_Status result =
        XML_Parse(x->parser, s->buffer + s->at, (int)size, s->eof && s->at + size == s->end);
    s->at += size;
    x->fed += (int64_t)size;
    *more = !(s->eof && s->at == s->end);
    if (x->status != PARE_OK) return x->status;
    if (result != XML_STATUS_OK) {
        enum XML_Error code = XML_GetErrorCode(x->parser);
        if (code == XML_ERROR_NO_MEMORY) return error_memory(err);
        return damaged(x, XML_ErrorString(code), err);
    }
    if (x->fed - (int64_t)XML_GetCurrentByteIndex(x->parser) > MAX_TAG)
        return damaged(x, "a tag is too long", err);
    return PARE_OK;
}

void xml_close(xml *x) {
    if (x->parser) XML_ParserFree(x->parser);
    x->parser = NULL;
}

pare_status xml_read(stream *s, const xml_handlers *to, void *user, pare_error *err) {
    xml x;
    bool more = true;
    pare_status status = xml_open(&x, s, to, user, err);
    while (status == PARE_OK && more) status = xml_step(&x, &more, err);
    xml_close(&x);
    return status;
}
