/* Logistic regression of a class on its predicted log odds z: the calibration intercept, y ~ a + z, and
 * slope, y ~ a + b z, by Newton's steps to rounding, with Wald's intervals. */
#include <math.h>

#include "validate/validation.h"

enum { MAX_STEPS = 200, MAX_HALVINGS = 60 };
static const double NORMAL_975 = 1.959963984540054, TOL = 1e-13;
static const double ROUNDING = 1e-14; /* of a sum: a step that raises it by less is no worse */
static const pare_estimate UNDEFINED = {NAN, NAN, NAN};

static double sigmoid(double z) { return z >= 0 ? 1 / (1 + exp(-z)) : exp(z) / (1 + exp(z)); }
static bool is_positive(const logistic_job *j, int64_t i) { return j->cls[i] == j->positive; }

static double count_positive(const logistic_job *j) {
    double count = 0;
    for (int64_t i = 0; i < j->n; i++) count += is_positive(j, i);
    return count;
}

pare_estimate logistic_intercept(const logistic_job *j) {
    double events = count_positive(j), low = INFINITY, high = -INFINITY, a, curve = 0;
    if (!(events > 0 && events < (double)j->n)) return UNDEFINED;
    for (int64_t i = 0; i < j->n; i++) {
        low = fmin(low, -j->z[i]);
        high = fmax(high, -j->z[i]);
    }
    double odds = log(events / ((double)j->n - events));
    low += odds; /* p is at most the observed proportion for all, and at least */
    high += odds;
    a = low + (high - low) / 2;
    for (int step = 0; step < MAX_STEPS; step++) {
        double g = 0;
        curve = 0;
        for (int64_t i = 0; i < j->n; i++) {
            double p = sigmoid(a + j->z[i]);
            g += is_positive(j, i) - p;
            curve += p * (1 - p);
        }
        if (fabs(g) <= TOL * (double)j->n) break;
        *(g > 0 ? &low : &high) = a;
        double next = a + g / curve;
        a = next > low && next < high ? next : low + (high - low) / 2;
    }
    double half = NORMAL_975 / sqrt(curve);
    return (pare_estimate){a, a - half, a + half};
}

/* Whether some value of z parts the classes: then the likelihood has no maximum. */
static bool is_separated(const logistic_job *j) {
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
    for (int64_t i = 0; i < j->n; i++) {
        bool c = is_positive(j, i);
        least[c] = fmin(least[c], j->z[i]);
        most[c] = fmax(most[c], j->z[i]);
    }
    return most[0] <= least[1] || most[1] <= least[0];
}

/* The problem in units in which z has mean 0 and deviation 1. */
typedef struct fitting_slope {
    const logistic_job *j;
    double mean, deviation, a, b;
} fitting_slope;

static double unit(const fitting_slope *f, int64_t i) {
    return (f->j->z[i] - f->mean) / f->deviation;
}

static double loss_at(const fitting_slope *f, double a, double b) {
    double sum = 0;
    for (int64_t i = 0; i < f->j->n; i++) {
        double z = a + b * unit(f, i);
        if (is_positive(f->j, i)) z = -z;
        sum += z > 0 ? z + log1p(exp(-z)) : log1p(exp(z));
    }
    return sum;
}

/* Gradient of the log likelihood in a and b, and its curvatures aa, ab, bb. */
static void slopes(const fitting_slope *f, double g[2], double h[3]) {
    g[0] = g[1] = h[0] = h[1] = h[2] = 0;
    for (int64_t i = 0; i < f->j->n; i++) {
        double z = unit(f, i), p = sigmoid(f->a + f->b * z), off = is_positive(f->j, i) - p;
        g[0] += off;
        g[1] += off * z;
        h[0] += p * (1 - p);
        h[1] += p * (1 - p) * z;
        h[2] += p * (1 - p) * z * z;
    }
}

static fitting_slope begin(const logistic_job *j) {
    fitting_slope f = {.j = j};
    double n = (double)j->n, events = count_positive(j);
    for (int64_t i = 0; i < j->n; i++) f.mean += j->z[i] / n;
    for (int64_t i = 0; i < j->n; i++) f.deviation += (j->z[i] - f.mean) * (j->z[i] - f.mean) / n;
    f.deviation = sqrt(f.deviation);
    f.a = log(events / (n - events));
    return f;
}

pare_estimate logistic_slope(const logistic_job *j, double *intercept) {
    double g[2], h[3], events = count_positive(j);
    *intercept = NAN;
    if (!(events > 0 && events < (double)j->n) || is_separated(j)) return UNDEFINED;
    fitting_slope f = begin(j);
    double now = loss_at(&f, f.a, f.b);
    for (int step = 0;; step++) {
        slopes(&f, g, h);
        double det = h[0] * h[2] - h[1] * h[1];
        double da = (h[2] * g[0] - h[1] * g[1]) / det, db = (h[0] * g[1] - h[1] * g[0]) / det;
        double by = 1, next = now;
        if (hypot(g[0], g[1]) <= TOL * (double)j->n || step == MAX_STEPS) break;
        int halvings = 0;
        for (; halvings < MAX_HALVINGS; halvings++, by /= 2) {
            next = loss_at(&f, f.a + by * da, f.b + by * db);
            if (next <= now * (1 + ROUNDING)) break;
        }
        if (halvings == MAX_HALVINGS) break; /* at the least but for rounding */
        f.a += by * da;
        f.b += by * db;
        now = next;
    }
    double slope = f.b / f.deviation, error = sqrt(h[0] / (h[0] * h[2] - h[1] * h[1]));
    double half = NORMAL_975 * error / f.deviation;
    *intercept = f.a - slope * f.mean;
    return (pare_estimate){slope, slope - half, slope + half};
}
