/* The squared loss: 1/2 (y - f)^2. */
#include "certify/cert_glm.h"

static const double NOTHING = 1e-14; /* of the mean square of the target: no loss at all */

static void targets(glm_cert *k) {
    for (int64_t i = 0; i < k->n; i++) k->y[i] = k->job->y->value[i];
}

static bool balance(glm_cert *k) {
    double sum = 0;
    for (int64_t i = 0; i < k->n; i++) sum += k->U[i] = k->s[i] > 0 ? k->job->dual[i] : 0;
    for (int64_t i = 0; k->job->with_intercept && i < k->n; i++) k->U[i] -= k->s[i] * sum;
    return true;
}

static double value(const glm_cert *k) {
    double sum = 0;
    for (int64_t i = 0; i < k->n; i++)
        if (k->s[i] > 0) sum += k->s[i] * (k->y[i] - k->f[i]) * (k->y[i] - k->f[i]) / 2;
    return sum;
}

static double dual(const glm_cert *k, double t) {
    double sum = 0;
    for (int64_t i = 0; i < k->n; i++) {
        double u = t * k->U[i];
        if (k->s[i] > 0) sum += u * k->y[i] - u * u / (2 * k->s[i]);
    }
    return sum;
}

static double decision_of_dual(const glm_cert *k, int64_t o, int64_t i) {
    (void)o;
    return k->y[i] - k->U[i] / k->s[i];
}

static double nothing(const glm_cert *k) {
    double square = 0;
    for (int64_t i = 0; i < k->n; i++) square += k->s[i] * k->y[i] * k->y[i];
    return NOTHING * square;
}

const cert_loss cert_squared = {.targets = targets,
                                .balance = balance,
                                .value = value,
                                .dual = dual,
                                .decision_of_dual = decision_of_dual,
                                .nothing = nothing};
