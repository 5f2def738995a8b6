#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "solve/rank_svm.h"

pare_status rank_pairs_init(rank_pairs *r, arena *mem, int64_t m, int64_t n, const double *cost,
                            pare_error *err) {
    *r = (rank_pairs){.m = m, .n = n, .cost = cost, .key = ARENA_NEW(mem, rank_key, m + n)};
    return r->key ? PARE_OK : error_memory(err);
}

static int highest_first(const void *pa, const void *pb) {
    const rank_key *a = pa, *b = pb;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Scores are measured from the middle of their range, so that the sums of squares do not cancel. */
void rank_pairs_sums(rank_pairs *r, const double *f, double *hinge, double *squared, double *count,
                     double *linear) {
    int64_t m = r->m, n = r->n;
    rank_key *plus = r->key, *minus = r->key + m;
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = 0; i < m + n; i++) {
        lo = fmin(lo, f[i]);
        hi = fmax(hi, f[i]);
    }
    double middle = lo + (hi - lo) / 2, s0 = 0, s1 = 0, s2 = 0;
    for (int64_t i = 0; i < m + n; i++) r->key[i] = (rank_key){f[i] - middle, i};
    qsort(plus, (size_t)m, sizeof *plus, highest_first);
    qsort(minus, (size_t)n, sizeof *minus, highest_first);
    *hinge = *squared = 0;
    /* positives from the top: the active negatives, f_j > f_i - 1, are a growing prefix */
    for (int64_t i = 0, k = 0; i < m; i++) {
        double own = r->cost[plus[i].index], base = 1 - plus[i].score;
        for (; k < n && base + minus[k].score > 0; k++) {
            double c = r->cost[minus[k].index];
            s0 += c;
            s1 += c * minus[k].score;
            s2 += c * minus[k].score * minus[k].score;
        }
        double sum = base * s0 + s1;
        *hinge += own * sum;
        *squared += own * (base * base * s0 + 2 * base * s1 + s2);
        count[plus[i].index] = own * s0;
        if (linear) linear[plus[i].index] = own * sum;
    }
    s0 = s1 = 0;
    /* negatives from the bottom: the active positives, f_i < f_j + 1, are a growing suffix */
    for (int64_t j = n - 1, k = m - 1; j >= 0; j--) {
        double own = r->cost[minus[j].index], base = 1 + minus[j].score;
        for (; k >= 0 && base - plus[k].score > 0; k--) {
            double c = r->cost[plus[k].index];
            s0 += c;
            s1 += c * plus[k].score;
        }
        count[minus[j].index] = own * s0;
        if (linear) linear[minus[j].index] = own * (base * s0 - s1);
    }
}
