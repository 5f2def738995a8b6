/* The path as JSON, shared by the JSON file and the HTML page. */
#ifndef PARE_REPORT_PATH_TEXT_H
#define PARE_REPORT_PATH_TEXT_H

#include "report/text.h"
#include "select/path.h"

/* Appends the JSON object, a line per key. */
void path_add_json(text_buffer *text, const pare_path *p);

#endif
