#include "solve/glm/loss.h"

#include <math.h>
#include <stdbool.h>

static double argument(const glm_loss *l, const double *F, int64_t e) {
    return l->offset ? F[e] + l->offset[e] : F[e];
}

static double squared_value(const glm_loss *l, const double *F) {
    double sum = 0;
    for (int64_t i = 0; i < l->n; i++) {
        double r = l->y[i] - argument(l, F, i);
        sum += l->share[i] * r * r / 2;
    }
    return sum;
}

/* ln(1 + e^t) without overflow. */
static double softplus(double t) { return t > 0 ? t + log1p(exp(-t)) : log1p(exp(t)); }

static double binary_value(const glm_loss *l, const double *F) {
    double sum = 0;
    for (int64_t i = 0; i < l->n; i++) {
        double f = argument(l, F, i);
        sum += l->share[i] * softplus(l->y[i] > 0 ? -f : f);
    }
    return sum;
}

/* The class of sample i and the largest of its outputs. */
static int64_t own_class(const glm_loss *l, const double *F, int64_t i, double *largest) {
    int64_t own = 0;
    *largest = -INFINITY;
    for (int64_t o = 0; o < l->c; o++) {
        if (l->y[i * l->c + o] > 0) own = o;
        *largest = fmax(*largest, argument(l, F, i * l->c + o));
    }
    return own;
}

static double softmax_value(const glm_loss *l, const double *F) {
    double sum = 0;
    for (int64_t i = 0; i < l->n; i++) {
        double top, total = 0;
        int64_t own = own_class(l, F, i, &top);
        for (int64_t o = 0; o < l->c; o++) total += exp(argument(l, F, i * l->c + o) - top);
        sum += l->share[i] * (log(total) + top - argument(l, F, i * l->c + own));
    }
    return sum;
}

double loss_value(const glm_loss *l, const double *F) {
    if (l->kind == GLM_SQUARED) return squared_value(l, F);
    return l->c == 1 ? binary_value(l, F) : softmax_value(l, F);
}

static void binary_point(const glm_loss *l, const double *F, double *U, double *P) {
    for (int64_t i = 0; i < l->n; i++) {
        double f = argument(l, F, i), small = exp(-fabs(f)), sure = 1 / (1 + small);
        double yes = f > 0 ? sure : small * sure, no = f > 0 ? small * sure : sure;
        P[i] = yes;
        U[i] = l->share[i] * (l->y[i] > 0 ? no : -yes);
    }
}

static void softmax_point(const glm_loss *l, const double *F, double *U, double *P) {
    int64_t c = l->c;
    for (int64_t i = 0; i < l->n; i++) {
        double top, total = 0, others = 0;
        int64_t own = own_class(l, F, i, &top);
        for (int64_t o = 0; o < c; o++)
            total += P[i * c + o] = exp(argument(l, F, i * c + o) - top);
        for (int64_t o = 0; o < c; o++) {
            double p = P[i * c + o] /= total;
            if (o != own) others += p;
            U[i * c + o] = -l->share[i] * p;
        }
        U[i * c + own] = l->share[i] * others; /* 1 - p without cancellation */
    }
}

void loss_dual_point(const glm_loss *l, const double *F, double *U, double *P) {
    if (l->kind == GLM_LOGISTIC && l->c == 1) binary_point(l, F, U, P);
    if (l->kind == GLM_LOGISTIC && l->c > 1) softmax_point(l, F, U, P);
    for (int64_t i = 0; l->kind == GLM_SQUARED && i < l->n; i++)
        U[i] = l->share[i] * (l->y[i] - argument(l, F, i));
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
