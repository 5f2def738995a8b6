/* What the HTML reports share: one page that contains its style, its script and its data. No data reach
 * the markup: names and labels are JSON for the script, which shows them as text. */
#ifndef PARE_REPORT_HTML_TEXT_H
#define PARE_REPORT_HTML_TEXT_H

#include <jansson.h>

#include "report/text.h"
#include "task/task.h"

typedef struct html_page {
    const char *title, *style, *script;
} html_page;

void html_begin(text_buffer *t, const html_page *page);
/* Data for the script, as JSON text or as a value, whose ownership passes to the page. */
void html_data(text_buffer *t, const char *id, const char *json);
void html_json(text_buffer *t, const char *id, json_t *value);
void html_end(text_buffer *t, const html_page *page);
/* What each metric of the task is: direction, range, words. */
json_t *html_metrics(const task_type *task);

#endif
