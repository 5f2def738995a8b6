#include "data/sample/read_events.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/format/cell.h"

pare_status events_check(const pare_read_options *o, pare_error *err) {
    if (!o->time != !o->event)
        return error_set(err, PARE_E_ARGUMENT,
                         o->time ? "`time` needs `event`, which tells events from censored samples"
                                 : "`event` needs `time`, the time of each event or of the end of "
                                   "observation");
    if (o->time && (o->target || o->labels))
        return error_set(err, PARE_E_ARGUMENT,
                         "`%s` does not go with `time` and `event`, which are the target",
                         o->target ? "target" : "labels");
    return PARE_OK;
}

/* The same text or number. */
static bool same_value(const char *a, const char *b) {
    double x, y;
    return strcmp(a, b) == 0 || (number_parse_all(a, &x) && number_parse_all(b, &y) && x == y);
}

/* In any letter case. */
static bool is_word(const char *text, const char *word) {
    while (*text && (*text | 32) == *word) text++, word++;
    return !*text && !*word;
}

static bool is_event(const char *text, const char *value) {
    return value ? same_value(text, value) : same_value(text, "1") || is_word(text, "true");
}

/* The different values, the first of them by name. */
enum { MAX_VALUES = 5 };
typedef struct event_values {
    const char *text[MAX_VALUES];
    int count, events; /* more than MAX_VALUES are counted as one more; values that are events */
} event_values;

static void see(event_values *v, const char *text, const char *value) {
    for (int k = 0; k < v->count && k < MAX_VALUES; k++)
        if (same_value(v->text[k], text)) return;
    if (v->count < MAX_VALUES) v->text[v->count] = text;
    if (v->count <= MAX_VALUES) v->count++;
    v->events += is_event(text, value);
}

/* "alive", "dead", ... */
enum { VALUE_LIST = MAX_VALUES * (CELL_SHOWN + 2) + 8 };
static const char *value_list(char out[VALUE_LIST], const event_values *v) {
    char shown[CELL_SHOWN];
    int used = 0;
    for (int k = 0; k < v->count && k < MAX_VALUES; k++)
        used += snprintf(out + used, VALUE_LIST - (size_t)used, "%s%s", k ? ", " : "",
                         cell_shown(v->text[k], (int64_t)strlen(v->text[k]), shown));
    if (v->count > MAX_VALUES) snprintf(out + used, VALUE_LIST - (size_t)used, ", ...");
    return out;
}

/* Every value is one of the two. */
static bool within(const event_values *v, const char *a, const char *b) {
    for (int k = 0; k < v->count && k < MAX_VALUES; k++)
        if (!same_value(v->text[k], a) && !same_value(v->text[k], b)) return false;
    return v->count <= MAX_VALUES;
}

static bool has(const event_values *v, const char *value) {
    for (int k = 0; k < v->count && k < MAX_VALUES; k++)
        if (same_value(v->text[k], value)) return true;
    return false;
}

static pare_status judge(const event_values *v, const char *value, const char *where,
                         const pare_ctx *ctx, pare_error *err) {
    char list[VALUE_LIST], shown[CELL_SHOWN] = "";
    bool censored = within(v, "0", "false") || within(v, "FALSE", "False");
    value_list(list, v);
    if (value) cell_shown(value, (int64_t)strlen(value), shown);
    if (!value && has(v, "2") && within(v, "1", "2"))
        return error_set(err, PARE_E_DATA,
                         "%s: the events are %s, either of which may be the event; name its value, "
                         "as in `event` COLUMN=2 (R's coding: the 2 is the event)",
                         where, list);
    if (value && v->count && v->events == 0)
        return error_set(err, PARE_E_DATA, "%s: no sample has the event %s; the values are %s",
                         where, shown, list);
    if (v->count && v->events == 0 && !censored)
        return error_set(err, PARE_E_DATA,
                         "%s: the events are %s, none of which is 1 or true; name the value of the "
                         "event, as in `event` COLUMN=%s",
                         where, list, v->text[v->count > 1]);
    if (v->count > 2)
        ctx_log(ctx, PARE_LOG_INFO,
                "%s: the events have the values %s; %s is the event, samples with the others count "
                "as censored",
                where, list, value ? shown : "1 or true");
    return PARE_OK;
}

/* A text that means a missing number, unless the events are words. */
static bool is_missing(const char *text, const char *value) {
    double number;
    bool numbers = !value || number_parse_all(value, &number);
    return !*text || (numbers && cell_is_missing_number(text, (int64_t)strlen(text)));
}

static pare_status interpret(data_builder *b, const char *where, const pare_ctx *ctx,
                             pare_error *err) {
    pare_data *data = b->data;
    target_column *t = &data->target;
    event_values v = {0};
    char id[32], shown[CELL_SHOWN];
    t->event = mem_alloc(&data->mem, data->x.n, sizeof *t->event);
    if (!t->event) return error_memory(err);
    for (int64_t i = 0; i < data->x.n; i++) {
        const char *text = strings_at(&b->event, i);
        bool missing = is_missing(text, b->event_value);
        if (missing && !b->drop_unlabelled)
            return error_set(err, PARE_E_DATA,
                             "%s: the event of sample %s is missing (%s); choose `missing drop`",
                             where, pare_data_id(data, i, id),
                             cell_shown(text, (int64_t)strlen(text), shown));
        if (!missing) see(&v, text, b->event_value);
        t->event[i] = !missing && is_event(text, b->event_value);
        if (missing) t->time[i] = NAN;
    }
    return judge(&v, b->event_value, where, ctx, err);
}

pare_status events_settle(data_builder *b, const pare_read_options *o, const char *where,
                          const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    target_column *t = &data->target;
    const target_column own = {.time = t->time, .strata = t->strata};
    pare_status status = PARE_OK;
    if (o->time && t->time) {
        t->time = NULL;
        t->strata = (strings){0};
        target_column_free(t, &data->mem);
        *t = own;
        t->n = data->x.n;
        strings_free(&data->target_name, &data->mem);
        status = interpret(b, where, ctx, err);
    }
    strings_free(&b->event, &data->mem);
    if (status != PARE_OK || !t->time) return status;
    for (int64_t i = 0; i < t->strata.count; i++)
        if (!*strings_at(&t->strata, i)) t->time[i] = NAN;
    for (int64_t i = 0; i < t->n; i++) b->unlabelled = b->unlabelled || isnan(t->time[i]);
    return PARE_OK;
}
