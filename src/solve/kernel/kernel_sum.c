#include "solve/kernel/kernel_sum.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/kernel/feature_pairs.h"

enum { TILE = 32, ROWS = 16 }; /* features read at a time; rows of K that one task fills */

static int64_t first_at_least(const int32_t *index, int64_t count, int64_t row) {
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t mid = (low + high) / 2;
        if (index[mid] < row)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Rows first .. first + ROWS - 1 of every K gain the features of a tile. */
static void add_rows(double *const *K, const feature_pairs *tile, int64_t features,
                     const kernel_sum *sum, const double *weight, int64_t d, int64_t n,
                     int64_t first, double *k) {
    for (int64_t j = 0; j < features; j++) {
        const feature_pairs *f = &tile[j];
        int64_t e = first_at_least(f->index, f->count, first);
        for (; e < f->count && f->index[e] < first + ROWS; e++) {
            if (sum->count == 1) {
                feature_pairs_add(K[0] + f->index[e] * n, weight[j], f, e, k);
                continue;
            }
            feature_pairs_row(k, f, e);
            for (int64_t r = 0; r < sum->count; r++) {
                double w = weight[r * d + j], *row = K[r] + f->index[e] * n;
                if (w == 0) continue;
                for (int64_t o = 0; o <= e; o++) row[f->index[o]] += w * k[o];
            }
        }
    }
}

static void mirror(double *K, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) K[j * n + i] = K[i * n + j];
}

typedef struct gram_work {
    walk walk;
    value_groups groups;
    double *k; /* n */
} gram_work;

static bool used(const kernel_sum *sum, int64_t d, int64_t j) {
    for (int64_t r = 0; r < sum->count; r++)
        if (sum->weight[r * d + j] != 0) return true;
    return false;
}

/* Gram by Gram: a block of the same size is needed to add to K. */
static pare_status linear_add(double *const *K, const view *x, const kernel_sum *sum,
                              const pare_ctx *ctx, pare_error *err) {
    int64_t n = x->n;
    double *own = mem_alloc(ctx_allocator(ctx), n * n, sizeof *own);
    pare_status status = own ? PARE_OK : error_memory(err);
    for (int64_t r = 0; r < sum->count && status == PARE_OK; r++) {
        status = mat_gram(x, NULL, sum->weight + r * x->d, own, ctx, err);
        for (int64_t e = 0; e < n * n && status == PARE_OK; e++) K[r][e] += own[e];
    }
    mem_free(ctx_allocator(ctx), own);
    return status;
}

pare_status kernel_sum_add(double *const *K, const view *x, const kernel_sum *sum,
                           const pare_ctx *ctx, pare_error *err) {
    int64_t n = x->n, d = x->d;
    int threads = ctx_threads(ctx), opened = 0;
    if (sum->kind == KERNEL_LINEAR) return linear_add(K, x, sum, ctx, err);
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;

    gram_work *work = ARENA_ZERO(&scratch, gram_work, threads);
    feature_pairs *tile = ARENA_ZERO(&scratch, feature_pairs, TILE);
    int64_t *member = ARENA_NEW(&scratch, int64_t, TILE);
    double *weight = ARENA_NEW(&scratch, double, TILE * sum->count);
    TRY_MEM(work && tile);
    TRY_MEM(member && weight);
    for (int64_t j = 0; j < TILE; j++) TRY_MEM(feature_pairs_make(&tile[j], &scratch, n));
    for (; opened < threads; opened++) {
        TRY_MEM(work[opened].k = ARENA_NEW(&scratch, double, n));
        TRY_MEM(value_groups_make(&work[opened].groups, &scratch, n, 0));
        TRY(walk_open(&work[opened].walk, x, NULL, d, ctx, err));
    }
    for (int64_t j = 0; j < d;) {
        int64_t features = 0;
        for (; j < d && features < TILE; j++)
            if (used(sum, d, j)) member[features++] = j;
        for (int64_t r = 0; r < sum->count; r++)
            for (int64_t f = 0; f < features; f++)
                weight[r * TILE + f] = sum->weight[r * d + member[f]];
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int part = 0; part < threads; part++)
            for (int64_t f = features * part / threads; f < features * (part + 1) / threads; f++) {
                column col;
                walk_at(&work[part].walk, member[f], &col);
                feature_pairs_set(&tile[f], &work[part].groups, &col, sum->kind,
                                  -sum->gamma[member[f]], n);
            }
        int64_t tasks = (n + ROWS - 1) / ROWS; /* tasks are dealt in turn: later rows are longer */
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int part = 0; part < threads; part++)
            for (int64_t task = part; task < tasks; task += threads)
                add_rows(K, tile, features, sum, weight, TILE, n, task * ROWS, work[part].k);
    }

done:
    while (opened > 0) status = walk_end(&work[--opened].walk, status, err);
    arena_free(&scratch);
    return status;
}

pare_status kernel_sum_gram(double *const *K, const view *x, const kernel_sum *sum,
                            const pare_ctx *ctx, pare_error *err) {
    for (int64_t r = 0; r < sum->count; r++) memset(K[r], 0, sizeof **K * (size_t)(x->n * x->n));
    pare_status status = kernel_sum_add(K, x, sum, ctx, err);
    for (int64_t r = 0; r < sum->count; r++) mirror(K[r], x->n);
    return status;
}

pare_status kernel_sum_centre(double *K, const double *s, int64_t n, const pare_ctx *ctx,
                              pare_error *err) {
    double *mean = mem_zero(ctx_allocator(ctx), n, sizeof *mean), total = 0, all = 0;
    if (!mean) return error_memory(err);
    for (int64_t i = 0; i < n; i++) total += s[i];
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) mean[i] += s[j] * K[i * n + j];
        mean[i] /= total;
        all += s[i] * mean[i] / total;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) K[i * n + j] += all - (mean[i] + mean[j]);
    mem_free(ctx_allocator(ctx), mean);
    return PARE_OK;
}
