#include "solve/glm/loss.h"

#include <math.h>

#include "solve/glm/loss_logs.h"

static double softmax_point(const glm_loss *l, const double *F, double *U, double *P,
                            double class_part[2]) {
    int64_t c = l->c;
    logs g = {0, 1, 0};
    double linear = 0;
    (void)class_part;
    for (int64_t i = 0; i < l->n; i++) {
        double top = -INFINITY, total = 0, other_classes = 0;
        int64_t own = 0;
        for (int64_t o = 0; o < c; o++) {
            double f = loss_argument(l, F, i * c + o);
            if (l->y[i * c + o] > 0) own = o;
            if (f > top) top = f;
        }
        for (int64_t o = 0; o < c; o++)
            total += P[i * c + o] = exp(loss_argument(l, F, i * c + o) - top);
        for (int64_t o = 0; o < c; o++) {
            double p = P[i * c + o] /= total;
            if (o != own) other_classes += p;
            U[i * c + o] = -l->share[i] * p;
        }
        U[i * c + own] = l->share[i] * other_classes; /* 1 - p without cancellation */
        linear += l->share[i] * (top - loss_argument(l, F, i * c + own));
        logs_add(&g, l->share[i], total);
    }
    return linear + logs_end(&g);
}

static double softmax_dual(const glm_loss *l, const double *F, const double *U, double t) {
    double sum = 0;
    (void)F;
    for (int64_t e = 0; e < l->n * l->c; e++) {
        double share = l->share[e / l->c];
        if (share == 0) continue;
        double moved = t * fabs(U[e]) / share;
        sum += share * (l->y[e] > 0 ? entropy_of_rest(moved) : entropy_of(moved));
    }
    return sum + loss_dual_offset(l, U, t);
}

static void softmax_diagonal(const glm_loss *l, const double *P, double *h) {
    for (int64_t e = 0; e < l->n * l->c; e++) h[e] = l->share[e / l->c] * (P[e] * (1 - P[e]));
}

void loss_curve_sample(const glm_loss *l, const double *P, int64_t i, const double *d, double scale,
                       double *out) {
    const double *p = P + i * l->c;
    double mean = 0, share = l->share[i] * scale;
    for (int64_t o = 0; o < l->c; o++) mean += p[o] * d[o];
    for (int64_t o = 0; o < l->c; o++) out[o] += share * p[o] * (d[o] - mean);
}

static void softmax_curve(const glm_loss *l, const double *P, double *T) {
    for (int64_t i = 0; i < l->n; i++) {
        const double *p = P + i * l->c;
        double *t = T + i * l->c, mean = 0;
        for (int64_t o = 0; o < l->c; o++) mean += p[o] * t[o];
        for (int64_t o = 0; o < l->c; o++) t[o] = l->share[i] * p[o] * (t[o] - mean);
    }
}

const loss_kind loss_softmax = {.met = LOSS_SEPARATED,
                                .point = softmax_point,
                                .dual = softmax_dual,
                                .diagonal = softmax_diagonal,
                                .curve = softmax_curve};
