/* Calibration: do outcomes come as often, and as far apart, as predicted?
 *
 * Classes: intercept and slope by logistic regression on the predicted log odds, each class against the
 * others; observed / expected on the log scale, variance (1 - O/n) / O. Survival: the slope of Cox's
 * model on the risk, observed events over the sum of H(t_i) exp(risk_i), variance 1 / O. Numbers: the
 * mean error, and the slope of least squares of the outcome on the prediction. */
#include <math.h>

#include "base/error.h"
#include "base/order.h"
#include "select/interval.h"
#include "task/kaplan_meier.h"
#include "validate/validation.h"

static const double NORMAL_975 = 1.959963984540054;
static const pare_estimate UNDEFINED = {NAN, NAN, NAN};
enum { MAX_BINS = 10, MIN_IN_BIN = 10 };

static pare_estimate around(double value, double error) {
    return (pare_estimate){value, value - NORMAL_975 * error, value + NORMAL_975 * error};
}

static pare_estimate ratio(double observed, double expected, double variance) {
    double by = exp(NORMAL_975 * sqrt(variance)), value = observed / expected;
    if (!(observed > 0 && expected > 0)) return UNDEFINED;
    return (pare_estimate){value, value / by, value * by};
}

static pare_calibration calibration_of_class(const cohort_samples *s, int64_t of) {
    logistic_job job = {.n = s->n, .z = s->Z + of * s->n, .cls = s->y.cls, .positive = of};
    double observed = 0, expected = 0, other;
    for (int64_t i = 0; i < s->n; i++) {
        observed += s->y.cls[i] == of;
        expected += s->P[of * s->n + i];
    }
    bool both = observed > 0 && observed < (double)s->n;
    return (pare_calibration){
        .intercept = logistic_intercept(&job),
        .slope = logistic_slope(&job, &other),
        .observed_expected =
            both ? ratio(observed, expected, (1 - observed / (double)s->n) / observed) : UNDEFINED};
}

static double mean_of(const double *v, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += v[i] / (double)n;
    return sum;
}

static pare_calibration of_numbers(const cohort_samples *s) {
    double n = (double)s->n, f = mean_of(s->F, s->n), y = mean_of(s->y.value, s->n);
    double spread = 0, ff = 0, fy = 0, left = 0;
    pare_calibration c = {UNDEFINED, UNDEFINED, UNDEFINED, 0, NULL};
    for (int64_t i = 0; i < s->n; i++) {
        double off = s->y.value[i] - s->F[i] - (y - f);
        spread += off * off;
        ff += (s->F[i] - f) * (s->F[i] - f);
        fy += (s->F[i] - f) * (s->y.value[i] - y);
    }
    if (s->n > 1) c.intercept = around(y - f, sqrt(spread / (n - 1) / n));
    if (s->n < 3 || !(ff > 0)) return c;
    double slope = fy / ff;
    for (int64_t i = 0; i < s->n; i++) {
        double off = s->y.value[i] - y - slope * (s->F[i] - f);
        left += off * off;
    }
    c.slope = around(slope, sqrt(left / (n - 2) / ff));
    return c;
}

static pare_status of_risks(pare_calibration *out, const cohort_samples *s, const pare_ctx *ctx,
                            pare_error *err) {
    double observed = 0, expected = 0;
    *out = (pare_calibration){UNDEFINED, UNDEFINED, UNDEFINED, 0, NULL};
    PASS(cox_slope(&out->slope, &s->y, s->n, s->Z, s->weight, ctx, err));
    if (!s->hazard) return PARE_OK;
    for (int64_t i = 0; i < s->n; i++) {
        double w = s->weight ? s->weight[i] : 1;
        observed += w * s->y.event[i];
        expected += w * s->hazard[i] * exp(s->Z[i]);
    }
    pare_estimate r = out->observed_expected = ratio(observed, expected, 1 / observed);
    out->intercept = (pare_estimate){log(r.value), log(r.low), log(r.high)};
    return PARE_OK;
}

/* --- the plot: groups of equal size by prediction --- */

/* What was observed in a group of samples, of which each has `list` its place. */
static void observe(pare_calibration_bin *out, const cohort_samples *s, const ranked *list,
                    int64_t of) {
    bool real = s->model->task->real;
    double sum = 0, square = 0, n = (double)out->n;
    for (int64_t e = 0; e < out->n; e++) {
        int64_t i = list[e].index;
        double y = real ? s->y.value[i] : (double)(s->y.cls[i] == of);
        out->predicted += list[e].key / n;
        sum += y / n;
        square += y * y / n;
    }
    interval wilson = interval_wilson(sum, n);
    double error = sqrt(fmax(0, square - sum * sum) / fmax(1, n - 1));
    pare_estimate mean = around(sum, error);
    out->observed = sum;
    out->low = real ? mean.low : wilson.low;
    out->high = real ? mean.high : wilson.high;
}

static int64_t count_bins(int64_t n) {
    int64_t bins = n / MIN_IN_BIN;
    return bins < 1 ? 1 : bins > MAX_BINS ? MAX_BINS : bins;
}

static pare_status group_samples(pare_calibration *out, arena *mem, const cohort_samples *s,
                                 int64_t of, pare_error *err) {
    const double *p = s->model->task->real ? s->F : s->P + of * s->n;
    int64_t bins = count_bins(s->n);
    pare_calibration_bin *bin = ARENA_ZERO(mem, pare_calibration_bin, bins);
    ranked *list = ARENA_NEW(mem, ranked, s->n);
    PASS_MEM(bin && list);
    for (int64_t i = 0; i < s->n; i++) list[i] = (ranked){p[i], i};
    sort_least_first(list, s->n);
    for (int64_t b = 0, from = 0; b < bins; b++) { /* equal predictions stay together */
        int64_t end = s->n * (b + 1) / bins;
        if (end <= from) continue;
        while (end < s->n && list[end].key == list[end - 1].key) end++;
        pare_calibration_bin *own = &bin[out->n_bins++];
        own->n = end - from;
        observe(own, s, list + from, of);
        from = end;
    }
    out->bin = bin;
    return PARE_OK;
}

/* Of survival: the probability of an event by `at`, against Kaplan and Meier's. */
static pare_status group_times(pare_calibration *out, pare_validation *v, const cohort_samples *s,
                               pare_error *err) {
    int64_t bins = count_bins(s->n), made;
    survival_times of = {s->n, s->y.time, s->y.event, s->weight};
    pare_calibration_bin *bin = ARENA_ZERO(&v->mem, pare_calibration_bin, bins);
    survival_group *group = ARENA_NEW(&v->mem, survival_group, bins);
    double *left = ARENA_NEW(&v->mem, double, s->n);
    PASS_MEM(bin && group && left);
    for (int64_t i = 0; i < s->n; i++) left[i] = 1 - s->P[i];
    PASS(survival_groups_at(group, &made, bins, &of, left, s->at, v->ctx, err));
    for (int64_t b = 0; b < made; b++) { /* ascending by the probability of an event */
        const survival_group *g = &group[made - 1 - b];
        bin[b] = (pare_calibration_bin){1 - g->predicted, 1 - g->observed, 1 - g->high, 1 - g->low,
                                        (int64_t)(g->n + 0.5)};
    }
    out->n_bins = made;
    out->bin = bin;
    return PARE_OK;
}

pare_status calibration_fill(pare_validation *v, pare_cohort *cohort, const cohort_samples *s,
                             pare_error *err) {
    const task_type *task = s->model->task;
    bool several = task->several, probable = task->classes && s->P;
    int64_t count = several ? s->model->n_classes : 1;
    if (!(probable || task->real || task->timed)) return PARE_OK;
    pare_calibration *c = ARENA_ZERO(&v->mem, pare_calibration, count);
    PASS_MEM(c);
    for (int64_t k = 0; k < count; k++) {
        int64_t of = several ? k : 1;
        if (probable) c[k] = calibration_of_class(s, of);
        if (task->real) c[k] = of_numbers(s);
        if (task->timed) PASS(of_risks(&c[k], s, v->ctx, err));
        if (!task->timed)
            PASS(group_samples(&c[k], &v->mem, s, of, err));
        else if (s->P)
            PASS(group_times(&c[k], v, s, err));
    }
    cohort->n_calibrations = count;
    cohort->calibration = c;
    return PARE_OK;
}
