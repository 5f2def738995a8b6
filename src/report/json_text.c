#include "report/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* Copies s with its numbers shortened: Jansson prints 17 digits, and most numbers need fewer. */
static void add_shortened(text_buffer *t, char *s) {
    char *from = s; /* [from, p) is still to be copied */
    for (char *p = s; *p;) {
        if (*p == '"') {
            for (p++; *p && *p != '"'; p++)
                if (*p == '\\') p++;
            if (*p) p++;
            continue;
        }
        size_t length = strspn(p, "0123456789+-.eE");
        double value;
        /* an integer keeps all of its digits; a short number is not parsed, which can be slow */
        bool real = length > 15 && strcspn(p, ".eE") < length;
        if (real && number_parse(p, p + length, &value) == p + length) {
            char number[32], after = p[length];
            number_format(value, number);
            *p = '\0';
            text_add(t, from);
            text_add(t, number);
            if (!strpbrk(number, ".e")) text_add(t, ".0"); /* a real stays a real */
            p += length;
            *p = after;
            from = p;
        } else {
            p += length ? length : 1;
        }
    }
    text_add(t, from);
}

void text_add_json(text_buffer *t, json_t *value) {
    char *dumped =
        value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)) : NULL;
    if (dumped)
        add_shortened(t, dumped);
    else
        t->failed = true;
    free(dumped);
    json_decref(value);
}

json_t *setting_json(const setting_value *v) {
    if (v->is_auto) return json_null();
    switch (v->type) {
    case SETTING_REAL: return isinf(v->real) ? json_string("inf") : json_real(v->real);
    case SETTING_INTEGER: return json_integer(v->integer);
    case SETTING_FLAG: return json_boolean(v->flag);
    case SETTING_CHOICE:
    case SETTING_TEXT: return json_string(v->text);
    }
    return json_null();
}

void text_add_object(text_buffer *t, const json_part *parts, size_t count) {
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        if (!parts[i].key) {
            json_decref(parts[i].value);
            continue;
        }
        text_add(t, first ? "{\"" : ",\n \"");
        text_add(t, parts[i].key);
        text_add(t, "\": ");
        text_add_json(t, parts[i].value);
        first = false;
    }
    text_add(t, "}\n");
}
