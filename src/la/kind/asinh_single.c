#include "la/kind/asinh_single.h"

#include <math.h>
#include <string.h>

/* asinh(x) = ln(|x| + sqrt(1 + x^2)) with the sign of x. With the argument of ln as 2^k (1 + f),
 *     ln(1 + f) = f - f^2/2 + f^3 P(f),
 * P of degree 8 as in Cephes (S. L. Moshier, logf). Only operations that are rounded correctly: the
 * same bits for every instruction set. */
enum { LANES = 16, DEGREE = 8 };
typedef float wide __attribute__((vector_size(4 * LANES)));
typedef int32_t wide_bits __attribute__((vector_size(4 * LANES)));

static const float LARGEST = 0x1p60f; /* its square is far from infinite */
static const float LN2_HIGH = 0.693359375f, LN2_LOW = -2.12194440e-4f;
static const float P[DEGREE + 1] = {3.3333331174e-1f,  -2.4999993993e-1f, 2.0000714765e-1f,
                                    -1.6668057665e-1f, 1.4249322787e-1f,  -1.2420140846e-1f,
                                    1.1676998740e-1f,  -1.1514610310e-1f, 7.0376836292e-2f};
static const int32_t ONE = 0x3f800000, ROOT_HALF = 0x3f3504f3; /* the bits of 1 and sqrt(1/2) */

#define INLINE static inline __attribute__((always_inline))

/* Of numbers from 1 on. */
INLINE void logarithm(wide *a) {
    wide_bits bits = (wide_bits)*a, power = ((bits + (ONE - ROOT_HALF)) >> 23) - 127;
    wide f = (wide)(bits - (power << 23)) - 1, z = f * f, y = (wide){0} + P[DEGREE];
    wide k = __builtin_convertvector(power, wide);
    for (int e = DEGREE - 1; e >= 0; e--) y = y * f + P[e];
    *a = (f + (f * z * y + k * LN2_LOW - 0.5f * z)) + k * LN2_HIGH;
}

INLINE void asinh_columns(wide *x, wide_bits *too_large) {
    wide_bits sign = (wide_bits)*x & INT32_MIN;
    wide u = (wide)((wide_bits)*x & INT32_MAX), length = u * u + 1;
    *too_large |= ~(wide_bits)(u < LARGEST);
    for (int i = 0; i < LANES; i++) length[i] = sqrtf(length[i]);
    u += length;
    logarithm(&u);
    *x = (wide)((wide_bits)u | sign);
}

INLINE bool row_body(float *x, int64_t count, float shift, float scale) {
    wide_bits too_large = {0};
    int32_t any = 0;
    for (int64_t i = 0; i < count; i += LANES) {
        size_t bytes = sizeof *x * (size_t)(count - i < LANES ? count - i : LANES);
        wide v = {0};
        if (bytes == sizeof v)
            memcpy(&v, x + i, sizeof v);
        else
            memcpy(&v, x + i, bytes);
        asinh_columns(&v, &too_large);
        v = (v - shift) * scale;
        if (bytes == sizeof v)
            memcpy(x + i, &v, sizeof v);
        else
            memcpy(x + i, &v, bytes);
    }
    for (int i = 0; i < LANES; i++) any |= too_large[i];
    return !any;
}

#define ROW(name, how)                                                                             \
    how static bool row_##name(float *x, int64_t count, float shift, float scale) {                \
        return row_body(x, count, shift, scale);                                                   \
    }

ROW(plain, )
#ifdef __x86_64__
ROW(avx2, __attribute__((target("avx2"))))
ROW(avx512, __attribute__((target("avx512f,avx512dq"))))
#endif

const asinh_single_variant *asinh_single_variants(void) {
    static const asinh_single_variant all[] = {
#ifdef __x86_64__
        {row_avx512, "avx512"},
        {row_avx2, "avx2"},
#endif
        {row_plain, "plain"},
        {0}};
    return all;
}

bool asinh_single_supported(const asinh_single_variant *of) {
#ifdef __x86_64__
    if (of->row == row_avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    if (of->row == row_avx2) return __builtin_cpu_supports("avx2");
#endif
    return of->row != NULL;
}

bool asinh_single(float *x, int64_t count, float shift, float scale) {
    const asinh_single_variant *best = asinh_single_variants();
    while (!asinh_single_supported(best)) best++;
    return best->row(x, count, shift, scale);
}
