#include <math.h>

#include "base/error.h"
#include "solve/rank/pair_losses.h"

pare_status rank_pairs_init(rank_pairs *r, arena *mem, int64_t m, int64_t n, const double *cost,
                            bool bent, pare_error *err) {
    *r = (rank_pairs){.m = m, .n = n, .cost = cost, .bent = bent, .width = bent ? 1 : 0.5};
    PASS_MEM(r->key = ARENA_NEW(mem, ranked, m + n));
    PASS_MEM(ARENA_NEWS(mem, int64_t, m + n, &r->from, &r->to));
    PASS_MEM(ARENA_ZEROS(mem, double, m + n + 2, &r->s0, &r->s1, &r->s2));
    return PARE_OK;
}

/* Sums from the top over a class: s[0] = 0. */
static void accumulate(const ranked *key, int64_t count, const double *cost, double *s0, double *s1,
                       double *s2) {
    for (int64_t k = 0; k < count; k++) {
        double c = cost[key[k].index], v = key[k].key;
        s0[k + 1] = s0[k] + c;
        s1[k + 1] = s1[k] + c * v;
        s2[k + 1] = s2[k] + c * v * v;
    }
}

/* Scores are measured from the middle of their range, so that the sums of squares do not cancel. */
static void sort_scores(rank_pairs *r, const double *f) {
    int64_t m = r->m, n = r->n;
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = 0; i < m + n; i++) {
        lo = fmin(lo, f[i]);
        hi = fmax(hi, f[i]);
    }
    double middle = lo + (hi - lo) / 2;
    for (int64_t i = 0; i < m + n; i++) r->key[i] = (ranked){f[i] - middle, i};
    sort_best_first(r->key, m);
    sort_best_first(r->key + m, n);
    accumulate(r->key, m, r->cost, r->s0, r->s1, r->s2);
    accumulate(r->key + m, n, r->cost, r->s0 + m + 1, r->s1 + m + 1, r->s2 + m + 1);
}

void rank_pairs_sums(rank_pairs *r, const double *f, rank_sums *out, double *slope) {
    int64_t m = r->m, n = r->n;
    double width = r->width, limit = r->bent ? width : INFINITY;
    sort_scores(r, f);
    const ranked *plus = r->key, *minus = r->key + m;
    const double *s0 = r->s0 + m + 1, *s1 = r->s1 + m + 1, *s2 = r->s2 + m + 1;
    *out = (rank_sums){0, 0, 0, 0, 0};
    /* positives from the top: the negatives with h > 0, and those with h >= width, are prefixes */
    for (int64_t i = 0, active = 0, full = 0; i < m; i++) {
        double own = r->cost[plus[i].index], base = 1 - plus[i].key;
        while (active < n && base + minus[active].key > 0) active++;
        while (full < active && base + minus[full].key >= limit) full++;
        r->from[i] = full;
        r->to[i] = active;
        double a0 = s0[active] - s0[full], a1 = s1[active] - s1[full], a2 = s2[active] - s2[full];
        double h1 = base * a0 + a1, h2 = base * base * a0 + 2 * base * a1 + a2;
        double far = base * s0[full] + s1[full], all = base * s0[active] + s1[active];
        double down = s0[full] + h1 / width;
        out->hinge += own * all;
        out->squared += own * (base * base * s0[active] + 2 * base * s1[active] + s2[active]);
        out->smooth += own * (far - width / 2 * s0[full] + h2 / (2 * width));
        out->open += own * (h1 - h2 / width);
        out->total += slope[plus[i].index] = own * down;
    }
    s0 = r->s0;
    s1 = r->s1;
    /* negatives from the bottom: the positives with h > 0, and with h >= width, are suffixes */
    for (int64_t j = n - 1, active = m, full = m; j >= 0; j--) {
        double own = r->cost[minus[j].index], base = 1 + minus[j].key;
        while (active > 0 && base - plus[active - 1].key > 0) active--;
        while (full > active && base - plus[full - 1].key >= limit) full--;
        r->from[m + j] = active;
        r->to[m + j] = full;
        double a0 = s0[full] - s0[active], a1 = s1[full] - s1[active];
        slope[minus[j].index] = own * (s0[m] - s0[full] + (base * a0 - a1) / width);
    }
}

void rank_pairs_narrow(rank_pairs *r, double width, double *slope) {
    int64_t m = r->m, n = r->n;
    r->width = width;
    for (int64_t k = 0; k < m + n; k++) {
        int64_t other = k < m ? m + 1 : 0, from = other + r->from[k], to = other + r->to[k];
        double sign = k < m ? 1 : -1, base = 1 - sign * r->key[k].key;
        double h = base * (r->s0[to] - r->s0[from]) + sign * (r->s1[to] - r->s1[from]);
        double full = k < m ? r->s0[from] : r->s0[m] - r->s0[to];
        slope[r->key[k].index] = r->cost[r->key[k].index] * (full + h / width);
    }
}

void rank_pairs_curve(void *pairs, const double *v, double *out) {
    rank_pairs *r = pairs;
    int64_t m = r->m, n = r->n;
    double *sum = r->s2; /* no longer needed: cost v from the top */
    for (int64_t side = 0; side < 2; side++) {
        int64_t first = side ? m : 0, count = side ? n : m;
        double *s = sum + first + side;
        s[0] = 0;
        for (int64_t k = 0; k < count; k++) {
            int64_t i = r->key[first + k].index;
            s[k + 1] = s[k] + r->cost[i] * v[i];
        }
    }
    for (int64_t k = 0; k < m + n; k++) {
        int64_t i = r->key[k].index, other = k < m ? m + 1 : 0;
        double mass = r->s0[other + r->to[k]] - r->s0[other + r->from[k]];
        double moment = sum[other + r->to[k]] - sum[other + r->from[k]];
        out[i] = r->cost[i] * (mass * v[i] - moment) / r->width;
    }
}
