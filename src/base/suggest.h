/* "did you mean": the name that takes the fewest slips of the hand to type instead of a word. */
#ifndef PARE_BASE_MEANT_H
#define PARE_BASE_MEANT_H

enum { MEANT_SIZE = 128 };

/* Begin with {.word = WORD} and try every name that could be meant; names stay the caller's. */
typedef struct meant {
    const char *word;
    const char *name; /* the nearest so far, NULL: none is near */
    int away;
} meant;
void meant_try(meant *best, const char *name);
/* "; did you mean NAME?", the name between `quotes`, or nothing. */
const char *meant_hint(const meant *best, const char *quotes, char out[MEANT_SIZE]);

#endif
