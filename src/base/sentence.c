#include "base/sentence.h"

#include <stdio.h>
#include <string.h>

#include <pare/status.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

size_t sentence_marked(const char *at, size_t *name) {
    if (*at != '`') return 0;
    *name = strspn(at + 1, letters);
    size_t length = *name;
    if (at[1 + length] == ' ') length += 1 + strcspn(at + 2 + length, "` \n");
    return *name > 0 && at[length] != ' ' && at[1 + length] == '`' ? length : 0;
}

void sentence_setting(char out[SETTING_SIZE], const char *text) {
    size_t name = 0;
    while (text && (text = strchr(text, '`')) && !sentence_marked(text, &name)) text++;
    snprintf(out, SETTING_SIZE, "%.*s", text ? (int)name : 0, text ? text + 1 : "");
}

/* What is written so far: `used` may be beyond `size`, and what does not fit is left out. */
typedef struct written {
    char *out;
    size_t size, used;
} written;

static void put(written *w, char c) {
    if (w->used + 1 < w->size) w->out[w->used] = c;
    w->used++;
}

static void put_text(written *w, const char *text) {
    while (text && *text) put(w, *text++);
}

/* What the table has instead of the `length` letters, or NULL. */
static const char *instead_of(const pare_names *names, const char *text, size_t length) {
    for (const char *const *at = names->renamed; at && *at; at += 2)
        if (strncmp(*at, text, length) == 0 && !(*at)[length]) return at[1];
    return NULL;
}

/* The `length` letters at `text`, of which the first `name` are a name and the others its value. */
static void put_marked(written *w, const pare_names *names, const char *text, size_t name,
                       size_t length) {
    const char *whole = instead_of(names, text, length), *own = instead_of(names, text, name);
    put_text(w, names->before);
    put_text(w, whole ? whole : own);
    for (size_t i = 0; !whole && !own && i < name; i++)
        put(w, text[i] == '_' && names->dash ? names->dash : text[i]);
    if (!whole && length > name) {
        put_text(w, names->equals ? names->equals : " ");
        for (size_t i = name + 1; i < length; i++) put(w, text[i]);
    }
    put_text(w, names->after);
}

int64_t pare_sentence(char *out, int64_t size, const char *text, const pare_names *names) {
    written w = {.out = out, .size = size > 0 ? (size_t)size : 0};
    size_t name, length;
    while (*text) {
        length = sentence_marked(text, &name);
        if (length) {
            put_marked(&w, names, text + 1, name, length);
            text += length + 2;
        } else {
            put(&w, *text++);
        }
    }
    if (w.size) out[w.used < w.size ? w.used : w.size - 1] = '\0';
    return (int64_t)w.used;
}
