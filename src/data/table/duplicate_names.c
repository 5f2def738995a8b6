#include "data/table/duplicate_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* The length of NAME where the text is NAME#K; 0: it is not. */
static size_t numbered_stem(const char *text) {
    const char *mark = strrchr(text, '#');
    if (!mark || mark == text || !mark[1] || strspn(mark + 1, "0123456789") < strlen(mark + 1))
        return 0;
    return (size_t)(mark - text);
}

static bool holds(const strings *list, const char *name, size_t length) {
    for (int64_t i = 0; i < list->count; i++) {
        const char *at = strings_at(list, i);
        if (strncmp(at, name, length) == 0 && !at[length]) return true;
    }
    return false;
}

bool names_numbered(const pare_read_options *o, const strings *header) {
    if (o->describe) return true;
    if (o->duplicate_names && strcmp(o->duplicate_names, "number") == 0) return true;
    for (int64_t i = 0; o->only && i < o->n_only; i++) {
        size_t stem = numbered_stem(o->only[i]);
        if (stem && (!header || (!holds(header, o->only[i], strlen(o->only[i])) &&
                                 holds(header, o->only[i], stem))))
            return true;
    }
    return false;
}

static uint64_t hash_of(const char *text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* The slot of the name, or the free one where it belongs. */
static int64_t find_slot(const name_numbers *n, const char *name) {
    int64_t at = (int64_t)(hash_of(name) & (uint64_t)(n->n_slots - 1));
    while (n->slot[at] && strcmp(strings_at(&n->given, n->slot[at] - 1), name) != 0)
        at = (at + 1) & (n->n_slots - 1);
    return at;
}

/* At most half of the slots are in use. */
static bool make_room(name_numbers *n) {
    if (n->given.count == n->capacity) {
        int64_t capacity = 2 * n->capacity + 16;
        if (!mem_resize(n->mem, &n->repeats, capacity, sizeof *n->repeats)) return false;
        n->capacity = capacity;
    }
    if (2 * (n->given.count + 1) <= n->n_slots) return true;
    int64_t count = n->n_slots ? 2 * n->n_slots : 64;
    int64_t *slot = mem_zero(n->mem, count, sizeof *slot);
    if (!slot) return false;
    mem_free(n->mem, n->slot);
    n->slot = slot;
    n->n_slots = count;
    for (int64_t i = 0; i < n->given.count; i++)
        slot[find_slot(n, strings_at(&n->given, i))] = i + 1;
    return true;
}

static bool add(name_numbers *n, const char *name) {
    if (!make_room(n) || !strings_add(&n->given, n->mem, name, (int64_t)strlen(name))) return false;
    n->repeats[n->given.count - 1] = 1;
    n->slot[find_slot(n, name)] = n->given.count;
    return true;
}

bool names_number(name_numbers *n, const char *name, const char **out) {
    int64_t at = n->n_slots ? n->slot[find_slot(n, name)] : 0;
    *out = name;
    if (!at) return add(n, name);
    size_t size = strlen(name) + 24;
    if (size > n->text_size) {
        if (!mem_resize(n->mem, &n->text, (int64_t)size, 1)) return false;
        n->text_size = size;
    }
    do {
        snprintf(n->text, size, "%s#%" PRId64, name, ++n->repeats[at - 1]);
    } while (n->slot[find_slot(n, n->text)]);
    *out = n->text;
    return add(n, n->text);
}

bool names_number_all(strings *list, strings *changed, const pare_allocator *mem) {
    int64_t repeat;
    return names_settle(list, NULL, true, &repeat, changed, mem);
}

strings *names_changed(const pare_read_options *o, pare_data *data) {
    return o->describe ? &data->repeated : NULL;
}

bool names_settle(strings *columns, const roles *wanted, bool numbered, int64_t *repeat,
                  strings *changed, const pare_allocator *mem) {
    name_numbers n = {.mem = mem};
    strings final = {0};
    const char *own;
    bool fine = true;
    *repeat = -1;
    for (int64_t j = 0; fine && *repeat < 0 && j < columns->count; j++) {
        const char *name = own = strings_at(columns, j);
        if (!wanted || !roles_drop(wanted, name)) fine = names_number(&n, name, &own);
        bool again = fine && strcmp(own, name) != 0;
        int64_t length = fine ? (int64_t)strlen(own) : 0;
        if (again && !numbered) *repeat = j;
        if (again && changed) fine = strings_add(changed, mem, own, length);
        fine = fine && strings_add(&final, mem, own, length);
    }
    if (fine && *repeat < 0) {
        strings_free(columns, mem);
        *columns = final;
        final = (strings){0};
    }
    strings_free(&final, mem);
    names_numbers_free(&n);
    return fine;
}

void names_numbers_free(name_numbers *n) {
    if (!n->mem) return;
    strings_free(&n->given, n->mem);
    mem_free(n->mem, n->slot);
    mem_free(n->mem, n->repeats);
    mem_free(n->mem, n->text);
    *n = (name_numbers){.mem = n->mem};
}
