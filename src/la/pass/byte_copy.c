#include "la/pass/byte_copy.h"

#include <float.h>
#include <omp.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/ranks.h"
#include "la/pass/simd_columns.h"
#include "la/pass/tmul.h"

enum { LANES = 16, EIGHT = 8, MOST = 127, TOGETHER = 4 };
/* Of a unit of |u|_1: half a step, and the rounding of single-precision sums of numbers up to MOST. */
static const double HALF_STEP = 0.5 + 1e-6, ROUNDING = MOST * 0x1p-23;
static const double TO_WHOLE = 0x1.8p52; /* added to a small number: leaves its nearest whole one */

typedef double eight __attribute__((vector_size(8 * EIGHT), aligned(8), may_alias));
typedef int64_t eight_whole __attribute__((vector_size(8 * EIGHT), aligned(8), may_alias));
typedef int8_t eight_bytes __attribute__((vector_size(EIGHT)));
typedef float wide __attribute__((vector_size(4 * LANES)));
typedef int8_t bytes __attribute__((vector_size(LANES)));
#define INLINE static inline __attribute__((always_inline))

/* x: n numbers and zeros up to the pitch; becomes (x - shift) * scale. Returns the step. */
INLINE double quantise_body(double *x, int64_t n, int64_t pitch, double shift, double scale,
                            int8_t *out) {
    eight most = {0};
    double top = 0;
    for (int64_t i = 0; i < n; i++) x[i] = (x[i] - shift) * scale;
    for (int64_t i = n; i < pitch; i++) x[i] = 0;
    for (int64_t i = 0; i < pitch; i += EIGHT) { /* by bits: conditions would become branches */
        eight value = *(const eight *)(x + i);
        eight_whole size = (eight_whole)value & INT64_MAX;
        eight_whole larger = (eight)size > most;
        most = (eight)((size & larger) | ((eight_whole)most & ~larger));
    }
    for (int k = 0; k < EIGHT; k++) top = most[k] > top ? most[k] : top;
    double step = top / MOST, over = 1 / step;
    if (!(over <= DBL_MAX)) over = 0, step = 2 * top; /* so small that no step divides it, or 0 */
    for (int64_t i = 0; i < pitch; i += EIGHT) {
        eight v = *(const eight *)(x + i) * over + TO_WHOLE;
        eight_whole bits;
        memcpy(&bits, &v, sizeof bits);
        eight_bytes b = __builtin_convertvector(bits, eight_bytes);
        memcpy(out + i, &b, sizeof b);
    }
    return step;
}

/* The sums of TOGETHER columns. */
INLINE void dots_body(const int8_t *value, int64_t pitch, const float *u, double *out) {
    wide sum[TOGETHER] = {{0}};
    for (int64_t i = 0; i < pitch; i += LANES) {
        wide by;
        memcpy(&by, u + i, sizeof by);
        for (int k = 0; k < TOGETHER; k++) {
            bytes b;
            memcpy(&b, value + k * pitch + i, sizeof b);
            sum[k] += __builtin_convertvector(b, wide) * by;
        }
    }
    for (int k = 0; k < TOGETHER; k++) {
        float all = 0;
        for (int w = 0; w < LANES; w++) all += sum[k][w];
        out[k] = (double)all;
    }
}

#define INSTANTIATE(name, how)                                                                     \
    how static double quantise_##name(double *x, int64_t n, int64_t pitch, double shift,           \
                                      double scale, int8_t *out) {                                 \
        return quantise_body(x, n, pitch, shift, scale, out);                                      \
    }                                                                                              \
    how static void dots_##name(const int8_t *value, int64_t pitch, const float *u, double *out) { \
        dots_body(value, pitch, u, out);                                                           \
    }
INSTANTIATE(plain, )
#ifdef __x86_64__
INSTANTIATE(avx2, __attribute__((target("avx2"))))
INSTANTIATE(avx512, __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))))
#define DISPATCH(name, ...)                                                                        \
    (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")                      \
         ? name##_avx512(__VA_ARGS__)                                                              \
     : __builtin_cpu_supports("avx2") ? name##_avx2(__VA_ARGS__)                                   \
                                      : name##_plain(__VA_ARGS__))
#else
#define DISPATCH(name, ...) name##_plain(__VA_ARGS__)
#endif

static bool fits(const view *v, int64_t c, const pare_ctx *ctx) {
    const matrix *x = v->x;
    return !ctx_ranks(ctx) && !mat_is_sparse(x) && !x->ops->tmul && !x->missing &&
           x->n <= SIMD_BLOCK_ROWS && v->n <= SIMD_BLOCK_ROWS && c <= MAX_FEW_RHS;
}

static double copy_bytes(int64_t pitch, int64_t columns) {
    return (double)columns * (double)(pitch + (int64_t)sizeof(double));
}

pare_status byte_copy_open(byte_copy *out, const view *v, int64_t c, const pare_ctx *ctx,
                           pare_error *err) {
    int64_t pitch = (v->n + LANES - 1) / LANES * LANES;
    double wanted = copy_bytes(pitch, v->d);
    *out = (byte_copy){.n = v->n, .columns = v->d, .pitch = pitch};
    if (!fits(v, c, ctx) || !ctx_reserve(ctx, wanted)) return PARE_OK;
    out->reserved = wanted;
    int64_t padded = v->d + TOGETHER; /* the last columns are multiplied together with these */
    out->value = mem_alloc(ctx_allocator(ctx), padded * pitch, sizeof *out->value);
    out->step = mem_alloc(ctx_allocator(ctx), padded, sizeof *out->step);
    if (out->value && out->step) {
        memset(out->value + v->d * pitch, 0, (size_t)(TOGETHER * pitch));
        return PARE_OK;
    }
    byte_copy_free(out, ctx);
    return error_memory(err);
}

/* The buffers of one thread, and the unscaled view. */
typedef struct workspace {
    view raw;
    double *buffer, *block;
} workspace;

/* SIMD_COLUMNS columns at most, from view column `first` on. */
static void fill_run(byte_copy *copy, const view *v, const double *U, int64_t c, double *W,
                     int64_t first, const workspace *w, failure *failed) {
    int64_t count = min64(SIMD_COLUMNS, v->d - first), n = v->n;
    double shift[SIMD_COLUMNS], scale[SIMD_COLUMNS];
    const double *where[SIMD_COLUMNS];
    load_run(&w->raw, first, count, w->buffer, failed);
    for (int64_t k = 0; k < SIMD_COLUMNS; k++) {
        int64_t own = min64(k, count - 1), base = view_base(v, first + own);
        where[k] = w->buffer + own * n;
        shift[k] = v->shift ? v->shift[base] : 0;
        scale[k] = v->scale ? v->scale[base] : 1;
    }
    simd_interleave(w->block, where, n, NULL);
    for (int64_t o = 0; o < c; o++) {
        double sum[SIMD_COLUMNS] = {0};
        prefetch_range none = {0};
        simd_dot(w->block, NULL, n, shift, U + o * n, false, sum, &none);
        for (int64_t k = 0; k < count; k++) W[o * v->d + first + k] = scale[k] * sum[k];
    }
    double *own = w->block; /* free now */
    for (int64_t k = 0; k < count; k++) {
        memcpy(own, where[k], sizeof *own * (size_t)n);
        copy->step[first + k] = DISPATCH(quantise, own, n, copy->pitch, shift[k], scale[k],
                                         copy->value + (first + k) * copy->pitch);
    }
}

pare_status byte_copy_fill(byte_copy *copy, const view *v, const double *U, int64_t c, double *W,
                           const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    failure failed = {0};
    arena scratch = arena_of(ctx);
    int threads = work_threads(ctx, (double)v->n * (double)v->d);
    int64_t runs = (v->d + SIMD_COLUMNS - 1) / SIMD_COLUMNS, each = SIMD_COLUMNS * copy->pitch;
    workspace *w;
    TRY_MEM(w = ARENA_NEW(&scratch, workspace, threads));
    for (int t = 0; t < threads; t++) {
        w[t].raw = *v;
        w[t].raw.shift = w[t].raw.scale = NULL;
        TRY_MEM(ARENA_NEWS(&scratch, double, each, &w[t].buffer, &w[t].block));
    }
    ctx_count(ctx, mat_bytes(v->x) / (double)v->x->d * (double)v->d, 0);
    phase before = ctx_phase(ctx, PHASE_PRODUCT);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t run = 0; run < runs; run++)
        fill_run(copy, v, U, c, W, run * SIMD_COLUMNS, &w[omp_get_thread_num()], &failed);
    ctx_phase(ctx, before);
    status = failure_end(&failed, err);
done:
    arena_free(&scratch);
    return status;
}

static double largest(const double *u, int64_t n, double *sum) {
    double top = 0;
    *sum = 0;
    for (int64_t i = 0; i < n; i++) {
        *sum += fabs(u[i]);
        top = fmax(top, fabs(u[i]));
    }
    return top;
}

double byte_copy_error(const byte_copy *copy, const double *u) {
    double sum;
    largest(u, copy->n, &sum);
    return sum * (HALF_STEP + ROUNDING * (double)(copy->n + LANES));
}

void byte_copy_tmul(const byte_copy *copy, const double *u, double *out, const pare_ctx *ctx) {
    float by[SIMD_BLOCK_ROWS + LANES] = {0};
    double sum, top = largest(u, copy->n, &sum);
    for (int64_t i = 0; i < copy->n && top > 0; i++) by[i] = (float)(u[i] / top);
    int threads = work_threads(ctx, (double)copy->n * (double)copy->columns / 8);
    int64_t groups = (copy->columns + TOGETHER - 1) / TOGETHER;
    phase before = ctx_phase(ctx, PHASE_PRODUCT);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t g = 0; g < groups; g++) {
        int64_t first = g * TOGETHER;
        double own[TOGETHER];
        DISPATCH(dots, copy->value + first * copy->pitch, copy->pitch, by, own);
        for (int64_t k = first; k < min64(first + TOGETHER, copy->columns); k++)
            out[k] = own[k - first] * copy->step[k] * top;
    }
    ctx_phase(ctx, before);
}

void byte_copy_move(byte_copy *copy, int64_t from, int64_t to) {
    if (from == to) return;
    memcpy(copy->value + to * copy->pitch, copy->value + from * copy->pitch, (size_t)copy->pitch);
    copy->step[to] = copy->step[from];
}

void byte_copy_cut(byte_copy *copy, int64_t columns, const pare_ctx *ctx) {
    const pare_allocator *mem = ctx_allocator(ctx);
    copy->columns = columns;
    double needed = copy_bytes(copy->pitch, columns);
    if (needed > copy->reserved / 2) return;
    int64_t padded = columns + TOGETHER;
    if (!mem_resize(mem, &copy->value, padded * copy->pitch, sizeof *copy->value) ||
        !mem_resize(mem, &copy->step, padded, sizeof *copy->step))
        return;
    ctx_release(ctx, copy->reserved - needed);
    copy->reserved = needed;
}

void byte_copy_free(byte_copy *copy, const pare_ctx *ctx) {
    mem_free(ctx_allocator(ctx), copy->value);
    mem_free(ctx_allocator(ctx), copy->step);
    if (copy->reserved > 0) ctx_release(ctx, copy->reserved);
    *copy = (byte_copy){0};
}
