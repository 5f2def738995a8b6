/* JSON values as text: a line per key, and every number as the shortest that reads back the
 * same. */
#ifndef PARE_REPORT_JSON_TEXT_H
#define PARE_REPORT_JSON_TEXT_H

#include <jansson.h>

#include "base/settings.h"
#include "report/text.h"

typedef struct json_part {
    const char *key; /* NULL: the key is left out */
    json_t *value;   /* ownership passes to the text; NULL: out of memory, the text has failed */
} json_part;

json_t *setting_json(const setting_value *v);

/* An object of `count` parts, each on a line of its own. */
void text_add_object(text_buffer *t, const json_part *parts, size_t count);
/* One value on one line; takes ownership of it. */
void text_add_json(text_buffer *t, json_t *value);

#endif
