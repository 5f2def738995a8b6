/* Newton's system by conjugate gradients, where it is too large to factor: products with it are two
 * passes over the active columns of the working set. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "solve/glm/work.h"

enum { PRODUCTS = 200 };
static const double ENOUGH = 0.02; /* of the gradient, in the preconditioner's norm */

/* The curvature of the norms: coordinates first, first + stride, ... are a unit. */
static void curve_unit(const glm_work *w, int64_t g, int64_t first, int64_t length, int64_t stride,
                       const double *v, double *out) {
    double a = w->lambda * w->pen->alpha * w->pen->norm[g],
           e = w->lambda * (1 - w->pen->alpha) * w->pen->cost[g], norm = 0, along = 0;
    if (penalty_free(w->pen, g)) return;
    for (int64_t k = 0; k < length; k++) {
        int64_t at = w->place[first + k * stride]; /* < 0: the coefficient is 0 */
        norm += w->B[first + k * stride] * w->B[first + k * stride];
        if (at >= 0) along += w->B[first + k * stride] * v[at];
    }
    if (!(norm > 0)) return;
    double bend = length > 1 ? a / sqrt(norm) : 0;
    for (int64_t k = 0; k < length; k++) {
        int64_t at = w->place[first + k * stride];
        if (at < 0) continue;
        out[at] += e * v[at] + bend * (v[at] - w->B[first + k * stride] * along / norm);
    }
}

static void each_unit(const glm_work *w, const double *v, double *out) {
    int64_t c = w->loss->c;
    if (w->pen->alpha == 1 && w->pen->largest == 1 && !w->pen->rows)
        return; /* 1-norms have no curvature */
    for (int64_t b = 0; b < w->n_blocks; b++) {
        int64_t size = w->first[b + 1] - w->first[b], first = w->first[b] * c;
        if (w->pen->rows)
            curve_unit(w, w->block[b], first, size * c, 1, v, out);
        else
            for (int64_t o = 0; o < c; o++) curve_unit(w, w->block[b], first + o, size, c, v, out);
    }
}

/* T += X v, by sparse columns. */
static void multiply_sparse(const glm_work *w, const double *v, double *T) {
    int64_t c = w->loss->c;
    for (int64_t m = 0; m < w->n_coord; m++) {
        int64_t e = w->coord[m];
        if (e >= w->cols.count * c) continue;
        held x = columns_at(&w->cols, e / c);
        held_add(&x, v[m], T, c, e % c);
    }
}

static void multiply_back_sparse(const glm_work *w, const double *T, double *out) {
    int64_t c = w->loss->c;
    for (int64_t m = 0; m < w->n_coord; m++) {
        int64_t e = w->coord[m];
        if (e >= w->cols.count * c) continue;
        held x = columns_at(&w->cols, e / c);
        double sum = c == 1 ? held_dot(&x, T) : 0;
        for (int64_t i = 0; c > 1 && i < x.count; i++) sum += x.value[i] * T[x.row[i] * c + e % c];
        out[m] = sum;
    }
}

/* The loss term of out = H v, for sparse columns and a diagonal H. */
static void apply_sparse(const glm_work *w, const double *v, double *out) {
    int64_t n = w->loss->n, intercept = w->cols.count;
    const double *h = w->trial_P;
    double *T = w->trial_F, shift = w->intercept ? v[w->place[intercept]] : 0, sum = 0;
    for (int64_t i = 0; i < n; i++) T[i] = shift;
    multiply_sparse(w, v, T);
    for (int64_t i = 0; i < n; i++) sum += T[i] *= h[i];
    multiply_back_sparse(w, T, out);
    if (w->intercept) out[w->place[intercept]] = sum;
}

/* The same in all other cases. */
static void apply_loss(const glm_work *w, const double *v, double *out) {
    int64_t n = w->loss->n, c = w->loss->c, intercept = w->cols.count * c;
    double *T = w->trial_F;
    if (w->cols.sparse) {
        memset(T, 0, sizeof(double) * (size_t)(n * c));
        multiply_sparse(w, v, T);
    } else {
        active_sum(w, v, T);
    }
    for (int64_t o = 0; w->intercept && o < c; o++)
        for (int64_t i = 0; i < n; i++) T[i * c + o] += v[w->place[intercept + o]];
    if (w->loss->kind->curve)
        w->loss->kind->curve(w->loss, w->P, T);
    else
        for (int64_t i = 0; i < n; i++) T[i] *= w->trial_P[i];
    if (w->cols.sparse)
        multiply_back_sparse(w, T, out);
    else
        active_dots(w, T, out);
    for (int64_t o = 0; w->intercept && o < c; o++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += T[i * c + o];
        out[w->place[intercept + o]] = sum;
    }
}

/* out = H v. */
static void apply(const glm_work *w, const double *v, const double *ridge, double *out) {
    if (w->cols.sparse && !w->loss->kind->curve)
        apply_sparse(w, v, out);
    else
        apply_loss(w, v, out);
    for (int64_t m = 0; m < w->n_coord; m++) out[m] += ridge[m] * v[m];
    each_unit(w, v, out);
}

static double dot(const double *a, const double *b, int64_t m) { return la_dot(a, b, m); }

/* The negative gradient of the penalty on active coordinates. */
static void pull(const glm_work *w, double *g) {
    int64_t c = w->loss->c;
    for (int64_t b = 0; b < w->n_blocks; b++) {
        int64_t block = w->block[b], size = w->first[b + 1] - w->first[b];
        int64_t units = w->pen->rows ? 1 : c, length = w->pen->rows ? size * c : size;
        for (int64_t u = 0; u < units; u++) {
            int64_t first = w->first[b] * c + u, stride = w->pen->rows ? 1 : c;
            double norm = 0;
            for (int64_t k = 0; k < length; k++) norm = hypot(norm, w->B[first + k * stride]);
            if (w->place[first] < 0 || norm == 0) continue;
            for (int64_t k = 0; k < length; k++) {
                double v = w->B[first + k * stride];
                g[w->place[first + k * stride]] -= w->lambda *
                                                   (w->pen->alpha * w->pen->norm[block] / norm +
                                                    (1 - w->pen->alpha) * w->pen->cost[block]) *
                                                   v;
            }
        }
    }
}

pare_status newton_conjugate(glm_work *w, double *slope, pare_error *err) {
    int64_t m = w->n_coord;
    double *x = w->direction, *r = x + m, *p = r + m, *q = p + m, *z = q + m, *ridge = z + m,
           *D = ridge + m;
    if (w->loss->c == 1 && !active_gather(w)) return error_memory(err);
    memcpy(r, x, sizeof(double) * (size_t)m);
    pull(w, r);
    PASS(precondition(w, D, ridge, err));
    memset(x, 0, sizeof(double) * (size_t)m);
    double *g = w->gradient; /* scratch: the gradient is recomputed after the step */
    memcpy(g, r, sizeof(double) * (size_t)m);
    preconditioned(w, D, r, z);
    memcpy(p, z, sizeof(double) * (size_t)m);
    double rho = dot(r, z, m), first = rho;
    for (int product = 0; product < PRODUCTS && rho > ENOUGH * ENOUGH * first; product++) {
        apply(w, p, ridge, q);
        w->products++;
        double curvature = dot(p, q, m);
        if (!(curvature > 0)) break;
        double step = rho / curvature;
        for (int64_t i = 0; i < m; i++) {
            x[i] += step * p[i];
            r[i] -= step * q[i];
        }
        preconditioned(w, D, r, z);
        double next = dot(r, z, m);
        for (int64_t i = 0; i < m; i++) p[i] = z[i] + next / rho * p[i];
        rho = next;
    }
    *slope = -dot(g, x, m);
    return PARE_OK;
}
