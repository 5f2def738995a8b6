#include "solve/kernel/feature_pairs.h"

#include "solve/kernel/gauss_row.h"

static const double STEEP = 10; /* exponent above which differences from a base would cancel */

bool feature_pairs_make(feature_pairs *f, arena *mem, int64_t n) {
    f->index = ARENA_NEW(mem, int32_t, n);
    f->code = ARENA_NEW(mem, int32_t, n);
    f->value = ARENA_NEW(mem, double, n);
    f->to_base = ARENA_NEW(mem, double, n);
    f->table = ARENA_NEW(mem, double, MAX_GROUPS *MAX_GROUPS);
    return f->index && f->code && f->value && f->to_base && f->table;
}

/* The group of the base: the unlisted one, or the largest if it is a quarter of the samples, which
 * makes leaving it out worth while; -1: none. */
static int32_t base_group(const value_groups *g, const column *col, int64_t n) {
    int64_t size[MAX_GROUPS] = {0};
    int32_t largest = 0;
    if (g->rest >= 0) return g->rest;
    for (int64_t e = 0; e < col->count; e++) size[g->code[e]]++;
    for (int32_t a = 1; a < g->count; a++)
        if (size[a] > size[largest]) largest = a;
    return size[largest] * 4 >= n ? largest : -1;
}

/* Returns true if kernel values grow so large over the range of the column that their differences
 * are lost in rounding: then all samples are listed, and there is no base. */
static bool is_steep(const feature_pairs *f, const column *col, int64_t n) {
    if (f->kind != KERNEL_RBF || f->gamma <= 0 || n == 0) return false;
    double low = col->count < n ? col->rest : col->value[0], high = low;
    for (int64_t e = 0; e < col->count; e++) {
        low = col->value[e] < low ? col->value[e] : low;
        high = col->value[e] > high ? col->value[e] : high;
    }
    return !(f->gamma * (high - low) * (high - low) <= STEEP);
}

/* All samples, in order; codes where they are few. */
static void list_all(feature_pairs *f, const value_groups *g, const column *col, int64_t n) {
    f->based = false;
    f->count = n;
    for (int64_t i = 0, e = 0; i < n; i++) {
        bool listed = e < col->count && (!col->index || col->index[e] == i);
        f->index[i] = (int32_t)i;
        f->to_base[i] = 0;
        f->value[i] = listed ? col->value[e] : col->rest;
        if (f->few) f->code[i] = listed ? g->code[e] : g->rest;
        e += listed;
    }
    for (int64_t a = 0; f->few && a < g->count; a++)
        kernel_row(f->table + a * MAX_GROUPS, g->value, g->count, g->value[a], f->kind, f->gamma);
}

static void set_few(feature_pairs *f, const value_groups *g, const column *col, int64_t n) {
    int32_t base = base_group(g, col, n);
    double to_base[MAX_GROUPS] = {0};
    f->based = base >= 0;
    if (f->based) kernel_row(to_base, g->value, g->count, g->value[base], f->kind, f->gamma);
    for (int64_t a = 0; a < g->count; a++) {
        double *row = f->table + a * MAX_GROUPS;
        kernel_row(row, g->value, g->count, g->value[a], f->kind, f->gamma);
        for (int64_t b = 0; b < g->count; b++) row[b] -= to_base[a] + to_base[b];
    }
    f->count = 0;
    for (int64_t e = 0; e < col->count; e++) {
        if (g->code[e] == base) continue;
        f->index[f->count] = col->index ? col->index[e] : (int32_t)e;
        f->to_base[f->count] = to_base[g->code[e]];
        f->value[f->count] = col->value[e];
        f->code[f->count++] = g->code[e];
    }
}

void feature_pairs_set(feature_pairs *f, value_groups *g, const column *col, kernel_kind kind,
                       double gamma, int64_t n) {
    f->kind = kind;
    f->gamma = gamma;
    f->few = value_groups_find(g, col, NULL, NULL, n, 0, false);
    if (is_steep(f, col, n)) {
        list_all(f, g, col, n);
        return;
    }
    if (f->few) {
        set_few(f, g, col, n);
        return;
    }
    f->based = col->index && col->count < n;
    f->count = col->count;
    for (int64_t e = 0; e < col->count; e++) {
        f->index[e] = col->index ? col->index[e] : (int32_t)e;
        f->value[e] = col->value[e];
        f->to_base[e] = 0;
    }
    if (f->based) kernel_row(f->to_base, f->value, f->count, col->rest, kind, gamma);
}

void feature_pairs_row(double *pull, const feature_pairs *f, int64_t e) {
    if (f->few) {
        const double *row = f->table + f->code[e] * MAX_GROUPS;
        for (int64_t o = 0; o <= e; o++) pull[o] = row[f->code[o]];
        return;
    }
    kernel_row(pull, f->value, e + 1, f->value[e], f->kind, f->gamma);
    if (!f->based) return;
    for (int64_t o = 0; o <= e; o++) pull[o] -= f->to_base[e] + f->to_base[o];
}

/* sum_o row[index_o] pull_o in four running sums. */
static double listed_dot(const double *row, const int32_t *index, const double *pull,
                         int64_t count) {
    double s[4] = {0};
    int64_t o = 0;
    for (; o + 4 <= count; o += 4)
        for (int k = 0; k < 4; k++) s[k] += row[index[o + k]] * pull[o + k];
    for (int k = 0; o < count; o++, k++) s[k] += row[index[o]] * pull[o];
    return (s[0] + s[2]) + (s[1] + s[3]);
}

/* A dense column of many values: pulls are the kernel itself. */
static bool is_plain(const feature_pairs *f) {
    return f->kind == KERNEL_RBF && !f->few && !f->based;
}

double feature_pairs_dot(const double *row, const feature_pairs *f, int64_t e, double *work) {
    if (is_plain(f)) return 2 * gauss_row_dot(row, f->value, e, f->value[e], f->gamma);
    feature_pairs_row(work, f, e);
    return 2 * listed_dot(row, f->index, work, e) + row[f->index[e]] * work[e];
}

void feature_pairs_add(double *row, double w, const feature_pairs *f, int64_t e, double *work) {
    if (is_plain(f)) {
        gauss_row_add(row, w, f->value, e + 1, f->value[e], f->gamma);
        return;
    }
    feature_pairs_row(work, f, e);
    for (int64_t o = 0; o <= e; o++) row[f->index[o]] += w * work[o];
}
