/* Random effects over cohorts (DerSimonian and Laird 1986), with the prediction interval of Higgins,
 * Thompson and Spiegelhalter (2009): mean +- t(k - 2) sqrt(tau2 + se2).
 *
 * Proportions and c on the logit scale, where 0 and 1 count as half a sample from there; variances are
 * those of the resamples on that scale, of proportions at least 1 / (n p (1 - p)). */
#include <math.h>

#include "base/error.h"
#include "base/p_values.h"
#include "validate/validation.h"

static const double NORMAL_975 = 1.959963984540054;
static const pare_pooled UNDEFINED = {{NAN, NAN, NAN}, NAN, NAN, NAN};

static double to_scale(double x, bool logit, double n) {
    if (!logit) return x;
    double p = fmin(fmax(x, 0.5 / n), 1 - 0.5 / n);
    return log(p / (1 - p));
}

static double from_scale(double z, bool logit) { return logit ? 1 / (1 + exp(-z)) : z; }

/* The variance of the resamples of metric k, m apart, on the scale. */
static double variance_of(const double *draws, int64_t m, int64_t k, bool logit, double value,
                          double n) {
    double sum = 0, square = 0, count = 0;
    for (int64_t q = 0; q < VALIDATION_DRAWS; q++) {
        double x = draws[q * m + k];
        if (isnan(x)) continue;
        double off = to_scale(x, logit, n) - to_scale(value, logit, n);
        sum += off;
        square += off * off;
        count++;
    }
    if (!(count > 1)) return NAN;
    double found = (square - sum * sum / count) / (count - 1);
    double p = from_scale(to_scale(value, logit, n), logit);
    return logit ? fmax(found, 1 / (n * p * (1 - p))) : found;
}

/* The quantile of Student's t with 97.5% below it, by halving. */
static double student_975(double df) {
    double low = 0, high = 2;
    while (student_two_sided(high, df) > 0.05) high *= 2;
    for (int step = 0; step < 200 && high - low > 1e-13 * high; step++) {
        double middle = low + (high - low) / 2;
        *(student_two_sided(middle, df) > 0.05 ? &low : &high) = middle;
    }
    return low + (high - low) / 2;
}

/* k values with their variances. */
static pare_pooled pool(const double *value, const double *variance, int64_t k, bool logit) {
    double w = 0, w2 = 0, mean = 0, q = 0, weight = 0;
    if (k < 2) return UNDEFINED;
    for (int64_t i = 0; i < k; i++) {
        w += 1 / variance[i];
        w2 += 1 / (variance[i] * variance[i]);
        mean += value[i] / variance[i];
    }
    mean /= w;
    for (int64_t i = 0; i < k; i++) q += (value[i] - mean) * (value[i] - mean) / variance[i];
    double tau2 = fmax(0, (q - (double)(k - 1)) / (w - w2 / w));
    mean = 0;
    for (int64_t i = 0; i < k; i++) {
        mean += value[i] / (variance[i] + tau2);
        weight += 1 / (variance[i] + tau2);
    }
    mean /= weight;
    double half = NORMAL_975 / sqrt(weight);
    pare_pooled out = {
        {from_scale(mean, logit), from_scale(mean - half, logit), from_scale(mean + half, logit)},
        NAN,
        NAN,
        tau2};
    if (k < 3) return out;
    half = student_975((double)(k - 2)) * sqrt(tau2 + 1 / weight);
    out.prediction_low = from_scale(mean - half, logit);
    out.prediction_high = from_scale(mean + half, logit);
    return out;
}

/* Limits on the metric's own scale may leave what it can be. */
static void keep_within(pare_pooled *p, const metric_info *of) {
    double *limit[] = {&p->mean.low, &p->mean.high, &p->prediction_low, &p->prediction_high};
    for (int i = 0; i < 4; i++)
        if (!isnan(*limit[i])) *limit[i] = fmax(of->least, fmin(of->most, *limit[i]));
}

pare_status pooled_fill(pare_validation *v, const task_type *task, const double *const *draws,
                        pare_error *err) {
    int64_t m = v->n_metrics, cohorts = v->info.n_cohorts;
    if (cohorts < 2) return PARE_OK;
    pare_pooled *pooled = ARENA_NEW(&v->mem, pare_pooled, m);
    double *value, *variance;
    PASS_MEM(pooled);
    PASS_MEM(ARENA_NEWS(&v->mem, double, cohorts, &value, &variance));
    for (int64_t k = 0; k < m; k++) {
        bool logit = task->metric[v->metric[k]].proportion != PROPORTION_NONE;
        int64_t count = 0;
        for (int64_t c = 0; c < cohorts; c++) {
            const pare_cohort *own = &v->info.cohort[c];
            double x = own->metric[k].value, n = (double)own->n;
            if (isnan(x)) continue;
            value[count] = to_scale(x, logit, n);
            variance[count] = variance_of(draws[c], m, k, logit, x, n);
            count += variance[count] > 0;
        }
        pooled[k] = pool(value, variance, count, logit);
        keep_within(&pooled[k], &task->metric[v->metric[k]]);
    }
    v->info.pooled = pooled;
    return PARE_OK;
}
