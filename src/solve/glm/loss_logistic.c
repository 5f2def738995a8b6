#include "solve/glm/loss.h"

#include <math.h>

#include "solve/glm/loss_logs.h"

/* ln(1 + e^t) is t or 0, and ln(1 + e^-|t|) of at most 2. */
static double logistic_point(const glm_loss *l, const double *F, double *U, double *P,
                             double class_part[2]) {
    logs g[2] = {{0, 1, 0}, {0, 1, 0}};
    double linear[2] = {0, 0};
    for (int64_t i = 0; i < l->n; i++) {
        double f = loss_argument(l, F, i), small = exp(-fabs(f)), sure = 1 / (1 + small);
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

static double logistic_dual(const glm_loss *l, const double *F, const double *U, double t) {
    double sum = 0;
    (void)F;
    for (int64_t i = 0; i < l->n; i++) {
        double share = l->share[i], e = share > 0 ? t * fabs(U[i]) / share : 0;
        sum += share * entropy_of(e);
        sum += share * entropy_of_rest(e);
    }
    return sum + loss_dual_offset(l, U, t);
}

static void logistic_diagonal(const glm_loss *l, const double *P, double *h) {
    for (int64_t i = 0; i < l->n; i++) h[i] = l->share[i] * (P[i] * (1 - P[i]));
}

/* The class with the larger sum is shrunk. The bound: -l*(-u) = l(f) + u f is concave in u and 0
 * at 0, so at t u it is at least t times its value at u. */
static double logistic_balance(const glm_loss *l, bool sums, const double *F, const double *U,
                               const double class_part[2], double *D) {
    double sum[2] = {0, 0}, along[2] = {0, 0}, keep[2] = {1, 1};
    for (int64_t i = 0; i < l->n; i++) {
        int up = U[i] > 0;
        sum[up] += fabs(U[i]);
        along[up] += U[i] * F[i];
    }
    double less = fmin(sum[0], sum[1]);
    for (int up = 0; up < 2; up++)
        if (sums && sum[up] > 0) keep[up] = less / sum[up];
    for (int64_t i = 0; i < l->n; i++) D[i] = U[i] * keep[U[i] > 0];
    if (l->offset) return -INFINITY;
    return keep[0] * (class_part[0] + along[0]) + keep[1] * (class_part[1] + along[1]);
}

const loss_kind loss_logistic = {.met = LOSS_SEPARATED,
                                 .point = logistic_point,
                                 .dual = logistic_dual,
                                 .diagonal = logistic_diagonal,
                                 .balance = logistic_balance};
