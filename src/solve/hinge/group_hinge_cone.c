/* Nesterov-Todd scaling of second-order cones, one row at a time.
 *
 * For s and z inside the cone there is one symmetric W with W z = W^-1 s = l and W^2 = eta^2 (2 w w' -
 * J). A step that leads the products of the scaled points to `centre` fulfils
 *     W^-1 ds + W dz = l \ (centre e - l o l - [W^-1 ds o W dz of the predictor]),
 * o the product of the cone. Multiplied by W^-1: dz = g - W^-2 ds. As dz0 is given, its line gives
 * ds0, and the others become  dz1 (the negative of z's tail) = Q ds1 - g,  Q = (I - 2 w1 w1' / (2
 * w0^2 - 1)) / eta^2: a multiple of the identity less a rank-one term.
 * COST  a few passes over the row. */
#include <math.h>

#include "la/dot.h"
#include "solve/hinge/group_hinge_interior.h"

static double excess(double head, const double *tail, int64_t dim) {
    double norm = sqrt(la_dot(tail, tail, dim));
    return (head - norm) * (head + norm);
}

void gh_cone_scale(gh_cones *k, int64_t i) {
    int64_t dim = k->dim;
    const double *s1 = k->s1 + i * dim, *z1 = k->z1 + i * dim;
    double *w1 = k->w1 + i * dim;
    double ds = sqrt(excess(k->s0[i], s1, dim)), dz = sqrt(excess(k->z0[i], z1, dim));
    double product = (k->s0[i] * k->z0[i] - la_dot(s1, z1, dim)) / (ds * dz);
    double twice = 2 * sqrt((1 + product) / 2);
    k->w0[i] = (k->s0[i] / ds + k->z0[i] / dz) / twice;
    for (int64_t e = 0; e < dim; e++) w1[e] = (s1[e] / ds + z1[e] / dz) / twice;
    k->eta[i] = sqrt(ds / dz);
    k->det[i] = ds * dz;
}

void gh_cone_aim(gh_cones *k, int64_t i, double centre, bool correct) {
    int64_t dim = k->dim;
    const double *w1 = k->w1 + i * dim, *z1 = k->z1 + i * dim;
    const double *ds1 = k->ds1 + i * dim, *dz1 = k->dz1 + i * dim;
    double *g = k->g + i * dim, w0 = k->w0[i], eta = k->eta[i];
    double along = la_dot(w1, z1, dim); /* l = W z; its tail is a w1 - eta z1 */
    double l0 = eta * (w0 * k->z0[i] - along), a = eta * (k->z0[i] - along / (1 + w0));
    double r0 = centre - 2 * l0 * l0 + k->det[i]; /* |l1|^2 = l0^2 - det */
    double p0 = 0, e0 = 0, p_w = 0, e_w = 0;
    if (correct) {
        double p = la_dot(w1, ds1, dim), e = -la_dot(w1, dz1, dim), dz0 = k->dz0[i];
        p0 = (w0 * k->ds0[i] - p) / eta;
        p_w = (p / (1 + w0) - k->ds0[i]) / eta;
        e0 = eta * (w0 * dz0 + e);
        e_w = eta * (dz0 + e / (1 + w0));
        r0 += la_dot(ds1, dz1, dim) - k->ds0[i] * dz0;
    }
    for (int64_t e = 0; e < dim; e++) {
        double l1 = a * w1[e] - eta * z1[e], r1 = -2 * l0 * l1;
        if (correct) r1 -= p0 * (e_w * w1[e] - eta * dz1[e]) + e0 * (ds1[e] / eta + p_w * w1[e]);
        g[e] = r1;
    }
    double cross = a * la_dot(w1, g, dim) - eta * la_dot(z1, g, dim);
    double x0 = (l0 * r0 - cross) / k->det[i];
    for (int64_t e = 0; e < dim; e++) g[e] = (g[e] - (a * w1[e] - eta * z1[e]) * x0) / l0;
    double d = la_dot(w1, g, dim);
    double g0 = (w0 * x0 - d) / eta;
    k->g0[i] = g0 - k->dz0[i];
    double back = (d / (1 + w0) - x0) / eta + 2 * w0 * k->g0[i] / (2 * w0 * w0 - 1);
    for (int64_t e = 0; e < dim; e++) g[e] = g[e] / eta + back * w1[e];
}

void gh_cone_finish(gh_cones *k, int64_t i) {
    double w0 = k->w0[i], eta2 = k->eta[i] * k->eta[i];
    double along = la_dot(k->w1 + i * k->dim, k->ds1 + i * k->dim, k->dim);
    k->ds0[i] = (eta2 * k->g0[i] + 2 * w0 * along) / (2 * w0 * w0 - 1);
}

/* Smallest positive root of A t^2 + 2 B t + C, C > 0. */
static double first_root(double A, double B, double C) {
    double inside = B * B - A * C;
    if (B < 0 && inside >= 0) return C / (sqrt(inside) - B);
    return A < 0 ? (-B - sqrt(inside)) / A : INFINITY;
}

void gh_cone_longest(const gh_cones *k, int64_t i, double *primal, double *dual) {
    int64_t dim = k->dim;
    const double *s1 = k->s1 + i * dim, *z1 = k->z1 + i * dim;
    const double *ds1 = k->ds1 + i * dim, *dz1 = k->dz1 + i * dim;
    double ds0 = k->ds0[i];
    *primal =
        fmin(*primal, first_root(ds0 * ds0 - la_dot(ds1, ds1, dim),
                                 k->s0[i] * ds0 - la_dot(s1, ds1, dim), excess(k->s0[i], s1, dim)));
    double dz0 = k->dz0[i];
    *dual =
        fmin(*dual, first_root(dz0 * dz0 - la_dot(dz1, dz1, dim),
                               k->z0[i] * dz0 - la_dot(z1, dz1, dim), excess(k->z0[i], z1, dim)));
}
