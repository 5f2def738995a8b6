#include "solve/kernel/kernel_factor.h"

#include <cblas.h>
#include <math.h>

#include "solve/kernel/gauss_row.h"

static const double LEFT_OUT = 1e-14; /* of the trace */

/* The kernel of what lies between x_i and the origin in feature space, which centring does not tell
 * from k itself; it does not cancel where gamma is small. to_origin: k(x_i, origin) - 1. */
static void origin_row(double *out, kernel_kind kind, double gamma, const double *x, int64_t n,
                       int64_t pivot, double origin, const double *to_origin) {
    if (kind == KERNEL_LINEAR) {
        for (int64_t i = 0; i < n; i++) out[i] = (x[i] - origin) * (x[pivot] - origin);
        return;
    }
    kernel_row(out, x, n, x[pivot], kind, -gamma);
    for (int64_t i = 0; i < n; i++) out[i] -= to_origin[i] + to_origin[pivot];
}

/* Weighted centring of a column, then its share of the trace. */
static void finish_column(double *phi, const double *s, int64_t n, double total, double scale) {
    double mean = 0;
    for (int64_t i = 0; i < n; i++) mean += s[i] / total * phi[i];
    for (int64_t i = 0; i < n; i++) phi[i] = (phi[i] - mean) * sqrt(s[i]) * scale;
}

int64_t kernel_factor(double *phi, double *work, const double *x, const double *s, int64_t n,
                      kernel_kind kind, double gamma, double trace) {
    double *residual = work, *to_origin = work + n, origin = x[0], all = 0, total = 0;
    if (kind != KERNEL_LINEAR) kernel_row(to_origin, x, n, origin, kind, -gamma);
    for (int64_t i = 0; i < n; i++) {
        double off = x[i] - origin;
        all += residual[i] = kind == KERNEL_LINEAR ? off * off : -2 * to_origin[i];
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
        origin_row(own, kind, gamma, x, n, pivot, origin, to_origin);
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)r, -1, phi, (int)n, phi + pivot,
                    (int)n, 1, own, 1);
        for (int64_t i = 0; i < n; i++) {
            own[i] /= root;
            residual[i] = fmax(residual[i] - own[i] * own[i], 0);
        }
        residual[pivot] = 0;
    }
    for (int64_t k = 0; k < r; k++) finish_column(phi + k * n, s, n, total, 1 / sqrt(trace));
    return r;
}
