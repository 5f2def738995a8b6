#include "solve/glm/loss.h"

#include <math.h>

static double squared_point(const glm_loss *l, const double *F, double *U, double *P,
                            double class_part[2]) {
    double sum = 0;
    (void)P;
    (void)class_part;
    for (int64_t i = 0; i < l->n; i++) {
        double r = l->y[i] - loss_argument(l, F, i);
        U[i] = l->share[i] * r;
        sum += U[i] * r / 2;
    }
    return sum;
}

static double squared_dual(const glm_loss *l, const double *F, const double *U, double t) {
    double sum = 0;
    (void)F;
    for (int64_t i = 0; i < l->n; i++)
        if (l->share[i] > 0) sum += t * U[i] * l->y[i] - t * t * U[i] * U[i] / (2 * l->share[i]);
    return sum + loss_dual_offset(l, U, t);
}

static double squared_best_scale(const glm_loss *l, const double *U) {
    double along = 0, square = 0;
    for (int64_t i = 0; i < l->n; i++) {
        if (l->share[i] == 0) continue;
        along += U[i] * (l->y[i] - (l->offset ? l->offset[i] : 0));
        square += U[i] * U[i] / l->share[i];
    }
    return square > 0 && along > 0 ? along / square : 0;
}

static void squared_diagonal(const glm_loss *l, const double *P, double *h) {
    (void)P;
    for (int64_t i = 0; i < l->n; i++) h[i] = l->share[i];
}

/* The excess is subtracted in proportion to the shares. */
static double squared_balance(const glm_loss *l, bool sums, const double *F, const double *U,
                              const double class_part[2], double *D) {
    double sum[2] = {0, 0};
    (void)F;
    (void)class_part;
    for (int64_t i = 0; sums && i < l->n; i++) sum[U[i] > 0] += fabs(U[i]);
    for (int64_t i = 0; i < l->n; i++) D[i] = U[i] - l->share[i] * (sum[1] - sum[0]);
    return -INFINITY;
}

const loss_kind loss_squared = {.met = "the target is met, and no loss is left",
                                .quadratic = true,
                                .point = squared_point,
                                .dual = squared_dual,
                                .best_scale = squared_best_scale,
                                .diagonal = squared_diagonal,
                                .balance = squared_balance};
