#include "select/leaks.h"

#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"

typedef enum leak { LEAK_NONE = 0, LEAK_EQUAL, LEAK_INDEX, LEAK_CUT, LEAKS } leak;

/* The buffers of a thread for one column: minimum, maximum and number of values of each class. */
typedef struct ranges {
    int64_t classes;
    double *low, *high;
    int64_t *count,
        *listed; /* values; and listed entries of a sparse column, missing ones included */
} ranges;

/* Returns true if the range of class k overlaps no other. */
static bool is_separate(const ranges *r, int64_t k) {
    for (int64_t c = 0; c < r->classes; c++)
        if (c != k && r->low[k] <= r->high[c] && r->low[c] <= r->high[k]) return false;
    return true;
}

/* Adds a value; false: the ranges of two classes overlap. */
static bool widen(ranges *r, int64_t k, double x) {
    if (isnan(x)) return true;
    r->count[k]++;
    if (x >= r->low[k] && x <= r->high[k]) return true;
    r->low[k] = fmin(r->low[k], x);
    r->high[k] = fmax(r->high[k], x);
    return is_separate(r, k);
}

static bool separates(ranges *r, const column *col, const int64_t *size, const target *y) {
    for (int64_t c = 0; c < r->classes; c++) {
        r->low[c] = INFINITY;
        r->high[c] = -INFINITY;
        r->count[c] = r->listed[c] = 0;
    }
    for (int64_t e = 0; e < col->count; e++) {
        int64_t c = y->cls[col->index ? col->index[e] : e];
        r->listed[c]++;
        if (!widen(r, c, col->value[e])) return false;
    }
    for (int64_t c = 0; c < r->classes; c++) {
        int64_t rest = size[c] - r->listed[c];
        if (rest > 0 && !widen(r, c, col->rest)) return false;
        if (rest > 1) r->count[c] += rest - 1;
    }
    return true;
}

/* log of c! / (n over n_1 .. n_c): the probability that a random order of the samples has each
 * class in one piece. */
static double log_chance(const ranges *r) {
    double sum = 0;
    int64_t n = 0;
    for (int64_t c = 0; c < r->classes; c++) {
        if (r->count[c] == 0) return 0;
        sum += log((double)(c + 1));
        for (int64_t i = 1; i <= r->count[c]; i++) sum += log((double)i) - log((double)++n);
    }
    return sum;
}

/* Returns true if the column ascends or descends in equal steps from sample to sample. */
static bool numbers_samples(const column *col, int64_t n) {
    if (col->index || n < 2) return false;
    double step = col->value[1] - col->value[0];
    for (int64_t i = 2; i < n; i++)
        if (col->value[i] - col->value[i - 1] != step) return false;
    return step != 0;
}

static bool has_one_value_each(const ranges *r) {
    for (int64_t c = 0; c < r->classes; c++)
        if (r->low[c] != r->high[c]) return false;
    return true;
}

static leak class_leak(ranges *r, const column *col, const int64_t *size, const target *y,
                       int64_t n, int64_t d) {
    if (!separates(r, col, size, y)) return LEAK_NONE;
    double chance = log_chance(r), limit = log(0.01 * LEAK_CHANCE_PERCENT);
    if (chance < limit && numbers_samples(col, n)) return LEAK_INDEX;
    if (!(chance + log((double)d) < limit)) return LEAK_NONE;
    return has_one_value_each(r) ? LEAK_EQUAL : LEAK_CUT;
}

/* For a numeric target, or times, with more than two values: the column equals it. */
static leak value_leak(const column *col, const target *y, int64_t n) {
    const double *value = y->value ? y->value : y->time;
    int64_t different = 0;
    for (int64_t i = 0, e = 0; i < n; i++) {
        bool listed = e < col->count && (!col->index || col->index[e] == i);
        double x = listed ? col->value[e++] : col->rest;
        if (x != value[i]) return LEAK_NONE;
        different += i > 0 && value[i] != value[0];
    }
    return n > 2 && different > 1 ? LEAK_EQUAL : LEAK_NONE;
}

pare_status leaks_tell(strings *notes, const pare_allocator *mem, const pare_ctx *ctx,
                       pare_error *err, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ctx_log(ctx, PARE_LOG_WARNING, "warning: %s", text);
    return strings_add(notes, mem, text, (int64_t)strlen(text)) ? PARE_OK : error_memory(err);
}

int leaks_name_length(const char *name) {
    size_t length = strlen(name);
    if (length <= LEAK_NAME_SHOWN) return (int)length;
    length = LEAK_NAME_SHOWN;
    while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80) length--;
    return (int)length;
}

/* Reports all features of a kind in one sentence, the first ones by name. */
static pare_status tell_kind(leak kind, const unsigned char *found, strings *notes,
                             const pare_allocator *mem, const pare_data *data, const pare_ctx *ctx,
                             pare_error *err) {
    enum { NAMED = 5 };
    static const char *const what[] = {
        [LEAK_EQUAL] = "equal to the target, but for the names of its values",
        [LEAK_INDEX] = "a number of the samples, which are sorted by class"};
    char names[NAMED * (LEAK_NAME_SHOWN + 8)], made_up[32];
    int used = 0;
    int64_t count = 0;
    for (int64_t j = 0; j < data->x.d; j++) {
        if (found[j] != kind || ++count > NAMED) continue;
        const char *name = pare_data_name(data, j, made_up);
        used += snprintf(names + used, sizeof names - (size_t)used, "%s\"%.*s\"",
                         count > 1 ? ", " : "", leaks_name_length(name), name);
    }
    if (count == 0) return PARE_OK;
    char more[48] = "";
    if (count > NAMED) snprintf(more, sizeof more, " and %lld more", (long long)(count - NAMED));
    if (kind == LEAK_CUT)
        return leaks_tell(notes, mem, ctx, err,
                          "%s %s%s separate%s the classes by %s, without an error: a strong marker "
                          "does, and so does what was recorded after the outcome was known; check "
                          "when and how it was measured",
                          count > 1 ? "features" : "feature", names, more, count > 1 ? "" : "s",
                          count > 1 ? "themselves, each alone" : "itself");
    return leaks_tell(notes, mem, ctx, err, "possible leak: %s %s%s %s %s",
                      count > 1 ? "features" : "feature", names, more,
                      count > 1 ? "are each" : "is", what[kind]);
}

static pare_status ranges_make(ranges *r, arena *mem, int64_t classes, pare_error *err) {
    r->classes = classes;
    r->low = ARENA_NEW(mem, double, classes);
    r->high = ARENA_NEW(mem, double, classes);
    r->count = ARENA_NEW(mem, int64_t, classes);
    r->listed = ARENA_NEW(mem, int64_t, classes);
    return r->low && r->high && r->count && r->listed ? PARE_OK : error_memory(err);
}

pare_status leaks_find(strings *notes, const pare_allocator *mem, const pare_data *data,
                       const target *y, const pare_ctx *ctx, pare_error *err) {
    int64_t n = data->x.n, d = data->x.d;
    int threads = ctx_threads(ctx);
    view all = view_all(&data->x);
    if (!y->cls && !y->value && !y->time) return PARE_OK; /* no target, no leakage */
    pare_status status = PARE_OK;
    unsigned char *found;
    walk *walks;
    ranges *buffers;
    int64_t *size;
    arena scratch = arena_of(ctx);
    TRY_MEM(found = ARENA_NEW(&scratch, unsigned char, d));
    TRY_MEM(size = ARENA_ZERO(&scratch, int64_t, y->n_classes));
    TRY_MEM(buffers = ARENA_NEW(&scratch, ranges, threads));
    TRY_MEM(walks = ARENA_NEW(&scratch, walk, threads));
    for (int t = 0; t < threads; t++) TRY(ranges_make(&buffers[t], &scratch, y->n_classes, err));
    for (int64_t i = 0; y->cls && i < n; i++) size[y->cls[i]]++;
    TRY(walks_open(walks, threads, &all, NULL, d, ctx, err));
    span own = mat_share(&all, 1, ctx);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t j = own.from; j < own.to; j++) {
        column col;
        int t = omp_get_thread_num();
        bool there = walk_at(&walks[t], j, &col);
        found[j] = (unsigned char)(!there   ? LEAK_NONE
                                   : y->cls ? class_leak(&buffers[t], &col, size, y, n, d)
                                            : value_leak(&col, y, n));
    }
    TRY(walks_end(walks, threads, PARE_OK, err));
    TRY(mat_join(&all, 1, found, sizeof *found, ctx, err));
    for (leak kind = LEAK_EQUAL; kind < LEAKS; kind++)
        TRY(tell_kind(kind, found, notes, mem, data, ctx, err));
done:
    arena_free(&scratch);
    return status;
}
