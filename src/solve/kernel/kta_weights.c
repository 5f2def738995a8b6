#include "solve/kernel/kta_weights.h"

#include <math.h>

/* The optimality condition and its derivatives at L = ln eta. */
typedef struct condition {
    double g, g_l, g_p, g_ll, g_lp, g_pp;
} condition;

static condition condition_at(const kta_problem *k, double a, double L) {
    double p = k->p, e = k->lambda2 * exp((p - 1) * L);
    condition c;
    if (k->kl) {
        c.g = k->lambda1 * (L - log(k->eta0));
        c.g_l = k->lambda1;
        c.g_ll = 0;
    } else {
        double eta = exp(L);
        c.g = 2 * k->lambda1 * (eta - k->eta0);
        c.g_l = c.g_ll = 2 * k->lambda1 * eta;
    }
    c.g += p * e - a;
    c.g_l += p * (p - 1) * e;
    c.g_ll += p * (p - 1) * (p - 1) * e;
    c.g_p = e * (1 + p * L);
    c.g_lp = e * (2 * p - 1 + p * (p - 1) * L);
    c.g_pp = e * (2 * L + p * L * L);
    return c;
}

enum { MAX_NEWTON = 300 };
static const double STEP_TOLERANCE = 1e-15; /* of a step in ln eta */

/* euclid: ln(t1 + t2) = ln b, with t1 = 2 lambda1 eta, t2 = lambda2 p eta^(p-1), b = a + 2 lambda1
 * eta0. In logarithms the left side is convex with slopes between p - 1 and 1, so that Newton's
 * method is monotone from the right and needs a handful of steps. */
static double newton_euclid(const kta_problem *k, double log_b, double L, int64_t *steps) {
    double l1 = log(2 * k->lambda1), l2 = log(k->lambda2 * k->p), q = k->p - 1;
    for (int i = 0; i < MAX_NEWTON; i++) {
        double t1 = l1 + L, t2 = l2 + q * L, top = fmax(t1, t2);
        double e1 = exp(t1 - top), e2 = exp(t2 - top), sum = e1 + e2;
        double step = (top + log(sum) - log_b) * sum / (e1 + q * e2);
        ++*steps;
        L -= step;
        if (!(fabs(step) > STEP_TOLERANCE * fmax(1, fabs(L)))) break;
    }
    return L;
}

static double newton_kl(const kta_problem *k, double a, double L, int64_t *steps) {
    for (int i = 0; i < MAX_NEWTON; i++) {
        condition c = condition_at(k, a, L);
        double step = c.g / c.g_l;
        ++*steps;
        L -= step;
        if (!(fabs(step) > STEP_TOLERANCE * fmax(1, fabs(L)))) break;
    }
    return L;
}

/* Where the two regularisers do not have to be weighed against each other. */
static bool closed_form(const kta_problem *k, double a, double *L) {
    double b = k->kl ? a : a + 2 * k->lambda1 * k->eta0;
    bool linear = k->lambda2 == 0 || k->p == 1;
    if (k->lambda1 == 0) { /* p > 1 */
        *L = a > 0 ? log(a / (k->lambda2 * k->p)) / (k->p - 1) : -INFINITY;
    } else if (k->kl && linear) {
        *L = log(k->eta0) + (a - k->lambda2) / k->lambda1;
    } else if (linear) {
        double rest = b - k->lambda2;
        *L = rest > 0 ? log(rest / (2 * k->lambda1)) : -INFINITY;
    } else if (!k->kl && !(b > 0)) {
        *L = -INFINITY;
    } else {
        return false;
    }
    return true;
}

/* A point at or right of the root, from either regulariser alone. */
static double right_of_root(const kta_problem *k, double a) {
    double b = k->kl ? a : a + 2 * k->lambda1 * k->eta0;
    double norm = b > 0 ? log(b / (k->lambda2 * k->p)) / (k->p - 1) : -INFINITY;
    if (!k->kl) return fmin(log(b / (2 * k->lambda1)), norm);
    double start = log(k->eta0);
    return norm < start ? start : fmin(start + a / k->lambda1, norm);
}

double kta_log_weight(const kta_problem *k, double a) {
    double L;
    int64_t steps = 0;
    if (closed_form(k, a, &L)) return L;
    L = right_of_root(k, a);
    if (k->kl) return newton_kl(k, a, L, &steps);
    return newton_euclid(k, log(a + 2 * k->lambda1 * k->eta0), L, &steps);
}

double kta_value(const kta_problem *k, double a, double eta) {
    double off = eta - k->eta0, divergence = off * off;
    if (k->kl) divergence = eta > 0 ? eta * log(eta / k->eta0) - off : k->eta0;
    return k->lambda1 * divergence + k->lambda2 * pow(eta, k->p) - a * eta;
}

double kta_threshold(const kta_problem *k) { return condition_at(k, 0, log(k->eps)).g; }

double kta_juncture(const kta_problem *k, double a, double low, double high) {
    kta_problem at = *k;
    at.p = high;
    if (!(a > kta_threshold(&at))) return INFINITY;
    at.p = low;
    if (a > kta_threshold(&at)) return low;
    for (int i = 0; i < 60; i++) { /* the threshold falls with p */
        at.p = 0.5 * (low + high);
        if (a > kta_threshold(&at))
            high = at.p;
        else
            low = at.p;
    }
    return high;
}

double kta_bound(const kta_problem *k, int64_t count) {
    double divergence = k->kl ? k->eps : k->eps * k->eps;
    return (double)count * (k->lambda1 * divergence + k->lambda2 * (k->p - 1) * pow(k->eps, k->p));
}

/* ln eta at p - step: value, slope and curvature of the path by implicit differentiation of g. The
 * paper predicts eta, eq. (6); its logarithm keeps the prediction positive. */
static double predict(const kta_problem *k, double a, double L, double step, int order) {
    if (order == 0) return L;
    condition c = condition_at(k, a, L);
    double slope = -c.g_p / c.g_l, next = L - step * slope;
    if (order == 1) return next;
    double curve = -(c.g_pp + 2 * c.g_lp * slope + c.g_ll * slope * slope) / c.g_l;
    return next + 0.5 * step * step * curve;
}

/* Newton's method from a prediction; a step is cut so that a bad one cannot leave the range. */
static double correct(const kta_problem *k, double a, double L, int64_t *steps) {
    double exact;
    if (closed_form(k, a, &exact)) return exact;
    if (!isfinite(L)) L = right_of_root(k, a);
    if (k->kl) return newton_kl(k, a, L, steps);
    return newton_euclid(k, log(a + 2 * k->lambda1 * k->eta0), L, steps);
}

void kta_follow(double *log_eta, double *juncture, kta_trace *trace, const kta_problem *k,
                const double *a, int64_t d, double p_start, double p_step, int order) {
    double tiny = log(k->eps);
    *trace = (kta_trace){.active = d};
    kta_problem at = *k;
    int64_t whole = (int64_t)ceil((p_start - k->p) / p_step - 1e-9);
    for (int64_t i = 0; i < d; i++) log_eta[i] = juncture ? juncture[i] = 0 : 0;
    for (int64_t s = 0; s <= whole; s++) {
        double before = at.p;
        at.p = s == whole ? k->p : p_start - (double)s * p_step;
        for (int64_t i = 0; i < d; i++) {
            if (isinf(log_eta[i])) continue;
            if (s == 0) {
                log_eta[i] = kta_log_weight(&at, a[i]);
            } else {
                kta_problem last = at;
                last.p = before;
                double guess = predict(&last, a[i], log_eta[i], before - at.p, order);
                log_eta[i] = correct(&at, a[i], guess, &trace->newton_steps);
            }
            if (log_eta[i] > tiny) continue;
            log_eta[i] = -INFINITY;
            trace->active--;
            if (juncture) juncture[i] = at.p;
        }
    }
    trace->bound = kta_bound(k, d - trace->active);
}
