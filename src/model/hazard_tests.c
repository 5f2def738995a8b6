#include "model/hazard_tests.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "base/p_values.h"
#include "la/factor.h"
#include "task/kaplan_meier.h"

/* Sums over samples of exp(f), of exp(f) z and of exp(f) z z' (lower triangle, k x k). */
typedef struct risk_sums {
    double one, *z, *zz;
} risk_sums;

typedef struct tests {
    int64_t n, k;
    const double *Z; /* n x k, mean 0 and deviation 1 */
    const target *y;
    const double *weight, *f;
    double top; /* the largest f */
    bool efron;
    survival_curve km; /* of all strata together */
    double mean_g;     /* over the events */
    risk_sums at_risk, tied;
    double *U, *U_g;        /* k: slopes */
    double *I, *I_g, *I_gg; /* k x k, lower triangle: sums of V, g V and g^2 V */
    double *m, *V;          /* scratch: k, k x k */
} tests;

static double weight_of(const tests *t, int64_t i) { return t->weight ? t->weight[i] : 1; }

static double deviation_of(double *x, int64_t n) {
    double mean = 0, square = 0;
    for (int64_t i = 0; i < n; i++) mean += x[i] / (double)n;
    for (int64_t i = 0; i < n; i++) x[i] -= mean;
    for (int64_t i = 0; i < n; i++) square += x[i] * x[i] / (double)n;
    return sqrt(square);
}

/* Mean 0 and deviation 1; sd: of each column, 0 where it is constant. */
static void standardise(double *X, int64_t n, int64_t k, double *sd) {
    for (int64_t j = 0; j < k; j++) {
        sd[j] = deviation_of(X + j * n, n);
        for (int64_t i = 0; sd[j] > 0 && i < n; i++) X[j * n + i] /= sd[j];
    }
}

static void add_to(risk_sums *s, const tests *t, int64_t i) {
    double w = weight_of(t, i) * exp(t->f[i] - t->top);
    const double *z = t->Z + i;
    s->one += w;
    for (int64_t a = 0; a < t->k; a++) {
        double wz = w * z[a * t->n];
        s->z[a] += wz;
        for (int64_t b = 0; b <= a; b++) s->zz[b * t->k + a] += wz * z[b * t->n];
    }
}

static void clear(risk_sums *s, int64_t k) {
    s->one = 0;
    memset(s->z, 0, sizeof *s->z * (size_t)k);
    memset(s->zz, 0, sizeof *s->zz * (size_t)(k * k));
}

/* g just before that event time, centred. */
static double g_at(const tests *t, double time) {
    int64_t low = 0, high = t->km.count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (t->km.time[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return (low ? 1 - t->km.survival[low - 1] : 0) - t->mean_g;
}

/* A term of the likelihood, which counts c: those at risk less a share of the tied events. */
static void add_term(tests *t, double c, double share, double g) {
    const int64_t k = t->k;
    double all = t->at_risk.one - share * t->tied.one;
    for (int64_t a = 0; a < k; a++) t->m[a] = (t->at_risk.z[a] - share * t->tied.z[a]) / all;
    for (int64_t b = 0; b < k; b++)
        for (int64_t a = b; a < k; a++) {
            int64_t e = b * k + a;
            double v = (t->at_risk.zz[e] - share * t->tied.zz[e]) / all - t->m[a] * t->m[b];
            t->I[e] += c * v;
            t->I_g[e] += c * g * v;
            t->I_gg[e] += c * g * g * v;
        }
    for (int64_t a = 0; a < k; a++) {
        t->U[a] -= c * t->m[a];
        t->U_g[a] -= c * g * t->m[a];
    }
}

/* The events among list[from .. end), all at one time. */
static void add_events(tests *t, const ranked *list, int64_t from, int64_t end) {
    double g = g_at(t, list[from].key), weights = 0;
    int64_t count = 0;
    for (int64_t e = from; e < end; e++) {
        int64_t i = list[e].index;
        if (!t->y->event[i]) continue;
        double w = weight_of(t, i);
        weights += w;
        count++;
        for (int64_t a = 0; a < t->k; a++) {
            t->U[a] += w * t->Z[a * t->n + i];
            t->U_g[a] += w * g * t->Z[a * t->n + i];
        }
    }
    if (count == 0) return;
    if (!t->efron) add_term(t, weights, 0, g);
    for (int64_t l = 0; t->efron && l < count; l++)
        add_term(t, weights / (double)count, (double)l / (double)count, g);
}

/* From the latest time on: who is there is at risk at all times before. */
static void add_stratum(tests *t, const ranked *list, int64_t count) {
    clear(&t->at_risk, t->k);
    for (int64_t end = count, from; end > 0; end = from) {
        clear(&t->tied, t->k);
        for (from = end; from > 0 && list[from - 1].key == list[end - 1].key; from--) {
            int64_t i = list[from - 1].index;
            add_to(&t->at_risk, t, i);
            if (t->efron && t->y->event[i]) add_to(&t->tied, t, i);
        }
        add_events(t, list, from, end);
    }
}

static pare_status add_all(tests *t, arena *mem, pare_error *err) {
    ranked *all = ARENA_NEW(mem, ranked, t->n), *own = ARENA_NEW(mem, ranked, t->n);
    PASS_MEM(all && own);
    for (int64_t i = 0; i < t->n; i++) all[i] = (ranked){t->y->time[i], i};
    sort_least_first(all, t->n);
    for (int64_t h = 0; h < (t->y->stratum ? t->y->n_strata : 1); h++) {
        int64_t count = 0;
        for (int64_t e = 0; e < t->n; e++)
            if (!t->y->stratum || t->y->stratum[all[e].index] == h) own[count++] = all[e];
        add_stratum(t, own, count);
    }
    return PARE_OK;
}

static void fill_upper(double *A, int64_t k) {
    for (int64_t b = 0; b < k; b++)
        for (int64_t a = b; a < k; a++) A[a * k + b] = A[b * k + a];
}

/* The slope in a less what the slope in b explains, and its variance, which replaces I_gg. False: the
 * information of b is singular. inverse: of I. */
static bool adjust(tests *t, double *inverse) {
    const int64_t k = t->k;
    fill_upper(t->I_g, k);
    fill_upper(t->I_gg, k);
    memset(inverse, 0, sizeof *inverse * (size_t)(k * k));
    for (int64_t a = 0; a < k; a++) inverse[a * k + a] = 1;
    if (!chol_factor('L', k, t->I, k)) return false;
    chol_solve('L', k, t->I, k, inverse, k);
    memcpy(t->V, t->I_g, sizeof *t->V * (size_t)(k * k));
    chol_solve('L', k, t->I, k, t->V, k); /* I^-1 I_g */
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++) {
            t->U_g[a] -= t->V[a * k + b] * t->U[b];
            for (int64_t c = 0; c < k; c++)
                t->I_gg[b * k + a] -= t->I_g[c * k + a] * t->V[b * k + c];
        }
    return true;
}

static void conclude(hazard_tests *out, tests *t, const double *sd, double *inverse) {
    static const double SINGULAR = 1e-10; /* of what a feature's variance was */
    const int64_t k = t->k;
    for (int64_t a = 0; a < k; a++) t->m[a] = t->I_gg[a * k + a];
    if (!adjust(t, inverse)) return;
    for (int64_t a = 0; a < k; a++) {
        double left = t->I_gg[a * k + a];
        out->se[a] = sqrt(inverse[a * k + a]) / sd[a];
        if (left > SINGULAR * t->m[a]) out->feature_chi2[a] = t->U_g[a] * t->U_g[a] / left;
    }
    memcpy(t->m, t->U_g, sizeof *t->m * (size_t)k);
    if (!chol_factor_solve('L', k, t->I_gg, k, t->m, 1)) return;
    out->chi2 = 0;
    out->df = (double)k;
    for (int64_t a = 0; a < k; a++) out->chi2 += t->m[a] * t->U_g[a];
    out->p = chi2_p_value(out->chi2, out->df);
}

static pare_status alloc(tests *t, arena *mem, pare_error *err) {
    const int64_t k = t->k;
    PASS_MEM(ARENA_NEWS(mem, double, k, &t->at_risk.z, &t->tied.z, &t->m));
    PASS_MEM(ARENA_NEWS(mem, double, k *k, &t->at_risk.zz, &t->tied.zz, &t->V));
    t->U = ARENA_ZERO(mem, double, k);
    t->U_g = ARENA_ZERO(mem, double, k);
    t->I = ARENA_ZERO(mem, double, k *k);
    t->I_g = ARENA_ZERO(mem, double, k *k);
    t->I_gg = ARENA_ZERO(mem, double, k *k);
    PASS_MEM(t->U && t->U_g && t->I && t->I_g && t->I_gg);
    return PARE_OK;
}

/* The time scale g, and its mean over the events. */
static pare_status open_scale(tests *t, arena *mem, pare_error *err) {
    const survival_times of = {t->n, t->y->time, t->y->event, t->weight};
    double sum = 0;
    PASS(survival_curve_make(&t->km, mem, &of, err));
    for (int64_t i = 0; i < t->n; i++)
        if (t->y->event[i]) sum += weight_of(t, i) * g_at(t, t->y->time[i]);
    t->mean_g = sum / t->km.events;
    return PARE_OK;
}

pare_status hazard_tests_make(hazard_tests *out, arena *mem, double *X, int64_t n, int64_t k,
                              const target *y, const double *weight, const double *f, bool efron,
                              pare_error *err) {
    tests t = {.n = n, .k = k, .Z = X, .y = y, .weight = weight, .f = f, .efron = efron};
    arena scratch;
    double *sd, *inverse;
    pare_status status = PARE_OK;
    *out = (hazard_tests){.chi2 = NAN, .df = NAN, .p = NAN};
    arena_init(&scratch, &mem->mem);
    TRY_MEM(ARENA_NEWS(mem, double, k, &out->feature_chi2, &out->se));
    for (int64_t a = 0; a < k; a++) out->feature_chi2[a] = out->se[a] = NAN;
    if (k == 0 || k > MAX_TESTED_FEATURES) goto done;
    TRY_MEM(sd = ARENA_NEW(&scratch, double, k));
    TRY_MEM(inverse = ARENA_NEW(&scratch, double, k *k));
    standardise(X, n, k, sd);
    TRY(alloc(&t, &scratch, err));
    t.top = -INFINITY;
    for (int64_t i = 0; i < n; i++) t.top = fmax(t.top, f[i]);
    TRY(open_scale(&t, &scratch, err));
    TRY(add_all(&t, &scratch, err));
    conclude(out, &t, sd, inverse);
done:
    arena_free(&scratch);
    return status;
}
