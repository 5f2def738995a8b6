#include "report/describe_columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/order.h"
#include "data/feature/suspects.h"
#include "data/table/annotations.h"

enum { REPEATED = 1, INFINITE = 2, MIXED = 4, NO_VALUES = 8, N_FAULTS = 4 };

static const char *column_fault(int k) {
    static const char *const words[N_FAULTS] = {"repeated name", "infinite values",
                                                "text among numbers", "neither number nor text"};
    return words[k];
}

typedef struct counter {
    const pare_data *data;
    arena *mem;
    double *value; /* n: of a column */
    column_lines *out;
    strings_index repeated; /* of data->repeated */
} counter;

static column_line *add(counter *c, const char *name, const char *kind) {
    column_line *line = &c->out->line[c->out->count++];
    *line = (column_line){.name = name, .kind = kind};
    return line;
}

/* Of c->value, NaN being missing; sorts them. */
static void count_numbers(counter *c, column_line *line) {
    int64_t n = 0;
    for (int64_t i = 0; i < c->data->x.n; i++)
        if (!isnan(c->value[i])) c->value[n++] = c->value[i];
    sort_up(c->value, n);
    line->missing = c->data->x.n - n;
    for (int64_t i = 0; i < n; i++) line->distinct += i == 0 || c->value[i] != c->value[i - 1];
    line->numbers = n > 0;
    line->least = n ? c->value[0] : 0;
    line->largest = n ? c->value[n - 1] : 0;
}

static pare_status count_texts(counter *c, column_line *line, const strings *list,
                               pare_error *err) {
    strings_index index;
    int64_t duplicate;
    if (!strings_index_make(&index, list, &c->data->mem, &duplicate)) return error_memory(err);
    for (int64_t i = 0; i < list->count; i++) {
        const char *text = strings_at(list, i);
        int64_t length = (int64_t)strlen(text);
        bool missing = cell_is_missing(text, length);
        line->missing += missing;
        line->distinct += !missing && strings_index_find(&index, text, length) == i;
    }
    strings_index_free(&index, &c->data->mem);
    return PARE_OK;
}

static void describe_times(counter *c) {
    const target_column *t = &c->data->target;
    memcpy(c->value, t->time, sizeof *c->value * (size_t)c->data->x.n);
    count_numbers(c, add(c, NULL, annotation_name(ANNOTATION_TIME)));
    for (int64_t i = 0; i < c->data->x.n; i++) c->value[i] = t->event[i];
    count_numbers(c, add(c, NULL, annotation_name(ANNOTATION_EVENT)));
}

static pare_status describe_target(counter *c, pare_error *err) {
    const pare_data *data = c->data;
    const target_column *t = &data->target;
    strings list = {0};
    if (target_column_count(t) == 0) return PARE_OK;
    if (t->time) {
        describe_times(c);
        return PARE_OK;
    }
    const char *name = data->target_name.count ? strings_at(&data->target_name, 0) : NULL;
    column_line *line = add(c, name, "target");
    bool numbers = !t->code;
    for (int64_t i = 0; numbers && i < data->x.n; i++)
        numbers = target_column_number(t, i, &c->value[i]);
    if (numbers) {
        count_numbers(c, line);
        return PARE_OK;
    }
    pare_status status = target_column_list(&list, t, &data->mem) ? PARE_OK : error_memory(err);
    if (status == PARE_OK) status = count_texts(c, line, &list, err);
    strings_free(&list, &data->mem);
    return status;
}

static pare_status describe_others(counter *c, pare_error *err) {
    const pare_data *data = c->data;
    if (data->ids.count) {
        const char *name = data->id_name.count ? strings_at(&data->id_name, 0) : NULL;
        PASS(count_texts(c, add(c, name, "id"), &data->ids, err));
    }
    PASS(describe_target(c, err));
    const double *numbers[] = {data->weight, data->offset};
    const annotation_kind number[] = {ANNOTATION_WEIGHT, ANNOTATION_OFFSET};
    for (int k = 0; k < 2; k++) {
        if (!numbers[k]) continue;
        memcpy(c->value, numbers[k], sizeof *c->value * (size_t)data->x.n);
        count_numbers(c, add(c, NULL, annotation_name(number[k])));
    }
    const strings *texts[] = {&data->fold_group, &data->fold, &data->target.strata};
    const annotation_kind text[] = {ANNOTATION_FOLD_GROUP, ANNOTATION_FOLD, ANNOTATION_STRATUM};
    for (int k = 0; k < 3; k++)
        if (texts[k]->count)
            PASS(count_texts(c, add(c, NULL, annotation_name(text[k])), texts[k], err));
    return PARE_OK;
}

/* Whether feature j is the code of a value of a column of text, whose name its group has. */
static bool is_code(const pare_data *data, int64_t j) {
    if (!data->groups.count || !data->names.count) return false;
    const char *group = strings_at(&data->groups, j), *name = strings_at(&data->names, j);
    size_t length = strlen(group);
    return strncmp(name, group, length) == 0 && name[length] == '=';
}

/* The next code of a column of text belongs to the last line. */
static bool goes_on(const counter *c, int64_t j) {
    const strings *groups = &c->data->groups;
    return j > 0 && is_code(c->data, j - 1) &&
           strcmp(strings_at(groups, j), strings_at(groups, j - 1)) == 0;
}

static const char *kind_of(column_text text) {
    static const char *const words[] = {"number", "text", "date", "text", "object"};
    return words[text];
}

/* Infinite values are left out of what is counted. */
static int64_t leave_infinite(double *value, int64_t n) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!isinf(value[i])) continue;
        value[i] = NAN;
        count++;
    }
    return count;
}

static bool is_repeated(const counter *c, const char *name) {
    return c->data->repeated.count &&
           strings_index_find(&c->repeated, name, (int64_t)strlen(name)) >= 0;
}

static pare_status describe_feature(counter *c, int64_t j, const column *from, pare_error *err) {
    const pare_data *data = c->data;
    char made_up[32];
    column_text text = data->text ? (column_text)data->text[j] : COLUMN_NUMBERS;
    column_spread(from, data->x.n, c->value);
    if (is_code(data, j)) {
        column_line *line = goes_on(c, j) ? &c->out->line[c->out->count - 1]
                                          : add(c, strings_at(&data->groups, j), "text");
        line->distinct++;
        line->missing = 0;
        for (int64_t i = 0; i < data->x.n; i++) line->missing += isnan(c->value[i]);
        return PARE_OK;
    }
    const char *name = pare_data_name(data, j, made_up);
    if (name == made_up && !(name = arena_text(c->mem, made_up))) return error_memory(err);
    column_line *line = add(c, name, kind_of(text));
    int64_t infinite = leave_infinite(c->value, data->x.n);
    if (!text) line->suspects = suspects_in(c->value, data->x.n);
    count_numbers(c, line);
    line->missing -= infinite;
    line->numbers = line->numbers && !text;
    if (is_repeated(c, name)) line->faults |= REPEATED;
    if (infinite) line->faults |= INFINITE;
    if (text == COLUMN_MIXED) line->faults |= MIXED;
    if (text == COLUMN_OBJECTS) line->faults |= NO_VALUES;
    return PARE_OK;
}

/* A code is suspect in two columns or more. */
static void keep_repeated(column_lines *c) {
    int64_t columns[N_SUSPECTS] = {0};
    unsigned keep = 0;
    for (int64_t q = 0; q < c->count; q++)
        for (int k = 0; k < N_SUSPECTS; k++) columns[k] += c->line[q].suspects >> k & 1;
    for (int k = 0; k < N_SUSPECTS; k++) keep |= (unsigned)(columns[k] >= MIN_SUSPECT_COLUMNS) << k;
    for (int64_t q = 0; q < c->count; q++) c->line[q].suspects &= keep;
}

pare_status columns_describe(column_lines *out, arena *mem, const pare_data *data,
                             const pare_ctx *ctx, pare_error *err) {
    counter c = {.data = data, .mem = mem, .out = out};
    view all = view_all(&data->x);
    walk w = {0};
    column of;
    int64_t j, unused;
    pare_status status = PARE_OK;
    enum { MAX_OTHERS = 1 + N_ANNOTATIONS + 1 }; /* ids, these, and another target */
    out->count = 0;
    TRY_MEM(c.value = ARENA_NEW(mem, double, data->x.n));
    TRY_MEM(out->line = ARENA_NEW(mem, column_line, data->x.d + MAX_OTHERS));
    if (data->repeated.count)
        TRY_MEM(strings_index_make(&c.repeated, &data->repeated, &data->mem, &unused));
    TRY(describe_others(&c, err));
    TRY(walk_open(&w, &all, NULL, all.d, ctx, err));
    while (status == PARE_OK && walk_next(&w, &j, &of)) status = describe_feature(&c, j, &of, err);
    status = walk_end(&w, status, err);
    if (status == PARE_OK) keep_repeated(out);
done:
    if (c.repeated.slot) strings_index_free(&c.repeated, &data->mem);
    return status;
}

/* "-999,-9,infinite values", or "". */
enum { SUSPECT_TEXT = 192 };
static const char *suspect_text(const column_line *line, char out[SUSPECT_TEXT]) {
    out[0] = '\0';
    for (int k = 0; k < N_SUSPECTS; k++) {
        size_t used = strlen(out);
        if (line->suspects >> k & 1)
            snprintf(out + used, SUSPECT_TEXT - used, "%s%g", used ? "," : "", suspect_code(k));
    }
    for (int k = 0; k < N_FAULTS; k++) {
        size_t used = strlen(out);
        if (line->faults >> k & 1)
            snprintf(out + used, SUSPECT_TEXT - used, "%s%s", used ? "," : "", column_fault(k));
    }
    return out;
}

void columns_text(text_buffer *text, const column_lines *c) {
    char number[32], suspects[SUSPECT_TEXT];
    text_add(text, "name\tkind\tmissing\tdistinct\tleast\tlargest\tsuspect\n");
    for (int64_t q = 0; q < c->count; q++) {
        const column_line *line = &c->line[q];
        text_add_cell(text, line->name ? line->name : "");
        text_print(text, "\t%s\t%lld\t%lld\t", line->kind, (long long)line->missing,
                   (long long)line->distinct);
        if (line->numbers) number_format(line->least, number);
        text_print(text, "%s\t", line->numbers ? number : "");
        if (line->numbers) number_format(line->largest, number);
        text_print(text, "%s\t%s\n", line->numbers ? number : "", suspect_text(line, suspects));
    }
}

json_t *columns_json(const column_lines *c) {
    json_t *all = json_array();
    for (int64_t q = 0; all && q < c->count; q++) {
        const column_line *line = &c->line[q];
        json_t *codes = json_array();
        for (int k = 0; k < N_SUSPECTS; k++)
            if (line->suspects >> k & 1) json_array_append_new(codes, json_real(suspect_code(k)));
        for (int k = 0; k < N_FAULTS; k++)
            if (line->faults >> k & 1) json_array_append_new(codes, json_string(column_fault(k)));
        json_t *one = json_pack(
            "{s:s?, s:s, s:I, s:I, s:o, s:o, s:o}", "name", line->name, "kind", line->kind,
            "missing", (json_int_t)line->missing, "distinct", (json_int_t)line->distinct, "least",
            line->numbers ? json_real(line->least) : json_null(), "largest",
            line->numbers ? json_real(line->largest) : json_null(), "suspect", codes);
        if (!one || json_array_append_new(all, one) != 0) {
            json_decref(all);
            all = NULL;
        }
    }
    return all;
}
