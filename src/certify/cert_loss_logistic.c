/* The logistic loss of two classes: ln(1 + exp(-+f)). */
#include <math.h>

#include "certify/cert_glm.h"

static void targets(glm_cert *k) {
    for (int64_t i = 0; i < k->n; i++) k->y[i] = k->job->y->cls[i] == 1;
}

/* U of one sign in each class, the heavier shrunk to the lighter. */
static bool balance(glm_cert *k) {
    double sum[2] = {0, 0};
    for (int64_t i = 0; i < k->n; i++) {
        double up = k->y[i] > 0 ? 1 : -1;
        k->U[i] = up * fmin(fmax(up * k->job->dual[i], 0), k->s[i]);
        sum[k->y[i] > 0] += fabs(k->U[i]);
    }
    double less = fmin(sum[0], sum[1]);
    for (int64_t i = 0; k->job->with_intercept && i < k->n; i++)
        k->U[i] *= sum[k->y[i] > 0] > 0 ? less / sum[k->y[i] > 0] : 0;
    return true;
}

static double value(const glm_cert *k) {
    double sum = 0;
    for (int64_t i = 0; i < k->n; i++) {
        double away = k->y[i] > 0 ? -k->f[i] : k->f[i];
        if (k->s[i] > 0) sum += k->s[i] * (away > 0 ? away + log1p(exp(-away)) : log1p(exp(away)));
    }
    return sum;
}

static double dual(const glm_cert *k, double t) {
    double sum = 0;
    for (int64_t i = 0; i < k->n; i++) {
        if (k->s[i] == 0) continue;
        double q = fabs(t * k->U[i]) / k->s[i];
        double own = q > 0 ? -q * log(q) : 0, rest = q < 1 ? -(1 - q) * log1p(-q) : 0;
        sum += k->s[i] * (own + rest);
    }
    return sum;
}

static double decision_of_dual(const glm_cert *k, int64_t o, int64_t i) {
    double u = k->U[i] / k->s[i];
    double yes = k->y[i] > 0 ? 1 - u : -u, no = k->y[i] > 0 ? u : 1 + u; /* no cancellation */
    (void)o;
    return log(yes) - log(no);
}

static double nothing(const glm_cert *k) {
    (void)k;
    return 0;
}

const cert_loss cert_logistic = {.targets = targets,
                                 .balance = balance,
                                 .value = value,
                                 .dual = dual,
                                 .decision_of_dual = decision_of_dual,
                                 .nothing = nothing};
