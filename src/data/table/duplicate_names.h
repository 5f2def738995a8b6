/* Names that are there already become NAME#2, NAME#3, ..., the next that is free, in the order of
 * the file. */
#ifndef PARE_DATA_TABLE_DUPLICATE_NAMES_H
#define PARE_DATA_TABLE_DUPLICATE_NAMES_H

#include <pare/data.h>

#include "data/dataset.h"
#include "data/table/roles.h"

typedef struct name_numbers {
    const pare_allocator *mem;
    strings given;    /* all different */
    int64_t *slot;    /* a hash table of them: position + 1, or 0 */
    int64_t *repeats; /* per given name: the last number that it got, 1 at first */
    int64_t n_slots, capacity;
    char *text; /* the last name made */
    size_t text_size;
} name_numbers; /* all zero but mem: empty */

/* Returns true if the options ask for it: `number`, `describe`, or a requested name NAME#K that is not in the
 * header. header may be NULL: unknown. */
bool names_numbered(const pare_read_options *o, const strings *header);
/* Adds a name; *out is it, or the name with its number, until the next call. false: out of memory. */
bool names_number(name_numbers *n, const char *name, const char **out);
/* The same for a whole list; `changed` as below. */
bool names_number_all(strings *list, strings *changed, const pare_allocator *mem);
/* The names of columns, of which dropped ones may repeat: numbered if they are to be, else *repeat is
 * the first that repeats; -1: none does. changed: gets those with a number; or NULL. false: out of
 * memory. */
bool names_settle(strings *columns, const roles *wanted, bool numbered, int64_t *repeat,
                  strings *changed, const pare_allocator *mem);
/* Where they go: to what is said of the columns, if that is all that the data are read for. */
strings *names_changed(const pare_read_options *o, pare_data *data);
void names_numbers_free(name_numbers *n);

#endif
