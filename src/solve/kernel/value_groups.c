#include "solve/kernel/value_groups.h"

#include "base/order.h"

#include <math.h>
#include <string.h>

bool value_groups_make(value_groups *g, arena *mem, int64_t n, int64_t q) {
    *g = (value_groups){.n = n, .q = q};
    g->value = ARENA_NEW(mem, double, n + 1);
    g->mass = ARENA_NEW(mem, double, (n + 1) * q);
    g->code = ARENA_NEW(mem, int32_t, n);
    g->order = ARENA_NEW(mem, int64_t, 2 * n);
    return g->value && g->mass && g->code && g->order;
}

static uint64_t hash_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits *= 0x9E3779B97F4A7C15u;
    return (bits >> 32) % GROUPS_SLOTS;
}

/* The group of x, made if it is new; -1: there are already MAX_GROUPS others. */
static int32_t group_of(value_groups *g, double x) {
    x += 0.0; /* -0 is 0 */
    uint64_t at = hash_of(x);
    while (g->slot[at] >= 0) {
        if (g->value[g->slot[at]] == x) return g->slot[at];
        at = (at + 1) % GROUPS_SLOTS;
    }
    if (g->count == MAX_GROUPS) return -1;
    g->value[g->count] = x;
    return g->slot[at] = (int32_t)g->count++;
}

static bool group_few(value_groups *g, const column *col, bool has_rest) {
    g->count = 0;
    memset(g->slot, -1, sizeof g->slot);
    g->rest = has_rest ? group_of(g, col->rest) : -1;
    for (int64_t e = 0; e < col->count; e++) {
        g->code[e] = group_of(g, col->value[e]);
        if (g->code[e] < 0) return false;
    }
    return true;
}

static void group_sorted(value_groups *g, const column *col, bool has_rest) {
    const double *x = col->value;
    int64_t n = col->count, *order = g->order;
    sort_places(x, n, order, order + g->n);
    g->count = 0;
    g->rest = -1;
    if (has_rest) {
        g->rest = 0;
        g->value[g->count++] = col->rest;
    }
    int32_t last = -1;
    for (int64_t k = 0; k < n; k++) {
        double value = x[order[k]];
        if (has_rest && value == col->rest) {
            g->code[order[k]] = g->rest;
            continue;
        }
        if (last < 0 || g->value[last] != value) {
            last = (int32_t)g->count;
            g->value[g->count++] = value;
        }
        g->code[order[k]] = last;
    }
}

static void add_masses(value_groups *g, const column *col, const double *v, const double *s,
                       double total) {
    int64_t q = g->q;
    memset(g->mass, 0, sizeof *g->mass * (size_t)(g->count * q));
    for (int64_t e = 0; e < col->count; e++) {
        int64_t i = col->index ? col->index[e] : e;
        double *m = g->mass + g->code[e] * q;
        for (int64_t c = 0; c < q - 1; c++) m[c] += v[i * (q - 1) + c];
        m[q - 1] += s[i];
    }
    if (g->rest >=
        0) { /* v sums to 0 over all samples, s to total: the unlisted have what is left */
        double *m = g->mass + g->rest * q;
        for (int64_t c = 0; c < q; c++) {
            double listed = 0;
            for (int64_t a = 0; a < g->count; a++)
                if (a != g->rest) listed += g->mass[a * q + c];
            m[c] = c < q - 1 ? -listed : fmax(total - listed, 0);
        }
    }
    g->weighted = 0;
    for (int64_t a = 0; a < g->count; a++) g->weighted += g->mass[a * q + q - 1] > 0;
}

bool value_groups_find(value_groups *g, const column *col, const double *v, const double *s,
                       int64_t n, double total, bool all) {
    bool has_rest = col->index && col->count < n;
    if (!group_few(g, col, has_rest)) {
        if (!all) return false;
        group_sorted(g, col, has_rest);
    }
    g->weighted = g->count;
    if (g->q > 0) add_masses(g, col, v, s, total);
    return true;
}
