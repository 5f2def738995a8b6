/* Sorting. Every order is total, so that it does not depend on the algorithm: equal keys go by
 * index, and NaN comes after all numbers. */
#ifndef PARE_BASE_ORDER_H
#define PARE_BASE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* Comparators to build others from; < 0: a first. */
static inline int order_index(int64_t a, int64_t b) { return (a > b) - (a < b); }
static inline int order_up(double a, double b) {
    return a < b ? -1 : a > b ? 1 : (a != a) - (b != b);
}
static inline int order_down(double a, double b) {
    return a > b ? -1 : a < b ? 1 : (a != a) - (b != b);
}

typedef struct ranked {
    double key;
    int64_t index;
} ranked;

static inline int order_best(ranked a, ranked b) {
    int by_key = order_down(a.key, b.key);
    return by_key ? by_key : order_index(a.index, b.index);
}

void sort_best_first(ranked *v, int64_t n);  /* key descending, then index ascending */
void sort_worst_first(ranked *v, int64_t n); /* the reverse: key ascending, then index descending */
void sort_least_first(ranked *v, int64_t n); /* key ascending, then index ascending */
void sort_up(double *v, int64_t n);
void sort_down(double *v, int64_t n);
void sort_index(int64_t *v, int64_t n);

/* The first place in an ascending list that is not below `value`; n: none. */
static inline int64_t place_from(const int64_t *list, int64_t n, int64_t value) {
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (list[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The count-th smallest of v, 1 <= count <= n, NaN last. *equal: how many values equal to it are
 * among the count smallest. spare: n. */
double select_up(const double *v, int64_t n, int64_t count, int64_t *equal, double *spare);

/* order = the places 0 .. n-1 of x by their values, stable; x has no NaN. spare: n. */
void sort_places(const double *x, int64_t n, int64_t *order, int64_t *spare);

/* Key ascending, stable; no key is NaN. Returns the sorted list, which is v or spare (n). For many
 * short lists: faster than those above. */
typedef struct keyed {
    double key;
    int32_t place;
} keyed;
const keyed *sort_keyed(keyed *v, int64_t n, keyed *spare);

/* Keeps the best `most` (>= 1) of all items offered, in any order; heap: capacity `most`. */
void keep_among_best(ranked *heap, int64_t *count, int64_t most, ranked one);
static inline void keep_best(ranked *heap, int64_t *count, int64_t most, ranked one) {
    bool hopeless = *count == most && one.key < heap[0].key; /* the usual case with many items */
    if (!hopeless) keep_among_best(heap, count, most, one);
}

#endif
