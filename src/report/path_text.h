/* The path as JSON, shared by the JSON file and the HTML page. */
#ifndef PARE_REPORT_PATH_TEXT_H
#define PARE_REPORT_PATH_TEXT_H

#include <jansson.h>

#include "report/text.h"
#include "select/path.h"

/* Appends the JSON object, a line per key. */
void path_add_json(text_buffer *text, const pare_path *p);

/* The predictions for every test sample of every split by run m: at the size that the split's own
 * training samples chose, or without inner folds at the chosen one. null: not kept, or too many. */
json_t *predictions_json(const pare_path *p, int64_t m);
/* The features that error control selects in run m; null: not requested, or not finished. */
json_t *control_json(const pare_path *p, int64_t m);
void control_add_lines(text_buffer *text, const pare_path *p, int64_t m);
/* The i-th sentence of run m's headline without its full stop; returns false where it has nothing to
 * say. */
enum { HEADLINE_SENTENCES = 7, HEADLINE_SIZE = 400 };
bool headline_sentence(char out[HEADLINE_SIZE], const pare_path *p, int64_t m, int64_t i);
/* The values of the chosen features and the samples' classes or values, for the page. */
json_t *values_json(const pare_path *p);

#endif
