#include "solve/kernel/gauss_row.h"

#include <stdbool.h>
#include <string.h>

/*     exp(p) - 1 = 2^k (exp(r) - 1) + (2^k - 1),   p = k ln 2 + r,   |r| <= ln 2 / 2,
 *     exp(r) - 1 = r + r^2 q(r)
 * with a q of degree 9 through Chebyshev nodes, off by 2e-17. Nothing cancels: k is 0 where p is
 * small. */
enum { SIMD_COLUMNS = 8, TERMS = 10 };
typedef double wide __attribute__((vector_size(8 * SIMD_COLUMNS)));
typedef int64_t wide_bits __attribute__((vector_size(8 * SIMD_COLUMNS)));
#define SELECT(mask, a, b) ((wide)(((mask) & (wide_bits)(a)) | (~(mask) & (wide_bits)(b))))

static const double MAX_EXPONENT = 700;
static const double PER_LN2 = 0x1.71547652b82fep+0;
static const double LN2_HIGH = 0x1.62e42fefap-1; /* ends in zeros: its product with k is exact */
static const double LN2_LOW = 0x1.cf79abc9e3b3ap-40;
static const double TO_WHOLE = 0x1.8p52; /* adding it rounds, and leaves k in the last bits */
static const double Q[TERMS] = {
    0.50000000000000011,    0.16666666666666669,    0.041666666666624129,   0.0083333333333300615,
    0.0013888888917213717,  0.00019841269863053618, 2.4801521295954376e-05, 2.7557268459997064e-06,
    2.7620088445409746e-07, 2.510038549551032e-08};

/* How an exponent is computed from a value, and the result from an exponent. */
typedef struct exponent {
    double at, factor;
    bool square, minus_one; /* factor (x - at)^2 instead of factor x; exp - 1 instead of exp */
} exponent;

static inline __attribute__((always_inline)) void raise_columns(wide *v, exponent how) {
    wide most = (wide){0} + MAX_EXPONENT, p = *v;
    if (how.square) {
        p -= how.at;
        p *= how.factor * p;
    } else {
        p *= how.factor;
    }
    p = SELECT(p > most, most, p);
    p = SELECT(p < -most, -most, p);
    wide shifted = p * PER_LN2 + TO_WHOLE, k = shifted - TO_WHOLE;
    wide r = (p - k * LN2_HIGH) - k * LN2_LOW, r2 = r * r, r4 = r2 * r2;
    wide low = (Q[0] + Q[1] * r) + (Q[2] + Q[3] * r) * r2;
    wide high = (Q[4] + Q[5] * r) + (Q[6] + Q[7] * r) * r2;
    wide q = low + (high + (Q[8] + Q[9] * r) * r4) * r4;
    wide scale = (wide)(((wide_bits)shifted + 1023) << 52);
    *v = scale * (r + r2 * q) + (how.minus_one ? scale - 1 : scale);
}

/* Processes the SIMD_COLUMNS numbers from x + i on; the last ones of a row go through a copy that
 * is padded with zeros. */
static inline __attribute__((always_inline)) void raise_at(double *out, const double *x,
                                                           exponent how) {
    wide v;
    memcpy(&v, x, sizeof v);
    raise_columns(&v, how);
    memcpy(out, &v, sizeof v);
}

static inline __attribute__((always_inline)) void raise_row(double *out, const double *x,
                                                            int64_t count, exponent how) {
    int64_t i = 0;
    for (; i + SIMD_COLUMNS <= count; i += SIMD_COLUMNS) raise_at(out + i, x + i, how);
    if (i == count) return;
    double last[SIMD_COLUMNS] = {0};
    memcpy(last, x + i, sizeof *x * (size_t)(count - i));
    raise_at(last, last, how);
    memcpy(out + i, last, sizeof *x * (size_t)(count - i));
}

static inline __attribute__((always_inline)) void dot_at(wide *sum, const double *m,
                                                         const double *x, exponent how) {
    wide v, with;
    memcpy(&v, x, sizeof v);
    memcpy(&with, m, sizeof with);
    raise_columns(&v, how);
    *sum += with * v;
}

static inline __attribute__((always_inline)) double dot_row(const double *m, const double *x,
                                                            int64_t count, exponent how) {
    wide sum = {0};
    int64_t i = 0;
    for (; i + SIMD_COLUMNS <= count; i += SIMD_COLUMNS) dot_at(&sum, m + i, x + i, how);
    if (i < count) {
        double last[SIMD_COLUMNS] = {0}, with[SIMD_COLUMNS] = {0};
        memcpy(last, x + i, sizeof *x * (size_t)(count - i));
        memcpy(with, m + i, sizeof *m * (size_t)(count - i));
        dot_at(&sum, with, last, how);
    }
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

static inline __attribute__((always_inline)) void add_at(double *sum, double w, const double *x,
                                                         exponent how) {
    wide v, to;
    memcpy(&v, x, sizeof v);
    memcpy(&to, sum, sizeof to);
    raise_columns(&v, how);
    to += w * v;
    memcpy(sum, &to, sizeof to);
}

static inline __attribute__((always_inline)) void add_row(double *sum, double w, const double *x,
                                                          int64_t count, exponent how) {
    int64_t i = 0;
    for (; i + SIMD_COLUMNS <= count; i += SIMD_COLUMNS) add_at(sum + i, w, x + i, how);
    if (i == count) return;
    double last[SIMD_COLUMNS] = {0}, to[SIMD_COLUMNS] = {0};
    memcpy(last, x + i, sizeof *x * (size_t)(count - i));
    memcpy(to, sum + i, sizeof *x * (size_t)(count - i));
    add_at(to, w, last, how);
    memcpy(sum + i, to, sizeof *x * (size_t)(count - i));
}

/* The same operations in wider registers, without sums across SIMD columns: the bits are the
 * same. */
#define ROWS(name, target)                                                                         \
    target static void gauss_##name(double *out, const double *x, int64_t count, double at,        \
                                    double gamma) {                                                \
        raise_row(out, x, count, (exponent){at, gamma, true, true});                               \
    }                                                                                              \
    target static double dot_##name(const double *m, const double *x, int64_t count, double at,    \
                                    double gamma) {                                                \
        return dot_row(m, x, count, (exponent){at, gamma, true, true});                            \
    }                                                                                              \
    target static void add_##name(double *sum, double w, const double *x, int64_t count,           \
                                  double at, double gamma) {                                       \
        add_row(sum, w, x, count, (exponent){at, gamma, true, true});                              \
    }                                                                                              \
    target static void exp_##name(double *out, const double *x, int64_t count, double factor) {    \
        raise_row(out, x, count, (exponent){0, factor, false, false});                             \
    }

ROWS(plain, )
#if defined(__x86_64__)
ROWS(avx2, __attribute__((target("avx2"))))
ROWS(avx512, __attribute__((target("avx512f"))))
#define CALL(row, ...)                                                                             \
    (__builtin_cpu_supports("avx512f") ? row##_avx512(__VA_ARGS__)                                 \
     : __builtin_cpu_supports("avx2")  ? row##_avx2(__VA_ARGS__)                                   \
                                       : row##_plain(__VA_ARGS__))
#else
#define CALL(row, ...) row##_plain(__VA_ARGS__)
#endif

void gauss_row(double *out, const double *x, int64_t count, double at, double gamma) {
    CALL(gauss, out, x, count, at, gamma);
}

double gauss_row_dot(const double *m, const double *x, int64_t count, double at, double gamma) {
    return CALL(dot, m, x, count, at, gamma);
}

void gauss_row_add(double *sum, double w, const double *x, int64_t count, double at, double gamma) {
    CALL(add, sum, w, x, count, at, gamma);
}

void kernel_row(double *out, const double *x, int64_t count, double at, kernel_kind kind,
                double gamma) {
    if (kind == KERNEL_RBF) {
        gauss_row(out, x, count, at, gamma);
        return;
    }
    for (int64_t i = 0; i < count; i++) out[i] = x[i] == at ? 0 : -1;
}

void exp_row(double *out, const double *x, int64_t count, double factor) {
    CALL(exp, out, x, count, factor);
}
