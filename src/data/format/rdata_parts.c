#include "data/format/rdata_parts.h"

#include <string.h>

#include "base/error.h"
#include "data/builder.h"

enum { SLAB = 64 /* objects that are allocated at once */ };

pare_status rdata_damaged(const rdata *r, const char *what, pare_error *err) {
    return error_at(err, PARE_E_FORMAT, 0, 0, r->s->base + (int64_t)r->s->at,
                    "%s: R's file is damaged: %s", r->name, what);
}

/* --- bytes --- */

pare_status rdata_need(rdata *r, size_t size, pare_error *err) {
    stream *s = r->s;
    pare_status status = PARE_OK;
    while (s->end - s->at < size && !s->eof && status == PARE_OK) status = stream_fill(s, err);
    if (status == PARE_OK && s->end - s->at < size) return rdata_damaged(r, "it ends early", err);
    return status;
}

pare_status rdata_skip(rdata *r, int64_t bytes, pare_error *err) {
    stream *s = r->s;
    for (;;) {
        int64_t there = (int64_t)(s->end - s->at), taken = bytes < there ? bytes : there;
        s->at += (size_t)taken;
        bytes -= taken;
        if (bytes == 0) return PARE_OK;
        if (s->eof) return rdata_damaged(r, "it ends early", err);
        PASS(stream_fill(s, err));
    }
}

int32_t rdata_integer(const char *p) {
    const unsigned char *u = (const unsigned char *)p;
    uint32_t v = (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
    return (int32_t)v;
}

double rdata_real(const char *p) {
    const unsigned char *u = (const unsigned char *)p;
    uint64_t v = 0;
    double value;
    for (int k = 0; k < 8; k++) v = v << 8 | u[k];
    memcpy(&value, &v, sizeof value);
    return value;
}

pare_status rdata_take_integer(rdata *r, int32_t *out, pare_error *err) {
    PASS(rdata_need(r, 4, err));
    *out = rdata_integer(r->s->buffer + r->s->at);
    r->s->at += 4;
    return PARE_OK;
}

pare_status rdata_take_length(rdata *r, int64_t *out, pare_error *err) {
    int32_t word, high, low;
    PASS(rdata_take_integer(r, &word, err));
    *out = word;
    if (word == -1) { /* more than 2^31 */
        PASS(rdata_take_integer(r, &high, err));
        PASS(rdata_take_integer(r, &low, err));
        *out = high < 0 || high > 1 << 12 ? -1 : (int64_t)high << 32 | (uint32_t)low;
    }
    if (*out < 0) return rdata_damaged(r, "a length below 0", err);
    return PARE_OK;
}

/* --- memory --- */

pare_status rdata_count_bytes(rdata *r, double bytes, pare_error *err) {
    r->bytes += bytes;
    return data_check_memory(r->bytes, r->name, r->ctx, err);
}

pare_status rdata_new(rdata *r, robject_type type, robject **out, pare_error *err) {
    if (r->spares == 0) {
        PASS(rdata_count_bytes(r, SLAB * sizeof(robject), err));
        r->spare = ARENA_ZERO(&r->memory, robject, SLAB);
        if (!r->spare) return error_memory(err);
        r->spares = SLAB;
    }
    *out = &r->spare[--r->spares];
    (*out)->type = type;
    return PARE_OK;
}

pare_status rdata_other(rdata *r, const char *what, robject **out, pare_error *err) {
    pare_status status = rdata_new(r, ROBJECT_OTHER, out, err);
    if (status == PARE_OK) (*out)->what = what;
    return status;
}

pare_status rdata_remember(rdata *r, robject *object, pare_error *err) {
    if (r->references == r->reference_capacity) {
        int64_t capacity = 2 * r->reference_capacity + 64;
        PASS(rdata_count_bytes(r, 8.0 * (double)capacity, err));
        if (!mem_resize(r->mem, &r->reference, capacity, sizeof(robject *)))
            return error_memory(err);
        r->reference_capacity = capacity;
    }
    r->reference[r->references++] = object;
    return PARE_OK;
}

/* --- texts --- */

/* The bytes of a text, as UTF-8, to the list of all. */
static pare_status take_bytes(rdata *r, int64_t length, bool latin1, pare_error *err) {
    int64_t used = 0;
    while (length > 0) {
        stream *s = r->s;
        PASS(rdata_need(r, 1, err));
        int64_t there = (int64_t)(s->end - s->at), taken = length < there ? length : there;
        if (used + 2 * taken > r->text_capacity) {
            int64_t capacity = 2 * (used + 2 * taken);
            PASS(data_check_memory((double)capacity, r->name, r->ctx, err));
            PASS_MEM(mem_resize(r->mem, &r->text, capacity, 1));
            r->text_capacity = capacity;
        }
        for (int64_t i = 0; i < taken; i++) {
            unsigned char c = (unsigned char)s->buffer[s->at + (size_t)i];
            if (c == 0) return rdata_damaged(r, "a NUL byte in a text", err);
            if (c >= 0x80 && latin1) {
                r->text[used++] = (char)(0xc0 | c >> 6);
                c = (unsigned char)(0x80 | (c & 0x3f));
            }
            r->text[used++] = (char)c;
        }
        s->at += (size_t)taken;
        length -= taken;
    }
    PASS(rdata_count_bytes(r, (double)used + 9, err));
    PASS_MEM(strings_add(&r->texts, r->mem, used ? r->text : "", used));
    return PARE_OK;
}

/* A text and its flags. A missing one becomes NA. */
pare_status rdata_take_text(rdata *r, pare_error *err) {
    int32_t flags, length;
    PASS(rdata_take_integer(r, &flags, err));
    if ((flags & 255) != TEXT || (flags & HAS_ATTRIBUTES)) return rdata_damaged(r, "no text", err);
    PASS(rdata_take_integer(r, &length, err));
    if (length < -1) return rdata_damaged(r, "a length below 0", err);
    if (length == -1) {
        PASS_MEM(strings_add(&r->texts, r->mem, "NA", 2));
    } else {
        PASS(take_bytes(r, length, (flags & LATIN1) || (r->latin1 && !(flags & (UTF8 | ASCII))),
                        err));
    }
    return PARE_OK;
}
