#include "report/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void text_init(text_buffer *t, const pare_ctx *ctx) {
    *t = (text_buffer){.mem = ctx_allocator(ctx)};
}

void text_add(text_buffer *t, const char *s) {
    int64_t length = (int64_t)strlen(s);
    if (t->failed) return;
    if (t->size + length + 1 > t->capacity) {
        int64_t capacity = 2 * t->capacity + length + 256;
        if (!mem_resize(t->mem, &t->bytes, capacity, 1)) {
            t->failed = true;
            return;
        }
        t->capacity = capacity;
    }
    if (t->bytes) memcpy(t->bytes + t->size, s, (size_t)length + 1);
    t->size += length;
}

void text_print(text_buffer *t, const char *format, ...) {
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    text_add(t, line);
}

void text_add_cell(text_buffer *t, const char *s) {
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '\\')
            text_add(t, "\\\\");
        else if (c == '\n' || c == '\r' || c == '\t')
            text_print(t, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
        else if (c < 0x20 || c == 0x7f)
            text_print(t, "\\x%02x", c);
        else
            text_print(t, "%c", c);
    }
}

pare_status text_finish(text_buffer *t, char **out, pare_error *err) {
    *out = NULL;
    if (!t->failed && !t->bytes) text_add(t, "");
    if (t->failed) {
        mem_free(t->mem, t->bytes);
        return error_memory(err);
    }
    *out = t->bytes;
    return PARE_OK;
}
