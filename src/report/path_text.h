/* Parts of a path that several documents show. */
#ifndef PARE_REPORT_PATH_TEXT_H
#define PARE_REPORT_PATH_TEXT_H

#include <jansson.h>

#include "report/text.h"
#include "select/path.h"

void control_add_lines(text_buffer *text, const pare_path *p, int64_t m);
/* The i-th sentence of run m's headline without its full stop; returns false where it has nothing to
 * say. */
enum { HEADLINE_SENTENCES = 8, HEADLINE_SIZE = 400 };
bool headline_sentence(char out[HEADLINE_SIZE], const pare_path *p, int64_t m, int64_t i);
/* The values of the chosen features and the samples' classes or values, for the page. */
json_t *values_json(const pare_path *p);

#endif
