/* Text in other encodings and with other line ends becomes UTF-8 with line feeds while it is read. */
#ifndef PARE_DATA_FORMAT_TEXT_ENCODING_H
#define PARE_DATA_FORMAT_TEXT_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

typedef enum text_encoding {
    TEXT_UTF8, /* bytes stay as they are */
    TEXT_LATIN1,
    TEXT_CP1252,
    TEXT_UTF16_LE,
    TEXT_UTF16_BE
} text_encoding;

typedef struct text_decoder {
    text_encoding from;
    bool cr;               /* lines end in carriage returns alone */
    unsigned char held[4]; /* the start of a character whose end has not been read yet */
    size_t n_held;
    bool cut;   /* the text ended within a character */
} text_decoder; /* all zero: nothing to do */

static inline bool text_decodes(const text_decoder *d) { return d->from != TEXT_UTF8 || d->cr; }

/* The least room behind `out` that makes progress. */
enum { TEXT_ROOM = 24 };
/* Bytes that may be read for `room` bytes of output. */
size_t text_input(size_t room);
/* Decodes `size` bytes; returns the number of bytes of output, at most 3 * size + 6. The output may
 * overlap the input from before, if text_input was obeyed and the input ends where the room does.
 * end: nothing follows. A lone surrogate becomes bytes that are not UTF-8. */
size_t text_decode(text_decoder *d, char *out, const char *in, size_t size, bool end);
/* Turns the carriage returns into line feeds. */
void text_end_lines(char *text, size_t size);

/* Returns false for the start of a text, up to so many bytes, that cannot be a table in UTF-16: its
 * separators would have zeros. */
enum { TEXT_WIDE_LOOK = 4096 };
bool text_may_be_wide(const char *first, size_t count);

/* What a file is that begins so and is no text, and what to do with it; or NULL. */
const char *text_other_kind(const char *first, size_t count);

#endif
