#include "solve/interior/cones.h"

#include <math.h>

#include "base/error.h"
#include "la/product/dot.h"

pare_status cones_open(cones *k, arena *mem, int64_t count, const int64_t *start, pare_error *err) {
    k->count = count;
    k->start = start;
    double **heads[] = {&k->s0, &k->z0, &k->eta, &k->w0, &k->det, &k->g0, &k->ds0, &k->dz0};
    double **tails[] = {&k->s1, &k->z1, &k->w1, &k->g, &k->ds1, &k->dz1};
    for (size_t a = 0; a < sizeof heads / sizeof *heads; a++)
        PASS_MEM(*heads[a] = ARENA_ZERO(mem, double, count));
    for (size_t a = 0; a < sizeof tails / sizeof *tails; a++)
        if (!*tails[a]) PASS_MEM(*tails[a] = ARENA_ZERO(mem, double, start[count]));
    return PARE_OK;
}

/* Where tail i begins, and its length. */
static int64_t tail(const cones *k, int64_t i, int64_t *dim) {
    *dim = k->start[i + 1] - k->start[i];
    return k->start[i];
}

static double excess(double head, const double *tail, int64_t dim) {
    double norm = sqrt(la_dot(tail, tail, dim));
    return (head - norm) * (head + norm);
}

bool cone_scale(cones *k, int64_t i) {
    int64_t dim, at = tail(k, i, &dim);
    const double *s1 = k->s1 + at, *z1 = k->z1 + at;
    double *w1 = k->w1 + at;
    double ds = sqrt(excess(k->s0[i], s1, dim)), dz = sqrt(excess(k->z0[i], z1, dim));
    if (!(ds > 0 && dz > 0)) return false;
    double product = (k->s0[i] * k->z0[i] - la_dot(s1, z1, dim)) / (ds * dz);
    double twice = 2 * sqrt((1 + fmax(product, 1)) / 2);
    k->w0[i] = (k->s0[i] / ds + k->z0[i] / dz) / twice;
    for (int64_t e = 0; e < dim; e++) w1[e] = (s1[e] / ds + z1[e] / dz) / twice;
    k->eta[i] = sqrt(ds / dz);
    k->det[i] = ds * dz;
    return true;
}

void cone_aim(cones *k, int64_t i, double centre, bool correct) {
    int64_t dim, at = tail(k, i, &dim);
    const double *w1 = k->w1 + at, *z1 = k->z1 + at;
    const double *ds1 = k->ds1 + at, *dz1 = k->dz1 + at;
    double *g = k->g + at, w0 = k->w0[i], eta = k->eta[i];
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

void cone_finish(cones *k, int64_t i) {
    int64_t dim, at = tail(k, i, &dim);
    double w0 = k->w0[i], eta2 = k->eta[i] * k->eta[i];
    double along = la_dot(k->w1 + at, k->ds1 + at, dim);
    k->ds0[i] = (eta2 * k->g0[i] + 2 * w0 * along) / (2 * w0 * w0 - 1);
}

void cone_follow(cones *k, int64_t i) {
    int64_t dim, at = tail(k, i, &dim);
    const double *w1 = k->w1 + at, *ds1 = k->ds1 + at, *g = k->g + at;
    double *dz1 = k->dz1 + at, w0 = k->w0[i], eta2 = k->eta[i] * k->eta[i];
    double along = 2 * la_dot(w1, ds1, dim) / (2 * w0 * w0 - 1);
    for (int64_t e = 0; e < dim; e++) dz1[e] = (ds1[e] - along * w1[e]) / eta2 - g[e];
    cone_finish(k, i);
}

/* The smallest positive step after which (head, tail) leaves the cone:
 * A t^2 + 2 B t + C = 0, C > 0. */
static double longest(double head, const double *tail, double dhead, const double *dtail,
                      int64_t dim) {
    double A = dhead * dhead - la_dot(dtail, dtail, dim);
    double B = head * dhead - la_dot(tail, dtail, dim);
    double C = fmax(excess(head, tail, dim), 0), inside = B * B - A * C;
    if (B < 0 && inside >= 0) return C / (sqrt(inside) - B);
    return A < 0 ? (-B - sqrt(inside)) / A : INFINITY;
}

void cone_longest(const cones *k, int64_t i, double *primal, double *dual) {
    int64_t dim, at = tail(k, i, &dim);
    *primal = fmin(*primal, longest(k->s0[i], k->s1 + at, k->ds0[i], k->ds1 + at, dim));
    *dual = fmin(*dual, longest(k->z0[i], k->z1 + at, k->dz0[i], k->dz1 + at, dim));
}

double cone_product(const cones *k, int64_t i, double primal, double dual) {
    int64_t dim, at = tail(k, i, &dim);
    const double *s1 = k->s1 + at, *z1 = k->z1 + at, *ds1 = k->ds1 + at, *dz1 = k->dz1 + at;
    double heads = (k->z0[i] + dual * k->dz0[i]) * (k->s0[i] + primal * k->ds0[i]);
    return heads - la_dot(s1, z1, dim) - primal * la_dot(ds1, z1, dim) -
           dual * la_dot(s1, dz1, dim) - primal * dual * la_dot(ds1, dz1, dim);
}

void cone_move(cones *k, int64_t i, double primal, double dual) {
    k->s0[i] += primal * k->ds0[i];
    k->z0[i] += dual * k->dz0[i];
    for (int64_t e = k->start[i]; e < k->start[i + 1]; e++) {
        k->s1[e] += primal * k->ds1[e];
        k->z1[e] += dual * k->dz1[e];
    }
}
