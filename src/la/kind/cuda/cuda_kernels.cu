/* The kernels, in C that is also CUDA: made into cuda_kernels.ptx by clang alone (tools/ptx.sh), and
 * compiled for the processor by the tests. No kernel waits for another thread, so that a processor
 * can run the threads one after the other; what a warp does together (the matrix product) is written
 * for all its lanes.
 *
 * Sums down a column run in the order of the rows, as those of the processor do (la/pass/), with its
 * operations: the same bits. Sums over columns are parts of fixed numbers of columns, added in
 * order. */
#include "cuda_kernels.h"

#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif
#ifdef __CUDA__
#define INLINE static inline __attribute__((device, always_inline))
#define ROOT(x) __nvvm_sqrt_rn_d(x)
#define INFINITY __builtin_inf()
#define LANES 1 /* that this thread computes for */
#define THREAD                                                                                     \
    ((int64_t)__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +                     \
     __nvvm_read_ptx_sreg_tid_x())
#define KERNEL(name, args)                                                                         \
    extern "C" __attribute__((global)) void pare_##name(args a) { name(&a, THREAD); }
#define WARP_KERNEL KERNEL
#else
#include <math.h>
#define INLINE static inline __attribute__((always_inline))
#define ROOT(x) sqrt(x)
#define LANES WARP
#define KERNEL(name, args)                                                                         \
    void pare_##name(const void *a, int64_t thread);                                               \
    void pare_##name(const void *a, int64_t thread) { name((const args *)a, thread); }
#define WARP_KERNEL(name, args)                                                                    \
    void pare_##name(const void *a, int64_t thread);                                               \
    void pare_##name(const void *a, int64_t thread) {                                              \
        if (thread % WARP == 0) name((const args *)a, thread);                                     \
    }
#endif
#define ASINH_LANES 1
#define ASINH_ROOT ROOT
#define ASINH_INLINE INLINE
#include "../asinh_formula.h"

/* A thread as a lane, and its warp as a row and the rest: warp = rest * rows + row. In 32 bits, as
 * division takes long. */
typedef struct split {
    int64_t lane, row, rest;
} split;

INLINE split split_thread(int64_t thread, int64_t rows) {
    uint32_t warp = (uint32_t)(thread / WARP), of = (uint32_t)rows;
    split s = {thread % WARP, warp % of, warp / of};
    return s;
}

/* ---- entries ---- */

INLINE double asinh_of(double x, double median, double spread) {
    wide v = {(x - median) / spread};
    asinh_columns(&v);
    return v[0];
}

/* One column, ready to be read. */
typedef struct reader {
    const double *x; /* row 0; the next is WARP numbers on */
    double col, median, spread, fill;
    int has_col, transformed, filled;
} reader;

INLINE reader read_column(const cuda_columns *c, int64_t p) {
    int64_t j = c->base ? c->base[p] : c->first + p;
    reader r = {c->x + (j / WARP) * c->stored * WARP + j % WARP, 1, 0, 0, 0,
                c->col != 0, 0, c->fill != 0};
    if (c->col) r.col = c->col[p];
    if (c->median) r.median = c->median[p];
    if (c->spread) r.spread = c->spread[p];
    if (c->fill) r.fill = c->fill[p];
    r.transformed = r.spread > 0;
    return r;
}

/* What a stored number of the column is for sample i. */
INLINE double made(const reader *r, double v, const double *factor, int64_t i) {
    if (r->has_col) v *= r->col;
    if (factor) v *= factor[i];
    if (r->transformed) v = asinh_of(v, r->median, r->spread);
    return r->filled && v != v ? r->fill : v;
}

INLINE double entry(const reader *r, const int32_t *rows, const double *factor, int64_t i) {
    return made(r, r->x[(rows ? rows[i] : i) * WARP], factor, i);
}

/* Numbers that are loaded together, as the first use of one waits for the memory; more take registers,
 * and so threads. */
enum { AHEAD = 4 };

INLINE void load_ahead(double *v, const reader *r, const int32_t *rows, int64_t i, int64_t n) {
UNROLL
    for (int t = 0; t < AHEAD; t++) {
        int64_t at = i + t < n ? i + t : n - 1;
        v[t] = r->x[(rows ? rows[at] : at) * WARP];
    }
}

/* ---- storing ---- */

INLINE void store(const cuda_store_args *a, int64_t thread) {
    split at = split_thread(thread, a->n);
    int64_t j = at.rest * WARP + at.lane;
    if (j < (a->count + WARP - 1) / WARP * WARP)
        a->to[thread] = j < a->count ? a->from[j * a->n + at.row] : 0;
}
KERNEL(store, cuda_store_args)

/* ---- X'U ---- */

/* Columns k .. k + W - 1 of U. */
#define TMUL_SOME(W)                                                                               \
    INLINE void tmul_##W(const cuda_tmul_args *a, const reader *r, int64_t p, int64_t k) {         \
        double sum[W] = {0}, shift = a->shift ? a->shift[p] : 0;                                   \
        const double *U = a->U + k * a->by.n;                                                      \
        int64_t n = a->by.n;                                                                       \
        for (int64_t from = 0; from < n; from += AHEAD) {                                          \
            double next[AHEAD];                                                                    \
            load_ahead(next, r, a->by.rows, from, n);                                              \
            UNROLL for (int t = 0; t < AHEAD; t++) if (from + t < n) {                             \
                double v = made(r, next[t], a->by.factor, from + t) - shift;                       \
                if (a->squared) v *= v;                                                            \
                UNROLL for (int q = 0; q < W; q++) sum[q] += v * U[q * n + from + t];              \
            }                                                                                      \
        }                                                                                          \
        UNROLL for (int q = 0; q < W; q++) a->out[(k + q) * a->x.count + p] = sum[q];              \
    }
TMUL_SOME(4)
TMUL_SOME(1)

INLINE void tmul(const cuda_tmul_args *a, int64_t p) {
    if (p >= a->x.count) return;
    reader r = read_column(&a->x, p);
    int64_t k = 0;
    for (; k + 4 <= a->c; k += 4) tmul_4(a, &r, p, k);
    for (; k < a->c; k++) tmul_1(a, &r, p, k);
}
KERNEL(tmul, cuda_tmul_args)

/* ---- A diag(z) B' ---- */

INLINE void tile(const cuda_tile_args *a, int64_t thread) {
    split at = split_thread(thread, a->rows);
    int64_t i = at.row, p = at.rest * WARP + at.lane;
    if (p >= a->columns) return;
    double v = 0;
    if (p < a->x.count && i < a->by.n) {
        reader r = read_column(&a->x, p);
        double shift = a->shift ? a->shift[p] : 0, scale = a->scale ? a->scale[p] : 1;
        v = (entry(&r, a->by.rows, a->by.factor, i) - shift) *
            (a->factor ? scale * a->factor[p] : scale);
    }
    a->out[(p / TILE_SLICE * a->rows + i) * TILE_SLICE + p % TILE_SLICE] = v;
}
KERNEL(tile, cuda_tile_args)

enum { BLOCK = 8, BLOCKS = TILE_ROWS / BLOCK }; /* rows of a matrix instruction */

/* sum (BLOCK x BLOCK) += a b', both BLOCK x TILE_SLICE. Lane l holds a[l / 4][l % 4], b[l / 4][l % 4],
 * sum[l / 4][l % 4 * 2] and the next. */
INLINE void multiply_add(double (*sum)[2], const double *a, const double *b) {
#ifdef __CUDA__
    __asm__("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
            : "+d"(sum[0][0]), "+d"(sum[0][1])
            : "d"(a[0]), "d"(b[0]));
#else
    for (int l = 0; l < LANES; l++)
        for (int h = 0; h < 2; h++)
            for (int k = 0; k < TILE_SLICE; k++)
                sum[l][h] += a[l / 4 * 4 + k] * b[(l % 4 * 2 + h) * 4 + k];
#endif
}

INLINE void gram(const cuda_gram_args *a, int64_t thread) {
    int64_t warp = thread / WARP, lane = thread % WARP, leaf = warp / a->pairs;
    if (warp >= a->warps) return;
    int64_t pair = warp % a->pairs, across = a->rows_b / TILE_ROWS, row = 0;
    if (!a->symmetric) {
        row = pair / across;
        pair %= across;
    } else {
        while (pair > row) pair -= ++row;
    }
    double sum[BLOCKS][BLOCKS][LANES][2], left[BLOCKS][LANES], right[BLOCKS][LANES];
UNROLL
    for (int i = 0; i < BLOCKS; i++)
UNROLL
        for (int j = 0; j < BLOCKS; j++)
UNROLL
            for (int l = 0; l < LANES; l++) sum[i][j][l][0] = sum[i][j][l][1] = 0;
    int64_t slice = leaf * (GRAM_LEAF / TILE_SLICE);
    const double *from_a = a->a + (slice * a->rows_a + row * TILE_ROWS) * TILE_SLICE + lane;
    const double *from_b = a->b + (slice * a->rows_b + pair * TILE_ROWS) * TILE_SLICE + lane;
    for (int s = 0; s < GRAM_LEAF / TILE_SLICE; s++) {
UNROLL
        for (int i = 0; i < BLOCKS; i++)
UNROLL
            for (int l = 0; l < LANES; l++) {
                left[i][l] = from_a[i * BLOCK * TILE_SLICE + l];
                right[i][l] = from_b[i * BLOCK * TILE_SLICE + l];
            }
UNROLL
        for (int i = 0; i < BLOCKS; i++)
UNROLL
            for (int j = 0; j < BLOCKS; j++) multiply_add(sum[i][j], left[i], right[j]);
        from_a += a->rows_a * TILE_SLICE;
        from_b += a->rows_b * TILE_SLICE;
    }
    double *out = a->out + warp * TILE_ROWS * TILE_ROWS;
UNROLL
    for (int i = 0; i < BLOCKS; i++)
UNROLL
        for (int j = 0; j < BLOCKS; j++)
UNROLL
            for (int l = 0; l < LANES; l++) {
                int64_t own = lane + l;
                double *to = out + (i * BLOCK + own / 4) * TILE_ROWS + j * BLOCK + own % 4 * 2;
                to[0] = sum[i][j][l][0];
                to[1] = sum[i][j][l][1];
            }
}
WARP_KERNEL(gram, cuda_gram_args)

/* ---- X W ---- */

#define MUL_SOME(N)                                                                                \
    INLINE void mul_##N(const cuda_mul_args *a, const split *t, int64_t k) {                       \
        double sum[N] = {0};                                                                       \
        int64_t p = t->rest * PRODUCT_LEAF + t->lane, end = (t->rest + 1) * PRODUCT_LEAF;          \
        if (end > a->x.count) end = a->x.count;                                                    \
        for (; p < end; p += WARP) {                                                               \
            reader r = read_column(&a->x, p);                                                      \
            double shift = a->shift ? a->shift[p] : 0, scale = a->scale ? a->scale[p] : 1;         \
            double v = (entry(&r, a->by.rows, a->by.factor, t->row) - shift) * scale;              \
            UNROLL for (int q = 0; q < N; q++) sum[q] += v * a->W[(k + q) * a->x.count + p];       \
        }                                                                                          \
        UNROLL for (int q = 0; q < N; q++)                                                         \
            a->out[((t->rest * a->c + k + q) * a->by.n + t->row) * WARP + t->lane] = sum[q];       \
    }
MUL_SOME(4)
MUL_SOME(1)

INLINE void mul(const cuda_mul_args *a, int64_t thread) {
    if (thread >= a->threads) return;
    split at = split_thread(thread, a->by.n);
    int64_t k = 0;
    for (; k + 4 <= a->c; k += 4) mul_4(a, &at, k);
    for (; k < a->c; k++) mul_1(a, &at, k);
}
KERNEL(mul, cuda_mul_args)

INLINE void add(const cuda_sum_args *a, int64_t e) {
    if (e >= a->size) return;
    double sum = a->fresh ? 0 : a->sum[e];
    for (int64_t k = 0; k < a->count; k++) sum += a->part[k * a->size + e];
    a->sum[e] = sum;
}
KERNEL(add, cuda_sum_args)

/* ---- statistics ---- */

typedef struct row_set {
    const int32_t *rows;
    const double *weight, *factor;
    int64_t n;
} row_set;

INLINE row_set set_of(const cuda_sets *s, int64_t q) {
    int64_t from = s->start[q];
    row_set own = {s->rows + from, s->weight ? s->weight + from : 0, s->factor ? s->factor + from : 0,
               s->start[q + 1] - from};
    return own;
}

/* As values_stats (la/pass/stats.c). */
INLINE void stats(const cuda_stats_args *a, int64_t thread) {
    int64_t warp = thread / WARP, q = warp % a->sets.count;
    int64_t p = warp / a->sets.count * WARP + thread % WARP;
    if (p >= a->x.count) return;
    reader r = read_column(&a->x, p);
    row_set own = set_of(&a->sets, q);
    cuda_stats s = {0, 0, INFINITY, -INFINITY, 0, 0, 0};
    double total = 0, sum = 0, squares = 0, remainder = 0;
    for (int64_t i = 0; i < own.n; i++) {
        double w = own.weight ? own.weight[i] : 1, x = entry(&r, own.rows, own.factor, i);
        if (!(w > 0)) continue;
        if (x != x) {
            s.missing++;
            continue;
        }
        total += w;
        sum += w * x;
        s.min = x < s.min ? x : s.min;
        s.max = x > s.max ? x : s.max;
        s.nonzeros += x != 0;
    }
    if (!(total > 0)) {
        s.min = s.max = 0;
    } else if (s.min == s.max) {
        s.mean = s.min;
    } else {
        s.mean = sum / total;
        for (int64_t i = 0; i < own.n; i++) {
            double w = own.weight ? own.weight[i] : 1, x = entry(&r, own.rows, own.factor, i);
            if (!(w > 0) || x != x) continue;
            double away = x - s.mean;
            remainder += w * away;
            squares += w * (away * away);
        }
        double correction = remainder / total, mean = s.mean + correction;
        double var = (squares - remainder * correction) / total;
        s.var = var > 0 ? var : 0;
        s.beyond = correction - (mean - s.mean);
        s.mean = mean;
    }
    a->out[q * a->x.count + p] = s;
}
KERNEL(stats, cuda_stats_args)

/* Batcher's merge exchange (Knuth, The Art of Computer Programming 3, algorithm 5.2.2M) of numbers
 * WARP apart. */
INLINE void sort_column(double *x, int64_t n) {
    int64_t top = 1;
    while (2 * top < n) top *= 2;
    for (int64_t p = n > 1 ? top : 0; p > 0; p /= 2)
        for (int64_t q = top, rest = 0, way = p;; way = q - p, q /= 2, rest = p) {
            for (int64_t run = rest; run < n - way; run += 2 * p)
                for (int64_t i = run; i < run + p && i < n - way; i++) {
                    double u = x[i * WARP], v = x[(i + way) * WARP];
                    x[i * WARP] = u < v ? u : v;
                    x[(i + way) * WARP] = u < v ? v : u;
                }
            if (q == p) break;
        }
}

INLINE double quantile(const double *sorted, int64_t n, double p) {
    double at = (double)(n - 1) * p, before = (double)(int64_t)at, part = at - before;
    const double *low = sorted + (int64_t)before * WARP;
    return part == 0 ? *low : (1 - part) * *low + part * low[WARP];
}

INLINE int two_valued(const double *sorted, int64_t n) {
    double least = sorted[0], most = sorted[(n - 1) * WARP];
    for (int64_t i = 1; i < n - 1; i++)
        if (sorted[i * WARP] != least && sorted[i * WARP] != most) return 0;
    return 1;
}

/* As fit_lanes (la/pass/asinh_fit.c). */
INLINE void fit_column(const cuda_fit_args *a, int64_t q, int64_t p, double *x) {
    reader r = read_column(&a->x, p);
    row_set own = set_of(&a->sets, q);
    int64_t n = own.n, at = q * a->x.count + p;
    cuda_fit f = {0, 0, 0, 0};
    for (int64_t i = 0; i < n; i++) x[i * WARP] = entry(&r, own.rows, own.factor, i);
    sort_column(x, n);
    if (!two_valued(x, n)) {
        f.median = quantile(x, n, 0.5);
        double range = quantile(x, n, 0.75) - quantile(x, n, 0.25);
        f.spread = range > 0 ? range / a->unit : ROOT(a->var[at]);
    }
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        double v = entry(&r, own.rows, own.factor, i);
        if (f.spread > 0) v = asinh_of(v, f.median, f.spread);
        sum += x[i * WARP] = v;
    }
    f.mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++) {
        double off = x[i * WARP] - f.mean;
        squares += off * off;
    }
    f.var = squares / (double)n;
    a->out[at] = f;
}

INLINE void fit(const cuda_fit_args *a, int64_t thread) {
    int64_t warp = thread / WARP, groups = (a->x.count + WARP - 1) / WARP;
    if (warp >= a->warps) return;
    double *x = a->scratch + warp * a->sets.most * WARP + thread % WARP;
    for (int64_t t = warp; t < groups * a->sets.count; t += a->warps) {
        int64_t p = t / a->sets.count * WARP + thread % WARP;
        if (p < a->x.count) fit_column(a, t % a->sets.count, p, x);
    }
}
KERNEL(fit, cuda_fit_args)
