#include "report/json_stream.h"

#include <string.h>

#include "base/error.h"

typedef struct feed {
    stream *s;
    pare_error *err;
    pare_status status;
} feed;

static size_t feed_read(void *to, size_t size, void *user) {
    feed *f = user;
    stream *s = f->s;
    while (s->at == s->end && !s->eof && f->status == PARE_OK) f->status = stream_fill(s, f->err);
    if (f->status != PARE_OK) return (size_t)-1;
    size_t there = s->end - s->at, count = there < size ? there : size;
    memcpy(to, s->buffer + s->at, count);
    s->at += count;
    return count;
}

pare_status json_of_stream(json_t **out, stream *s, pare_error *err) {
    feed f = {s, err, PARE_OK};
    json_error_t e;
    *out = json_load_callback(feed_read, &f, JSON_REJECT_DUPLICATES, &e);
    if (f.status != PARE_OK) return f.status;
    if (!*out)
        return error_at(err, PARE_E_FORMAT, e.line, e.column, e.position,
                        "%.256s, line %d, column %d: not JSON: %s", s->name, e.line, e.column,
                        e.text);
    return PARE_OK;
}
