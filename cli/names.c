/* How the command line writes the settings and options that a sentence of the library names: as
 * --option, or as the environment variable PARE_NAMES says, for a program that shows the sentences
 * to people who see its own controls instead. A line of it is a name, or a name, a blank and a
 * value; a tab; and what to write. Names that it does not have stay as they are. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MAX_RENAMED = 64 };

/* Fills `renamed` with pairs that point into `text`, which is cut up. */
static void read_pairs(const char **renamed, char *text) {
    int64_t count = 0;
    for (char *line = strtok(text, "\n"); line && count < MAX_RENAMED; line = strtok(NULL, "\n")) {
        char *tab = strchr(line, '\t');
        if (!tab) continue;
        *tab = '\0';
        renamed[2 * count] = line;
        renamed[2 * count++ + 1] = tab + 1;
    }
}

void print_sentence(FILE *to, const char *text) {
    static const char *renamed[2 * MAX_RENAMED + 1];
    static pare_names names = {.before = "--", .dash = '-'};
    const char *given = names.renamed ? NULL : getenv("PARE_NAMES");
    char shown[4096], *copy = given ? strdup(given) : NULL;
    if (copy) {
        read_pairs(renamed, copy);
        names = (pare_names){.renamed = renamed};
    }
    pare_sentence(shown, sizeof shown, text, &names);
    print_shown(to, shown, false);
}
