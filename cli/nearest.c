/* "did you mean": the name that takes the fewest slips of the hand to type instead. */
#include <string.h>

#include "cli.h"

enum { LONGEST = 48 };

static int least(int a, int b) { return a < b ? a : b; }

/* Letters dropped, added, changed, or two neighbours swapped; - and _ are the same. */
static int slips(const char *a, const char *b) {
    int row[3][LONGEST + 1];
    int m = (int)strlen(a), n = (int)strlen(b);
    if (m > LONGEST || n > LONGEST) return LONGEST;
    for (int j = 0; j <= n; j++) row[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            char x = a[i - 1] == '_' ? '-' : a[i - 1], y = b[j - 1] == '_' ? '-' : b[j - 1];
            now[j] = least(least(now[j - 1], before[j]) + 1, before[j - 1] + (x != y));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], earlier[j - 2] + 1);
        }
    }
    return row[m % 3][n];
}

void nearest_try(nearest *best, const char *name) {
    int length = (int)strlen(best->word), away = slips(best->word, name);
    int most = length < 3 ? 0 : length < 6 ? 1 : 2;
    bool begins = length >= 3 && strncmp(name, best->word, (size_t)length) == 0;
    if (begins) away = most;
    if (strcmp(best->word, name) == 0) return; /* of another command or method */
    if (away > most || (best->name[0] && away >= best->away)) return;
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
