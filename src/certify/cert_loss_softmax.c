/* The logistic loss of several classes: ln sum_k exp f_k - f_y. */
#include <math.h>

#include "certify/cert_glm.h"

enum { BALANCING = 1000 };
static const double BALANCED = 1e-12; /* sums of shares: to rounding */

static void targets(glm_cert *k) {
    for (int64_t e = 0; e < k->n * k->c; e++) k->y[e] = k->job->y->cls[e % k->n] == e / k->n;
}

/* Each sample's probabilities q = y - U / s to sum 1. */
static void sum_to_one(glm_cert *k) {
    for (int64_t i = 0; i < k->n; i++) {
        double sum = 0;
        for (int64_t o = 0; o < k->c; o++) sum += k->U[o * k->n + i];
        for (int64_t o = 0; o < k->c; o++)
            k->U[o * k->n + i] = sum > 0 ? k->U[o * k->n + i] / sum : k->y[o * k->n + i];
    }
}

/* The probabilities of U, scaled by class and by sample in turn until those of each class sum to
 * its share. */
static bool balance(glm_cert *k) {
    int64_t n = k->n;
    bool even = !k->job->with_intercept;
    for (int64_t e = 0; e < n * k->c; e++) {
        double s = k->s[e % n];
        k->U[e] = s > 0 ? fmax(k->y[e] - k->job->dual[e] / s, 0) : k->y[e];
    }
    sum_to_one(k);
    for (int turn = 0; turn < BALANCING && !even; turn++) {
        double worst = 0;
        for (int64_t o = 0; o < k->c; o++) {
            double have = 0, want = 0;
            for (int64_t i = 0; i < n; i++) {
                have += k->s[i] * k->U[o * n + i];
                want += k->s[i] * k->y[o * n + i];
            }
            worst = fmax(worst, fabs(have - want));
            for (int64_t i = 0; i < n && have > 0; i++) k->U[o * n + i] *= want / have;
        }
        sum_to_one(k);
        even = worst <= BALANCED;
    }
    for (int64_t e = 0; e < n * k->c; e++) k->U[e] = k->s[e % n] * (k->y[e] - k->U[e]);
    return even;
}

static double value(const glm_cert *k) {
    double sum = 0;
    for (int64_t i = 0; i < k->n; i++) {
        double top = -INFINITY, total = 0, own = 0;
        for (int64_t o = 0; o < k->c; o++) top = fmax(top, k->f[o * k->n + i]);
        for (int64_t o = 0; o < k->c; o++) {
            total += exp(k->f[o * k->n + i] - top);
            own += k->y[o * k->n + i] * k->f[o * k->n + i];
        }
        if (k->s[i] > 0) sum += k->s[i] * (log(total) + top - own);
    }
    return sum;
}

static double dual(const glm_cert *k, double t) {
    double sum = 0;
    for (int64_t e = 0; e < k->n * k->c; e++) {
        double s = k->s[e % k->n];
        if (s == 0) continue;
        double q = fabs(t * k->U[e]) / s;
        sum += s * (k->y[e] > 0 ? (q < 1 ? -(1 - q) * log1p(-q) : 0) : q > 0 ? -q * log(q) : 0);
    }
    return sum;
}

static double decision_of_dual(const glm_cert *k, int64_t o, int64_t i) {
    double u = k->U[o * k->n + i] / k->s[i];
    return log(k->y[o * k->n + i] > 0 ? 1 - u : -u);
}

static double nothing(const glm_cert *k) {
    (void)k;
    return 0;
}

const cert_loss cert_softmax = {.targets = targets,
                                .balance = balance,
                                .value = value,
                                .dual = dual,
                                .decision_of_dual = decision_of_dual,
                                .nothing = nothing};
