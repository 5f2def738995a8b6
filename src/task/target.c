#include "task/target.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/rng.h"
#include "task/task.h"

enum { PURPOSE_PERMUTE = 0x7065726d };

int64_t target_scores(const target *y) { return y->n_classes > 2 ? y->n_classes : 1; }

int64_t scores_decide(const double *F, int64_t width, int64_t stride) {
    if (width == 1) return F[0] > 0 ? 1 : 0;
    int64_t best = 0;
    for (int64_t o = 1; o < width; o++)
        if (F[o * stride] > F[best * stride]) best = o;
    return best;
}

const int32_t *target_kinds(const target *y, int64_t *n_kinds) {
    *n_kinds = y->cls ? y->n_classes : y->event ? 2 : 0;
    return y->cls ? y->cls : y->event;
}

bool target_needs(const target *y, int64_t kind) { return y->cls || kind == 1; }

const char *target_kind_name(char out[KIND_NAME_SIZE], const target *y, int64_t kind) {
    if (y->cls)
        snprintf(out, KIND_NAME_SIZE, "class \"%.64s\"", y->classes[kind]);
    else
        snprintf(out, KIND_NAME_SIZE, "outcome \"%s\"", kind == 1 ? "event" : "censored");
    return out;
}

/* Room for n samples of all that y has. */
static pare_status alike(target *out, arena *mem, const target *y, int64_t n, pare_error *err) {
    *out = *y;
    if (y->cls && !(out->cls = ARENA_NEW(mem, int32_t, n))) return error_memory(err);
    if (y->value && !(out->value = ARENA_NEW(mem, double, n))) return error_memory(err);
    if (y->time && !(out->time = ARENA_NEW(mem, double, n))) return error_memory(err);
    if (y->event && !(out->event = ARENA_NEW(mem, int32_t, n))) return error_memory(err);
    if (y->stratum && !(out->stratum = ARENA_NEW(mem, int32_t, n))) return error_memory(err);
    return PARE_OK;
}

static void copy_sample(target *out, int64_t i, const target *y, int64_t from) {
    if (y->cls) out->cls[i] = y->cls[from];
    if (y->value) out->value[i] = y->value[from];
    if (y->time) out->time[i] = y->time[from];
    if (y->event) out->event[i] = y->event[from];
    if (y->stratum) out->stratum[i] = y->stratum[from];
}

static bool same_sample(const target *y, int64_t a, int64_t b) {
    if (y->stratum && y->stratum[a] != y->stratum[b]) return false;
    if (y->time) return y->time[a] == y->time[b] && y->event[a] == y->event[b];
    return y->cls ? y->cls[a] == y->cls[b] : y->value[a] == y->value[b];
}

/* The position of that label; -1: there is none. */
static int32_t place_of(const char *label, const char *const *classes, int64_t n_classes) {
    for (int32_t c = 0; c < n_classes; c++)
        if (strcmp(classes[c], label) == 0) return c;
    return -1;
}

pare_status target_order(target *y, arena *mem, int64_t n, const char *const *classes,
                         int64_t n_classes, pare_error *err) {
    if (y->n_classes != n_classes) return PARE_OK;
    int32_t *place = ARENA_NEW(mem, int32_t, n_classes);
    const char **label = ARENA_NEW(mem, const char *, n_classes);
    if (!place || !label) return error_memory(err);
    for (int64_t c = 0; c < n_classes; c++) {
        place[c] = place_of(y->classes[c], classes, n_classes);
        if (place[c] < 0) return PARE_OK;
        label[place[c]] = y->classes[c];
    }
    for (int64_t i = 0; y->cls && i < n; i++) y->cls[i] = place[y->cls[i]];
    y->classes = label;
    return PARE_OK;
}

pare_status target_take(target *out, arena *mem, const target *y, const int32_t *from, int64_t n,
                        pare_error *err) {
    pare_status status = alike(out, mem, y, n, err);
    for (int64_t i = 0; status == PARE_OK && i < n; i++) copy_sample(out, i, y, from[i]);
    return status;
}

/* Shuffles a list of samples, those of each stratum among their own places. scratch: count. */
static void shuffle_within(int64_t *list, int64_t count, const target *y, int64_t *scratch,
                           rng *r) {
    for (int32_t h = 0; y->stratum && h < y->n_strata; h++) {
        int64_t own = 0;
        for (int64_t q = 0; q < count; q++)
            if (y->stratum[list[q]] == h) scratch[own++] = list[q];
        rng_shuffle(r, scratch, own);
        for (int64_t q = 0, next = 0; next < own; q++)
            if (y->stratum[list[q]] == h) list[q] = scratch[next++];
    }
    if (!y->stratum) rng_shuffle(r, list, count);
}

/* from[i]: whose target sample i gets. Within groups; whole groups where each has one target. */
static void shuffle_groups(int64_t *from, const target *y, const int32_t *group, int64_t n,
                           int64_t *first, int64_t *order, int64_t *scratch, rng *r) {
    int64_t groups = 0;
    bool uniform = true;              /* within every group */
    for (int64_t i = 0; i < n; i++) { /* groups are numbered as they come */
        if (group[i] == groups) first[groups++] = i;
        uniform &= same_sample(y, i, first[group[i]]);
    }
    if (uniform) {
        shuffle_within(first, groups, y, scratch, r);
        for (int64_t i = 0; i < n; i++) from[i] = first[group[i]];
        return;
    }
    for (int64_t g = 0; g < groups; g++) {
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++)
            if (group[i] == g) order[count++] = i;
        memcpy(first, order, sizeof *first * (size_t)count);
        shuffle_within(order, count, y, scratch, r);
        for (int64_t q = 0; q < count; q++) from[first[q]] = order[q];
    }
}

pare_status target_permute(target *out, arena *mem, const target *y, int64_t n,
                           const int32_t *group, uint64_t seed, pare_error *err) {
    rng r;
    rng_seed(&r, seed, PURPOSE_PERMUTE);
    int64_t *from = ARENA_NEW(mem, int64_t, n), *first = ARENA_NEW(mem, int64_t, n);
    int64_t *order = ARENA_NEW(mem, int64_t, n), *scratch = ARENA_NEW(mem, int64_t, n);
    if (!from || !first || !order || !scratch) return error_memory(err);
    for (int64_t i = 0; i < n; i++) from[i] = i;
    if (group)
        shuffle_groups(from, y, group, n, first, order, scratch, &r);
    else
        shuffle_within(from, n, y, scratch, &r);
    pare_status status = alike(out, mem, y, n, err);
    for (int64_t i = 0; status == PARE_OK && i < n; i++) copy_sample(out, i, y, from[i]);
    return status;
}

const char *target_text(const target *y, int64_t i, char buffer[32]) {
    if (y->cls) return y->classes[y->cls[i]];
    number_format(y->time ? y->time[i] : y->value[i], buffer);
    if (y->time && !y->event[i]) strcat(buffer, "+");
    return buffer;
}

int64_t class_pairs(int64_t c) { return c * (c - 1) / 2; }

void class_pair(int64_t i, int64_t c, int32_t pair[2]) {
    int64_t first = 0;
    while (i >= c - 1 - first) i -= c - 1 - first++;
    pair[0] = (int32_t)first;
    pair[1] = (int32_t)(first + 1 + i);
}
