#include "solve/kernel_sum.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/value_groups.h"

enum { TILE = 32, ROWS = 16 }; /* features read at a time; rows of K that one task fills */

/* A feature ready for its pairs: samples off the base value, by group or by value. */
typedef struct prepared {
    bool few;
    int64_t count;
    int32_t *index;  /* n: positions, ascending */
    int32_t *code;   /* n: few: group of each */
    double *value;   /* n: otherwise: value of each */
    double *to_base; /* n: kernel with the base, minus 1; 0 without a base */
    double *table;   /* GROUPS_FEW^2: few: kernel of two groups as it is added */
    double gamma;
    bool small; /* gamma x^2 is so small that 1 - exp would cancel */
} prepared;

/* k(a, b) - 1. */
static double kernel_minus_one(kernel_kind kind, double gamma, bool small, double a, double b) {
    if (kind == KERNEL_DELTA) return a == b ? 0 : -1;
    double exponent = -gamma * (a - b) * (a - b);
    return small ? expm1(exponent) : exp(exponent) - 1;
}

static void prepare_few(prepared *f, const value_groups *g, const column *col, kernel_kind kind,
                        int64_t n) {
    int64_t size[GROUPS_FEW] = {0};
    int32_t base = g->rest;
    for (int64_t e = 0; e < col->count; e++) size[g->code[e]]++;
    for (int32_t a = 0; base < 0 && a < g->count; a++)
        if (size[a] * 4 >= n) base = a; /* leaving a quarter out is worth it */
    f->count = 0;
    for (int64_t e = 0; e < col->count; e++) {
        if (g->code[e] == base) continue;
        f->index[f->count] = col->index ? col->index[e] : (int32_t)e;
        f->code[f->count++] = g->code[e];
    }
    for (int64_t a = 0; a < g->count; a++)
        for (int64_t b = 0; b < g->count; b++) {
            double k = kernel_minus_one(kind, f->gamma, true, g->value[a], g->value[b]);
            if (base >= 0)
                k -= kernel_minus_one(kind, f->gamma, true, g->value[a], g->value[base]) +
                     kernel_minus_one(kind, f->gamma, true, g->value[b], g->value[base]);
            f->table[a * GROUPS_FEW + b] = k;
        }
}

static void prepare(prepared *f, value_groups *g, const column *col, kernel_kind kind, double gamma,
                    int64_t n) {
    f->gamma = gamma;
    f->few = value_groups_find(g, col, NULL, NULL, n, 0, false);
    if (f->few) {
        prepare_few(f, g, col, kind, n);
        return;
    }
    double low = INFINITY, high = -INFINITY;
    bool has_rest = col->index && col->count < n;
    for (int64_t e = 0; e < col->count; e++) {
        low = fmin(low, col->value[e]);
        high = fmax(high, col->value[e]);
    }
    f->small = gamma * (high - low) * (high - low) < 1e-3;
    f->count = col->count;
    for (int64_t e = 0; e < col->count; e++) {
        f->index[e] = col->index ? col->index[e] : (int32_t)e;
        f->value[e] = col->value[e];
        f->to_base[e] =
            has_rest ? kernel_minus_one(kind, gamma, f->small, col->value[e], col->rest) : 0;
    }
}

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

/* Entry e of the feature against entries 0 .. e, into k. */
static void kernel_row(double *k, const prepared *f, kernel_kind kind, int64_t e) {
    if (f->few) {
        const double *row = f->table + f->code[e] * GROUPS_FEW;
        for (int64_t o = 0; o <= e; o++) k[o] = row[f->code[o]];
        return;
    }
    double x = f->value[e], own = f->to_base[e];
    for (int64_t o = 0; o <= e; o++)
        k[o] = kernel_minus_one(kind, f->gamma, f->small, x, f->value[o]) - own - f->to_base[o];
}

/* Rows first .. first + ROWS - 1 of every K gain the features of a tile. */
static void add_rows(double *const *K, const prepared *tile, int64_t features,
                     const kernel_sum *sum, const double *weight, int64_t d, int64_t n,
                     int64_t first, double *k) {
    for (int64_t j = 0; j < features; j++) {
        const prepared *f = &tile[j];
        int64_t e = first_at_least(f->index, f->count, first);
        for (; e < f->count && f->index[e] < first + ROWS; e++) {
            kernel_row(k, f, sum->kind, e);
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
    column_reader reader;
    value_groups groups;
    double *k; /* n */
} gram_work;

static pare_status tile_make(prepared *tile, arena *mem, int64_t n, pare_error *err) {
    for (int64_t j = 0; j < TILE; j++) {
        tile[j].index = ARENA_NEW(mem, int32_t, n);
        tile[j].code = ARENA_NEW(mem, int32_t, n);
        tile[j].value = ARENA_NEW(mem, double, n);
        tile[j].to_base = ARENA_NEW(mem, double, n);
        tile[j].table = ARENA_NEW(mem, double, GROUPS_FEW *GROUPS_FEW);
        if (!tile[j].index || !tile[j].code || !tile[j].value || !tile[j].to_base || !tile[j].table)
            return error_memory(err);
    }
    return PARE_OK;
}

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
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;

    gram_work *work = ARENA_ZERO(&scratch, gram_work, threads);
    prepared *tile = ARENA_ZERO(&scratch, prepared, TILE);
    int64_t *member = ARENA_NEW(&scratch, int64_t, TILE);
    double *weight = ARENA_NEW(&scratch, double, TILE * sum->count);
    TRY_MEM(work);
    TRY_MEM(tile);
    TRY_MEM(member);
    TRY_MEM(weight);
    TRY(tile_make(tile, &scratch, n, err));
    for (; opened < threads; opened++) {
        TRY_MEM(work[opened].k = ARENA_NEW(&scratch, double, n));
        TRY_MEM(value_groups_make(&work[opened].groups, &scratch, n, 0));
        TRY(column_open(&work[opened].reader, x, ctx, err));
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
                mat_column(&work[part].reader, member[f], &col);
                prepare(&tile[f], &work[part].groups, &col, sum->kind, sum->gamma[member[f]], n);
            }
        int64_t tasks = (n + ROWS - 1) / ROWS; /* dealt out in turn: later rows are longer */
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int part = 0; part < threads; part++)
            for (int64_t task = part; task < tasks; task += threads)
                add_rows(K, tile, features, sum, weight, TILE, n, task * ROWS, work[part].k);
    }

done:
    while (opened > 0) column_close(&work[--opened].reader);
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
