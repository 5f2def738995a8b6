#include "base/suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <pare/settings.h>

enum { MAX_LENGTH = 64 };

static int least(int a, int b) { return a < b ? a : b; }

static bool is_dash(char c) { return c == '-' || c == '_' || c == '.'; }

/* Returns true if a and b are equal up to case, with -, _ and . equal. */
static bool alike(char a, char b) { return (is_dash(a) && is_dash(b)) || (a | 32) == (b | 32); }

/* The number of letters dropped, added or changed, and of neighbours swapped. */
static int edit_distance(const char *a, const char *b) {
    int row[3][MAX_LENGTH + 1];
    size_t m = strlen(a), n = strlen(b);
    if (m > MAX_LENGTH || n > MAX_LENGTH) return MAX_LENGTH;
    for (size_t j = 0; j <= n; j++) row[0][j] = (int)j;
    for (size_t i = 1; i <= m; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= n; j++) {
            int changed = before[j - 1] + !alike(a[i - 1], b[j - 1]);
            now[j] = least(least(now[j - 1], before[j]) + 1, changed);
            if (i > 1 && j > 1 && alike(a[i - 1], b[j - 2]) && alike(a[i - 2], b[j - 1]))
                now[j] = least(now[j], earlier[j - 2] + 1);
        }
    }
    return row[m % 3][n];
}

/* The largest edit distance of a suggestion, by the length of the word. */
static int max_distance(size_t length) { return length < 3 ? 0 : length < 6 ? 1 : 2; }

/* -1: too many edits, or it is the word itself. */
static int distance_to(const char *word, const char *name) {
    if (strcmp(word, name) == 0) return -1;
    size_t length = strlen(word), other = strlen(name);
    size_t difference = length > other ? length - other : other - length;
    int limit = max_distance(length), distance = limit + 1;
    if (length >= 3 && strncmp(name, word, length) == 0)
        distance = limit; /* word is a prefix of name */
    else if (difference <= (size_t)limit)
        distance = edit_distance(word, name);
    return distance > limit ? -1 : distance;
}

void suggest_try(suggestion *best, const char *name) {
    int distance = distance_to(best->word, name);
    if (distance < 0 || (best->name && distance >= best->distance)) return;
    best->distance = distance;
    best->name = name;
}

const char *suggest_hint(const suggestion *best, const char *quotes, char out[SUGGEST_SIZE]) {
    out[0] = '\0';
    if (best->name)
        snprintf(out, SUGGEST_SIZE, "; did you mean %s%.80s%s?", quotes, best->name, quotes);
    return out;
}

int64_t pare_nearest(const char *word, const char *const *names, int64_t count) {
    suggestion best = {.word = word};
    int64_t at = -1;
    for (int64_t i = 0; i < count; i++) {
        const char *before = best.name;
        suggest_try(&best, names[i]);
        if (best.name != before) at = i;
    }
    return at;
}
