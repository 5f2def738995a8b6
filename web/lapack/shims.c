/* The few routines of BLAS and LAPACK that are Fortran 90 and that f2c does not translate, with the
 * meaning that LAPACK 3.11 gives them; tests/test_shims.c compares them with the system's. A subroutine is
 * void and a name's length comes last, as everywhere in the translation: WebAssembly checks both. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

double dnrm2_(const int32_t *n, const double *x, const int32_t *incx);
void dlassq_(const int32_t *n, const double *x, const int32_t *incx, double *scale, double *sumsq);
void dlartg_(const double *f, const double *g, double *c, double *s, double *r);
double dlamch_(const char *what, int32_t length);
double dlamc3_(const double *a, const double *b);
int32_t disnan_(const double *x);
double droundup_lwork__(const int32_t *lwork);
int32_t idmaxl_(const int32_t *n, const double *x);
void xerbla_(const char *name, const int32_t *info, int32_t length);

/* An element of a vector whose step may be negative: it is then walked from its end. */
static double at(const double *x, int32_t n, int32_t inc, int32_t i) {
    return inc >= 0 ? x[(int64_t)i * inc] : x[(int64_t)(i - n + 1) * inc];
}

/* scale^2 sumsq becomes itself + sum x_i^2, scale the largest magnitude. */
void dlassq_(const int32_t *n, const double *x, const int32_t *incx, double *scale, double *sumsq) {
    if (isnan(*scale) || isnan(*sumsq)) return;
    if (*sumsq == 0) *scale = 1;
    if (*scale == 0) {
        *scale = 1;
        *sumsq = 0;
    }
    double own = *sumsq == 0 ? 0 : *scale, sum = *sumsq;
    for (int32_t i = 0; i < *n; i++) {
        double size = fabs(at(x, *n, *incx, i));
        if (size == 0) continue;
        if (own < size) {
            double ratio = own / size;
            sum = 1 + sum * ratio * ratio;
            own = size;
        } else if (isinf(own)) {
            sum = isnan(size) ? size : 1;
        } else {
            double ratio = size / own;
            sum += ratio * ratio;
        }
    }
    if (own == 0) return;
    *scale = own;
    *sumsq = sum;
}

/* The plain sum where it neither overflows nor loses small squares, else the scaled one. */
double dnrm2_(const int32_t *n, const double *x, const int32_t *incx) {
    static const double LEAST = DBL_MIN / DBL_EPSILON;
    double sum = 0, scale = 0, rest = 0;
    for (int32_t i = 0; i < *n; i++) {
        double v = at(x, *n, *incx, i);
        sum += v * v;
    }
    if (isnan(sum) || (sum >= LEAST && sum <= DBL_MAX)) return sqrt(sum);
    dlassq_(n, x, incx, &scale, &rest);
    return scale * sqrt(rest);
}

/* The rotation that takes (f, g) to (r, 0). */
void dlartg_(const double *f, const double *g, double *c, double *s, double *r) {
    const double tiny = DBL_MIN, huge = 1 / DBL_MIN;
    const double low = sqrt(tiny), high = sqrt(huge / 2);
    double a = *f, b = *g, f1 = fabs(a), g1 = fabs(b);
    if (b == 0) {
        *c = 1;
        *s = 0;
        *r = a;
    } else if (a == 0) {
        *c = 0;
        *s = copysign(1, b);
        *r = g1;
    } else if (f1 > low && f1 < high && g1 > low && g1 < high) {
        double d = sqrt(a * a + b * b);
        *c = f1 / d;
        *r = copysign(d, a);
        *s = b / *r;
    } else {
        double u = fmin(huge, fmax(tiny, fmax(f1, g1))), fs = a / u, gs = b / u;
        double d = sqrt(fs * fs + gs * gs);
        *c = fabs(fs) / d;
        *r = copysign(d, a);
        *s = gs / *r;
        *r *= u;
    }
}

/* Rounding to nearest: eps is half the distance from 1 to the next number. */
double dlamch_(const char *what, int32_t length) {
    (void)length;
    switch (*what & ~0x20) {
    case 'E': return DBL_EPSILON / 2;
    case 'S': return DBL_MIN;
    case 'B': return FLT_RADIX;
    case 'P': return DBL_EPSILON;
    case 'N': return DBL_MANT_DIG;
    case 'R': return 1;
    case 'M': return DBL_MIN_EXP;
    case 'U': return DBL_MIN;
    case 'L': return DBL_MAX_EXP;
    case 'O': return DBL_MAX;
    default: return 0;
    }
}

double dlamc3_(const double *a, const double *b) {
    volatile double sum = *a + *b; /* stored, as the name asks */
    return sum;
}

int32_t disnan_(const double *x) { return isnan(*x); }

double droundup_lwork__(const int32_t *lwork) { return *lwork; }

/* MAXLOC as dpstrf uses it: the first place of the largest, from 1; NaN is never larger. */
int32_t idmaxl_(const int32_t *n, const double *x) {
    int32_t best = 0;
    for (int32_t i = 0; i < *n; i++)
        if (!isnan(x[i]) && (best == 0 || x[i] > x[best - 1])) best = i + 1;
    return best ? best : *n > 0;
}

/* A wrong argument is a bug of the caller, who gets it as the routine's status too. */
void xerbla_(const char *name, const int32_t *info, int32_t length) {
    fprintf(stderr, "%.*s: argument %d is not allowed\n", (int)length, name, (int)*info);
}
