#include "la/pass/simd_columns.h"

#include <string.h>

enum { WIDE = 4 };
typedef double four __attribute__((vector_size(8 * WIDE), aligned(8), may_alias));

#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define MIX(...) __builtin_shufflevector(__VA_ARGS__)
#endif
#endif

#define INLINE static inline __attribute__((always_inline))

/* Four rows of four columns at a time; what comes next is on its way by the time it is asked for. */
INLINE void set_body(double *restrict block, const double *const *column, int64_t n,
                     const double *const *next) {
    int64_t i = 0;
#ifdef MIX
    for (; i + WIDE <= n; i += WIDE)
        for (int k = 0; k < SIMD_COLUMNS; k += WIDE) {
            for (int q = k; next && i % CACHE_LINE_DOUBLES == 0 && q < k + WIDE; q++)
                __builtin_prefetch(next[q] + i);
            four a = *(const four *)(column[k] + i), b = *(const four *)(column[k + 1] + i);
            four c = *(const four *)(column[k + 2] + i), d = *(const four *)(column[k + 3] + i);
            four ab_even = MIX(a, b, 0, 4, 2, 6), ab_odd = MIX(a, b, 1, 5, 3, 7);
            four cd_even = MIX(c, d, 0, 4, 2, 6), cd_odd = MIX(c, d, 1, 5, 3, 7);
            double *to = block + i * SIMD_COLUMNS + k;
            *(four *)to = MIX(ab_even, cd_even, 0, 1, 4, 5);
            *(four *)(to + SIMD_COLUMNS) = MIX(ab_odd, cd_odd, 0, 1, 4, 5);
            *(four *)(to + 2 * SIMD_COLUMNS) = MIX(ab_even, cd_even, 2, 3, 6, 7);
            *(four *)(to + 3 * SIMD_COLUMNS) = MIX(ab_odd, cd_odd, 2, 3, 6, 7);
        }
#endif
    for (; i < n; i++)
        for (int k = 0; k < SIMD_COLUMNS; k++) block[i * SIMD_COLUMNS + k] = column[k][i];
}

INLINE void dot_body(const double *restrict block, const int32_t *rows, int64_t n,
                     const double *shift, const double *u, bool squared, double *sum,
                     prefetch_range *ahead) {
    four s[SIMD_COLUMNS / WIDE], away[SIMD_COLUMNS / WIDE];
    const double *next = ahead->at, *end = ahead->end;
    memcpy(s, sum, sizeof s);
    memcpy(away, shift, sizeof away);
    for (int64_t i = 0; i < n; i++) {
        const double *x = block + (rows ? rows[i] : i) * SIMD_COLUMNS;
        four by = {u[i], u[i], u[i], u[i]};
        if (next < end) __builtin_prefetch(next), next += CACHE_LINE_DOUBLES;
        for (int k = 0; k < SIMD_COLUMNS / WIDE; k++) {
            four own = *(const four *)(x + k * WIDE) - away[k];
            s[k] += squared ? own * own * by : own * by;
        }
    }
    ahead->at = next;
    memcpy(sum, s, sizeof s);
}

/* Two registers' worth of lanes at a time: there are not more for all that is kept of them. */
enum { HALF = 2 * WIDE };
typedef int64_t mask __attribute__((vector_size(8 * WIDE), aligned(8), may_alias));

#define CHOOSE(which, yes, no) ((four)(((which) & (mask)(yes)) | (~(which) & (mask)(no))))

INLINE void look_body(const double *restrict block, const int32_t *rows, int64_t n, double *sum,
                      double *low, double *high, double *some) {
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
            least[k] = CHOOSE(v < least[k], v, least[k]);
            most[k] = CHOOSE(v > most[k], v, most[k]);
            count[k] -= v != 0;
        }
    }
    memcpy(sum, s, sizeof s);
    memcpy(low, least, sizeof least);
    memcpy(high, most, sizeof most);
    for (int k = 0; k < 2; k++)
        for (int w = 0; w < WIDE; w++) some[k * WIDE + w] = (double)count[k][w];
}

INLINE void spread_body(const double *restrict block, const int32_t *rows, int64_t n,
                        const double *mean, double *left, double *squares) {
    four s[2] = {0}, s2[2] = {0}, about[2];
    memcpy(about, mean, sizeof about);
    for (int64_t i = 0; i < n; i++) {
        const double *x = block + (rows ? rows[i] : i) * SIMD_COLUMNS;
        for (int k = 0; k < 2; k++) {
            four away = *(const four *)(x + k * WIDE) - about[k];
            s[k] += away;
            s2[k] += away * away;
        }
    }
    memcpy(left, s, sizeof s);
    memcpy(squares, s2, sizeof s2);
}

/* The same operations in whatever registers there are, lane by lane: the results do not differ in a bit. */
#define ALL(name, how)                                                                             \
    how static void set_##name(double *block, const double *const *column, int64_t n,              \
                               const double *const *next) {                                        \
        set_body(block, column, n, next);                                                          \
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
    how static void look_##name(const double *block, const int32_t *rows, int64_t n, double *sum,  \
                                double *low, double *high, double *some) {                         \
        for (int k = 0; k < SIMD_COLUMNS; k += HALF)                                               \
            look_body(block + k, rows, n, sum + k, low + k, high + k, some + k);                   \
    }                                                                                              \
    how static void spread_##name(const double *block, const int32_t *rows, int64_t n,             \
                                  const double *mean, double *left, double *squares) {             \
        for (int k = 0; k < SIMD_COLUMNS; k += HALF)                                               \
            spread_body(block + k, rows, n, mean + k, left + k, squares + k);                      \
    }
ALL(plain, )
#ifdef __x86_64__
ALL(avx2, __attribute__((target("avx2"))))
#define PICK(name, ...)                                                                            \
    (__builtin_cpu_supports("avx2") ? name##_avx2(__VA_ARGS__) : name##_plain(__VA_ARGS__))
#else
#define PICK(name, ...) name##_plain(__VA_ARGS__)
#endif

void simd_interleave(double *block, const double *const *column, int64_t n,
                     const double *const *next) {
    PICK(set, block, column, n, next);
}

void simd_dot(const double *block, const int32_t *rows, int64_t n, const double *shift,
              const double *u, bool squared, double *sum, prefetch_range *ahead) {
    if (squared)
        PICK(squares, block, rows, n, shift, u, sum, ahead);
    else
        PICK(dot, block, rows, n, shift, u, sum, ahead);
}

void simd_range(const double *block, const int32_t *rows, int64_t n, double *sum, double *low,
                double *high, double *some) {
    PICK(look, block, rows, n, sum, low, high, some);
}

void simd_deviations(const double *block, const int32_t *rows, int64_t n, const double *mean,
                     double *left, double *squares) {
    PICK(spread, block, rows, n, mean, left, squares);
}
