#include "la/pass/simd_columns.h"

#include <string.h>

enum { WIDE = 4 };
typedef double four __attribute__((vector_size(8 * WIDE), aligned(8), may_alias));

#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define SHUFFLE(...) __builtin_shufflevector(__VA_ARGS__)
#endif
#endif

#define INLINE static inline __attribute__((always_inline))

/* Four rows of four columns at a time; the next block's columns are prefetched meanwhile. */
INLINE void interleave_body(double *restrict block, const double *const *column, int64_t n,
                            const double *const *next) {
    int64_t i = 0;
#ifdef SHUFFLE
    for (; i + WIDE <= n; i += WIDE)
        for (int k = 0; k < SIMD_COLUMNS; k += WIDE) {
            for (int q = k; next && i % CACHE_LINE_DOUBLES == 0 && q < k + WIDE; q++)
                __builtin_prefetch(next[q] + i);
            four a = *(const four *)(column[k] + i), b = *(const four *)(column[k + 1] + i);
            four c = *(const four *)(column[k + 2] + i), d = *(const four *)(column[k + 3] + i);
            four ab_even = SHUFFLE(a, b, 0, 4, 2, 6), ab_odd = SHUFFLE(a, b, 1, 5, 3, 7);
            four cd_even = SHUFFLE(c, d, 0, 4, 2, 6), cd_odd = SHUFFLE(c, d, 1, 5, 3, 7);
            double *to = block + i * SIMD_COLUMNS + k;
            *(four *)to = SHUFFLE(ab_even, cd_even, 0, 1, 4, 5);
            *(four *)(to + SIMD_COLUMNS) = SHUFFLE(ab_odd, cd_odd, 0, 1, 4, 5);
            *(four *)(to + 2 * SIMD_COLUMNS) = SHUFFLE(ab_even, cd_even, 2, 3, 6, 7);
            *(four *)(to + 3 * SIMD_COLUMNS) = SHUFFLE(ab_odd, cd_odd, 2, 3, 6, 7);
        }
#endif
    for (; i < n; i++)
        for (int k = 0; k < SIMD_COLUMNS; k++) block[i * SIMD_COLUMNS + k] = column[k][i];
}

INLINE void dot_body(const double *restrict block, const int32_t *rows, int64_t n,
                     const double *shift, const double *u, bool squared, double *sum,
                     prefetch_range *ahead) {
    four s[SIMD_COLUMNS / WIDE], offset[SIMD_COLUMNS / WIDE];
    const double *next = ahead->at, *end = ahead->end;
    memcpy(s, sum, sizeof s);
    memcpy(offset, shift, sizeof offset);
    for (int64_t i = 0; i < n; i++) {
        const double *x = block + (rows ? rows[i] : i) * SIMD_COLUMNS;
        four by = {u[i], u[i], u[i], u[i]};
        if (next < end) __builtin_prefetch(next), next += CACHE_LINE_DOUBLES;
        for (int k = 0; k < SIMD_COLUMNS / WIDE; k++) {
            four own = *(const four *)(x + k * WIDE) - offset[k];
            s[k] += squared ? own * own * by : own * by;
        }
    }
    ahead->at = next;
    memcpy(sum, s, sizeof s);
}

/* Two registers of columns at a time: their sums, bounds and counts fill the others. */
enum { HALF = 2 * WIDE };
typedef int64_t mask __attribute__((vector_size(8 * WIDE), aligned(8), may_alias));

#define SELECT(which, yes, no) ((four)(((which) & (mask)(yes)) | (~(which) & (mask)(no))))

INLINE void range_body(const double *restrict block, const int32_t *rows, int64_t n, double *sum,
                       double *low, double *high, double *nonzeros) {
    const double *top = block + (rows ? rows[0] : 0) * SIMD_COLUMNS;
    four s[2] = {0}, least[2], most[2];
    mask count[2] = {0};
    memcpy(least, top, sizeof least);
    memcpy(most, top, sizeof most);
    for (int64_t i = 0; i < n; i++) {
        const double *x = block + (rows ? rows[i] : i) * SIMD_COLUMNS;
        for (int k = 0; k < 2; k++) {
            four v = *(const four *)(x + k * WIDE);
            s[k] += v;
            least[k] = SELECT(v < least[k], v, least[k]);
            most[k] = SELECT(v > most[k], v, most[k]);
            count[k] -= v != 0;
        }
    }
    memcpy(sum, s, sizeof s);
    memcpy(low, least, sizeof least);
    memcpy(high, most, sizeof most);
    for (int k = 0; k < 2; k++)
        for (int w = 0; w < WIDE; w++) nonzeros[k * WIDE + w] = (double)count[k][w];
}

INLINE void deviations_body(const double *restrict block, const int32_t *rows, int64_t n,
                            const double *mean, double *remainder, double *squares) {
    four s[2] = {0}, s2[2] = {0}, centre[2];
    memcpy(centre, mean, sizeof centre);
    for (int64_t i = 0; i < n; i++) {
        const double *x = block + (rows ? rows[i] : i) * SIMD_COLUMNS;
        for (int k = 0; k < 2; k++) {
            four offset = *(const four *)(x + k * WIDE) - centre[k];
            s[k] += offset;
            s2[k] += offset * offset;
        }
    }
    memcpy(remainder, s, sizeof s);
    memcpy(squares, s2, sizeof s2);
}

/* The same operations for every instruction set. No sum runs across SIMD columns, so that the bits
 * are the same in all of them. */
#define INSTANTIATE(name, how)                                                                     \
    how static void interleave_##name(double *block, const double *const *column, int64_t n,       \
                                      const double *const *next) {                                 \
        interleave_body(block, column, n, next);                                                   \
    }                                                                                              \
    how static void dot_##name(const double *block, const int32_t *rows, int64_t n,                \
                               const double *shift, const double *u, double *sum,                  \
                               prefetch_range *ahead) {                                            \
        dot_body(block, rows, n, shift, u, false, sum, ahead);                                     \
    }                                                                                              \
    how static void squares_##name(const double *block, const int32_t *rows, int64_t n,            \
                                   const double *shift, const double *u, double *sum,              \
                                   prefetch_range *ahead) {                                        \
        dot_body(block, rows, n, shift, u, true, sum, ahead);                                      \
    }                                                                                              \
    how static void range_##name(const double *block, const int32_t *rows, int64_t n, double *sum, \
                                 double *low, double *high, double *nonzeros) {                    \
        for (int k = 0; k < SIMD_COLUMNS; k += HALF)                                               \
            range_body(block + k, rows, n, sum + k, low + k, high + k, nonzeros + k);              \
    }                                                                                              \
    how static void deviations_##name(const double *block, const int32_t *rows, int64_t n,         \
                                      const double *mean, double *remainder, double *squares) {    \
        for (int k = 0; k < SIMD_COLUMNS; k += HALF)                                               \
            deviations_body(block + k, rows, n, mean + k, remainder + k, squares + k);             \
    }
INSTANTIATE(plain, )
#ifdef __x86_64__
INSTANTIATE(avx2, __attribute__((target("avx2"))))
#define DISPATCH(name, ...)                                                                        \
    (__builtin_cpu_supports("avx2") ? name##_avx2(__VA_ARGS__) : name##_plain(__VA_ARGS__))
#else
#define DISPATCH(name, ...) name##_plain(__VA_ARGS__)
#endif

void simd_interleave(double *block, const double *const *column, int64_t n,
                     const double *const *next) {
    DISPATCH(interleave, block, column, n, next);
}

void simd_dot(const double *block, const int32_t *rows, int64_t n, const double *shift,
              const double *u, bool squared, double *sum, prefetch_range *ahead) {
    if (squared)
        DISPATCH(squares, block, rows, n, shift, u, sum, ahead);
    else
        DISPATCH(dot, block, rows, n, shift, u, sum, ahead);
}

void simd_range(const double *block, const int32_t *rows, int64_t n, double *sum, double *low,
                double *high, double *nonzeros) {
    DISPATCH(range, block, rows, n, sum, low, high, nonzeros);
}

void simd_deviations(const double *block, const int32_t *rows, int64_t n, const double *mean,
                     double *remainder, double *squares) {
    DISPATCH(deviations, block, rows, n, mean, remainder, squares);
}
