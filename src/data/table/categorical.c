#include "data/table/categorical.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/format/odd_number.h"

/* A quiet NaN whose low bits hold a number from 1 on. */
static double boxed(int64_t number) {
    uint64_t bits = UINT64_C(0x7ff8000000000000) | (uint64_t)number;
    double out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

/* 0: missing. */
static int64_t unboxed(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (int64_t)(bits & UINT64_C(0xffffffff));
}

pare_status categorical_begin(categorical *c, const pare_read_options *o, int64_t d,
                              const pare_allocator *mem, pare_error *err) {
    *c = (categorical){
        .mem = mem, .d = d, .only = o->only, .n_only = o->n_only, .describe = o->describe};
    c->values = mem_zero(mem, d, sizeof *c->values);
    c->coded = mem_zero(mem, d, sizeof *c->coded);
    c->odd = mem_zero(mem, d, sizeof *c->odd);
    return c->values && c->coded && c->odd ? PARE_OK : error_memory(err);
}

void categorical_free(categorical *c) {
    if (!c->mem) return;
    for (int64_t j = 0; c->values && j < c->d; j++) strings_free(&c->values[j], c->mem);
    mem_free(c->mem, c->values);
    mem_free(c->mem, c->coded);
    mem_free(c->mem, c->odd);
    *c = (categorical){0};
}

bool categorical_wanted(const pare_read_options *o, const char *header) {
    size_t length = strlen(header);
    for (int64_t i = 0; o->only && i < o->n_only; i++)
        if (strncmp(o->only[i], header, length) == 0 && o->only[i][length] == '=') return true;
    return false;
}

static int64_t find(const strings *list, const char *text) {
    for (int64_t i = 0; i < list->count; i++)
        if (strcmp(strings_at(list, i), text) == 0) return i;
    return -1;
}

/* The number of a value of feature j, from 1, which may be new; 0: out of memory. */
static int64_t value_number(categorical *c, int64_t j, const char *text) {
    strings *list = &c->values[j];
    int64_t at =
        c->describe ? -1 : find(list, text); /* to describe, all may differ: later, at once */
    if (at >= 0) return at + 1;
    return strings_add(list, c->mem, text, (int64_t)strlen(text)) ? list->count : 0;
}

pare_status categorical_cell(categorical *c, int64_t j, const char *text, int64_t length,
                             double *out, pare_error *err) {
    (void)length;
    int64_t number = value_number(c, j, text);
    c->coded[j] = true;
    *out = boxed(number);
    return number ? PARE_OK : error_memory(err);
}

pare_status categorical_described(categorical *c, int64_t j, const char *text, int64_t length,
                                  const place *at, double *out, pare_error *err) {
    pare_error odd;
    if (cell_is_missing_number(text, length))
        return categorical_maybe(c, j, text, at, true, out, err);
    *out = cell_infinity(text, length);
    if (*out != 0) return PARE_OK;
    if (!cell_is_text(text, length) && cell_number(out, text, length, true, at, &odd) == PARE_OK)
        return PARE_OK;
    return categorical_cell(c, j, text, length, out, err);
}

pare_status categorical_maybe(categorical *c, int64_t j, const char *text, const place *at,
                              bool allow_missing, double *out, pare_error *err) {
    int64_t number = value_number(c, j, text);
    if (!allow_missing && !c->odd[j].file) {
        c->odd[j] = *at;
        c->odd[j].name = NULL; /* does not live as long */
    }
    *out = boxed(number);
    return number ? PARE_OK : error_memory(err);
}

void categorical_drop_first(categorical *c) {
    strings_free(&c->values[0], c->mem);
    c->d--;
    memmove(c->values, c->values + 1, (size_t)c->d * sizeof *c->values);
    memmove(c->coded, c->coded + 1, (size_t)c->d * sizeof *c->coded);
    memmove(c->odd, c->odd + 1, (size_t)c->d * sizeof *c->odd);
}

/* A column of numbers: what means a missing number is missing. */
static pare_status settle_numbers(categorical *c, int64_t j, double *x, int64_t n, const char *name,
                                  pare_error *err) {
    double unused;
    if (c->values[j].count == 0) return PARE_OK;
    if (c->odd[j].file) {
        const char *text = strings_at(&c->values[j], 0);
        c->odd[j].name = name;
        return cell_missing(&unused, text, (int64_t)strlen(text), false, &c->odd[j], err);
    }
    for (int64_t i = 0; i < n; i++)
        if (isnan(x[i])) x[i] = NAN;
    return PARE_OK;
}

/* Turns numbers in a column of text into values as well. */
static pare_status box_numbers(categorical *c, int64_t j, double *x, int64_t n, pare_error *err) {
    char text[32];
    for (int64_t i = 0; i < n; i++) {
        if (isnan(x[i])) continue;
        number_format(x[i], text);
        int64_t number = value_number(c, j, text);
        if (!number) return error_memory(err);
        x[i] = boxed(number);
    }
    return PARE_OK;
}

static int bytewise(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The columns after coding. */
typedef struct coded_table {
    double *x; /* n x d */
    int64_t d, capacity;
    strings names, groups;
} coded_table;

static pare_status add_column(coded_table *t, double **x, const char *name, const char *group,
                              const pare_data *data, pare_error *err) {
    if (t->d == t->capacity) {
        int64_t capacity = 2 * t->capacity + data->x.d + 16;
        if (!mem_resize(&data->mem, &t->x, capacity, sizeof(double) * (size_t)data->x.n))
            return error_memory(err);
        t->capacity = capacity;
    }
    *x = t->x + t->d++ * data->x.n;
    bool kept = strings_add(&t->names, &data->mem, name, (int64_t)strlen(name)) &&
                strings_add(&t->groups, &data->mem, group, (int64_t)strlen(group));
    return kept ? PARE_OK : error_memory(err);
}

/* Adds the column of one value: `name` is COLUMN=VALUE, `at` its length before VALUE. */
static pare_status add_value(coded_table *t, const categorical *c, int64_t j, const double *x,
                             const char *name, size_t at, const pare_data *data, pare_error *err) {
    double *to;
    int64_t number = find(&c->values[j], name + at) + 1;
    pare_status status = add_column(t, &to, name, strings_at(&data->names, j), data, err);
    for (int64_t i = 0; status == PARE_OK && i < data->x.n; i++) {
        int64_t own = unboxed(x[i]);
        to[i] = own == 0 ? NAN : own == number;
    }
    return status;
}

static bool mostly_numbers(const double *x, int64_t n) {
    int64_t numbers = 0;
    for (int64_t i = 0; i < n; i++) numbers += !isnan(x[i]);
    return 2 * numbers > n;
}

/* The advice for a column whose values are all meant as numbers, or NULL. */
static const char *odd_advice(const strings *values) {
    bool unused;
    odd_number kind = ODD_NONE;
    for (int64_t i = 0; i < values->count; i++) {
        const char *text = strings_at(values, i);
        kind = odd_number_of(text, (int64_t)strlen(text));
        if (!odd_number_certain(kind)) return NULL;
    }
    return odd_number_advice(kind, false, NULL, &unused);
}

/* Of a column of text that has other values for all samples, or may be meant as one of numbers. */
static pare_status check_texts(const strings *values, bool ids, const char *shown,
                               const char *where, const pare_ctx *ctx, pare_error *err) {
    char text[CELL_SHOWN] = "";
    const char *advice = odd_advice(values);
    if (values->count)
        cell_shown(strings_at(values, 0), (int64_t)strlen(strings_at(values, 0)), text);
    if (ids && advice)
        return error_set(err, PARE_E_DATA,
                         "%s: column %s has another text for every sample, such as %s%s", where,
                         shown, text, advice);
    if (ids)
        return error_set(err, PARE_E_DATA,
                         "%s: column %s has another text for every sample: name it with `id`, or "
                         "leave it out with `drop`",
                         where, shown);
    if (advice)
        ctx_log(ctx, PARE_LOG_WARNING,
                "%s: column %s is coded as text, since its values are such as %s%s", where, shown,
                text, advice);
    return PARE_OK;
}

static bool all_differ(int64_t values, int64_t n) { return n >= 3 && values >= n; }

/* Rejects a column with another value for every sample (ids). A text among numbers makes a feature of each
 * number, which is rarely meant: a warning otherwise. */
static pare_status check_values(const categorical *c, int64_t j, bool numbers, bool ids,
                                const char *name, const char *where, const pare_ctx *ctx,
                                pare_error *err) {
    char shown[CELL_SHOWN], text[CELL_SHOWN];
    const char *first = strings_at(&c->values[j], 0);
    int64_t length = (int64_t)strlen(first);
    bool code = true;
    cell_shown(name, (int64_t)strlen(name), shown);
    if (!numbers) return check_texts(&c->values[j], ids, shown, where, ctx, err);
    cell_shown(first, length, text);
    const char *advice = odd_number_advice(odd_number_of(first, length), true, NULL, &code);
    code = code || !advice;
    const char *na[] = {advice ? advice : ":", code ? " `na` " : "", code ? text : "",
                        code ? " takes it for missing" : ""};
    if (ids)
        return error_set(err, PARE_E_DATA,
                         "%s: column %s has other numbers for all samples, but also %s%s%s%s%s, "
                         "or `drop` leaves the column out",
                         where, shown, text, na[0], na[1], na[2], na[3]);
    ctx_log(ctx, PARE_LOG_WARNING,
            "%s: column %s is coded as text, since %s stands among its numbers%s%s%s%s", where,
            shown, text, na[0], na[1], na[2], na[3]);
    return PARE_OK;
}

static pare_status code_column(coded_table *t, categorical *c, int64_t j, double *x,
                               const pare_data *data, const char *where, const pare_ctx *ctx,
                               pare_error *err) {
    const char *header = strings_at(&data->names, j);
    bool numbers = mostly_numbers(x, data->x.n);
    size_t at = strlen(header) + 1;
    const char **sorted = NULL;
    char *name = NULL;
    pare_status status = PARE_OK;
    TRY(box_numbers(c, j, x, data->x.n, err));
    if (c->only) {
        for (int64_t i = 0; i < c->n_only; i++)
            if (strncmp(c->only[i], header, at - 1) == 0 && c->only[i][at - 1] == '=')
                TRY(add_value(t, c, j, x, c->only[i], at, data, err));
        return PARE_OK;
    }
    int64_t count = c->values[j].count;
    size_t longest = 0;
    TRY(check_values(c, j, numbers, all_differ(count, data->x.n), header, where, ctx, err));
    TRY_MEM(sorted = mem_alloc(c->mem, count, sizeof *sorted));
    for (int64_t i = 0; i < count; i++) {
        sorted[i] = strings_at(&c->values[j], i);
        if (strlen(sorted[i]) > longest) longest = strlen(sorted[i]);
    }
    qsort(sorted, (size_t)count, sizeof *sorted, bytewise);
    TRY_MEM(name = mem_alloc(c->mem, (int64_t)(at + longest) + 1, 1));
    for (int64_t i = 0; i < count; i++) {
        snprintf(name, at + longest + 1, "%s=%s", header, sorted[i]);
        TRY(add_value(t, c, j, x, name, at, data, err));
    }
done:
    mem_free(c->mem, name);
    mem_free(c->mem, sorted);
    return status;
}

static column_text text_kind(const strings *values) {
    for (int64_t i = 0; i < values->count; i++) {
        const char *text = strings_at(values, i);
        if (odd_number_of(text, (int64_t)strlen(text)) != ODD_DATE) return COLUMN_TEXT;
    }
    return COLUMN_DATES;
}

/* A column of text becomes the numbers of its values; what stands against it is a warning. */
static pare_status describe_texts(categorical *c, int64_t j, bool numbers, double *x, int64_t n,
                                  const char *name, const char *where, const pare_ctx *ctx,
                                  pare_error *err) {
    const strings *values = &c->values[j];
    int64_t duplicate;
    strings_index index;
    pare_error against;
    PASS(box_numbers(c, j, x, n, err));
    if (!strings_index_make(&index, values, c->mem, &duplicate)) return error_memory(err);
    for (int64_t i = 0; i < n; i++) {
        int64_t own = unboxed(x[i]);
        const char *text = own ? strings_at(values, own - 1) : NULL;
        x[i] = own ? 1 + (double)strings_index_find(&index, text, (int64_t)strlen(text)) : NAN;
    }
    strings_index_free(&index, c->mem);
    bool ids = duplicate < 0 && all_differ(values->count, n);
    if (check_values(c, j, numbers, ids, name, where, ctx, &against) != PARE_OK)
        ctx_log(ctx, PARE_LOG_WARNING, "%s", against.message);
    return PARE_OK;
}

pare_status categorical_describe(column_text *out, categorical *c, int64_t j, double *x, int64_t n,
                                 const char *name, const char *where, const pare_ctx *ctx,
                                 pare_error *err) {
    bool numbers = mostly_numbers(x, n);
    *out = !c->coded[j] ? COLUMN_NUMBERS : numbers ? COLUMN_MIXED : text_kind(&c->values[j]);
    return c->coded[j] ? describe_texts(c, j, numbers, x, n, name, where, ctx, err)
                       : settle_numbers(c, j, x, n, name, err);
}

static pare_status describe_all(categorical *c, data_builder *b, const char *where,
                                const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    int64_t n = data->x.n;
    column_text kind;
    if (!data->text) data->text = mem_zero(&data->mem, c->d, sizeof *data->text);
    if (!data->text) return error_memory(err);
    for (int64_t j = 0; j < c->d; j++) {
        const char *name = data->names.count ? strings_at(&data->names, j) : "";
        PASS(categorical_describe(&kind, c, j, b->fill.value + j * n, n, name, where, ctx, err));
        if (!data->text[j]) data->text[j] = (unsigned char)kind;
    }
    return PARE_OK;
}

pare_status categorical_finish(categorical *c, data_builder *b, const char *where,
                               const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    coded_table t = {0};
    int64_t n = data->x.n, text = 0;
    pare_status status = PARE_OK;
    if (c->describe) return describe_all(c, b, where, ctx, err);
    for (int64_t j = 0; j < c->d; j++) {
        text += c->coded[j];
        if (c->coded[j] || !c->values[j].count) continue;
        TRY(settle_numbers(c, j, b->fill.value + j * n, n, strings_at(&data->names, j), err));
    }
    if (text == 0) return PARE_OK;
    for (int64_t j = 0; j < c->d; j++) {
        double *x = b->fill.value + j * n, *to;
        const char *name = strings_at(&data->names, j);
        if (c->coded[j]) {
            TRY(code_column(&t, c, j, x, data, where, ctx, err));
            continue;
        }
        TRY(add_column(&t, &to, name, name, data, err));
        memcpy(to, x, sizeof *to * (size_t)n);
    }
    int64_t coded = t.d - (c->d - text);
    if (!c->only)
        ctx_log(ctx, PARE_LOG_INFO, "%s: %" PRId64 " column%s of text became %" PRId64 " feature%s",
                where, text, PLURAL(text), coded, PLURAL(coded));
    mem_free(&data->mem, b->fill.value);
    strings_free(&data->names, &data->mem);
    b->fill.value = t.x;
    data->names = t.names;
    data->groups = t.groups;
    data->x.d = t.d;
    t = (coded_table){0};
done:
    mem_free(&data->mem, t.x);
    strings_free(&t.names, &data->mem);
    strings_free(&t.groups, &data->mem);
    return status;
}
