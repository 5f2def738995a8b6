#include "draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PICK(r, list) ((list)[rng_below((r), (int64_t)(sizeof(list) / sizeof((list)[0])))])

static bool chance(rng *r, double share) { return rng_uniform(r) < share; }

static bool has_word(const char *list, const char *word) { return strstr(list, word) != NULL; }

/* Signal in the first columns; ties, copies, constants, zeros, offsets and wild scales. */
static void draw_columns(drawn *t, rng *r, const int *cls) {
    static const double signals[] = {0, 0.5, 2, 5}, zeros[] = {0, 0, 0, 0.5, 0.9},
                        offsets[] = {0, 0, 0, 0, 10, 1e4, 1e8},
                        exponents[] = {0, 0, 0, 0, 2, 8, 150};
    double signal = PICK(r, signals), zero = PICK(r, zeros), offset = PICK(r, offsets);
    double wide = PICK(r, exponents);
    bool ties = chance(r, 0.2);
    for (int64_t j = 0; j < t->d; j++) {
        double *col = t->x + j * t->n, scale = pow(10, wide * (2 * rng_uniform(r) - 1));
        for (int64_t i = 0; i < t->n; i++) {
            double v = rng_normal(r) + (j < 3 ? signal * (double)((cls[i] + j) % 3) : 0);
            if (ties) v = round(v);
            col[i] = chance(r, zero) ? 0 : (v + offset) * scale;
        }
        if (chance(r, 0.03))
            for (int64_t i = 1; i < t->n; i++) col[i] = col[0];
        if (j > 0 && chance(r, 0.05))
            memcpy(col, t->x + rng_below(r, j) * t->n, sizeof(double) * (size_t)t->n);
    }
    t->missing = chance(r, 0.1);
    for (int64_t e = 0; t->missing && e < t->n * t->d; e++)
        if (chance(r, 0.05)) t->x[e] = NAN;
}

static pare_status as_sparse(drawn *t, const char *const *labels, const double *values,
                             pare_error *err) {
    int64_t *col_ptr = calloc((size_t)t->d + 1, sizeof *col_ptr), entries = 0;
    int32_t *row = malloc(sizeof *row * (size_t)(t->n * t->d));
    double *x = malloc(sizeof *x * (size_t)(t->n * t->d));
    for (int64_t j = 0; j < t->d; j++) {
        for (int64_t i = 0; i < t->n; i++) {
            if (t->x[j * t->n + i] == 0) continue;
            row[entries] = (int32_t)i;
            x[entries++] = t->x[j * t->n + i];
        }
        col_ptr[j + 1] = entries;
    }
    pare_status status =
        pare_data_sparse(&t->data, t->n, t->d, col_ptr, row, x, NULL, labels, values, NULL, err);
    free(col_ptr);
    free(row);
    free(x);
    return status;
}

/* Whole times, which make ties, some of them censored. */
static pare_status draw_times(drawn *t, rng *r, pare_error *err) {
    double *time = malloc(sizeof *time * (size_t)t->n);
    bool *event = malloc(sizeof *event * (size_t)t->n);
    for (int64_t i = 0; i < t->n; i++) {
        time[i] = (double)rng_below(r, chance(r, 0.5) ? 5 : 1000000);
        event[i] = i < 2 || chance(r, 0.6);
    }
    pare_status status = pare_data_set_time_event(t->data, time, event, err);
    free(event);
    free(time);
    return status;
}

static bool draw_data(drawn *t, rng *r, pare_error *err) {
    static const int64_t sizes[] = {4, 6, 8, 8, 12, 12, 20, 40}, widths[] = {1, 2, 3, 5, 10, 20},
                         many[] = {3, 3, 4, 5, 8};
    static const double weights[] = {0, 1, 2, 0.5};
    bool several = strcmp(t->task, "multiclass") == 0, real = strcmp(t->task, "regression") == 0;
    bool timed = strcmp(t->task, "survival") == 0;
    t->n = PICK(r, sizes);
    t->d = PICK(r, widths);
    int64_t classes = several ? PICK(r, many) : 2;
    if (several && chance(r, 0.03)) t->n = 60, classes = 30;
    if (classes > t->n / 2) classes = t->n / 2 > 2 ? t->n / 2 : 2;
    t->x = malloc(sizeof(double) * (size_t)(t->n * t->d));
    int *cls = malloc(sizeof *cls * (size_t)t->n);
    char(*text)[8] = malloc(sizeof *text * (size_t)t->n);
    const char **labels = malloc(sizeof *labels * (size_t)t->n);
    double *values = malloc(sizeof(double) * (size_t)t->n);
    for (int64_t i = 0; i < t->n; i++) {
        cls[i] = (int)(i < 2 * classes ? i % classes : rng_below(r, classes));
        snprintf(text[i], sizeof text[i], "c%02d", cls[i]);
        labels[i] = text[i];
    }
    draw_columns(t, r, cls);
    for (int64_t i = 0; i < t->n; i++) {
        double first = isfinite(t->x[i]) ? t->x[i] : 0;
        values[i] = rng_normal(r) + (fabs(first) < 1e20 ? 3 * first : 0);
    }
    const char *const *said = real || timed ? NULL : labels;
    const double *target = real ? values : NULL;
    pare_status status =
        chance(r, 0.2) ? as_sparse(t, said, target, err)
                       : pare_data_dense(&t->data, t->n, t->d, t->x, NULL, said, target, NULL, err);
    if (status == PARE_OK && timed) status = draw_times(t, r, err);
    if (status == PARE_OK && chance(r, 0.15)) {
        t->weight = malloc(sizeof(double) * (size_t)t->n);
        for (int64_t i = 0; i < t->n; i++) t->weight[i] = PICK(r, weights);
        t->weight[0] = 1;
        status = pare_data_set_weights(t->data, t->weight, err);
    }
    free(cls);
    free(text);
    free(labels);
    free(values);
    return status == PARE_OK;
}

/* One of "one of: a b c". */
static void draw_word(char *out, size_t size, rng *r, const char *allowed) {
    const char *list = strchr(allowed, ':'), *at;
    int64_t count = 0;
    for (at = list ? list + 1 : ""; *at; at++) count += *at == ' ' && at[1] != ' ' && at[1];
    int64_t which = count ? rng_below(r, count) : 0;
    for (at = list ? list + 1 : ""; *at && which >= 0; at++) which -= *at == ' ';
    snprintf(out, size, "%.*s", (int)strcspn(at, " "), at);
}

/* The bound behind a sign such as ">", or `none`. */
static double bound(const char *allowed, char sign, double none) {
    const char *at = strchr(allowed, sign);
    return at ? strtod(at + 1 + (at[1] == '='), NULL) : none;
}

/* A legal value, or "": its default. */
static void draw_value(char *out, size_t size, rng *r, const pare_setting_info *s) {
    static const char *const tolerances[] = {"1e-3", "1e-6", "1e-8"};
    double low = bound(s->allowed, '>', 0), high = bound(s->allowed, '<', INFINITY);
    *out = 0;
    if (strcmp(s->type, "choice") == 0)
        draw_word(out, size, r, s->allowed);
    else if (strcmp(s->type, "flag") == 0)
        snprintf(out, size, "%s", chance(r, 0.5) ? "true" : "false");
    else if (strcmp(s->type, "text") == 0)
        return;
    else if (has_word(s->allowed, " inf") && chance(r, 0.15))
        snprintf(out, size, "inf");
    else if (strcmp(s->name, "degree") == 0) /* monomials and powers grow with it */
        snprintf(out, size, "%d", (int)(1 + rng_below(r, 3)));
    else if (strcmp(s->type, "integer") == 0)
        snprintf(out, size, "%.0f", low + (double)rng_below(r, (int64_t)fmin(7, high - low + 1)));
    else if (strcmp(s->name, "tol") == 0)
        snprintf(out, size, "%s", PICK(r, tolerances));
    else if (high < INFINITY)
        snprintf(out, size, "%.17g",
                 fmax(low, 1e-6 * high) + rng_uniform(r) * 0.999 * (high - fmax(low, 1e-6 * high)));
    else
        snprintf(out, size, "%.17g", pow(10, 8 * rng_uniform(r) - 4));
}

static bool set(drawn *t, const char *name, const char *value, pare_error *err) {
    size_t used = strlen(t->said);
    bool on = strcmp(value, "true") == 0, off = strcmp(value, "false") == 0;
    snprintf(t->said + used, sizeof t->said - used, " --%s%s%s%s", off ? "no-" : "", name,
             on || off ? "" : " ", on || off ? "" : value);
    return pare_settings_set(t->settings, name, value, err) == PARE_OK;
}

static bool draw_settings(drawn *t, rng *r, pare_error *err) {
    static const char *const own[] = {"task", "positive", "missing", "k", "sweep"};
    bool ranks = strcmp(t->task, "ranking") == 0, real = strcmp(t->task, "regression") == 0;
    bool timed = strcmp(t->task, "survival") == 0;
    char value[64];
    pare_setting_info s;
    if (pare_settings_new(&t->settings, t->method.name, NULL, err) != PARE_OK) return false;
    const char *word = ranks ? "rank" : real ? "regress" : timed ? "survival" : "classify";
    if (!set(t, "task", word, err)) return false;
    if (t->missing && !set(t, "missing", chance(r, 0.5) ? "mean" : "median", err)) return false;
    for (int64_t i = 0; pare_settings_info(&s, t->settings, i); i++) {
        bool skip = !chance(r, 0.25);
        for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) skip |= strcmp(s.name, own[k]) == 0;
        if (skip) continue;
        draw_value(value, sizeof value, r, &s);
        if (*value && !set(t, s.name, value, err)) return false;
    }
    snprintf(value, sizeof value, "%d", (int)(1 + rng_below(r, t->d)));
    return !chance(r, 0.6) || set(t, "k", value, err);
}

bool draw(drawn *t, rng *r, pare_error *err) {
    static const char *const tasks[] = {"binary", "multiclass", "ranking", "regression",
                                        "survival"};
    *t = (drawn){.n = 0};
    if (!pare_methods_info(&t->method, rng_below(r, pare_methods_count()))) abort();
    do t->task = PICK(r, tasks);
    while (!has_word(t->method.tasks, t->task));
    return draw_data(t, r, err) && draw_settings(t, r, err);
}

void drawn_free(drawn *t) {
    pare_data_free(t->data);
    pare_settings_free(t->settings);
    free(t->x);
    free(t->weight);
}
