/* Folds and hold-out splits, seeded. O(n) without groups, O(n k) with them.
 *
 * Without groups the samples are shuffled, put in order of class and dealt to the folds in turn:
 * any run of them is then divided as evenly as possible, each class and the whole alike.
 *
 * With groups, the largest first (ties at random), each goes to the fold where it adds least to
 *     sum_f [ sum_c (n_fc / n_c)^2 + (n_f / n)^2 ],
 * n_fc samples of class c in fold f, n_f all of them: the smallest sum is the most even one. An
 * empty fold adds nothing but the group's own square, so that the first k groups fill k folds. */
#include "data/sample/folds.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/number.h"

enum { STREAM_FOLDS = 0x666f6c64, STREAM_SPLIT = 0x73706c74 }; /* own streams of the seed */

static int32_t key_of(const int32_t *key, int64_t i) { return key ? key[i] : 0; }

static pare_status check_keys(const int32_t *key, int64_t n, const char *what, pare_error *err) {
    for (int64_t i = 0; key && i < n; i++)
        if (key[i] < 0 || key[i] >= n)
            return error_set(err, PARE_E_ARGUMENT,
                             "sample %" PRId64 " is of %s %d, allowed are 0 to %" PRId64, i + 1,
                             what, key[i], n - 1);
    return PARE_OK;
}

/* Stable: order[] by key; start[v] .. start[v + 1] are then the places of key v, for v < n. */
static void sort_by_key(int64_t *sorted, int64_t *start, const int64_t *order, int64_t n,
                        const int32_t *key) {
    memset(start, 0, (size_t)(n + 1) * sizeof *start);
    for (int64_t i = 0; i < n; i++) start[key_of(key, i) + 1]++;
    for (int64_t v = 0; v < n; v++) start[v + 1] += start[v];
    for (int64_t i = 0; i < n; i++) sorted[start[key_of(key, order[i])]++] = order[i];
    memmove(start + 1, start, (size_t)n * sizeof *start); /* each start moved to the next one */
    start[0] = 0;
}

/* Samples shuffled and in order of class; memory from the arena, which the caller initialises. */
typedef struct dealer {
    arena a;
    rng r;
    int64_t *shuffled; /* n: the samples in random order */
    int64_t *sorted;   /* n: the same by class */
    int64_t *start;    /* n + 1: of each class in sorted */
} dealer;

static pare_status dealer_open(dealer *t, int64_t n, const int32_t *cls, uint64_t seed,
                               uint64_t stream, pare_error *err) {
    t->shuffled = ARENA_NEW(&t->a, int64_t, n);
    t->sorted = ARENA_NEW(&t->a, int64_t, n);
    t->start = ARENA_NEW(&t->a, int64_t, n + 1);
    if (!t->shuffled || !t->sorted || !t->start) return error_memory(err);
    rng_seed(&t->r, seed, stream);
    for (int64_t i = 0; i < n; i++) t->shuffled[i] = i;
    rng_shuffle(&t->r, t->shuffled, n);
    sort_by_key(t->sorted, t->start, t->shuffled, n, cls);
    return PARE_OK;
}

static pare_status check_classes(const dealer *t, int64_t n, int64_t k, pare_error *err) {
    for (int64_t c = 0; c < n; c++) {
        int64_t count = t->start[c + 1] - t->start[c];
        if (count > 0 && count < k)
            return error_set(err, PARE_E_DATA,
                             "class %" PRId64 " has %" PRId64 " sample%s, too few for %" PRId64
                             " folds",
                             c, count, PLURAL(count), k);
    }
    return PARE_OK;
}

/* Fills by_size with the groups that have samples, largest first, ties in random order, and size
 * with the size of every group; returns how many have samples. nonempty (n) and start (n + 1):
 * scratch. */
static int64_t order_groups(int64_t *by_size, int32_t *size, int64_t *nonempty, int64_t *start,
                            const int32_t *group, int64_t n, rng *r) {
    int64_t n_groups = 0;
    memset(size, 0, (size_t)n * sizeof *size);
    for (int64_t i = 0; i < n; i++) size[group[i]]++;
    for (int64_t g = 0; g < n; g++)
        if (size[g]) nonempty[n_groups++] = g;
    rng_shuffle(r, nonempty, n_groups);
    memset(start, 0, (size_t)(n + 1) * sizeof *start); /* start[n - s]: of the groups of size s */
    for (int64_t q = 0; q < n_groups; q++) start[n - size[nonempty[q]] + 1]++;
    for (int64_t v = 0; v < n; v++) start[v + 1] += start[v];
    for (int64_t q = 0; q < n_groups; q++) by_size[start[n - size[nonempty[q]]]++] = nonempty[q];
    return n_groups;
}

/* The fold to which these samples add least; ties: the lowest. */
static int64_t best_fold(const int64_t *member, int64_t count, int64_t n, int64_t k,
                         const int32_t *cls, const double *weight, const double *class_count,
                         const int64_t *fold_size) {
    int64_t best = 0;
    double least = 0;
    for (int64_t f = 0; f < k; f++) {
        double added = (double)fold_size[f] * (double)count / ((double)n * (double)n);
        for (int64_t q = 0; q < count; q++) {
            int64_t c = key_of(cls, member[q]);
            added += class_count[c * k + f] * weight[c];
        }
        if (f == 0 || added < least) {
            best = f;
            least = added;
        }
    }
    return best;
}

static pare_status deal_groups(int32_t *fold, int64_t n, int64_t k, const int32_t *cls,
                               const int32_t *group, dealer *t, pare_error *err) {
    int64_t n_classes = 1;
    for (int64_t i = 0; i < n; i++)
        if (key_of(cls, i) >= n_classes) n_classes = key_of(cls, i) + 1;
    int64_t *by_size = ARENA_NEW(&t->a, int64_t, n), *nonempty = ARENA_NEW(&t->a, int64_t, n);
    int64_t *start = ARENA_NEW(&t->a, int64_t, n + 1), *fold_size = ARENA_ZERO(&t->a, int64_t, k);
    int32_t *size = ARENA_NEW(&t->a, int32_t, n);
    double *weight = ARENA_ZERO(&t->a, double, n_classes);
    double *class_count = NULL;
    size_t cells;
    if (size_mul(n_classes, k, &cells)) class_count = ARENA_ZERO(&t->a, double, (int64_t)cells);
    if (!by_size || !nonempty || !start || !fold_size || !size || !weight || !class_count)
        return error_memory(err);
    for (int64_t c = 0; c < n_classes; c++) {
        double count = (double)(t->start[c + 1] - t->start[c]);
        if (count > 0) weight[c] = 1 / (count * count);
    }
    int64_t n_groups = order_groups(by_size, size, nonempty, start, group, n, &t->r);
    if (n_groups < k)
        return error_set(err, PARE_E_DATA,
                         "there are %" PRId64 " groups, too few for %" PRId64 " folds", n_groups,
                         k);
    sort_by_key(t->sorted, t->start, t->shuffled, n, group);
    for (int64_t q = 0; q < n_groups; q++) {
        int64_t g = by_size[q], count = size[g];
        const int64_t *member = t->sorted + t->start[g];
        int64_t f = best_fold(member, count, n, k, cls, weight, class_count, fold_size);
        fold_size[f] += count;
        for (int64_t p = 0; p < count; p++) {
            fold[member[p]] = (int32_t)f;
            class_count[key_of(cls, member[p]) * k + f]++;
        }
    }
    return PARE_OK;
}

pare_status folds_make(int32_t *fold, int64_t n, int64_t k, const int32_t *cls,
                       const int32_t *group, uint64_t seed, const pare_ctx *ctx, pare_error *err) {
    dealer t;
    pare_status status = PARE_OK;
    if (k < 2 || k > n)
        return error_set(err, PARE_E_ARGUMENT,
                         "%" PRId64 " folds of %" PRId64
                         " samples are not possible, allowed are 2 to the number of samples",
                         k, n);
    arena_init(&t.a, ctx_allocator(ctx));
    TRY(check_keys(cls, n, "class", err));
    TRY(check_keys(group, n, "group", err));
    TRY(dealer_open(&t, n, cls, seed, STREAM_FOLDS, err));
    TRY(check_classes(&t, n, k, err));
    if (group)
        TRY(deal_groups(fold, n, k, cls, group, &t, err));
    else
        for (int64_t p = 0; p < n; p++) fold[t.sorted[p]] = (int32_t)(p % k);
done:
    arena_free(&t.a);
    return status;
}

/* The number of training samples of each class: its share rounded down, and one more for the
 * largest remainders (ties: the lowest class). */
static void share_out(int64_t *take, const int64_t *start, int64_t n, int64_t n_train) {
    int64_t left = n_train;
    for (int64_t c = 0; c < n; c++) {
        take[c] = (start[c + 1] - start[c]) * n_train / n;
        left -= take[c];
    }
    for (; left > 0; left--) {
        int64_t best = -1, largest = -1;
        for (int64_t c = 0; c < n; c++) {
            int64_t count = start[c + 1] - start[c], rest = count * n_train - take[c] * n;
            if (rest > largest) {
                best = c;
                largest = rest;
            }
        }
        take[best]++;
    }
}

pare_status folds_split(bool *train, int64_t n, int64_t n_train, const int32_t *cls, uint64_t seed,
                        const pare_ctx *ctx, pare_error *err) {
    dealer t;
    int64_t *take;
    pare_status status = PARE_OK;
    if (n_train < 1 || n_train >= n)
        return error_set(err, PARE_E_ARGUMENT,
                         "a training part of %" PRId64 " out of %" PRId64
                         " samples is not possible, allowed are 1 to %" PRId64,
                         n_train, n, n - 1);
    arena_init(&t.a, ctx_allocator(ctx));
    TRY(check_keys(cls, n, "class", err));
    TRY(dealer_open(&t, n, cls, seed, STREAM_SPLIT, err));
    TRY_MEM(take = ARENA_NEW(&t.a, int64_t, n));
    share_out(take, t.start, n, n_train);
    for (int64_t c = 0; c < n; c++) {
        int64_t count = t.start[c + 1] - t.start[c];
        if (count > 0 && take[c] == 0) {
            status = error_set(err, PARE_E_DATA,
                               "a training part of %" PRId64 " samples has none of "
                               "class %" PRId64 " with its %" PRId64 " of %" PRId64 " samples",
                               n_train, c, count, n);
            goto done;
        }
        for (int64_t p = 0; p < count; p++) train[t.sorted[t.start[c] + p]] = p < take[c];
    }
done:
    arena_free(&t.a);
    return status;
}
