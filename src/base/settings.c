#include "base/settings.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/memory.h"
#include "base/number.h"

enum { OPEN_LO = 1, OPEN_HI = 2, MAY_BE_INF = 4, MAY_BE_AUTO = 8, WRITTEN = 16 };

typedef struct setting_row {
    settings_group group;
    const char *name;
    setting_type type;
    size_t offset;
    const char *fallback; /* choice, text */
    double number;        /* the default of the others */
    double lo, hi;
    int flags;
    const char *choices;
    const char *doc;
} setting_row;

#define AT(group, name) offsetof(all_settings, group.name)
#define GROUP(id, title)
#define END(id)
#define REAL(group, name, fallback, lo, hi, flags, doc)                                            \
    {GROUP_##group, #name, SETTING_REAL, AT(group, name), NULL, fallback, lo, hi, flags, NULL, doc},
#define INTEGER(group, name, fallback, lo, hi, flags, doc)                                         \
    {GROUP_##group,                                                                                \
     #name,                                                                                        \
     SETTING_INTEGER,                                                                              \
     AT(group, name),                                                                              \
     NULL,                                                                                         \
     fallback,                                                                                     \
     lo,                                                                                           \
     (double)(hi),                                                                                 \
     flags,                                                                                        \
     NULL,                                                                                         \
     doc},
#define FLAG(group, name, fallback, doc)                                                           \
    {GROUP_##group, #name, SETTING_FLAG, AT(group, name), NULL, fallback, 0, 1, 0, NULL, doc},
#define CHOICE(group, name, fallback, choices, doc)                                                \
    {GROUP_##group, #name, SETTING_CHOICE, AT(group, name), fallback, 0, 0, 0, 0, choices, doc},
#define TEXT(group, name, fallback, doc)                                                           \
    {GROUP_##group, #name, SETTING_TEXT, AT(group, name), fallback, 0, 0, 0, 0, NULL, doc},
static const setting_row rows[] = {
#include "settings.def"
};
#undef GROUP
#undef REAL
#undef INTEGER
#undef FLAG
#undef CHOICE
#undef TEXT
enum { N_ROWS = sizeof rows / sizeof rows[0] };

#define REAL(group, name, fallback, lo, hi, flags, doc)
#define INTEGER(group, name, fallback, lo, hi, flags, doc)
#define FLAG(group, name, fallback, doc)
#define CHOICE(group, name, fallback, choices, doc)
#define TEXT(group, name, fallback, doc)
static const char *const group_names[] = {
#define GROUP(id, title) title,
#include "settings.def"
#undef GROUP
};

bool choice_is(const char *choice, const char *word) { return strcmp(choice, word) == 0; }

static void *field(all_settings *v, const setting_row *row) { return (char *)v + row->offset; }
static const void *field_const(const all_settings *v, const setting_row *row) {
    return (const char *)v + row->offset;
}

void settings_defaults(all_settings *v) {
    memset(v, 0, sizeof *v);
    for (int i = 0; i < N_ROWS; i++) {
        const setting_row *row = &rows[i];
        void *to = field(v, row);
        switch (row->type) {
        case SETTING_REAL: *(double *)to = row->number; break;
        case SETTING_INTEGER: *(int64_t *)to = (int64_t)row->number; break;
        case SETTING_FLAG: *(bool *)to = row->number != 0; break;
        case SETTING_CHOICE:
        case SETTING_TEXT: strcpy(to, row->fallback); break;
        }
    }
}

/* The defaults that one group has instead. */
static void settings_of_group(all_settings *v, settings_group group) {
#define GROUP(id, title)
#define DEFAULT_OF(id, name, text)                                                                 \
    if (group == GROUP_##id) strcpy(v->common.name, text);
#include "settings.def"
#undef DEFAULT_OF
#undef GROUP
}

bool settings_is_part(settings_group whole, settings_group part) {
#define GROUP(id, title)
#define PART_OF(id, of)                                                                            \
    if (whole == GROUP_##id && part == GROUP_##of) return true;
#include "settings.def"
#undef PART_OF
#undef GROUP
    return false;
}

const void *settings_of(const all_settings *v, settings_group group) {
    static const size_t at[] = {
#define GROUP(id, title) offsetof(all_settings, id),
#include "settings.def"
#undef GROUP
    };
    return (const char *)v + at[group];
}

static void copy_value(all_settings *to, const setting_row *there, const all_settings *from,
                       const setting_row *here) {
    void *out = field(to, there);
    const void *in = field_const(from, here);
    switch (here->type) {
    case SETTING_REAL: *(double *)out = *(const double *)in; break;
    case SETTING_INTEGER: *(int64_t *)out = *(const int64_t *)in; break;
    case SETTING_FLAG: *(bool *)out = *(const bool *)in; break;
    case SETTING_CHOICE:
    case SETTING_TEXT: strcpy(out, in); break;
    }
}

void settings_copy(all_settings *to, const all_settings *from, settings_group group) {
    for (int i = 0; i < N_ROWS; i++)
        if (rows[i].group == group) copy_value(to, &rows[i], from, &rows[i]);
}

static const setting_row *row_find(settings_group group, const char *name);

void settings_hand_on(all_settings *v, settings_group to, settings_group from, const char *names) {
    for (size_t length; *names; names += length + strspn(names + length, " ")) {
        char name[64];
        length = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        char *word = strchr(name, '=');
        if (word) *word++ = '\0';
        const setting_row *row = row_find(to, name);
        if (word)
            strcpy(field(v, row), word);
        else
            copy_value(v, row, v, row_find(from, name));
    }
}

void settings_put(all_settings *v, settings_group group, const char *name, double value) {
    *(double *)field(v, row_find(group, name)) = value;
}

static pare_status no_such_method(const char *name, pare_error *err) {
    char near[SUGGEST_SIZE];
    suggestion best = {.word = name};
    for (int group = 1; group < GROUP_COUNT; group++) suggest_try(&best, group_names[group]);
    return error_set(err, PARE_E_ARGUMENT, "there is no method \"%.64s\"%s", name,
                     suggest_hint(&best, "", near));
}

pare_status pare_settings_new(pare_settings **out, const char *method, const pare_ctx *ctx,
                              pare_error *err) {
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    int group = 1;
    while (group < GROUP_COUNT && strcmp(group_names[group], method) != 0) group++;
    if (group == GROUP_COUNT) return no_such_method(method, err);
    const pare_allocator *mem = ctx_allocator(ctx);
    pare_settings *s = mem_alloc(mem, 1, sizeof *s);
    if (!s) return error_memory(err);
    s->mem = *mem;
    s->group = (settings_group)group;
    settings_defaults(&s->v);
    settings_of_group(&s->v, s->group);
    *out = s;
    return PARE_OK;
}

void pare_settings_free(pare_settings *settings) {
    if (!settings) return;
    pare_allocator mem = settings->mem;
    mem_free(&mem, settings);
}

/* "a number > 0 or inf", "one of: hinge squared", ... */
static void allowed_text(const setting_row *row, char *buffer, size_t size) {
    char lo[32], hi[32];
    const char *noun = row->type == SETTING_INTEGER ? "a whole number" : "a number";
    const char *or_inf = row->flags & MAY_BE_INF ? " or inf" : "";
    const char *or_auto = row->flags & MAY_BE_AUTO ? " or auto" : "";
    switch (row->type) {
    case SETTING_FLAG: snprintf(buffer, size, "true or false"); return;
    case SETTING_CHOICE: snprintf(buffer, size, "one of: %s", row->choices); return;
    case SETTING_TEXT: snprintf(buffer, size, "at most %d bytes", TEXT_SIZE - 1); return;
    case SETTING_REAL:
    case SETTING_INTEGER: break;
    }
    number_format(row->lo, lo);
    number_format(row->hi, hi);
    bool bounded = row->hi < (row->type == SETTING_INTEGER ? 0x1p62 : INFINITY);
    if (bounded)
        snprintf(buffer, size, "%s %s %s and %s %s%s%s", noun,
                 row->flags & OPEN_LO ? ">" : ">=", lo, row->flags & OPEN_HI ? "<" : "<=", hi,
                 or_inf, or_auto);
    else
        snprintf(buffer, size, "%s %s %s%s%s", noun, row->flags & OPEN_LO ? ">" : ">=", lo, or_inf,
                 or_auto);
}

static bool in_bounds(const setting_row *row, double x) {
    if (isinf(x)) return x > 0 && (row->flags & MAY_BE_INF);
    bool above = row->flags & OPEN_LO ? x > row->lo : x >= row->lo;
    bool below = row->flags & OPEN_HI ? x < row->hi : x <= row->hi;
    return above && below;
}

static bool word_is_listed(const char *choices, const char *text) {
    size_t length = strlen(text);
    for (const char *p = choices; *p; p += strspn(p, " ")) {
        size_t word = strcspn(p, " ");
        if (word == length && strncmp(p, text, word) == 0) return true;
        p += word;
    }
    return false;
}

bool settings_choice(const char *name, int64_t i, char word[CHOICE_SIZE]) {
    const char *at = row_find(GROUP_common, name)->choices;
    if (i < 0) return false;
    for (; i > 0 && *at; i--) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    snprintf(word, CHOICE_SIZE, "%.*s", (int)strcspn(at, " "), at);
    return *word != '\0';
}

static bool parse_value(const setting_row *row, const char *text, void *to) {
    double real;
    int64_t integer;
    bool is_auto = strcmp(text, "auto") == 0 && (row->flags & MAY_BE_AUTO);
    switch (row->type) {
    case SETTING_REAL:
        if (is_auto)
            real = NAN;
        else if (strcmp(text, "inf") == 0)
            real = INFINITY;
        else if (!number_parse_all(text, &real) || isinf(real))
            return false;
        if (!is_auto && !in_bounds(row, real)) return false;
        *(double *)to = real;
        return true;
    case SETTING_INTEGER:
        if (is_auto)
            integer = -1;
        else if (!integer_parse_all(text, &integer) || !in_bounds(row, (double)integer))
            return false;
        *(int64_t *)to = integer;
        return true;
    case SETTING_FLAG:
        if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0) return false;
        *(bool *)to = text[0] == 't';
        return true;
    case SETTING_CHOICE:
        if (!word_is_listed(row->choices, text)) return false;
        strcpy(to, text); /* fits: a test checks the lengths in the table */
        return true;
    case SETTING_TEXT:
        if (strlen(text) >= TEXT_SIZE) return false;
        strcpy(to, text);
        return true;
    }
    return false;
}

static bool same_name(const char *a, const char *b) {
    for (; *a && *b; a++, b++) {
        bool dashes = (*a == '-' || *a == '_') && (*b == '-' || *b == '_');
        if (*a != *b && !dashes) return false;
    }
    return *a == *b;
}

static const setting_row *row_find(settings_group group, const char *name) {
    for (int i = 0; i < N_ROWS; i++)
        if ((rows[i].group == group || rows[i].group == GROUP_common) &&
            same_name(rows[i].name, name))
            return &rows[i];
    return NULL;
}

/* Those of a group, the common ones, and those of its parts. */
static bool applies(const setting_row *row, settings_group group) {
    return row->group == group || row->group == GROUP_common || settings_is_part(group, row->group);
}

/* As row_find; else the first of that name in a part of the group. */
static const setting_row *row_known(settings_group group, const char *name) {
    const setting_row *row = row_find(group, name);
    for (int i = 0; !row && i < N_ROWS; i++)
        if (applies(&rows[i], group) && same_name(rows[i].name, name)) row = &rows[i];
    return row;
}

/* Names of earlier versions. */
static const struct {
    const char *old, *name;
} renamed[] = {
    {"lambda_min", "lambda_least"}, {"path_end", "lambda_least"}, {"points", "lambda_count"}};

static pare_status no_such_setting(settings_group group, const char *name, pare_error *err) {
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (same_name(renamed[i].old, name) && row_find(group, renamed[i].name))
            return error_set(err, PARE_E_ARGUMENT, "`%s` of %s is now `%s`", renamed[i].old,
                             group_names[group], renamed[i].name);
    char near[SUGGEST_SIZE];
    suggestion best = {.word = name};
    for (int i = 0; i < N_ROWS; i++)
        if (applies(&rows[i], group) && !(rows[i].flags & WRITTEN))
            suggest_try(&best, rows[i].name);
    return error_set(err, PARE_E_ARGUMENT, "method %s has no setting \"%.64s\"%s",
                     group_names[group], name, suggest_hint(&best, "", near));
}

pare_status pare_settings_set(pare_settings *settings, const char *name, const char *value,
                              pare_error *err) {
    const setting_row *row = row_known(settings->group, name);
    if (row && (row->flags & WRITTEN))
        return error_set(err, PARE_E_ARGUMENT,
                         "`%s` of %s is written by the fit and cannot be set: leave it out",
                         row->name, group_names[settings->group]);
    return settings_read(settings, name, value, err);
}

pare_status settings_read(pare_settings *settings, const char *name, const char *value,
                          pare_error *err) {
    const setting_row *row = row_known(settings->group, name);
    if (!row) return no_such_setting(settings->group, name, err);
    bool fine = parse_value(row, value, field(&settings->v, row));
    for (int i = 0; fine && i < N_ROWS; i++) /* and the others of its parts, where they know it */
        if (settings_is_part(settings->group, rows[i].group) &&
            strcmp(rows[i].name, row->name) == 0)
            (void)parse_value(&rows[i], value, field(&settings->v, &rows[i]));
    if (fine) return PARE_OK;
    char allowed[512];
    allowed_text(row, allowed, sizeof allowed);
    return error_set(err, PARE_E_ARGUMENT, "`%s`: \"%.64s\" is not allowed; expected %s", row->name,
                     value, allowed);
}

static setting_value value_of(const all_settings *v, const setting_row *row) {
    setting_value out = {.name = row->name, .type = row->type};
    const void *from = field_const(v, row);
    switch (row->type) {
    case SETTING_REAL:
        out.real = *(const double *)from;
        out.is_auto = isnan(out.real);
        break;
    case SETTING_INTEGER:
        out.integer = *(const int64_t *)from;
        out.is_auto = (row->flags & MAY_BE_AUTO) && out.integer == -1;
        break;
    case SETTING_FLAG: out.flag = *(const bool *)from; break;
    case SETTING_CHOICE:
    case SETTING_TEXT: out.text = from; break;
    }
    return out;
}

/* Rows that apply to a group come in two runs: its own, then the common ones. */
static const setting_row *row_at(settings_group group, int64_t i) {
    if (i < 0) return NULL;
    for (int pass = 0; pass < 2; pass++)
        for (int r = 0; r < N_ROWS; r++)
            if (rows[r].group == (pass == 0 ? group : GROUP_common) && i-- == 0) return &rows[r];
    return NULL;
}

int64_t settings_count(settings_group group) {
    int64_t count = 0;
    for (int r = 0; r < N_ROWS; r++)
        count += rows[r].group == group || rows[r].group == GROUP_common;
    return count;
}

setting_value settings_value(const all_settings *v, settings_group group, int64_t i) {
    return value_of(v, row_at(group, i));
}

bool settings_named(setting_value *out, const all_settings *v, settings_group group,
                    const char *name) {
    const setting_row *row = row_find(group, name);
    if (row) *out = value_of(v, row);
    return row != NULL;
}

setting_value settings_get(const all_settings *v, settings_group group, const char *name) {
    setting_value value = {0};
    settings_named(&value, v, group, name);
    return value;
}

bool setting_same(const setting_value *a, const setting_value *b) {
    if (a->is_auto || b->is_auto) return a->is_auto && b->is_auto;
    bool words = a->type == SETTING_CHOICE || a->type == SETTING_TEXT;
    return words ? strcmp(a->text, b->text) == 0
                 : a->real == b->real && a->integer == b->integer && a->flag == b->flag;
}

static void value_text(const setting_value *v, char buffer[32], const char **text) {
    *text = buffer;
    if (v->is_auto)
        strcpy(buffer, "auto");
    else if (v->type == SETTING_REAL)
        number_format(v->real, buffer);
    else if (v->type == SETTING_INTEGER)
        snprintf(buffer, 32, "%lld", (long long)v->integer);
    else if (v->type == SETTING_FLAG)
        strcpy(buffer, v->flag ? "true" : "false");
    else
        *text = v->text;
}

pare_status pare_settings_get(const pare_settings *settings, const char *name, char *buffer,
                              int64_t size, pare_error *err) {
    const setting_row *row = row_known(settings->group, name);
    if (!row) return no_such_setting(settings->group, name, err);
    setting_value v = value_of(&settings->v, row);
    char number[32];
    const char *text;
    value_text(&v, number, &text);
    if ((int64_t)strlen(text) >= size)
        return error_set(err, PARE_E_ARGUMENT, "`%s`: the buffer of %lld bytes is too small",
                         row->name, (long long)size);
    strcpy(buffer, text);
    return PARE_OK;
}

/* Row i of those that can be set. */
static const setting_row *row_offered(settings_group group, int64_t i) {
    const setting_row *row;
    if (i < 0) return NULL;
    for (int64_t r = 0; (row = row_at(group, r)) != NULL; r++)
        if (!(row->flags & WRITTEN) && i-- == 0) return row;
    for (int r = 0; r < N_ROWS; r++) /* of its parts, each name once */
        if (settings_is_part(group, rows[r].group) && !(rows[r].flags & WRITTEN) &&
            row_known(group, rows[r].name) == &rows[r] && i-- == 0)
            return &rows[r];
    return NULL;
}

const char *settings_changed(const all_settings *v, settings_group group, int64_t i) {
    all_settings defaults;
    settings_defaults(&defaults);
    for (int r = 0; r < N_ROWS; r++) {
        if (rows[r].group != group) continue;
        setting_value own = value_of(v, &rows[r]), usual = value_of(&defaults, &rows[r]);
        if (!setting_same(&own, &usual) && i-- == 0) return rows[r].name;
    }
    return NULL;
}

int64_t pare_settings_count(const pare_settings *settings) {
    int64_t count = 0;
    while (row_offered(settings->group, count)) count++;
    return count;
}

bool pare_settings_info(pare_setting_info *out, const pare_settings *settings, int64_t i) {
    static const char *const type_names[] = {"real", "integer", "flag", "choice", "text"};
    const setting_row *row = row_offered(settings->group, i);
    if (!row) return false;
    *out = (pare_setting_info){.name = row->name,
                               .type = type_names[row->type],
                               .doc = row->doc,
                               .common = row->group == GROUP_common};
    all_settings defaults;
    settings_defaults(&defaults);
    settings_of_group(&defaults, settings->group);
    setting_value v = value_of(&defaults, row);
    char number[32];
    const char *text;
    value_text(&v, number, &text);
    snprintf(out->fallback, sizeof out->fallback, "%s", text);
    allowed_text(row, out->allowed, sizeof out->allowed);
    return true;
}
