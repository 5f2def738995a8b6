/* The incomplete beta and gamma functions by continued fractions and a series. Their common factor
 * is a binomial or Poisson probability, computed by its deviance (C. Loader. Fast and accurate
 * computation of binomial probabilities, 2000): differences of log-gamma functions would lose
 * digits. */
#include "base/p_values.h"

#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "base/order.h"

enum { TERMS = 100000 };
static const double TWO_PI = 6.283185307179586477, TINY = 1e-300, ENOUGH = 1e-16;

/* ln Gamma(n + 1) less Stirling's (n + 1/2) ln n - n + ln sqrt(2 pi). */
static double stirling_error(double n) {
    double m = n, product = 1;
    while (m < 15) product *= ++m;
    double square = m * m;
    double series =
        (1.0 / 12 -
         (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1 / (1188 * square)) / square) / square) /
             square) /
        m;
    if (m == n) return series;
    return series - log(product) + (m + 0.5) * log(m) - (n + 0.5) * log(n) - (m - n);
}

/* x ln(x / mean) + mean - x, also where the two are close. */
static double deviance(double x, double mean) {
    if (fabs(x - mean) >= 0.1 * (x + mean)) return x * log(x / mean) + mean - x;
    double v = (x - mean) / (x + mean), sum = (x - mean) * v, term = 2 * x * v;
    for (int j = 1; j < 1000; j++) {
        term *= v * v;
        double next = sum + term / (2 * j + 1);
        if (next == sum) break;
        sum = next;
    }
    return sum;
}

/* The continued fraction of I_x(a, b), by Lentz's method: its terms are
 * d_2m = m (b-m) x / ((a+2m-1)(a+2m)), d_2m+1 = -(a+m)(a+b+m) x / ((a+2m)(a+2m+1)). */
static double beta_fraction(double a, double b, double x) {
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < TINY ? TINY : d);
    double value = d;
    for (int m = 1; m < TERMS; m++) {
        for (int odd = 0; odd < 2; odd++) {
            double term = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                              : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < TINY ? TINY : d);
            if (fabs(c) < TINY) c = TINY;
            value *= c * d;
        }
        if (fabs(c * d - 1) <= DBL_EPSILON) break;
    }
    return value;
}

/* I_x(a, b), y = 1 - x: both are given, as one of them may be far below a rounding of the other. */
static double incomplete_beta(double a, double b, double x, double y) {
    if (!(x > 0)) return 0;
    if (!(y > 0)) return 1;
    double n = a + b;
    double front = exp(stirling_error(n) - stirling_error(a) - stirling_error(b) -
                       deviance(a, n * x) - deviance(b, n * y)) *
                   sqrt(a * b / (TWO_PI * n));
    if (x < (a + 1) / (n + 2)) return fmin(1, front * beta_fraction(a, b, x) / a);
    return fmax(0, 1 - front * beta_fraction(b, a, y) / b);
}

double student_two_sided(double t, double df) {
    double ratio = t * t / df;
    if (isnan(t) || !(df > 0)) return NAN;
    if (!(ratio < DBL_MAX)) return 0;
    return incomplete_beta(df / 2, 0.5, 1 / (1 + ratio), ratio / (1 + ratio));
}

double fisher_p_value(double f, double above, double below) {
    double ratio = above / below * f;
    if (isnan(f) || !(above > 0) || !(below > 0)) return NAN;
    if (!(f > 0)) return 1;
    if (!(ratio < DBL_MAX)) return 0;
    return incomplete_beta(below / 2, above / 2, 1 / (1 + ratio), ratio / (1 + ratio));
}

/* The lower tail over x^a e^-x / Gamma(a + 1). */
static double gamma_series(double a, double x) {
    double term = 1, sum = 1;
    for (int k = 1; k < TERMS && term > ENOUGH * sum; k++) {
        term *= x / (a + k);
        sum += term;
    }
    return sum;
}

/* The upper tail over x^a e^-x / Gamma(a), by Lentz's method. */
static double gamma_fraction(double a, double x) {
    double b = x + 1 - a, c = 1 / TINY, d = 1 / (fabs(b) < TINY ? TINY : b), value = d;
    for (int k = 1; k < TERMS; k++) {
        double term = k * (a - k);
        b += 2;
        d = term * d + b;
        d = 1 / (fabs(d) < TINY ? TINY : d);
        c = b + term / c;
        if (fabs(c) < TINY) c = TINY;
        value *= c * d;
        if (fabs(c * d - 1) <= DBL_EPSILON) break;
    }
    return value;
}

double chi2_p_value(double chi2, double df) {
    double a = df / 2, x = chi2 / 2;
    if (isnan(chi2) || !(df > 0)) return NAN;
    if (!(x > 0)) return 1;
    if (!(x < DBL_MAX / 4)) return 0;
    double front = exp(-stirling_error(a) - deviance(a, x)) / sqrt(TWO_PI * a);
    if (x < a + 1) return fmax(0, 1 - front * gamma_series(a, x));
    return fmin(1, front * a * gamma_fraction(a, x));
}

bool false_discovery(double *q, const double *p, int64_t d, const pare_allocator *mem) {
    ranked *by_p = mem_alloc(mem, d, sizeof *by_p);
    double least = 1;
    if (!by_p) return false;
    for (int64_t j = 0; j < d; j++) by_p[j] = (ranked){p[j], j};
    sort_least_first(by_p, d);
    for (int64_t i = d - 1; i >= 0; i--) {
        least = fmin(least, by_p[i].key * ((double)d / (double)(i + 1)));
        q[by_p[i].index] = least;
    }
    mem_free(mem, by_p);
    return true;
}
