/* The settings that a sentence for people names: `name`, or `name value`, between backquotes. How a
 * caller writes them is pare_sentence's. */
#ifndef PARE_BASE_SENTENCE_H
#define PARE_BASE_SENTENCE_H

#include <stddef.h>

enum { SETTING_SIZE = 32 }; /* of pare_error's */

/* The length of what is marked at a backquote, without the two, and in *name that of the name; 0: it
 * marks nothing. A value has no blank. */
size_t sentence_marked(const char *at, size_t *name);
/* The first name that is marked, or "". */
void sentence_setting(char out[SETTING_SIZE], const char *text);

#endif
