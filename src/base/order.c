#include "base/order.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* A number of the same order as the keys; 0 and -0 are equal, NaN is the last. */
static uint64_t code_of(double key, bool down) {
    uint64_t bits;
    if (key != key) return UINT64_MAX;
    if (key == 0) key = 0;
    memcpy(&bits, &key, sizeof bits);
    bits = bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
    return down ? ~bits : bits;
}

static bool comes_before(ranked a, ranked b, bool down) {
    uint64_t x = code_of(a.key, down), y = code_of(b.key, down);
    return x < y || (x == y && a.index < b.index);
}

static void insertion(ranked *v, int64_t n, bool down) {
    for (int64_t i = 1; i < n; i++) {
        ranked own = v[i];
        int64_t at = i;
        for (; at > 0 && comes_before(own, v[at - 1], down); at--) v[at] = v[at - 1];
        v[at] = own;
    }
}

/* Buckets of equal width between the smallest and the largest code of a list: the codes of its keys
 * or, if those are all equal, of its indices. */
enum { RADIX = 256 };
typedef struct layout {
    bool down, by_index;
    uint64_t low;
    int shift;
} layout;

static uint64_t code_in(const layout *b, ranked one) {
    return b->by_index ? (uint64_t)one.index ^ (uint64_t)1 << 63 : code_of(one.key, b->down);
}

static uint64_t bucket_of(const layout *b, ranked one) {
    return (code_in(b, one) - b->low) >> b->shift;
}

/* false: all codes are equal. */
static bool lay_out(layout *b, const ranked *v, int64_t n) {
    uint64_t high = b->low = code_in(b, v[0]);
    for (int64_t i = 1; i < n; i++) {
        uint64_t code = code_in(b, v[i]);
        b->low = code < b->low ? code : b->low;
        high = code > high ? code : high;
    }
    for (b->shift = 0; (high - b->low) >> b->shift >= RADIX;) b->shift++;
    return high > b->low;
}

/* Moves each item of a bucket to its own bucket, until one belongs here. */
static void deal(const layout *b, ranked *v, int64_t n, int64_t *end) {
    int64_t next[RADIX] = {0};
    for (int64_t i = 0; i < n; i++) next[bucket_of(b, v[i])]++;
    for (int64_t k = 0, sum = 0; k < RADIX; k++) {
        sum += next[k];
        end[k] = sum;
        next[k] = sum - next[k];
    }
    for (uint64_t k = 0; k < RADIX; k++)
        while (next[k] < end[k]) {
            ranked one = v[next[k]];
            for (uint64_t own; (own = bucket_of(b, one)) != k;) {
                ranked other = v[next[own]];
                v[next[own]++] = one;
                one = other;
            }
            v[next[k]++] = one;
        }
}

/* In place, in linear time if the keys fill the buckets evenly, and in at most eight levels of keys
 * and eight of indices. */
static void sort_ranked(ranked *v, int64_t n, bool down, bool by_index) {
    enum { MAX_INSERTION = 24 };
    layout b = {.down = down, .by_index = by_index};
    int64_t end[RADIX];
    if (n <= MAX_INSERTION)
        insertion(v, n, down);
    else if (lay_out(&b, v, n)) {
        deal(&b, v, n, end);
        for (int64_t k = 0, first = 0; k < RADIX; first = end[k++])
            sort_ranked(v + first, end[k] - first, down, by_index);
    } else if (!by_index)
        sort_ranked(v, n, down, true);
}

static int up(const void *a, const void *b) {
    return order_up(*(const double *)a, *(const double *)b);
}

static int down(const void *a, const void *b) {
    return order_down(*(const double *)a, *(const double *)b);
}

static int by_index(const void *a, const void *b) {
    return order_index(*(const int64_t *)a, *(const int64_t *)b);
}

/* An empty list may be NULL, which qsort does not allow. */
static void sort(void *v, int64_t n, size_t size, int (*compare)(const void *, const void *)) {
    if (n > 1) qsort(v, (size_t)n, size, compare);
}

void sort_best_first(ranked *v, int64_t n) { sort_ranked(v, n, true, false); }
void sort_least_first(ranked *v, int64_t n) { sort_ranked(v, n, false, false); }

void sort_worst_first(ranked *v, int64_t n) {
    sort_best_first(v, n);
    for (int64_t i = 0, j = n - 1; i < j; i++, j--) {
        ranked swap = v[i];
        v[i] = v[j];
        v[j] = swap;
    }
}

void sort_up(double *v, int64_t n) { sort(v, n, sizeof *v, up); }
void sort_down(double *v, int64_t n) { sort(v, n, sizeof *v, down); }
void sort_index(int64_t *v, int64_t n) { sort(v, n, sizeof *v, by_index); }

/* Finds its bucket, of as many buckets as fit into the first cache, and continues inside that
 * bucket. */
double select_up(const double *v, int64_t n, int64_t count, int64_t *equal, double *spare) {
    enum { BUCKETS = 2048 };
    for (;;) {
        uint64_t low = UINT64_MAX, high = 0, k = 0;
        int64_t held[BUCKETS] = {0}, kept = 0;
        int shift = 0;
        for (int64_t i = 0; i < n; i++) {
            uint64_t code = code_of(v[i], false);
            low = code < low ? code : low;
            high = code > high ? code : high;
        }
        if (low == high) break;
        while ((high - low) >> shift >= BUCKETS) shift++;
        for (int64_t i = 0; i < n; i++) held[(code_of(v[i], false) - low) >> shift]++;
        while (held[k] < count) count -= held[k++];
        for (int64_t i = 0; i < n; i++)
            if ((code_of(v[i], false) - low) >> shift == k) spare[kept++] = v[i];
        v = spare;
        n = kept;
    }
    *equal = count;
    return v[0];
}

/* By merging runs of 1, 2, 4, ... */
void sort_places(const double *x, int64_t n, int64_t *order, int64_t *spare) {
    int64_t *from = order, *to = spare;
    for (int64_t i = 0; i < n; i++) from[i] = i;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t start = 0; start < n; start += 2 * width) {
            int64_t mid = start + width < n ? start + width : n;
            int64_t end = start + 2 * width < n ? start + 2 * width : n, a = start, b = mid;
            for (int64_t k = start; k < end; k++)
                to[k] = b >= end || (a < mid && x[from[a]] <= x[from[b]]) ? from[a++] : from[b++];
        }
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order) memcpy(order, from, sizeof *order * (size_t)n);
}

/* Into buckets of equal width, then by insertion, in linear time unless the keys crowd in few
 * buckets. false: they do, and `to` is undefined. */
static bool sort_buckets(const keyed *v, int64_t n, keyed *to) {
    enum { BUCKETS = 512, EACH = 16, MOVES = 8 };
    int32_t start[BUCKETS + 1] = {0};
    double low = v[0].key, high = low;
    for (int64_t i = 1; i < n; i++) {
        low = v[i].key < low ? v[i].key : low;
        high = v[i].key > high ? v[i].key : high;
    }
    int64_t buckets = n < BUCKETS ? n : BUCKETS, budget = MOVES * n;
    double scale = (double)(buckets - 1) / (high - low);
    if (!(scale > 0 && scale < DBL_MAX) || n > (int64_t)BUCKETS * EACH) return false;
    for (int64_t i = 0; i < n; i++) start[(int)((v[i].key - low) * scale) + 1]++;
    for (int64_t b = 0; b < buckets; b++) start[b + 1] += start[b];
    for (int64_t i = 0; i < n; i++) to[start[(int)((v[i].key - low) * scale)]++] = v[i];
    for (int64_t i = 1; i < n && budget >= 0; i++) {
        keyed own = to[i];
        int64_t at = i;
        for (; at > 0 && own.key < to[at - 1].key; at--) to[at] = to[at - 1];
        to[at] = own;
        budget -= i - at;
    }
    return budget >= 0;
}

/* Otherwise sorts short runs by insertion, then merges without branches that depend on the keys. */
const keyed *sort_keyed(keyed *v, int64_t n, keyed *spare) {
    enum { RUN = 8, MAX_INSERTION = 24 };
    if (n > MAX_INSERTION && sort_buckets(v, n, spare)) return spare;
    for (int64_t start = 0; start < n; start += RUN)
        for (int64_t i = start + 1; i < n && i < start + RUN; i++) {
            keyed own = v[i];
            int64_t at = i;
            for (; at > start && own.key < v[at - 1].key; at--) v[at] = v[at - 1];
            v[at] = own;
        }
    for (int64_t width = RUN; width < n; width *= 2) {
        keyed *to = spare;
        for (int64_t start = 0; start < n; start += 2 * width) {
            int64_t mid = start + width < n ? start + width : n;
            int64_t end = start + 2 * width < n ? start + 2 * width : n, a = start, b = mid;
            while (a < mid && b < end) {
                bool second = v[b].key < v[a].key;
                *to++ = second ? v[b] : v[a];
                b += second;
                a += !second;
            }
            while (a < mid) *to++ = v[a++];
            while (b < end) *to++ = v[b++];
        }
        keyed *swap = v;
        v = spare;
        spare = swap;
    }
    return v;
}

/* A heap with the worst on top. */
void keep_among_best(ranked *heap, int64_t *count, int64_t most, ranked one) {
    int64_t at;
    if (*count < most) {
        for (at = (*count)++; at > 0 && order_best(heap[(at - 1) / 2], one) < 0; at = (at - 1) / 2)
            heap[at] = heap[(at - 1) / 2];
    } else {
        if (order_best(one, heap[0]) >= 0) return;
        at = 0;
        for (int64_t child; (child = 2 * at + 1) < most; at = child) {
            if (child + 1 < most && order_best(heap[child], heap[child + 1]) < 0) child++;
            if (order_best(one, heap[child]) >= 0) break;
            heap[at] = heap[child];
        }
    }
    heap[at] = one;
}
