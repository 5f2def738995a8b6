/* A growing text that reports a failed allocation at the end. */
#ifndef PARE_REPORT_TEXT_H
#define PARE_REPORT_TEXT_H

#include <stdbool.h>

#include <pare/context.h>
#include <pare/status.h>

typedef struct text_buffer {
    const pare_allocator *mem;
    char *bytes;
    int64_t size, capacity;
    bool failed;
} text_buffer;

void text_init(text_buffer *t, const pare_ctx *ctx);
void text_add(text_buffer *t, const char *s);
/* A name or label in a table: control characters and backslashes escaped. */
void text_add_cell(text_buffer *t, const char *s);
__attribute__((format(printf, 2, 3))) void text_print(text_buffer *t, const char *format, ...);
/* Moves the NUL-terminated text to *out, or frees it and returns PARE_E_MEMORY. */
PARE_NODISCARD pare_status text_finish(text_buffer *t, char **out, pare_error *err);

#endif
