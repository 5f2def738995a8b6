/* Metrics of a cohort with their intervals: percentiles of resampled samples, for proportions joined
 * with Wilson's (select/interval.h); and the same, paired, of the difference from another model. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/rng.h"
#include "select/interval.h"
#include "select/measure.h"
#include "validate/validation.h"

/* Some of a cohort's samples, with repeats. */
typedef struct drawing {
    const cohort_samples *s, *against;
    int32_t *rows; /* n */
    double *F;     /* n x outputs */
} drawing;

/* The judged metrics of one model's scores of the drawn samples. */
static pare_status measure_drawn(double *out, const pare_validation *v, const drawing *d,
                                 const cohort_samples *of, const pare_ctx *ctx, pare_error *err) {
    double all[MAX_METRICS];
    int64_t n = d->s->n;
    for (int64_t o = 0; o < of->outputs; o++)
        for (int64_t i = 0; i < n; i++) d->F[o * n + i] = of->F[o * n + d->rows[i]];
    predictions p = {.y = &d->s->y,
                     .rows = d->rows,
                     .n = n,
                     .F = d->F,
                     .outputs = of->outputs,
                     .weight = d->s->weight};
    PASS(measure_all(all, &p, &of->model->calibration, ctx, err));
    for (int64_t k = 0; k < v->n_metrics; k++) out[k] = all[v->metric[k]];
    return PARE_OK;
}

/* The samples behind a proportion: all, or those of the smallest class (of events). */
static double samples_behind(const cohort_samples *s, metric_proportion proportion) {
    int64_t kinds, fewest = s->n;
    const int32_t *kind = target_kinds(&s->y, &kinds);
    for (int32_t c = 0; proportion == PROPORTION_CLASS && kind && c < kinds; c++) {
        int64_t count = 0;
        for (int64_t i = 0; i < s->n; i++) count += kind[i] == c;
        if (target_needs(&s->y, c) && count > 0 && count < fewest) fewest = count;
    }
    return (double)fewest;
}

/* The interval of draws `stride` apart; those that are not defined are left out. */
static interval interval_of_draws(const double *draw, int64_t stride, double *scratch) {
    int64_t defined = 0;
    for (int64_t i = 0; i < VALIDATION_DRAWS; i++)
        if (!isnan(draw[i * stride])) scratch[defined++] = draw[i * stride];
    return defined < VALIDATION_DRAWS / 2 ? INTERVAL_NONE : interval_percentile(scratch, defined);
}

static pare_estimate estimate_of(double value, interval i) {
    if (isnan(value)) i = INTERVAL_NONE;
    return (pare_estimate){value, i.low, i.high};
}

/* With no width there is no interval: all resamples alike are no proof that all samples are. */
static interval with_width(interval i) { return i.low < i.high ? i : INTERVAL_NONE; }

static pare_estimate metric_estimate(const metric_info *of, double value, interval drawn,
                                     const cohort_samples *s) {
    if (of->proportion == PROPORTION_NONE) return estimate_of(value, with_width(drawn));
    double n = samples_behind(s, of->proportion);
    return estimate_of(value, interval_union(drawn, interval_wilson(value, n)));
}

static pare_status draw_all(pare_validation *v, double *draws, double *others, drawing *d,
                            uint64_t seed, const pare_ctx *ctx, pare_error *err) {
    rng r;
    int64_t m = v->n_metrics;
    rng_seed(&r, seed, 0);
    for (int64_t q = 0; q < VALIDATION_DRAWS; q++) {
        for (int64_t i = 0; i < d->s->n; i++) d->rows[i] = (int32_t)rng_below(&r, d->s->n);
        PASS(measure_drawn(draws + q * m, v, d, d->s, ctx, err));
        if (others) PASS(measure_drawn(others + q * m, v, d, d->against, ctx, err));
        if (ctx_poll(ctx, "validate", -1) != INTERRUPT_NONE)
            return error_set(err, PARE_E_CANCELLED, "the validation was stopped");
    }
    return PARE_OK;
}

pare_status metrics_fill(pare_validation *v, pare_cohort *cohort, double *draws,
                         const cohort_samples *s, const cohort_samples *against, uint64_t seed,
                         const pare_ctx *ctx, pare_error *err) {
    int64_t n = s->n, m = v->n_metrics, widest = s->outputs;
    double value[MAX_METRICS], other[MAX_METRICS] = {0}, *others = NULL;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    pare_estimate *metric = ARENA_NEW(&v->mem, pare_estimate, m), *difference = NULL;
    double *scratch = ARENA_NEW(&mem, double, VALIDATION_DRAWS);
    drawing d = {s, against, ARENA_NEW(&mem, int32_t, n), ARENA_NEW(&mem, double, n *widest)};
    TRY_MEM(metric && scratch && d.rows && d.F);
    if (against) {
        TRY_MEM(difference = ARENA_NEW(&v->mem, pare_estimate, m));
        TRY_MEM(others = ARENA_NEW(&mem, double, m *VALIDATION_DRAWS));
    }
    for (int64_t i = 0; i < n; i++) d.rows[i] = (int32_t)i;
    TRY(measure_drawn(value, v, &d, s, ctx, err));
    if (against) TRY(measure_drawn(other, v, &d, against, ctx, err));
    TRY(draw_all(v, draws, others, &d, seed, ctx, err));
    for (int64_t k = 0; k < m; k++) {
        interval drawn = interval_of_draws(draws + k, m, scratch);
        metric[k] = metric_estimate(&s->model->task->metric[v->metric[k]], value[k], drawn, s);
        if (!against) continue;
        for (int64_t q = 0; q < VALIDATION_DRAWS; q++)
            others[q * m + k] = draws[q * m + k] - others[q * m + k];
        drawn = with_width(interval_of_draws(others + k, m, scratch));
        difference[k] = estimate_of(value[k] - other[k], drawn);
    }
    cohort->metric = metric;
    cohort->difference = difference;
done:
    arena_free(&mem);
    return status;
}
