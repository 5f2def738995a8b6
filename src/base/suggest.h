/* "did you mean": the name with the smallest edit distance from a word. */
#ifndef PARE_BASE_SUGGEST_H
#define PARE_BASE_SUGGEST_H

enum { SUGGEST_SIZE = 128 };

/* Begin with {.word = WORD} and try every candidate; names stay the caller's. */
typedef struct suggestion {
    const char *word;
    const char *name; /* the nearest so far, NULL: none is near enough */
    int distance;
} suggestion;
void suggest_try(suggestion *best, const char *name);
/* "; did you mean NAME?", the name between `quotes`, or nothing. */
const char *suggest_hint(const suggestion *best, const char *quotes, char out[SUGGEST_SIZE]);

#endif
