/* Every sample gets a sum of hashes of its features, so that columns can be read in any order and
 * zeros cost nothing. The probability that two samples agree in a feature by coincidence is
 * estimated from pairs of samples at a fixed distance; over the features the probabilities
 * multiply. All sums are of integers: the same for any number of threads. */
#include "select/duplicate_samples.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"

enum { LOG_UNIT = 1 << 20 };

typedef struct tally {
    uint64_t *hash;          /* n */
    int64_t log_probability; /* log probability that two samples agree, in 1 / LOG_UNIT */
} tally;

static uint64_t mix(uint64_t z) { /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t hash_entry(double x, int64_t j) {
    uint64_t bits = 0x7ff8000000000000u;
    if (!isnan(x)) memcpy(&bits, &x, sizeof bits);
    return mix(mix(bits) + (uint64_t)(j + 1) * 0x9e3779b97f4a7c15u);
}

/* The proportion of pairs that agree: pairs of samples a fixed number of rows apart, far enough
 * that replicates in adjacent rows are not compared; for a sparse column, at most the proportion of
 * pairs that are both stored or both not. */
static double agreement(const column *col, int64_t n) {
    if (col->index) {
        double share = (double)col->count / (double)n;
        return share * share + (1 - share) * (1 - share);
    }
    int64_t way = 1 + (int64_t)(0.382 * (double)(n - 1)), equal = 0;
    for (int64_t i = 0; i < n; i++) {
        double a = col->value[i], b = col->value[i + way < n ? i + way : i + way - n];
        equal += a == b || (isnan(a) && isnan(b));
    }
    return (double)(equal + 1) / (double)(n + 1);
}

static void add_column(tally *t, const column *col, int64_t j, int64_t n) {
    for (int64_t e = 0; e < col->count; e++)
        if (col->value[e] != 0)
            t->hash[col->index ? col->index[e] : e] += hash_entry(col->value[e], j);
    t->log_probability += (int64_t)llround(LOG_UNIT * log(agreement(col, n)));
}

/* The first `columns` columns of x. */
static pare_status add_all(tally *t, int threads, const matrix *x, int64_t columns, arena *mem,
                           const pare_ctx *ctx, pare_error *err) {
    view all = view_all(x);
    walk *walks = ARENA_NEW(mem, walk, threads);
    if (!walks) return error_memory(err);
    pare_status status = walks_open(walks, threads, &all, NULL, x->d, ctx, err);
    if (status != PARE_OK) return status;
    span own = mat_share(&all, 1, ctx);
    if (own.to > columns) own.to = columns;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t j = own.from; j < own.to; j++) {
        column col;
        int at = omp_get_thread_num();
        if (walk_at(&walks[at], j, &col)) add_column(&t[at], &col, j, x->n);
    }
    for (int i = 1; i < threads; i++) {
        t[0].log_probability += t[i].log_probability;
        for (int64_t s = 0; s < x->n; s++) t[0].hash[s] += t[i].hash[s];
    }
    TRY(walks_end(walks, threads, PARE_OK, err));
    uint64_t log_probability = (uint64_t)t[0].log_probability; /* modulo 2^64, as the hashes */
    TRY(mat_total(&all, t[0].hash, x->n, ctx, err));
    TRY(mat_total(&all, &log_probability, 1, ctx, err));
    t[0].log_probability = (int64_t)log_probability;
done:
    return status;
}

/* order: the samples by their hashes; equal_at[i]: the position in it where the duplicates of
 * sample i begin. */
static void find_equals(ranked *order, int32_t *equal_at, const uint64_t *hash, int64_t n) {
    for (int64_t i = 0; i < n; i++) order[i] = (ranked){(double)(hash[i] >> 11), i};
    sort_least_first(order, n);
    for (int64_t p = 0, begin = 0; p < n; p++) {
        if (order[p].key != order[begin].key) begin = p;
        equal_at[order[p].index] = (int32_t)begin;
    }
}

/* If the first columns already tell all samples apart, the rest need not be read. */
static pare_status all_differ(bool *out, tally *t, int threads, const matrix *x, ranked *order,
                              int32_t *equal_at, arena *mem, const pare_ctx *ctx, pare_error *err) {
    enum { SOME = 1024 };
    PASS(add_all(t, threads, x, SOME, mem, ctx, err));
    find_equals(order, equal_at, t[0].hash, x->n);
    *out = true;
    for (int64_t p = 0; p < x->n; p++) *out &= equal_at[order[p].index] == p;
    for (int i = 0; i < threads; i++) {
        t[i].log_probability = 0;
        memset(t[i].hash, 0, sizeof *t[i].hash * (size_t)x->n);
    }
    return PARE_OK;
}

/* parted[b]: a split both trains and tests on the duplicates that begin at b. */
static void find_parted(bool *parted, unsigned char *side, const int32_t *equal_at,
                        const cv_plan *plan, int64_t n) {
    for (int64_t j = 0; j < plan->count; j++) {
        const cv_part *part = &plan->part[j];
        memset(side, 0, (size_t)n);
        for (int64_t i = 0; i < part->n_train; i++) side[equal_at[part->train[i]]] |= 1;
        for (int64_t i = 0; i < part->n_test; i++) side[equal_at[part->test[i]]] |= 2;
        for (int64_t b = 0; b < n; b++) parted[b] |= side[b] == 3;
    }
}

static void print_sample(char *out, size_t size, const weighted_samples *here, int64_t i) {
    const strings *ids = &here->data->ids;
    if (ids->count) {
        const char *id = strings_at(ids, i);
        snprintf(out, size, "\"%.*s\"", leaks_name_length(id), id);
    } else {
        snprintf(out, size, "%lld", (long long)(here->rows ? here->rows[i] : i) + 1);
    }
}

static pare_status tell(const ranked *order, const int32_t *equal_at, const bool *parted,
                        strings *notes, const pare_allocator *mem, const weighted_samples *here,
                        const pare_ctx *ctx, pare_error *err) {
    int64_t n = here->data->x.n, count = 0, first = -1;
    for (int64_t i = 0; i < n; i++) {
        count += parted[equal_at[i]];
        if (parted[equal_at[i]] && first < 0) first = equal_at[i];
    }
    if (count == 0) return PARE_OK;
    char one[LEAK_NAME_SHOWN + 8], other[LEAK_NAME_SHOWN + 8];
    print_sample(one, sizeof one, here, order[first].index);
    print_sample(other, sizeof other, here, order[first + 1].index);
    return leaks_tell(notes, mem, ctx, err,
                      "possible leak: %lld samples have an equal one on the other side of a fold, "
                      "such as %s and %s; folds by groups keep equals together",
                      (long long)count, one, other);
}

pare_status duplicate_samples_find(strings *notes, const pare_allocator *mem,
                                   const weighted_samples *here, const cv_plan *plan,
                                   const pare_ctx *ctx, pare_error *err) {
    const matrix *x = &here->data->x;
    int threads = ctx_threads(ctx);
    int64_t n = x->n;
    pare_status status = PARE_OK;
    tally *t;
    ranked *order;
    int32_t *equal_at;
    bool *parted;
    unsigned char *side;
    arena scratch = arena_of(ctx);
    TRY_MEM(t = ARENA_ZERO(&scratch, tally, threads));
    for (int i = 0; i < threads; i++) TRY_MEM(t[i].hash = ARENA_ZERO(&scratch, uint64_t, n));
    TRY_MEM(order = ARENA_NEW(&scratch, ranked, n));
    TRY_MEM(equal_at = ARENA_NEW(&scratch, int32_t, n));
    bool differ;
    TRY(all_differ(&differ, t, threads, x, order, equal_at, &scratch, ctx, err));
    if (differ) goto done;
    TRY(add_all(t, threads, x, x->d, &scratch, ctx, err));
    double pairs = 0.5 * (double)n * (double)(n - 1);
    if (!(log(pairs) + (double)t[0].log_probability / LOG_UNIT < log(0.01 * LEAK_CHANCE_PERCENT)))
        goto done;
    TRY_MEM(parted = ARENA_ZERO(&scratch, bool, n));
    TRY_MEM(side = ARENA_NEW(&scratch, unsigned char, n));
    find_equals(order, equal_at, t[0].hash, n);
    find_parted(parted, side, equal_at, plan, n);
    TRY(tell(order, equal_at, parted, notes, mem, here, ctx, err));
done:
    arena_free(&scratch);
    return status;
}
