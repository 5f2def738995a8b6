/* A list of strings in one buffer: names of millions of features, labels of thousands of
 * samples. */
#ifndef PARE_DATA_STRINGS_H
#define PARE_DATA_STRINGS_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/context.h>

typedef struct strings {
    int64_t count;
    char *text;     /* NUL-terminated strings, one after the other */
    int64_t *start; /* count offsets into text */
    int64_t text_size, text_capacity, capacity;
} strings; /* all zero: empty */

/* Appends a copy of bytes [s, s + length). false: out of memory, the list is unchanged. */
bool strings_add(strings *list, const pare_allocator *mem, const char *s, int64_t length);
/* Appends the items of a comma-separated text without the blanks around them; a comma within an item
 * is written \,. text NULL: none. false: as above. */
bool strings_add_list(strings *list, const pare_allocator *mem, const char *text);
const char *strings_at(const strings *list, int64_t i);
/* The first string that is not well-formed UTF-8, or -1. Model files hold text, not bytes. */
int64_t strings_find_not_utf8(const strings *list);
void strings_free(strings *list, const pare_allocator *mem);

/* A hash index from string to its first position. */
typedef struct strings_index {
    const strings *list;
    int64_t *slot; /* position + 1, or 0 */
    int64_t n_slots;
} strings_index;

/* Builds the index; *duplicate is the position of the first repeated string, or -1. */
bool strings_index_make(strings_index *index, const strings *list, const pare_allocator *mem,
                        int64_t *duplicate);
int64_t strings_index_find(const strings_index *index, const char *s, int64_t length); /* or -1 */
void strings_index_free(strings_index *index, const pare_allocator *mem);

/* Appends the texts `rows` of the list (NULL: the first n), which may be empty. Returns false when out of
 * memory. */
bool strings_take(strings *to, const strings *list, const int32_t *rows, int64_t n,
                  const pare_allocator *mem);

#endif
