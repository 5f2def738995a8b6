#include "data/sample/target_column.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

void target_column_free(target_column *o, const pare_allocator *mem) {
    strings_free(&o->text, mem);
    strings_free(&o->levels, mem);
    mem_free(mem, o->code);
    mem_free(mem, o->real);
    mem_free(mem, o->time);
    mem_free(mem, o->event);
    strings_free(&o->strata, mem);
    *o = (target_column){0};
}

/* The texts `rows` (NULL: the first n) of another list, which may be empty. */
static bool take_texts(strings *out, const strings *from, const int32_t *rows, int64_t n,
                       const pare_allocator *mem) {
    for (int64_t i = 0; from->count && i < n; i++) {
        const char *text = strings_at(from, rows ? rows[i] : i);
        if (!strings_add(out, mem, text, (int64_t)strlen(text))) return false;
    }
    return true;
}

void target_column_drop(target_column *o, const pare_allocator *mem) {
    strings strata = o->strata;
    o->strata = (strings){0};
    target_column_free(o, mem);
    o->strata = strata;
}

bool target_column_of_codes(target_column *out, const int32_t *code, int64_t n,
                            const strings *levels, const pare_allocator *mem) {
    *out = (target_column){.n = n};
    out->code = mem_alloc(mem, n, sizeof *out->code);
    bool fine = out->code && take_texts(&out->levels, levels, NULL, levels->count, mem);
    if (fine) memcpy(out->code, code, (size_t)n * sizeof *code);
    if (!fine) target_column_free(out, mem);
    return fine;
}

bool target_column_of_reals(target_column *out, const double *real, int64_t n,
                            const pare_allocator *mem) {
    *out = (target_column){.n = n, .real = mem_alloc(mem, n, sizeof *out->real)};
    if (!out->real) return false;
    memcpy(out->real, real, (size_t)n * sizeof *real);
    return true;
}

bool target_column_of_times(target_column *out, const double *time, const bool *event, int64_t n,
                            const pare_allocator *mem) {
    *out = (target_column){.n = n};
    out->time = mem_alloc(mem, n, sizeof *out->time);
    out->event = mem_alloc(mem, n, sizeof *out->event);
    if (out->time && out->event) {
        memcpy(out->time, time, (size_t)n * sizeof *time);
        memcpy(out->event, event, (size_t)n * sizeof *event);
        return true;
    }
    target_column_free(out, mem);
    return false;
}

bool target_column_take(target_column *out, const target_column *from, const int32_t *rows,
                        int64_t n, const pare_allocator *mem) {
    *out = (target_column){.n = from->n ? n : 0};
    if (target_column_count(from) == 0) return true;
    bool fine = take_texts(&out->text, &from->text, rows, n, mem) &&
                take_texts(&out->levels, &from->levels, NULL, from->levels.count, mem) &&
                take_texts(&out->strata, &from->strata, rows, n, mem);
    if (from->code) fine = fine && (out->code = mem_alloc(mem, n, sizeof *out->code));
    if (from->real) fine = fine && (out->real = mem_alloc(mem, n, sizeof *out->real));
    if (from->time) fine = fine && (out->time = mem_alloc(mem, n, sizeof *out->time));
    if (from->event) fine = fine && (out->event = mem_alloc(mem, n, sizeof *out->event));
    for (int64_t i = 0; fine && i < n; i++) {
        if (from->code) out->code[i] = from->code[rows ? rows[i] : i];
        if (from->real) out->real[i] = from->real[rows ? rows[i] : i];
        if (from->time) out->time[i] = from->time[rows ? rows[i] : i];
        if (from->event) out->event[i] = from->event[rows ? rows[i] : i];
    }
    if (!fine) target_column_free(out, mem);
    return fine;
}

bool target_column_list(strings *out, const target_column *o, const pare_allocator *mem) {
    char digits[32];
    for (int64_t i = 0; i < target_column_count(o); i++) {
        const char *text = target_column_text(o, i, digits);
        if (!strings_add(out, mem, text, (int64_t)strlen(text))) return false;
    }
    return true;
}

void target_column_keep(target_column *o, const int32_t *rows, int64_t n) {
    for (int64_t i = 0; o->text.count && i < n; i++) o->text.start[i] = o->text.start[rows[i]];
    for (int64_t i = 0; o->code && i < n; i++) o->code[i] = o->code[rows[i]];
    for (int64_t i = 0; o->real && i < n; i++) o->real[i] = o->real[rows[i]];
    for (int64_t i = 0; o->time && i < n; i++) o->time[i] = o->time[rows[i]];
    for (int64_t i = 0; o->event && i < n; i++) o->event[i] = o->event[rows[i]];
    for (int64_t i = 0; o->strata.count && i < n; i++)
        o->strata.start[i] = o->strata.start[rows[i]];
    if (o->strata.count) o->strata.count = n;
    if (o->text.count) o->text.count = n; /* the text stays where it is */
    if (o->n) o->n = n;
}

const char *target_column_text(const target_column *o, int64_t i, char buffer[32]) {
    if (o->code) return strings_at(&o->levels, o->code[i]);
    if (!o->real && !o->time) return strings_at(&o->text, i);
    number_format(o->real ? o->real[i] : o->time[i], buffer);
    if (o->time && !o->event[i]) strcat(buffer, "+");
    return buffer;
}

bool target_column_number(const target_column *o, int64_t i, double *out) {
    if (o->real) *out = o->real[i];
    return o->real ||
           (!o->time && number_parse_all(target_column_text(o, i, NULL), out) && isfinite(*out));
}
