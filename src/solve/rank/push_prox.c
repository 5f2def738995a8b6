#include "solve/rank/push_prox.h"

#include "base/order.h"

#include <math.h>

enum { MAX_STEPS = 200 };

/* The equation's two sides at t, left minus right, and its slope. */
static double balance(int64_t m, const double *p, const double *c, int64_t n, const double *q,
                      double mu, double t, double *slope) {
    double value = 0;
    *slope = 0;
    for (int64_t i = 0; i < m; i++) {
        double a = mu * (1 + t - p[i]);
        if (a >= c[i]) {
            value += c[i];
        } else if (a > 0) {
            value += a;
            *slope += mu;
        }
    }
    for (int64_t j = 0; j < n; j++)
        if (q[j] > t) {
            value -= mu * (q[j] - t);
            *slope += mu;
        }
    return value;
}

void push_prox(int64_t m, double *p, const double *c, int64_t n, double *q, double mu) {
    double largest = -INFINITY, least = INFINITY, total = 0, slope;
    for (int64_t j = 0; j < n; j++) largest = fmax(largest, q[j]);
    for (int64_t i = 0; i < m; i++) {
        least = fmin(least, p[i]);
        total += c[i];
    }
    if (1 + largest <= least) return; /* no loss: (p, q) is the minimiser */
    /* the root: right of the t at which the largest q by itself outweighs all costs */
    double lo = largest - total / mu, hi = largest, t = hi;
    for (int step = 0; step < MAX_STEPS && lo < hi; step++) {
        double value = balance(m, p, c, n, q, mu, t, &slope);
        if (value == 0) break;
        if (value > 0)
            hi = t;
        else
            lo = t;
        double next = slope > 0 ? t - value / slope : lo;
        if (!(next > lo && next < hi)) next = lo + (hi - lo) / 2;
        if (next == t || next <= lo || next >= hi) break;
        if (fabs(next - t) <= 1e-16 * fabs(t)) {
            t = next;
            break;
        }
        t = next;
    }
    for (int64_t i = 0; i < m; i++) p[i] += fmin(fmax(mu * (1 + t - p[i]), 0), c[i]) / mu;
    for (int64_t j = 0; j < n; j++) q[j] = fmin(q[j], t);
}

/* The height at which cutting the group removes `amount`: sorted descending, with prefix sums.
 * *count: how many entries are cut; 0: the whole group goes. */
static double height(int64_t size, const double *sorted, const double *prefix, double amount,
                     int64_t *count) {
    *count = 0;
    if (prefix[size - 1] <= amount) return 0;
    int64_t lo = 1, hi = size; /* the least k with prefix_k - k sorted_k > amount, entries 1 .. k */
    while (lo < hi) {
        int64_t k = lo + (hi - lo) / 2;
        double below = k < size ? sorted[k] : 0;
        if (prefix[k - 1] - (double)k * below > amount)
            hi = k;
        else
            lo = k + 1;
    }
    *count = lo;
    return (prefix[lo - 1] - amount) / (double)lo;
}

void l1inf_project(int64_t n_groups, int64_t size, double *v, double radius, double *scratch) {
    double *sorted = scratch, *prefix = scratch + n_groups * size, total = 0, lo = 0, hi = 0;
    for (int64_t g = 0; g < n_groups; g++) {
        double *s = sorted + g * size, *f = prefix + g * size, sum = 0;
        for (int64_t i = 0; i < size; i++) s[i] = fabs(v[g * size + i]);
        sort_down(s, size);
        for (int64_t i = 0; i < size; i++) f[i] = sum += s[i];
        total += s[0];
        hi = fmax(hi, sum);
    }
    if (total <= radius) return;
    double amount = 0;
    int64_t count;
    for (int step = 0; step < MAX_STEPS; step++) { /* sum of heights falls with the amount */
        double sum = 0, slope = 0;
        for (int64_t g = 0; g < n_groups; g++) {
            sum += height(size, sorted + g * size, prefix + g * size, amount, &count);
            if (count) slope += 1 / (double)count;
        }
        if (sum > radius)
            lo = amount;
        else
            hi = amount;
        double next = slope > 0 ? amount + (sum - radius) / slope : hi;
        if (!(next >= lo && next <= hi)) next = lo + (hi - lo) / 2;
        if (fabs(next - amount) <= 1e-16 * amount) break;
        amount = next;
    }
    for (int64_t g = 0; g < n_groups; g++) {
        double cut = height(size, sorted + g * size, prefix + g * size, amount, &count);
        for (int64_t i = g * size; i < (g + 1) * size; i++) v[i] = fmin(fmax(v[i], -cut), cut);
    }
}
