/* "did you mean", with names as options. */
#include <string.h>

#include "cli.h"

void nearest_try(nearest *best, const char *name) {
    int away = pare_edit_distance(best->word, name);
    if (strcmp(best->word, name) == 0) return; /* of another command or method */
    if (away < 0 || (best->name[0] && away >= best->away)) return;
    best->away = away;
    snprintf(best->name, sizeof best->name, "%s", name);
    for (char *c = best->name; *c; c++)
        if (*c == '_') *c = '-';
}

const char *nearest_hint(const nearest *best, const char *dashes, char hint[96]) {
    hint[0] = '\0';
    if (best->name[0]) snprintf(hint, 96, "; did you mean %s%s?", dashes, best->name);
    return hint;
}
