#include "support/cox_case.h"

#include <math.h>
#include <string.h>

void cox_case_draw(cox_case *k, rng *r, int64_t n, int64_t times, int what, const double *effect) {
    double total = 0;
    bool some = false;
    memset(k, 0, sizeof *k);
    k->n = n;
    k->what = what;
    k->n_strata = what & COX_STRATA ? 3 : 1;
    for (int64_t i = 0; i < n; i++) {
        double hazard = effect ? exp(effect[i]) : 1;
        k->time[i] = 1 + floor((double)times * fmin(-log(1 - rng_uniform(r)) / hazard / 2, 0.999));
        k->event[i] = rng_uniform(r) < 0.6;
        some |= k->event[i] != 0;
        k->stratum[i] = (int32_t)(rng_next(r) % (uint64_t)k->n_strata);
        k->weight[i] = what & COX_WEIGHTS ? 0.2 + 2 * rng_uniform(r) : 1;
        k->offset[i] = what & COX_OFFSET ? rng_normal(r) / 2 : 0;
        total += k->weight[i];
    }
    if (!some) k->event[0] = 1;
    for (int64_t i = 0; i < n; i++) k->share[i] = k->weight[i] / total;
}

/* The tied events at the time of event i, in row order, and the place of i among them. */
static int64_t tied_with(const cox_case *k, int64_t i, int64_t *place, double *sum) {
    int64_t m = 0;
    *sum = 0;
    for (int64_t j = 0; j < k->n; j++) {
        bool tied = k->event[j] && k->time[j] == k->time[i] && k->stratum[j] == k->stratum[i];
        if (j == i) *place = m;
        m += tied;
        *sum += tied ? k->weight[j] : 0;
    }
    return m;
}

/* The term of event i: its weight c, and a (n), what its risk set weighs. */
static double term_of(const cox_case *k, int64_t i, double *a) {
    double total = 0, sum;
    int64_t place = 0, m = tied_with(k, i, &place, &sum);
    bool efron = k->what & COX_EFRON;
    for (int64_t j = 0; j < k->n; j++) {
        bool tied = k->event[j] && k->time[j] == k->time[i];
        double part = efron && tied ? 1 - (double)place / (double)m : 1;
        bool here = k->stratum[j] == k->stratum[i] && k->time[j] >= k->time[i];
        a[j] = here ? k->weight[j] * part : 0;
        total += k->weight[j];
    }
    return (efron ? sum / (double)m : k->weight[i]) / total;
}

static double softmax(const cox_case *k, const double *a, const double *f, double *p) {
    double top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < k->n; j++)
        if (a[j] > 0) top = fmax(top, f[j] + k->offset[j]);
    for (int64_t j = 0; j < k->n; j++)
        sum += p[j] = a[j] > 0 ? a[j] * exp(f[j] + k->offset[j] - top) : 0;
    for (int64_t j = 0; j < k->n; j++) p[j] /= sum;
    return top + log(sum);
}

double cox_case_loss(const cox_case *k, const double *f, double *gradient, double *H) {
    double loss = 0, a[COX_MAX_N], p[COX_MAX_N];
    int64_t n = k->n;
    if (gradient) memset(gradient, 0, sizeof *gradient * (size_t)n);
    if (H) memset(H, 0, sizeof *H * (size_t)(n * n));
    for (int64_t i = 0; i < n; i++) {
        if (!k->event[i]) continue;
        double c = term_of(k, i, a);
        loss += c * softmax(k, a, f, p) - k->share[i] * (f[i] + k->offset[i]);
        if (gradient) gradient[i] -= k->share[i];
        for (int64_t j = 0; j < n; j++) {
            if (gradient) gradient[j] += c * p[j];
            if (H) H[j * n + j] += c * p[j];
            for (int64_t l = 0; H && l < n; l++) H[j * n + l] -= c * p[j] * p[l];
        }
    }
    return loss;
}

/* The part of sample j's weight that the tied of its time give the term of event i: intervals of
 * equal length are laid over the weights in row order. */
static double dealt_to(const cox_case *k, int64_t i, int64_t j) {
    if (!(k->what & COX_EFRON)) return i == j;
    if (!k->event[j] || k->time[j] != k->time[i] || k->stratum[j] != k->stratum[i]) return 0;
    double sum, before = 0;
    int64_t place = 0, m = tied_with(k, i, &place, &sum);
    for (int64_t l = 0; l < j; l++)
        if (k->event[l] && k->time[l] == k->time[i] && k->stratum[l] == k->stratum[i])
            before += k->weight[l];
    double mean = sum / (double)m, from = fmax(mean * (double)place, before);
    double to = fmin(mean * (double)(place + 1), before + k->weight[j]);
    return to > from ? (to - from) / mean : 0;
}

double cox_case_dual(const cox_case *k, const double *f, double s) {
    double sum = 0, a[COX_MAX_N], p[COX_MAX_N];
    for (int64_t i = 0; i < k->n; i++) {
        if (!k->event[i]) continue;
        double c = term_of(k, i, a);
        softmax(k, a, f, p);
        for (int64_t j = 0; j < k->n; j++) {
            double e = dealt_to(k, i, j), q = s * p[j] + (1 - s) * e;
            if (q > 0) sum -= c * q * log(q / a[j]);
            sum += s * c * (p[j] - e) * k->offset[j];
        }
    }
    return sum;
}
