#include "la/kind/asinh_row.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define ASINH_ROOT sqrt
#define ASINH_INLINE static inline __attribute__((always_inline))
#include "la/kind/asinh_formula.h"

static inline __attribute__((always_inline)) void asinh_at(double *x, double median,
                                                           double spread) {
    wide v;
    memcpy(&v, x, sizeof v);
    v = (v - median) / spread;
    asinh_columns(&v);
    memcpy(x, &v, sizeof v);
}

static inline __attribute__((always_inline)) void
block_body(double *x, int64_t rows, const double *median, const double *spread) {
    wide m, s;
    memcpy(&m, median, sizeof m);
    memcpy(&s, spread, sizeof s);
    for (int64_t i = 0; i < rows; i++, x += ASINH_LANES) {
        wide v, y;
        memcpy(&v, x, sizeof v);
        y = (v - m) / s;
        asinh_columns(&y);
        y = SELECT(s > 0, y, v);
        memcpy(x, &y, sizeof y);
    }
}

#define ROW(name, how)                                                                             \
    how static void row_##name(double *x, int64_t count, double median, double spread) {           \
        int64_t i = 0;                                                                             \
        for (; i + ASINH_LANES <= count; i += ASINH_LANES) asinh_at(x + i, median, spread);        \
        if (i == count) return;                                                                    \
        double last[ASINH_LANES] = {0};                                                            \
        memcpy(last, x + i, sizeof *x * (size_t)(count - i));                                      \
        asinh_at(last, median, spread);                                                            \
        memcpy(x + i, last, sizeof *x * (size_t)(count - i));                                      \
    }                                                                                              \
    how static void block_##name(double *x, int64_t rows, const double *median,                    \
                                 const double *spread) {                                           \
        block_body(x, rows, median, spread);                                                       \
    }

ROW(plain, )
#ifdef __x86_64__
ROW(avx2, __attribute__((target("avx2"))))
ROW(avx512, __attribute__((target("avx512f,avx512dq"))))
#endif

const asinh_variant *asinh_variants(void) {
    static const asinh_variant all[] = {
#ifdef __x86_64__
        {row_avx512, block_avx512, "avx512"},
        {row_avx2, block_avx2, "avx2"},
#endif
        {row_plain, block_plain, "plain"},
        {0}};
    return all;
}

bool asinh_supported(const asinh_variant *of) {
#ifdef __x86_64__
    if (of->row == row_avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    if (of->row == row_avx2) return __builtin_cpu_supports("avx2");
#endif
    return of->row != NULL;
}

static const asinh_variant *best(void) {
    const asinh_variant *best = asinh_variants();
    while (!asinh_supported(best)) best++;
    return best;
}

void asinh_row(double *x, int64_t count, double median, double spread) {
    best()->row(x, count, median, spread);
}

void asinh_block(double *x, int64_t rows, const double *median, const double *spread) {
    best()->block(x, rows, median, spread);
}
