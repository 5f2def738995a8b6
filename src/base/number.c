/* Decimal text to the nearest double and back.
 *
 * Three ways to parse, each exact where it applies. Up to 53 bits of digits and a power of ten up
 * to 10^22: both are doubles, and one division or multiplication rounds once (Clinger). Up to 19
 * digits: a 64 x 128 bit product with 5^q decides the rounding (Eisel and Lemire; Mushtak and
 * Lemire prove that it never needs help). More digits: the 19-digit prefix and its successor
 * bracket the value; where they round differently, long division of big integers decides. */
#include "base/number.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    MIN_POWER = -342, /* 2^64 * 10^-343 rounds to zero */
    MAX_POWER = 308,  /* 10^309 is infinite */
    WORD_DIGITS = 19, /* decimal digits that always fit in 64 bits */
    MAX_DIGITS = 768  /* no halfway point between two doubles has more significant digits */
};

static const uint64_t pow5[MAX_POWER - MIN_POWER + 1][2] = {
#include "base/pow5.inc"
};

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

static double make_double(uint64_t mantissa, int64_t biased_exponent) {
    uint64_t bits = (mantissa & 0xfffffffffffffu) | ((uint64_t)biased_exponent << 52);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- 19 digits ------------------------------------------------------------------------------- */

static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low) {
    uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    uint64_t middle = (p00 >> 32) + (p01 & 0xffffffffu) + (p10 & 0xffffffffu);
    *low = (middle << 32) | (p00 & 0xffffffffu);
    return p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
}

/* w * 10^q, correctly rounded; w > 0. */
static double from_word(uint64_t w, int64_t q) {
    if (q < MIN_POWER) return 0;
    if (q > MAX_POWER) return INFINITY;
    const uint64_t *power = pow5[q - MIN_POWER];
    int shift = __builtin_clzll(w);
    w <<= shift;
    uint64_t low, high = multiply(w, power[0], &low);
    if ((high & 0x1ff) == 0x1ff) { /* the bits below the mantissa may still carry */
        uint64_t rest, second = multiply(w, power[1], &rest);
        low += second;
        high += low < second;
    }
    int top = (int)(high >> 63);
    uint64_t mantissa = high >> (top + 9); /* 53 bits and one to round by */
    /* floor(log2 10^q) by a fixed-point logarithm, then biased */
    int64_t exponent = ((217706 * q) >> 16) + 63 + top - shift + 1023;
    if (exponent <= 0) { /* subnormal; exact ties do not occur here */
        if (exponent <= -63) return 0;
        mantissa >>= 1 - exponent;
        mantissa = (mantissa + 1) >> 1;
        return make_double(mantissa, (int64_t)(mantissa >> 52));
    }
    /* An exact tie needs 5^|q| to fit with the mantissa: q in [-4, 23]. */
    bool tie =
        low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << (top + 9) == high;
    mantissa = tie ? mantissa >> 1 : (mantissa + 1) >> 1;
    if (mantissa >> 53) {
        mantissa >>= 1;
        exponent++;
    }
    return exponent >= 0x7ff ? INFINITY : make_double(mantissa, exponent);
}

/* ---- any number of digits -------------------------------------------------------------------- */

enum { LIMBS = 128 }; /* 10^1110 has 3688 bits */
typedef struct big {
    int count; /* limbs in use, least significant first; no leading zero */
    uint32_t limb[LIMBS];
} big;

static void big_multiply_add(big *a, uint32_t factor, uint32_t term) {
    uint64_t carry = term;
    for (int i = 0; i < a->count; i++) {
        carry += (uint64_t)a->limb[i] * factor;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) a->limb[a->count++] = (uint32_t)carry;
}

static void big_power(big *a, int64_t q) { /* a * 10^q */
    for (; q >= 9; q -= 9) big_multiply_add(a, 1000000000u, 0);
    for (; q > 0; q--) big_multiply_add(a, 10, 0);
}

static int big_bits(const big *a) { return 32 * a->count - __builtin_clz(a->limb[a->count - 1]); }

static void big_double(big *a, int times) {
    for (; times >= 16; times -= 16) big_multiply_add(a, 1u << 16, 0);
    if (times) big_multiply_add(a, 1u << times, 0);
}

static int big_compare(const big *a, const big *b) {
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static void big_subtract(big *a, const big *b) { /* a >= b */
    uint64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        uint64_t take = borrow + (i < b->count ? b->limb[i] : 0);
        borrow = a->limb[i] < take;
        a->limb[i] = (uint32_t)(a->limb[i] - take);
    }
    while (a->count && a->limb[a->count - 1] == 0) a->count--;
}

/* The digits in [p, end), a point among them ignored, times 10^q; the first one is not zero. */
static double from_digits(const char *p, const char *end, int64_t q) {
    big numerator = {0}, denominator = {1, {1}};
    int64_t used = 0;
    bool rest = false;
    for (; p < end; p++) {
        if (*p == '.') continue;
        if (used < MAX_DIGITS) {
            big_multiply_add(&numerator, 10, (uint32_t)(*p - '0'));
            used++;
        } else { /* all that matters is whether something follows */
            rest |= *p != '0';
            q++;
        }
    }
    if (rest) {
        big_multiply_add(&numerator, 10, 1);
        used++;
        q--;
    }
    if (used + q > 310) return INFINITY;
    if (used + q < -325) return 0;
    big_power(q > 0 ? &numerator : &denominator, q > 0 ? q : -q);
    int exponent = big_bits(&numerator) - big_bits(&denominator);
    if (exponent > 0) big_double(&denominator, exponent);
    if (exponent < 0) big_double(&numerator, -exponent);
    if (big_compare(&numerator, &denominator) < 0) {
        big_double(&numerator, 1);
        exponent--;
    }
    /* 1 <= numerator / denominator < 2: bits by long division, the remainder rounds them. */
    int bits = exponent >= -1022 ? 53 : 53 + 1022 + exponent;
    if (bits < 0) return 0;
    uint64_t mantissa = 0;
    for (int i = 0; i < bits; i++) {
        mantissa <<= 1;
        if (big_compare(&numerator, &denominator) >= 0) {
            big_subtract(&numerator, &denominator);
            mantissa |= 1;
        }
        big_double(&numerator, 1);
    }
    int order = big_compare(&numerator, &denominator);
    mantissa += order > 0 || (order == 0 && (mantissa & 1));
    if (exponent < -1022) return make_double(mantissa, (int64_t)(mantissa >> 52));
    if (mantissa >> 53) {
        mantissa >>= 1;
        exponent++;
    }
    return exponent > 1023 ? INFINITY : make_double(mantissa, exponent + 1023);
}

/* ---- text ------------------------------------------------------------------------------------ */

static inline const char *take_digits(const char *p, const char *end, uint64_t *w) {
    uint64_t value = *w;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static const uint32_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    while (end - p >= 8) { /* up to eight at a time: pairs, fours, eights within one word */
        uint64_t c;
        memcpy(&c, p, sizeof c);
        c ^= 0x3030303030303030u; /* digits become 0 .. 9 */
        /* The high bit of each byte above 9; a carry only spoils bytes behind the first of them. */
        uint64_t other = ((c + 0x7676767676767676u) | c) & 0x8080808080808080u;
        if (other & 0x80) break;
        int count = other ? __builtin_ctzll(other) >> 3 : 8;
        c <<= 64 - 8 * count; /* zeros in front */
        c = c * 10 + (c >> 8);
        c = ((c & 0x000000ff000000ffu) * 0x000f424000000064u +
             ((c >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u) >>
            32;
        value = value * power[count] + c;
        p += count;
        if (count < 8) {
            *w = value;
            return p;
        }
    }
#else
    (void)end;
#endif
    for (; is_digit(*p); p++) value = value * 10 + (uint64_t)(*p - '0');
    *w = value;
    return p;
}

/* The exponent behind "e" at p, if there is one whole; saturates far beyond any double. */
static const char *take_exponent(const char *p, int64_t *exponent) {
    const char *q = p + 1;
    bool negative = *q == '-';
    if (*q == '-' || *q == '+') q++;
    if (!is_digit(*q)) return p;
    int64_t value = 0;
    for (; is_digit(*q); q++)
        if (value < INT64_MAX / 1000) value = value * 10 + (*q - '0');
    *exponent += negative ? -value : value;
    return q;
}

const char *number_parse(const char *p, const char *end, double *out) {
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    /* No branches on the sign: in data it is nearly random. */
    static const double sign[] = {1, -1};
    bool negative = *p == '-';
    p += negative | (*p == '+');
    const char *start = p;
    uint64_t w = 0;
    int64_t q = 0;
    for (; is_digit(*p); p++) w = w * 10 + (uint64_t)(*p - '0'); /* few, as a rule */
    int64_t count = p - start;
    if (*p == '.') {
        const char *fraction = ++p;
        p = take_digits(p, end, &w);
        q = fraction - p;
        count += p - fraction;
    }
    if (count == 0) return NULL;
    const char *stop = p;
    if (*p == 'e' || *p == 'E') p = take_exponent(p, &q);

    double value;
    if (count > WORD_DIGITS) { /* leading zeros do not count; further digits overran w */
        for (; start < stop && (*start == '0' || *start == '.'); start++) count -= *start == '0';
    }
    if (count > WORD_DIGITS) {
        w = 0;
        const char *s = start;
        for (int taken = 0; taken < WORD_DIGITS; s++)
            if (*s != '.') {
                w = w * 10 + (uint64_t)(*s - '0');
                taken++;
            }
        int64_t short_q = q + count - WORD_DIGITS;
        value = from_word(w, short_q);
        if (value != from_word(w + 1, short_q)) value = from_digits(start, stop, q);
    } else if (w == 0) {
        value = 0;
    } else if (w <= (uint64_t)1 << 53 && q >= -22 && q <= 22) {
        value = q < 0 ? (double)w / exact[-q] : (double)w * exact[q];
    } else {
        value = from_word(w, q);
    }
    *out = value * sign[negative];
    return p;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool number_parse_all(const char *text, double *out) {
    while (is_blank(*text)) text++;
    const char *p = number_parse(text, text + strlen(text), out);
    if (!p) return false;
    while (is_blank(*p)) p++;
    return *p == '\0';
}

bool integer_parse_all(const char *text, int64_t *out) {
    while (is_blank(*text)) text++;
    bool negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    if (!is_digit(*text)) return false;
    int64_t value = 0; /* kept negative: the negative range is the larger one */
    for (; is_digit(*text); text++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, *text - '0', &value))
            return false;
    if (!negative && __builtin_sub_overflow((int64_t)0, value, &value)) return false;
    while (is_blank(*text)) text++;
    *out = value;
    return *text == '\0';
}

/* A locale may have another decimal point, even of several bytes. */
static int fix_point(char *text) {
    char *to = text;
    for (const char *p = text; *p; p++) {
        if (is_digit(*p) || *p == '-' || *p == '+' || *p == 'e')
            *to++ = *p;
        else if (to == text || to[-1] != '.')
            *to++ = '.';
    }
    *to = '\0';
    return (int)(to - text);
}

int number_format(double value, char buffer[32]) {
    if (isnan(value)) return snprintf(buffer, 32, "nan");
    if (isinf(value)) return snprintf(buffer, 32, value < 0 ? "-inf" : "inf");
    if (fabs(value) < 1e15 && value == (double)(int64_t)value)
        return snprintf(buffer, 32, "%s%lld", signbit(value) ? "-" : "", (long long)fabs(value));
    /* Every decimal of 15 digits survives a normal double; subnormals may need fewer. */
    for (int digits = fabs(value) < 0x1p-1022 ? 1 : 15;; digits++) {
        char text[64];
        snprintf(text, sizeof text, "%.*g", digits, value);
        int length = fix_point(text);
        double back = 0;
        if (digits == 17 || (number_parse(text, text + length, &back) && back == value)) {
            memcpy(buffer, text, (size_t)length + 1); /* at most -d.(16 digits)e-ddd: 24 */
            return length;
        }
    }
}
