#include "data/feature/quantile.h"

#include <math.h>

/* The value at which the cumulative weight reaches `mass`. */
static double value_at(const ranked *v, const ranked *last, const double *weight, double mass) {
    double sum = weight ? weight[v->index] : 1;
    while (sum < mass && v < last) {
        v++;
        sum += weight ? weight[v->index] : 1;
    }
    return v->key;
}

double quantile_of(const ranked *sorted, int64_t count, const double *weight, double p) {
    const ranked *last = sorted + count - 1;
    double total = 0;
    bool whole = true;
    for (int64_t i = 0; i < count; i++) {
        double own = weight ? weight[sorted[i].index] : 1;
        total += own;
        whole &= own == floor(own);
    }
    if (!whole) return value_at(sorted, last, weight, p * total);
    double before = floor((total - 1) * p), part = (total - 1) * p - before;
    double low = value_at(sorted, last, weight, before + 1);
    if (part == 0) return low;
    return (1 - part) * low + part * value_at(sorted, last, weight, before + 2);
}
