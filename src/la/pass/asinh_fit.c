/* Medians, spreads and moments for robust scaling. SIMD_COLUMNS columns are interleaved once for all
 * views; each view copies its rows of LANES of them, whose columns a sorting network then sorts
 * beside each other: no branch depends on the values. Every operation stays within its column, in
 * the order of the view's rows, so that the bits depend neither on the neighbours nor on the
 * instruction set. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/error.h"
#include "la/kind/asinh_row.h"
#include "la/pass/simd_columns.h"
#include "la/product/tile.h"

enum { LANES = ASINH_LANES };
typedef double wide __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef int64_t wide_bits __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
#define INLINE static inline __attribute__((always_inline))

/* Puts the smaller number of each lane first. By bits: of conditions for each lane compilers make
 * branches. */
INLINE void put_in_order(double *a, double *b) {
    wide of_a = *(wide *)a, of_b = *(wide *)b;
    wide_bits x = (wide_bits)of_a, y = (wide_bits)of_b, less = (wide_bits)(of_a < of_b);
    *(wide *)a = (wide)((x & less) | (y & ~less));
    *(wide *)b = (wide)((y & less) | (x & ~less));
}

/* Batcher's merge exchange (Knuth, The Art of Computer Programming 3, algorithm 5.2.2M). */
INLINE void sort_body(double *x, int64_t n) {
    int64_t top = 1;
    while (2 * top < n) top *= 2;
    for (int64_t p = n > 1 ? top : 0; p > 0; p /= 2)
        for (int64_t q = top, rest = 0, way = p;; way = q - p, q /= 2, rest = p) {
            for (int64_t run = rest; run < n - way; run += 2 * p)
                for (int64_t i = run; i < run + p && i < n - way; i++)
                    put_in_order(x + i * LANES, x + (i + way) * LANES);
            if (q == p) break;
        }
}

/* Mean and population variance. */
INLINE void moments_body(const double *x, int64_t n, double *mean, double *var) {
    wide sum = {0}, squares = {0};
    for (int64_t i = 0; i < n; i++) sum += *(const wide *)(x + i * LANES);
    wide centre = sum / (double)n;
    for (int64_t i = 0; i < n; i++) {
        wide off = *(const wide *)(x + i * LANES) - centre;
        squares += off * off;
    }
    *(wide *)mean = centre;
    *(wide *)var = squares / (double)n;
}

/* x becomes (x - shift) * scale; sum (classes x LANES) gets the sums of the classes. */
INLINE void class_sums_body(double *x, int64_t n, const double *shift, const double *scale,
                            const int32_t *cls, double *sum) {
    wide away = *(const wide *)shift, by = *(const wide *)scale;
    for (int64_t i = 0; i < n; i++, x += LANES) {
        wide *own = (wide *)(sum + cls[i] * LANES), v = (*(wide *)x - away) * by;
        *(wide *)x = v;
        *own += v;
    }
}

/* The sum of squares about the class means. */
INLINE void within_body(const double *x, int64_t n, const int32_t *cls, const double *mean,
                        double *out) {
    wide sum = {0};
    for (int64_t i = 0; i < n; i++) {
        wide off = *(const wide *)(x + i * LANES) - *(const wide *)(mean + cls[i] * LANES);
        sum += off * off;
    }
    *(wide *)out = sum;
}

#define INSTANTIATE(name, how)                                                                     \
    how static void sort_##name(double *x, int64_t n) { sort_body(x, n); }                         \
    how static void moments_##name(const double *x, int64_t n, double *mean, double *var) {        \
        moments_body(x, n, mean, var);                                                             \
    }                                                                                              \
    how static void class_sums_##name(double *x, int64_t n, const double *shift,                   \
                                      const double *scale, const int32_t *cls, double *sum) {      \
        class_sums_body(x, n, shift, scale, cls, sum);                                             \
    }                                                                                              \
    how static void within_##name(const double *x, int64_t n, const int32_t *cls,                  \
                                  const double *mean, double *out) {                               \
        within_body(x, n, cls, mean, out);                                                         \
    }
INSTANTIATE(plain, )
#ifdef __x86_64__
INSTANTIATE(avx2, __attribute__((target("avx2"))))
INSTANTIATE(avx512, __attribute__((target("avx512f"))))
#define DISPATCH(name, ...)                                                                        \
    (__builtin_cpu_supports("avx512f") ? name##_avx512(__VA_ARGS__)                                \
     : __builtin_cpu_supports("avx2")  ? name##_avx2(__VA_ARGS__)                                  \
                                       : name##_plain(__VA_ARGS__))
#else
#define DISPATCH(name, ...) name##_plain(__VA_ARGS__)
#endif

/* Of n sorted rows, interpolated linearly between two of them. */
static void quantiles(const double *sorted, int64_t n, double p, double *out) {
    double before = floor((double)(n - 1) * p), part = (double)(n - 1) * p - before;
    const double *low = sorted + (int64_t)before * LANES, *high = part == 0 ? low : low + LANES;
    for (int k = 0; k < LANES; k++)
        out[k] = part == 0 ? low[k] : (1 - part) * low[k] + part * high[k];
}

/* Whether the sorted columns have at most two values each. */
static void two_valued(const double *sorted, int64_t n, bool *out) {
    const double *least = sorted, *most = sorted + (n - 1) * LANES;
    int other[LANES] = {0};
    for (int64_t i = 1; i < n - 1; i++)
        for (int k = 0; k < LANES; k++)
            other[k] |= (sorted[i * LANES + k] != least[k]) & (sorted[i * LANES + k] != most[k]);
    for (int k = 0; k < LANES; k++) out[k] = !other[k];
}

/* What the classes of one view need besides them: rows of each class, and scratch of a thread. */
typedef struct class_work {
    double *height; /* classes */
    double *mean;   /* classes x LANES */
} class_work;

/* One lane. mean: the class means, inside: the sum of squares about them, centre: the mean of all. */
static double separation_of(const asinh_classes *of, const double *height, const double *mean,
                            double inside, double centre, double n) {
    double between = 0, sum = 0, squares = 0, c = (double)of->count;
    for (int64_t k = 0; k < of->count; k++) {
        double off = mean[k * LANES] - centre;
        between += height[k] * off * off;
        sum += off;
    }
    for (int64_t k = 0; k < of->count; k++) {
        double off = mean[k * LANES] - centre - sum / c;
        squares += off * off;
    }
    double dev = sqrt(fmax(inside / (n - c), CLASS_FLOOR * (inside + between) / n));
    return squares / c / (dev * dev);
}

/* x: transformed rows, which become standardised. The operations are those of
 * method/discriminant/within.c, in the same order. */
static void separate(double *x, int64_t n, const double *shift, const double *var,
                     const asinh_classes *of, class_work w, double *out) {
    double scale[LANES], inside[LANES], centre[LANES] = {0};
    for (int k = 0; k < LANES; k++) scale[k] = 1 / sqrt(var[k]);
    memset(w.mean, 0, sizeof *w.mean * (size_t)(of->count * LANES));
    DISPATCH(class_sums, x, n, shift, scale, of->cls, w.mean);
    for (int64_t e = 0; e < of->count * LANES; e++) {
        centre[e % LANES] += w.mean[e] / (double)n;
        w.mean[e] /= w.height[e / LANES];
    }
    DISPATCH(within, x, n, of->cls, w.mean, inside);
    for (int k = 0; k < LANES; k++)
        out[k] = separation_of(of, w.height, w.mean + k, inside[k], centre[k], (double)n);
}

/* x: the rows of `count` columns, sorted: scratch of the same size. out: of the view, from its
 * column `first` on. */
static void fit_lanes(double *x, double *sorted, int64_t n, double unit, const asinh_fit *out,
                      class_work w, int64_t first, int64_t count) {
    double median[LANES], spread[LANES], low[LANES], high[LANES], mean[LANES], var[LANES];
    double separation[LANES];
    bool as_is[LANES];
    memcpy(sorted, x, sizeof *x * (size_t)(n * LANES));
    DISPATCH(sort, sorted, n);
    two_valued(sorted, n, as_is);
    quantiles(sorted, n, 0.5, median);
    quantiles(sorted, n, 0.25, low);
    quantiles(sorted, n, 0.75, high);
    for (int64_t k = 0; k < LANES; k++) {
        double range = high[k] - low[k], own = out->s[first + (k < count ? k : 0)].var;
        spread[k] = as_is[k] ? 0 : range > 0 ? range / unit : sqrt(own);
        if (as_is[k]) median[k] = 0;
    }
    asinh_block(x, n, median, spread);
    DISPATCH(moments, x, n, mean, var);
    for (int64_t k = 0; k < count; k++) {
        out->median[first + k] = median[k];
        out->spread[first + k] = spread[k];
        out->s[first + k].mean = mean[k];
        out->s[first + k].var = var[k];
    }
    if (out->classes.count == 0) return;
    separate(x, n, mean, var, &out->classes, w, separation);
    memcpy(out->classes.separation + first, separation, sizeof *separation * (size_t)count);
}

/* The scratch of one thread; buffer: loaded columns, where X is not in memory as doubles. */
typedef struct workspace {
    double *buffer, *block, *x, *sorted;
    class_work *classes; /* of each view */
} workspace;

/* `columns` interleaved columns, from view column `first` on. */
static void fit_block(int64_t count, const view *v, double unit, const asinh_fit *out,
                      int64_t first, int64_t columns, workspace *w) {
    for (int64_t q = 0; q < count; q++)
        for (int64_t k = 0; k < columns; k += LANES) {
            for (int64_t i = 0; i < v[q].n; i++) {
                int64_t row = v[q].rows ? v[q].rows[i] : i;
                memcpy(w->x + i * LANES, w->block + row * SIMD_COLUMNS + k, LANES * sizeof *w->x);
            }
            fit_lanes(w->x, w->sorted, v[q].n, unit, &out[q], w->classes[q], first + k,
                      min64(LANES, columns - k));
        }
}

/* heights: of the first thread, which the others share; NULL: to be made. */
static pare_status open_classes(class_work **out, int64_t count, const view *v, const asinh_fit *of,
                                const class_work *heights, arena *scratch, pare_error *err) {
    int64_t most = 0;
    double *mean;
    PASS_MEM(*out = ARENA_ZERO(scratch, class_work, count));
    for (int64_t q = 0; q < count; q++) most = max64(most, of[q].classes.count);
    PASS_MEM(mean = ARENA_NEW(scratch, double, most *LANES));
    for (int64_t q = 0; q < count; q++) {
        class_work *own = &(*out)[q];
        const asinh_classes *classes = &of[q].classes;
        *own = (class_work){heights ? heights[q].height : NULL, mean};
        if (heights || classes->count == 0) continue;
        PASS_MEM(own->height = ARENA_ZERO(scratch, double, classes->count));
        for (int64_t i = 0; i < v[q].n; i++) own->height[classes->cls[i]]++;
    }
    return PARE_OK;
}

pare_status tile_asinh_fit_many(int64_t count, const view *v, double unit, const asinh_fit *out,
                                const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    failure failed = {0};
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    view all = v[0];
    all.rows = NULL;
    all.n = v->x->n;
    all.shift = all.scale = all.fill = NULL;
    int64_t runs = (v->d + SIMD_COLUMNS - 1) / SIMD_COLUMNS, stride = all.n, most = 1;
    const double *direct = tile_direct(&all, &stride);
    int threads = work_threads(ctx, (double)all.n * (double)all.d * (double)count);
    for (int64_t q = 0; q < count; q++) most = max64(most, v[q].n);
    workspace *workspaces = ARENA_NEW(&scratch, workspace, threads);
    TRY_MEM(workspaces);
    for (int t = 0; t < threads; t++) {
        workspace *w = &workspaces[t];
        TRY_MEM(w->buffer = ARENA_NEW(&scratch, double, direct ? 1 : all.n *SIMD_COLUMNS));
        TRY_MEM(w->block = ARENA_NEW(&scratch, double, all.n *SIMD_COLUMNS));
        TRY_MEM(w->x = ARENA_NEW(&scratch, double, most *LANES));
        TRY_MEM(w->sorted = ARENA_NEW(&scratch, double, most *LANES));
        TRY(open_classes(&w->classes, count, v, out, t > 0 ? workspaces[0].classes : NULL, &scratch,
                         err));
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t run = 0; run < runs; run++) {
        int64_t first = run * SIMD_COLUMNS, columns = min64(SIMD_COLUMNS, v->d - first);
        workspace *w = &workspaces[omp_get_thread_num()];
        const double *from[SIMD_COLUMNS];
        if (!direct) load_run(&all, first, columns, w->buffer, &failed);
        for (int64_t k = 0; k < SIMD_COLUMNS; k++) {
            int64_t j = min64(k, columns - 1);
            from[k] = direct ? direct + view_base(v, first + j) * stride : w->buffer + j * all.n;
        }
        simd_interleave(w->block, from, all.n, NULL);
        fit_block(count, v, unit, out, first, columns, w);
    }
    status = failure_end(&failed, err);
done:
    arena_free(&scratch);
    return status;
}
