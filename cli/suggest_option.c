/* "did you mean", with names as options. */
#include <string.h>

#include "cli.h"

void nearest_try(nearest *best, const char *name) {
    const char *const pair[] = {best->name ? best->name : name, name};
    int64_t at = pare_nearest(best->word, pair, 2);
    if (at >= 0) best->name = pair[at];
}

const char *nearest_hint(const nearest *best, const char *dashes, char hint[96]) {
    hint[0] = '\0';
    if (best->name) snprintf(hint, 96, "; did you mean %s%.64s?", dashes, best->name);
    for (char *c = strstr(hint, dashes); best->name && c && *c; c++)
        if (*c == '_') *c = '-';
    return hint;
}
