#include "solve/kernel_factor.h"

#include <math.h>

static const double LEFT_OUT = 1e-14; /* of the trace */

/* k(a, b) - 1; linear: a b. */
static double value(kernel_kind kind, double gamma, double a, double b) {
    if (kind == KERNEL_LINEAR) return a * b;
    if (kind == KERNEL_DELTA) return a == b ? 0 : -1;
    return expm1(-gamma * (a - b) * (a - b));
}

/* The kernel of what lies between a and the origin o in feature space, which centring does not tell
 * from k itself; it does not cancel where gamma is small. */
static double from_origin(kernel_kind kind, double gamma, double a, double b, double o) {
    if (kind == KERNEL_LINEAR) return (a - o) * (b - o);
    return value(kind, gamma, a, b) - value(kind, gamma, a, o) - value(kind, gamma, b, o);
}

/* Weighted centring of a column, then its share of the trace. */
static void finish_column(double *phi, const double *s, int64_t n, double total, double scale) {
    double mean = 0;
    for (int64_t i = 0; i < n; i++) mean += s[i] / total * phi[i];
    for (int64_t i = 0; i < n; i++) phi[i] = (phi[i] - mean) * sqrt(s[i]) * scale;
}

int64_t kernel_factor(double *phi, double *residual, const double *x, const double *s, int64_t n,
                      kernel_kind kind, double gamma, double trace) {
    double origin = x[0], all = 0, total = 0;
    for (int64_t i = 0; i < n; i++) {
        all += residual[i] = from_origin(kind, gamma, x[i], x[i], origin);
        total += s[i];
    }
    int64_t r = 0;
    for (; r < n; r++) {
        int64_t pivot = 0;
        double left = 0;
        for (int64_t i = 0; i < n; i++) {
            left += residual[i];
            if (residual[i] > residual[pivot]) pivot = i;
        }
        if (!(left > LEFT_OUT * all) || !(residual[pivot] > 0)) break;
        double *own = phi + r * n, root = sqrt(residual[pivot]);
        for (int64_t i = 0; i < n; i++) own[i] = from_origin(kind, gamma, x[i], x[pivot], origin);
        for (int64_t k = 0; k < r; k++) {
            double share = phi[k * n + pivot];
            for (int64_t i = 0; i < n; i++) own[i] -= share * phi[k * n + i];
        }
        for (int64_t i = 0; i < n; i++) {
            own[i] /= root;
            residual[i] = fmax(residual[i] - own[i] * own[i], 0);
        }
        residual[pivot] = 0;
    }
    for (int64_t k = 0; k < r; k++) finish_column(phi + k * n, s, n, total, 1 / sqrt(trace));
    return r;
}
