/* See l1_inverse.h. For any targets y of the rows, the fit that meets them with the entrant at t is
 * z = B y + t edge, and the value that is to be zero is level'y + (y of the row that comes) + t
 * rate. Solved for t: z = (B - edge level'/rate) y, one product for all four kinds of pivot; the
 * rest is which row or column comes or goes. */
#include "solve/l1/l1_inverse.h"

#include "la/factor.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static const double singular = 1e-15; /* reciprocal condition of M */

bool l1_inverse_init(l1_inverse *q, arena *mem, int64_t most) {
    *q = (l1_inverse){.most = most};
    q->B = ARENA_ZERO(mem, double, most *most);
    q->M = ARENA_NEW(mem, double, most *most);
    q->pivot = ARENA_NEW(mem, int, most);
    return q->B && q->M && q->pivot;
}

/* The largest sum of absolute values over a column. */
static double norm_1(const double *a, int64_t m, int64_t stride) {
    double norm = 0;
    for (int64_t k = 0; k < m; k++) norm = fmax(norm, cblas_dasum((int)m, a + k * stride, 1));
    return norm;
}

bool l1_inverse_make(l1_inverse *q, int64_t m) {
    q->m = m;
    q->fresh = true;
    if (m == 0) return true;
    for (int64_t k = 0; k < m; k++) {
        memset(q->B + k * q->most, 0, sizeof(double) * (size_t)m);
        q->B[k * q->most + k] = 1;
    }
    double norm = norm_1(q->M, m, m);
    if (!lu_factor(m, m, q->M, m, q->pivot)) return false;
    lu_solve(true, m, q->M, m, q->pivot, q->B, q->most, m);
    double largest = 0; /* sum over a row of B: the norm of M'^-1 */
    for (int64_t k = 0; k < m; k++)
        largest = fmax(largest, cblas_dasum((int)m, q->B + k, (int)q->most));
    return norm * largest * singular < 1;
}

void l1_inverse_apply(const l1_inverse *q, bool transposed, const double *v, double *out) {
    int m = (int)q->m;
    if (m > 0)
        cblas_dgemv(CblasColMajor, transposed ? CblasTrans : CblasNoTrans, m, m, 1, q->B,
                    (int)q->most, v, 1, 0, out, 1);
}

void l1_inverse_solve(const l1_inverse *q, bool transposed, double *v, double *scratch) {
    int64_t m = q->m;
    if (m == 0) return;
    if (q->fresh) {
        lu_solve(!transposed, m, q->M, m, q->pivot, v, m, 1);
        return;
    }
    memcpy(scratch, v, sizeof *v * (size_t)m);
    l1_inverse_apply(q, transposed, scratch, v);
}

const double *l1_inverse_column(const l1_inverse *q, int64_t e) { return q->B + e * q->most; }

void l1_inverse_row(const l1_inverse *q, int64_t k, double *out) {
    for (int64_t e = 0; e < q->m; e++) out[e] = q->B[e * q->most + k];
}

void l1_inverse_exchange(l1_inverse *q, int64_t e, int64_t k, double sign, const double *edge,
                         const double *level, double rate) {
    int64_t m = q->m, most = q->most, last = m - 1;
    q->fresh = false;
    if (m > 0)
        cblas_dger(CblasColMajor, (int)m, (int)m, -1 / rate, edge, 1, level, 1, q->B, (int)most);
    if (e >= 0 && k >= 0) {
        memcpy(q->B + e * most, q->B + last * most, sizeof(double) * (size_t)m);
        for (int64_t t = 0; t < last; t++) q->B[t * most + k] = q->B[t * most + last];
        q->m--;
        return;
    }
    int64_t row = k >= 0 ? k : m, column = e >= 0 ? e : m; /* of B, that come */
    if (e < 0)
        for (int64_t t = 0; t < m; t++) q->B[t * most + row] = -sign * level[t] / rate;
    if (k < 0)
        for (int64_t t = 0; t < m; t++) q->B[column * most + t] = -edge[t] / rate;
    if (e < 0 && k < 0) {
        q->B[m * most + m] = -sign / rate;
        q->m++;
    }
}
