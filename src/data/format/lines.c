#include "data/format/lines.h"

#include <string.h>

#include "base/error.h"

pare_status lines_begin(lines *l, stream *s, pare_error *err) {
    memset(l, 0, sizeof *l);
    l->s = s;
    l->at.file = s->name;
    return stream_skip_mark(s, err);
}

pare_status lines_next(lines *l, bool *more, pare_error *err) {
    stream *s = l->s;
    char *newline;
    size_t looked = 0;
    while (!(newline = memchr(s->buffer + s->at + looked, '\n', s->end - s->at - looked)) &&
           !s->eof) {
        looked = s->end - s->at;
        PASS(stream_fill(s, err));
    }
    *more = s->at < s->end;
    if (!*more) return PARE_OK;
    l->at.line++;
    l->at.byte = s->base + (int64_t)s->at;
    l->text = s->buffer + s->at;
    l->length = (newline ? newline : s->buffer + s->end) - l->text;
    s->at += (size_t)l->length + (newline != NULL);
    if (memchr(l->text, '\0', (size_t)l->length))
        return place_error(err, &l->at, "a NUL byte, this is not a text file");
    char *start = l->text;
    cell_trim(&l->text, &l->length);
    l->at.byte += l->text - start;
    l->text[l->length] = '\0';
    return PARE_OK;
}

pare_status lines_next_filled(lines *l, bool *more, pare_error *err) {
    pare_status status = lines_next(l, more, err);
    if (status != PARE_OK || !*more || l->length > 0) return status;
    place blank = l->at;
    while (status == PARE_OK && *more && l->length == 0) status = lines_next(l, more, err);
    if (status == PARE_OK && *more)
        return place_error(
            err, &blank, "a blank line before the end: remove it, or write NA for a missing value");
    return status;
}
