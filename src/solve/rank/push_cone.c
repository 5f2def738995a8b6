#include "solve/rank/push_cone.h"

#include <math.h>

#include "base/error.h"

pare_status cones_init(push_cones *c, arena *mem, int64_t count, const int64_t *start, double l,
                       pare_error *err) {
    int64_t d = start[count];
    *c = (push_cones){.count = count, .start = start, .l = l};
    double **few[] = {&c->s, &c->ds, &c->q0, &c->v0, &c->eta2, &c->det};
    double **all[] = {&c->v, &c->q, &c->dg, &c->dx, &c->dz};
    pare_status status = PARE_OK;
    for (size_t k = 0; k < sizeof few / sizeof few[0]; k++)
        TRY_MEM(*few[k] = ARENA_ZERO(mem, double, count));
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        TRY_MEM(*all[k] = ARENA_ZERO(mem, double, d));
done:
    return status;
}

static double dot(const push_cones *c, int64_t k, const double *a, const double *b) {
    double sum = 0;
    for (int64_t j = c->start[k]; j < c->start[k + 1]; j++) sum += a[j] * b[j];
    return sum;
}

bool cones_scale(push_cones *c, const double *w, const double *g) {
    for (int64_t k = 0; k < c->count; k++) {
        double nw = sqrt(dot(c, k, w, w)), ng = sqrt(dot(c, k, g, g));
        double dx = sqrt((c->s[k] - nw) * (c->s[k] + nw)), dz = sqrt((c->l - ng) * (c->l + ng));
        if (!(dx > 0 && dz > 0)) return false;
        double product = (c->s[k] / dx) * (c->l / dz) - dot(c, k, w, g) / dx / dz;
        double twice = 2 * sqrt((1 + fmax(product, 1)) / 2), square = 0;
        for (int64_t j = c->start[k]; j < c->start[k + 1]; j++) {
            c->v[j] = (w[j] / dx + g[j] / dz) / twice;
            square += c->v[j] * c->v[j];
        }
        c->v0[k] = sqrt(1 + square); /* the scaling point has determinant 1 */
        c->eta2[k] = dx / dz;
        c->det[k] = dx * dz;
    }
    return true;
}

/* (out0, out) = W (in0, in), or its inverse (sign -1), of cone k without the factor eta. */
static double apply(const push_cones *c, int64_t k, double sign, double in0, const double *in,
                    double *out) {
    double along = dot(c, k, c->v, in), add = sign * in0 + along / (1 + c->v0[k]);
    for (int64_t j = c->start[k]; j < c->start[k + 1]; j++) out[j] = in[j] + add * c->v[j];
    return c->v0[k] * in0 + sign * along;
}

void cones_aim(push_cones *c, double target, bool correct, const double *w, const double *dw) {
    for (int64_t k = 0; k < c->count; k++) {
        int64_t first = c->start[k], end = c->start[k + 1];
        double eta = sqrt(c->eta2[k]), r0 = target, second0 = 0;
        double *r = c->q; /* the right-hand side on the way to q */
        for (int64_t j = first; j < end; j++) r[j] = 0;
        if (correct) { /* (W^-1 dx) o (W dz), dz = (0, -dg) */
            double x0 = apply(c, k, -1, c->ds[k], dw, c->dx) / eta;
            double z0 = -eta * apply(c, k, 1, 0, c->dg, c->dz);
            for (int64_t j = first; j < end; j++) {
                double x = c->dx[j] / eta, z = -eta * c->dz[j];
                second0 += x * z;
                r[j] = -(x0 * z + z0 * x);
            }
            r0 -= second0 + x0 * z0;
        }
        /* the scaled point p = W^-1 x = W z */
        double p0 = apply(c, k, -1, c->s[k], w, c->dx) / eta;
        for (int64_t j = first; j < end; j++) c->dx[j] /= eta;
        double square = p0 * p0, along = 0;
        for (int64_t j = first; j < end; j++) square += c->dx[j] * c->dx[j];
        r0 -= square;
        for (int64_t j = first; j < end; j++) {
            r[j] -= 2 * p0 * c->dx[j];
            along += c->dx[j] * r[j];
        }
        /* p \ r: the y with p o y = r */
        double y0 = (p0 * r0 - along) / c->det[k];
        for (int64_t j = first; j < end; j++) c->dz[j] = (r[j] - y0 * c->dx[j]) / p0;
        c->q0[k] = eta * apply(c, k, 1, y0, c->dz, c->q);
        for (int64_t j = first; j < end; j++) c->q[j] *= eta;
    }
}

void cones_unscale(const push_cones *c, const double *in, double *out) {
    for (int64_t k = 0; k < c->count; k++) {
        double v0 = c->v0[k], along = 2 * dot(c, k, c->v, in) / (2 * v0 * v0 - 1);
        for (int64_t j = c->start[k]; j < c->start[k + 1]; j++)
            out[j] = (in[j] - along * c->v[j]) / c->eta2[k];
    }
}

void cones_follow(push_cones *c, const double *dw) {
    for (int64_t j = 0; j < c->start[c->count]; j++) c->dx[j] = dw[j] - c->q[j];
    cones_unscale(c, c->dx, c->dg);
    for (int64_t k = 0; k < c->count; k++)
        c->ds[k] = c->q0[k] + 2 * c->eta2[k] * c->v0[k] * dot(c, k, c->v, c->dg);
}

/* The least positive root of c + 2 b a + a^2 q: where (x0, x) + a (dx0, dx) leaves the cone. */
static double boundary(double x0, double dx0, double xx, double xd, double dd) {
    double size = sqrt(xx), c = (x0 - size) * (x0 + size), b = x0 * dx0 - xd, q = dx0 * dx0 - dd;
    double root = b * b - c * q;
    if (!(root >= 0)) return INFINITY;
    double by = sqrt(root) - b;
    return by > 0 ? fmax(c, 0) / by : INFINITY;
}

void cones_reach(const push_cones *c, const double *w, const double *g, const double *dw,
                 double *primal, double *dual) {
    for (int64_t k = 0; k < c->count; k++) {
        *primal = fmin(*primal, boundary(c->s[k], c->ds[k], dot(c, k, w, w), dot(c, k, w, dw),
                                         dot(c, k, dw, dw)));
        *dual = fmin(*dual, boundary(c->l, 0, dot(c, k, g, g), dot(c, k, g, c->dg),
                                     dot(c, k, c->dg, c->dg)));
    }
}

double cones_pairs(const push_cones *c, const double *w, const double *g, const double *dw,
                   double primal, double dual) {
    double sum = 0;
    for (int64_t k = 0; k < c->count; k++) {
        sum += c->l * (c->s[k] + primal * c->ds[k]);
        for (int64_t j = c->start[k]; j < c->start[k + 1]; j++)
            sum -= (w[j] + primal * dw[j]) * (g[j] + dual * c->dg[j]);
    }
    return sum;
}
