/* asinh of ASINH_LANES numbers at a time, for the processor (asinh_row.c) and for a device
 * (cuda/cuda_kernels.cu). ASINH_INLINE and ASINH_ROOT: how its functions are declared, and the square
 * root. Included once per file. */
#ifndef PARE_LA_ASINH_FORMULA_H
#define PARE_LA_ASINH_FORMULA_H

#include <stdint.h>

/* With u = |x|, asinh(x) = ln(1 + t) with the sign of x,
 *     t = u + u^2 / (1 + sqrt(1 + u^2)),
 * and with 1 + t = v + c, v rounded and c exactly the rest, v = 2^k (1 + f),
 *     ln(1 + t) = k ln 2 + ln(1 + f) + c / v,   ln(1 + f) = f - f^2/2 + s (f^2/2 + z L(z)),
 *     s = f / (2 + f),   z = s^2,   z L(z) = (2 atanh(s) - 2 s) / s
 * with an L of degree 6 through Chebyshev nodes, off by 5e-18. From 2^28 on asinh(x) is ln u + ln 2.
 * Only operations that are rounded correctly: the same bits for every instruction set. */
enum { TERMS = 7 };
typedef double wide __attribute__((vector_size(8 * ASINH_LANES)));
typedef uint64_t wide_bits __attribute__((vector_size(8 * ASINH_LANES)));
#define SELECT(mask, a, b)                                                                         \
    ((wide)(((wide_bits)(mask) & (wide_bits)(a)) | (~(wide_bits)(mask) & (wide_bits)(b))))

static const double LARGE = 0x1p28;
static const double LN2_HIGH = 0x1.62e42fefap-1; /* ends in zeros: its product with k is exact */
static const double LN2_LOW = 0x1.cf79abc9e3b3ap-40;
static const double L[TERMS] = {0x1.5555555555558p-1, 0x1.99999999952d7p-2, 0x1.2492492df281ap-2,
                                0x1.c71c62e3f11e6p-3, 0x1.7462b51cb66b1p-3, 0x1.39fe51a7c18f9p-3,
                                0x1.2b5900de53b32p-3};
static const uint64_t SIGN = UINT64_C(1) << 63;
static const uint64_t ONE = UINT64_C(0x3ff0000000000000); /* the bits of 1 */
static const uint64_t ROOT_HALF =
    UINT64_C(0x3fe6a09e667f3bcd); /* of sqrt(1/2), where 1 + f begins */
static const uint64_t TO_WHOLE = UINT64_C(0x4330000000000000); /* of 2^52: k in its last bits */

ASINH_INLINE void root(wide *x) {
    for (int i = 0; i < ASINH_LANES; i++) (*x)[i] = ASINH_ROOT((*x)[i]);
}

ASINH_INLINE void asinh_columns(wide *x) {
    wide_bits sign = (wide_bits)*x & SIGN;
    wide u = (wide)((wide_bits)*x & ~SIGN);
    wide_bits large = (wide_bits)(u > LARGE);
    wide square = u * u, length = 1 + square;
    root(&length);
    wide t = u + square / (1 + length);
    wide v = 1 + t, t_in_v = v - 1, c = (1 - (v - t_in_v)) + (t - t_in_v);
    v = SELECT(large, u, v);
    c = SELECT(large, (wide){0}, c);
    wide_bits bits = (wide_bits)v + (ONE - ROOT_HALF), power = bits >> 52;
    wide k = (wide)((power - 1023 + (large & 1)) | TO_WHOLE) - (wide)((wide_bits){0} + TO_WHOLE);
    wide f = (wide)((wide_bits)v - ((power - 1023) << 52)) - 1;
    wide s = f / (2 + f), z = s * s, z2 = z * z, half = 0.5 * f * f;
    wide odd = L[1] + z2 * (L[3] + z2 * L[5]), even = L[0] + z2 * (L[2] + z2 * (L[4] + z2 * L[6]));
    wide rest = s * (half + z * (even + z * odd)) + (k * LN2_LOW + c / v);
    wide y = k * LN2_HIGH - ((half - rest) - f);
    y = SELECT(u < (wide){0} + INFINITY, y, u); /* infinite and missing ones stay */
    *x = (wide)((wide_bits)y | sign);
}

#endif
