#include "solve/glm/loss.h"

#include <math.h>
#include <stdbool.h>

static double argument(const glm_loss *l, const double *F, int64_t e) {
    return l->offset ? F[e] + l->offset[e] : F[e];
}

/* sum_i share_i ln(factor_i) with few logarithms: equal shares are multiplied first. */
typedef struct logs {
    double share, product, sum;
} logs;

static const double MAX_PRODUCT = 1e280;

static void logs_add(logs *g, double share, double factor) {
    if (share != g->share || g->product > MAX_PRODUCT) {
        g->sum += g->share * log(g->product);
        g->share = share;
        g->product = 1;
    }
    g->product *= factor;
}

static double logs_end(const logs *g) { return g->sum + g->share * log(g->product); }

static double squared_point(const glm_loss *l, const double *F, double *U) {
    double sum = 0;
    for (int64_t i = 0; i < l->n; i++) {
        double r = l->y[i] - argument(l, F, i);
        U[i] = l->share[i] * r;
        sum += U[i] * r / 2;
    }
    return sum;
}

/* ln(1 + e^t) is t or 0, and ln(1 + e^-|t|) of at most 2. */
static double binary_point(const glm_loss *l, const double *F, double *U, double *P,
                           double class_part[2]) {
    logs g[2] = {{0, 1, 0}, {0, 1, 0}};
    double linear[2] = {0, 0};
    for (int64_t i = 0; i < l->n; i++) {
        double f = argument(l, F, i), small = exp(-fabs(f)), sure = 1 / (1 + small);
        double yes = f > 0 ? sure : small * sure, no = f > 0 ? small * sure : sure;
        int own = l->y[i] > 0;
        double t = own ? -f : f;
        P[i] = yes;
        U[i] = l->share[i] * (own ? no : -yes);
        if (t > 0) linear[own] += l->share[i] * t;
        logs_add(&g[own], l->share[i], 1 + small);
    }
    double part[2] = {linear[0] + logs_end(&g[0]), linear[1] + logs_end(&g[1])};
    if (class_part) {
        class_part[0] = part[0];
        class_part[1] = part[1];
    }
    return part[0] + part[1];
}

static double softmax_point(const glm_loss *l, const double *F, double *U, double *P) {
    int64_t c = l->c;
    logs g = {0, 1, 0};
    double linear = 0;
    for (int64_t i = 0; i < l->n; i++) {
        double top = -INFINITY, total = 0, other_classes = 0;
        int64_t own = 0;
        for (int64_t o = 0; o < c; o++) {
            double f = argument(l, F, i * c + o);
            if (l->y[i * c + o] > 0) own = o;
            if (f > top) top = f;
        }
        for (int64_t o = 0; o < c; o++)
            total += P[i * c + o] = exp(argument(l, F, i * c + o) - top);
        for (int64_t o = 0; o < c; o++) {
            double p = P[i * c + o] /= total;
            if (o != own) other_classes += p;
            U[i * c + o] = -l->share[i] * p;
        }
        U[i * c + own] = l->share[i] * other_classes; /* 1 - p without cancellation */
        linear += l->share[i] * (top - argument(l, F, i * c + own));
        logs_add(&g, l->share[i], total);
    }
    return linear + logs_end(&g);
}

double loss_point(const glm_loss *l, const double *F, double *U, double *P, double class_part[2]) {
    if (l->kind == GLM_SQUARED) return squared_point(l, F, U);
    return l->c == 1 ? binary_point(l, F, U, P, class_part) : softmax_point(l, F, U, P);
}

/* -q ln q for q = 1 - e and for q = e, both exact where e is small. */
static double entropy_of_rest(double e) { return e < 1 ? -(1 - e) * log1p(-e) : 0; }
static double entropy_of(double e) { return e > 0 ? -e * log(e) : 0; }

static double logistic_dual(const glm_loss *l, const double *U, double t) {
    int64_t c = l->c;
    double sum = 0;
    for (int64_t i = 0; i < l->n; i++) {
        double share = l->share[i];
        if (share == 0) continue;
        for (int64_t o = 0; o < c; o++) {
            double e = t * fabs(U[i * c + o]) / share;
            bool own = c > 1 && l->y[i * c + o] > 0;
            sum += share * (own ? entropy_of_rest(e) : entropy_of(e));
            if (c == 1) sum += share * entropy_of_rest(e);
        }
    }
    return sum;
}

double loss_dual(const glm_loss *l, const double *U, double t) {
    double sum = 0;
    if (l->kind == GLM_LOGISTIC) sum = logistic_dual(l, U, t);
    for (int64_t i = 0; l->kind == GLM_SQUARED && i < l->n; i++)
        if (l->share[i] > 0) sum += t * U[i] * l->y[i] - t * t * U[i] * U[i] / (2 * l->share[i]);
    for (int64_t e = 0; l->offset && e < l->n * l->c; e++) sum -= t * U[e] * l->offset[e];
    return sum;
}

double loss_best_scale(const glm_loss *l, const double *U) {
    if (l->kind == GLM_LOGISTIC) return 1;
    double along = 0, square = 0;
    for (int64_t i = 0; i < l->n; i++) {
        if (l->share[i] == 0) continue;
        along += U[i] * (l->y[i] - (l->offset ? l->offset[i] : 0));
        square += U[i] * U[i] / l->share[i];
    }
    return square > 0 && along > 0 ? along / square : 0;
}

double loss_curvature(const glm_loss *l) { return l->kind == GLM_SQUARED ? 1 : l->c == 1 ? 4 : 2; }
