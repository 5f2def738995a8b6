#include "select/temperature.h"

#include <math.h>

/* The problem in s = unit / T: convex in s, with the slope
 *   sum_i w_i sum_k (p_ik(s) - t_ik) h_ik,   h = (f - ln prior) / unit,
 * where unit is the largest difference between two classes' f - ln prior. */
typedef struct tempering {
    int64_t n, c;
    const double *F, *log_prior, *weight;
    const int32_t *cls;
    double unit, own, other; /* own, other: the smoothed targets */
} tempering;

enum { MAX_STEPS = 200 };
static const double TOL = 1e-12;
static const double FLATTEST = 1e-6; /* s at which nothing but the prior is left */

static double value_of(const tempering *t, int64_t i, int64_t k) {
    double f = t->c == 2 ? (k == 1 ? t->F[i] : 0) : t->F[k * t->n + i];
    return (f - t->log_prior[k]) / t->unit;
}

/* The slope in s; *curve: the curvature, the variance of h under p. */
static double slope(const tempering *t, double s, double *curve) {
    double all = 0;
    *curve = 0;
    for (int64_t i = 0; i < t->n; i++) {
        double most = -INFINITY, total = 0, mean = 0, square = 0, target = 0;
        double first = value_of(t, i, 0), w = t->weight ? t->weight[i] : 1;
        for (int64_t k = 0; k < t->c; k++)
            most = fmax(most, t->log_prior[k] + s * (value_of(t, i, k) - first));
        for (int64_t k = 0; k < t->c; k++) {
            double h = value_of(t, i, k) - first;
            double p = exp(t->log_prior[k] + s * h - most);
            total += p;
            mean += p * h;
            square += p * h * h;
            target += (k == t->cls[i] ? t->own : t->other) * h;
        }
        mean /= total;
        all += w * (mean - target);
        *curve += w * fmax(square / total - mean * mean, 0);
    }
    return all;
}

static void begin(tempering *t) {
    double total = 0;
    t->unit = 1;
    double widest = 0;
    for (int64_t i = 0; i < t->n; i++) {
        double least = INFINITY, most = -INFINITY;
        for (int64_t k = 0; k < t->c; k++) {
            least = fmin(least, value_of(t, i, k));
            most = fmax(most, value_of(t, i, k));
        }
        widest = fmax(widest, most - least);
        total += t->weight ? t->weight[i] : 1;
    }
    t->own = (total + 1) / (total + (double)t->c);
    t->other = 1 / (total + (double)t->c);
    t->unit = widest;
}

/* The root of the slope between `low`, where it is negative, and beyond: Newton's steps, halving
 * where they leave the bracket. */
static double root(const tempering *t, double low) {
    double high = INFINITY, s = 1, curve;
    for (int step = 0; step < MAX_STEPS; step++) {
        double d = slope(t, s, &curve);
        double next = s - d / curve;
        if (fabs(d) <= TOL * s * curve) break;
        if (d < 0) low = s;
        if (d > 0) high = s;
        bool inside = next > low && next < high && next < 8 * s; /* the slope flattens quickly */
        if (!inside) next = isinf(high) ? 2 * s : sqrt(low * high);
        s = next;
    }
    return s;
}

double temperature_fit(bool *flat, const double *F, int64_t n, int64_t n_classes,
                       const int32_t *cls, const double *log_prior, const double *weight) {
    tempering t = {
        .n = n, .c = n_classes, .F = F, .log_prior = log_prior, .weight = weight, .cls = cls};
    double curve;
    *flat = false;
    begin(&t);
    if (!(t.unit > 0)) return 1;
    *flat = !(slope(&t, FLATTEST, &curve) < 0);
    return t.unit / (*flat ? FLATTEST : root(&t, FLATTEST));
}
