#include "select/platt.h"

#include <math.h>

enum { MAX_STEPS = 100, MAX_HALVINGS = 60 };
static const double TOL = 1e-12; /* of the slope, per unit of weight */
static const double RIDGE =
    1e-12; /* on the curvature, which vanishes for values that are all alike */

/* The problem in units of the values' mean and standard deviation, where Newton's steps are well
 * scaled. */
typedef struct sigmoid {
    int64_t n;
    const double *f, *weight;
    const bool *positive;
    double mean, dev, total, high, low; /* high, low: the smoothed targets */
} sigmoid;

static double weight_of(const sigmoid *s, int64_t i) { return s->weight ? s->weight[i] : 1; }
static double value_of(const sigmoid *s, int64_t i) {
    return s->dev > 0 ? (s->f[i] - s->mean) / s->dev : 0;
}
static double target_of(const sigmoid *s, int64_t i) { return s->positive[i] ? s->high : s->low; }

/* t z + ln(1 + exp(-z)): the cross-entropy of 1 / (1 + exp(z)) and t. */
static double loss(double t, double z) {
    return z >= 0 ? t * z + log1p(exp(-z)) : (t - 1) * z + log1p(exp(z));
}

static double value_at(const sigmoid *s, double a, double b) {
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        sum += weight_of(s, i) * loss(target_of(s, i), a * value_of(s, i) + b);
    return sum;
}

/* g: slopes in a and b; h: curvatures aa, ab, bb. */
static void slopes(const sigmoid *s, double a, double b, double g[2], double h[3]) {
    g[0] = g[1] = h[1] = 0;
    h[0] = h[2] = RIDGE * s->total;
    for (int64_t i = 0; i < s->n; i++) {
        double f = value_of(s, i), w = weight_of(s, i), z = a * f + b;
        double p = z >= 0 ? exp(-z) / (1 + exp(-z)) : 1 / (1 + exp(z));
        double off = w * (target_of(s, i) - p), curve = w * p * (1 - p);
        g[0] += off * f;
        g[1] += off;
        h[0] += curve * f * f;
        h[1] += curve * f;
        h[2] += curve;
    }
}

static void begin(sigmoid *s) {
    double sum = 0, square = 0, count = 0;
    for (int64_t i = 0; i < s->n; i++) {
        s->total += weight_of(s, i);
        sum += weight_of(s, i) * s->f[i];
        if (s->positive[i]) count += weight_of(s, i);
    }
    s->mean = sum / s->total;
    for (int64_t i = 0; i < s->n; i++) {
        double off = s->f[i] - s->mean;
        square += weight_of(s, i) * off * off;
    }
    s->dev = sqrt(square / s->total);
    if (!(s->dev > 1e-14 * fabs(s->mean))) s->dev = 0; /* equal up to rounding */
    s->high = (count + 1) / (count + 2);
    s->low = 1 / (s->total - count + 2);
}

void platt_fit(double *a, double *b, int64_t n, const double *f, const bool *positive,
               const double *weight) {
    sigmoid s = {.n = n, .f = f, .weight = weight, .positive = positive};
    begin(&s);
    double A = 0, B = 0, g[2], h[3], now = value_at(&s, A, B);
    for (int step = 0; step < MAX_STEPS; step++) {
        slopes(&s, A, B, g, h);
        if (!(hypot(g[0], g[1]) > TOL * s.total)) break;
        double det = h[0] * h[2] - h[1] * h[1];
        double da = -(h[2] * g[0] - h[1] * g[1]) / det, db = -(h[0] * g[1] - h[1] * g[0]) / det;
        double fall = g[0] * da + g[1] * db, by = 1, next = now;
        int halvings = 0;
        for (; halvings < MAX_HALVINGS; halvings++, by /= 2) {
            next = value_at(&s, A + by * da, B + by * db);
            if (next <= now + 1e-4 * by * fall) break;
        }
        if (halvings == MAX_HALVINGS) break; /* no step improves but for rounding */
        A += by * da;
        B += by * db;
        now = next;
    }
    *a = s.dev > 0 ? A / s.dev : 0;
    *b = B - *a * s.mean;
}
