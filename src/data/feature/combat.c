/* PAPER   W. E. Johnson, C. Li, A. Rabinovic. Adjusting batch effects in microarray expression data
 *         using empirical Bayes methods. Biostatistics 8:118-127, 2007; form and stopping rule of sva.
 * SYMBOLS s = (x - grand) / deviation of a feature; gamma, delta: mean and variance of s in a batch;
 *         gamma_bar, tau2: their prior mean and variance over the features; a, b: of the inverse gamma
 *         prior of delta
 * STEPS   1. gamma_hat = mean(s), delta_hat = var(s) over n - 1, in each batch
 *         2. priors by moments over the features
 *         3. gamma* = (tau2 n gamma_hat + delta* gamma_bar) / (tau2 n + delta*),
 *            delta* = (b + sum (s - gamma*)^2 / 2) / (n / 2 + a - 1)
 *            until no feature of the batch changes by more than 1e-4 of its value
 *         4. z = (s - gamma*) / sqrt(delta*) * deviation + grand
 *            = (x - shift) * scale
 * The sum of step 3 is (n - 1) delta_hat + n (gamma_hat - gamma*)^2: no pass over X. */
#include "data/feature/combat.h"

#include <math.h>

#include "base/error.h"

static const double CONVERGED = 1e-4; /* sva's conv; as there the change of gamma has a sign */
enum { MAX_STEPS = 100000 };

/* Mean and variance (over g - 1) of g numbers. */
static void moments_of(double *mean, double *var, const double *v, int64_t g) {
    double sum = 0, squares = 0;
    for (int64_t j = 0; j < g; j++) sum += v[j];
    *mean = sum / (double)g;
    for (int64_t j = 0; j < g; j++) squares += (v[j] - *mean) * (v[j] - *mean);
    *var = squares / (double)(g - 1);
}

typedef struct priors {
    double gamma_bar, tau2, a, b;
    double delta_mean; /* where all delta_hat are equal: then they are not shrunken */
    bool equal;
} priors;

static priors priors_of(const double *gamma_hat, const double *delta_hat, int64_t g) {
    priors p;
    double m, s2;
    moments_of(&p.gamma_bar, &p.tau2, gamma_hat, g);
    moments_of(&m, &s2, delta_hat, g);
    p.delta_mean = m;
    p.equal = !(s2 > 0);
    p.a = (2 * s2 + m * m) / s2;
    p.b = (m * s2 + m * m * m) / s2;
    return p;
}

/* One step for a feature; returns the larger of the two relative changes. */
static double step(double *gamma, double *delta, double gamma_hat, double delta_hat, double n,
                   const priors *p) {
    double next = (p->tau2 * n * gamma_hat + *delta * p->gamma_bar) / (p->tau2 * n + *delta);
    double sum = (n - 1) * delta_hat + n * (gamma_hat - next) * (gamma_hat - next);
    double spread = p->equal ? p->delta_mean : (0.5 * sum + p->b) / (n / 2 + p->a - 1);
    double change = fmax(fabs(next - *gamma) / *gamma, fabs(spread - *delta) / *delta);
    *gamma = next;
    *delta = spread;
    return change;
}

/* gamma and delta begin as the estimates and end as the posterior means. */
static void shrink(double *gamma, double *delta, const double *gamma_hat, const double *delta_hat,
                   double n, int64_t g) {
    priors p = priors_of(gamma_hat, delta_hat, g);
    double change = 1;
    for (int64_t j = 0; j < g; j++) gamma[j] = gamma_hat[j], delta[j] = delta_hat[j];
    for (int t = 0; change > CONVERGED && t < MAX_STEPS; t++) {
        change = -INFINITY;
        for (int64_t j = 0; j < g; j++)
            change = fmax(change, step(&gamma[j], &delta[j], gamma_hat[j], delta_hat[j], n, &p));
    }
}

pare_status combat_fit(double *shift, double *scale, const combat_moments *of, arena *mem,
                       pare_error *err) {
    int64_t g = of->g;
    double *gamma, *delta, *gamma_hat, *delta_hat;
    PASS_MEM(ARENA_NEWS(mem, double, g, &gamma, &delta, &gamma_hat, &delta_hat));
    for (int64_t b = 0; b < of->batches; b++) {
        double n = of->size[b];
        for (int64_t j = 0; j < g; j++) {
            double deviation = of->deviation[j];
            gamma_hat[j] = (of->mean[b * g + j] - of->grand[j]) / deviation;
            delta_hat[j] = of->var[b * g + j] * n / (n - 1) / (deviation * deviation);
        }
        shrink(gamma, delta, gamma_hat, delta_hat, n, g);
        for (int64_t j = 0; j < g; j++) {
            double root = sqrt(delta[j]);
            scale[b * g + j] = 1 / root;
            shift[b * g + j] = of->grand[j] + of->deviation[j] * gamma[j] - of->grand[j] * root;
        }
    }
    return PARE_OK;
}
