#include "data/strings.h"

#include <string.h>

#include "base/memory.h"

bool strings_add(strings *list, const pare_allocator *mem, const char *s, int64_t length) {
    if (list->count == list->capacity) {
        int64_t capacity = list->capacity ? 2 * list->capacity : 64;
        if (!mem_resize(mem, &list->start, capacity, sizeof *list->start)) return false;
        list->capacity = capacity;
    }
    if (list->text_size + length + 1 > list->text_capacity) {
        int64_t capacity = 2 * list->text_capacity + length + 1024;
        if (!mem_resize(mem, &list->text, capacity, 1)) return false;
        list->text_capacity = capacity;
    }
    if (length) memcpy(list->text + list->text_size, s, (size_t)length);
    list->text[list->text_size + length] = '\0';
    list->start[list->count++] = list->text_size;
    list->text_size += length + 1;
    return true;
}

/* The end of an item, at a comma that is none of its own. */
static const char *item_end(const char *p) {
    for (; *p && *p != ','; p++) p += p[0] == '\\' && p[1] == ',';
    return p;
}

/* In the last string \, becomes a comma. */
static void unescape_last(strings *list) {
    char *from = list->text + list->start[list->count - 1], *to = from;
    for (; *from; *to++ = *from++) from += from[0] == '\\' && from[1] == ',';
    *to++ = '\0';
    list->text_size = to - list->text;
}

bool strings_add_list(strings *list, const pare_allocator *mem, const char *text) {
    for (const char *p = text; p;) {
        p += strspn(p, " ");
        const char *end = item_end(p);
        int64_t length = end - p;
        while (length > 0 && p[length - 1] == ' ') length--;
        if (!strings_add(list, mem, p, length)) return false;
        unescape_last(list);
        p = *end ? end + 1 : NULL;
    }
    return true;
}

const char *strings_at(const strings *list, int64_t i) { return list->text + list->start[i]; }

/* Bytes of the UTF-8 character at p, 0 if it is none (overlong forms and surrogates are none). */
static int utf8_length(const unsigned char *p) {
    int length = p[0] < 0x80                   ? 1
                 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
                                               : 4;
    if ((p[0] >= 0x80 && p[0] < 0xc2) || p[0] > 0xf4) return 0;
    for (int i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80) return 0; /* also where the text ends */
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)) return 0;
    if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)) return 0;
    return length;
}

int64_t strings_find_not_utf8(const strings *list) {
    for (int64_t i = 0; i < list->count; i++) {
        const unsigned char *p = (const unsigned char *)strings_at(list, i);
        while (*p) {
            int length = utf8_length(p);
            if (length == 0) return i;
            p += length;
        }
    }
    return -1;
}

void strings_free(strings *list, const pare_allocator *mem) {
    mem_free(mem, list->text);
    mem_free(mem, list->start);
    memset(list, 0, sizeof *list);
}

static uint64_t hash_bytes(const char *s, int64_t length) { /* FNV-1a */
    uint64_t h = 0xcbf29ce484222325u;
    for (int64_t i = 0; i < length; i++) h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
    return h ^ (h >> 29);
}

/* The slot that holds the string, or the free one where it belongs. */
static int64_t *find_slot(const strings_index *index, const char *s, int64_t length) {
    uint64_t mask = (uint64_t)index->n_slots - 1, at = hash_bytes(s, length) & mask;
    for (;; at = (at + 1) & mask) {
        int64_t *slot = &index->slot[at];
        if (*slot == 0) return slot;
        const char *known = strings_at(index->list, *slot - 1);
        if (strncmp(known, s, (size_t)length) == 0 && known[length] == '\0') return slot;
    }
}

bool strings_index_make(strings_index *index, const strings *list, const pare_allocator *mem,
                        int64_t *duplicate) {
    index->list = list;
    index->n_slots = 16;
    while (index->n_slots < 2 * list->count) index->n_slots *= 2;
    index->slot = mem_zero(mem, index->n_slots, sizeof *index->slot);
    if (!index->slot) return false;
    *duplicate = -1;
    for (int64_t i = 0; i < list->count; i++) {
        const char *s = strings_at(list, i);
        int64_t *slot = find_slot(index, s, (int64_t)strlen(s));
        if (*slot == 0)
            *slot = i + 1;
        else if (*duplicate < 0)
            *duplicate = i;
    }
    return true;
}

int64_t strings_index_find(const strings_index *index, const char *s, int64_t length) {
    return *find_slot(index, s, length) - 1;
}

void strings_index_free(strings_index *index, const pare_allocator *mem) {
    mem_free(mem, index->slot);
    index->slot = NULL;
}

bool strings_take(strings *to, const strings *list, const int32_t *rows, int64_t n,
                  const pare_allocator *mem) {
    for (int64_t i = 0; list->count && i < n; i++) {
        const char *text = strings_at(list, rows ? rows[i] : i);
        if (!strings_add(to, mem, text, (int64_t)strlen(text))) return false;
    }
    return true;
}
