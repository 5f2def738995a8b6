#include "task/survival_metrics.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "data/feature/quantile.h"
#include "task/hazard.h"
#include "task/censoring.h"
#include "task/concordance.h"

pare_status judged_take(judged *out, arena *mem, const predictions *p, const int32_t *rows,
                        int64_t n, pare_error *err) {
    *out = (judged){0};
    PASS(target_take(&out->y, mem, p->y, rows, n, err));
    if (!p->weight) return PARE_OK;
    PASS_MEM(out->weight = ARENA_NEW(mem, double, n));
    for (int64_t i = 0; i < n; i++) out->weight[i] = p->weight[rows[i]];
    return PARE_OK;
}

static concordance_job job_of(const judged *t, const predictions *p, const double *of_event) {
    return (concordance_job){.n = p->n,
                             .time = t->y.time,
                             .risk = p->F,
                             .event = t->y.event,
                             .stratum = t->y.stratum,
                             .weight = t->weight,
                             .of_event = of_event};
}

pare_status metric_c_index(double *out, const predictions *p, const pare_ctx *ctx,
                           pare_error *err) {
    judged t;
    arena mem = arena_of(ctx);
    pare_status status = judged_take(&t, &mem, p, p->rows, p->n, err);
    concordance_job job = job_of(&t, p, NULL);
    if (status == PARE_OK) status = concordance(out, &job, ctx, err);
    arena_free(&mem);
    return status;
}

pare_status metric_uno_c(double *out, const predictions *p, const pare_ctx *ctx, pare_error *err) {
    judged t;
    censoring g;
    double *of_event;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    *out = NAN;
    if (!p->train) return PARE_OK;
    TRY(judged_take(&t, &mem, p, p->rows, p->n, err));
    TRY(censoring_make(&g, &mem, p->y, p->weight, p->train, p->n_train, err));
    TRY_MEM(of_event = ARENA_NEW(&mem, double, p->n));
    for (int64_t i = 0; i < p->n; i++) {
        double left = censoring_before(&g, t.y.time[i]);
        of_event[i] = t.y.time[i] < g.last && left > 0 ? 1 / (left * left) : 0;
    }
    concordance_job job = job_of(&t, p, of_event);
    TRY(concordance(out, &job, ctx, err));
done:
    arena_free(&mem);
    return status;
}

/* ---- the integrated Brier score ---- */

enum { GRID = 100 };
static const double GRID_FROM = 0.1, GRID_TO = 0.9; /* quantiles of the training events' times */

typedef struct brier {
    const judged *t;
    const predictions *p;
    censoring g;     /* of the training samples */
    baseline hazard; /* of the same */
    double *before;  /* n: G just before each time */
    double ends[2];  /* the times between which the score is integrated */
} brier;

static pare_status grid_ends(double ends[2], arena *mem, const predictions *p, pare_error *err) {
    int64_t events = 0;
    ranked *list = ARENA_NEW(mem, ranked, p->n_train);
    PASS_MEM(list);
    for (int64_t i = 0; i < p->n_train; i++)
        if (p->y->event[p->train[i]])
            list[events++] = (ranked){p->y->time[p->train[i]], p->train[i]};
    sort_least_first(list, events);
    ends[0] = ends[1] = NAN;
    if (events == 0) return PARE_OK;
    ends[0] = quantile_of(list, events, p->weight, GRID_FROM);
    ends[1] = quantile_of(list, events, p->weight, GRID_TO);
    return PARE_OK;
}

/* The part of sample i, which counts w, at one time; left: G there. */
static double brier_part(const brier *b, int64_t i, double w, double time, double left) {
    const target *y = &b->t->y;
    const baseline_curve *curve = &b->hazard.stratum[y->stratum ? y->stratum[i] : 0];
    double s = baseline_survival(curve, b->p->F[i] - b->hazard.center, time);
    if (y->time[i] > time) return w * (1 - s) * (1 - s) / left;
    return y->event[i] ? w * s * s / b->before[i] : 0;
}

/* The score at one time, or the part of one sample in it. */
static double brier_at(const brier *b, int64_t sample, double time) {
    double sum = 0, total = 0, left = censoring_at(&b->g, time);
    if (sample >= 0) return brier_part(b, sample, 1, time, left);
    for (int64_t i = 0; i < b->p->n; i++) {
        double w = b->t->weight ? b->t->weight[i] : 1;
        total += w;
        sum += brier_part(b, i, w, time, left);
    }
    return sum / total;
}

/* The trapezoid rule over the times at which samples are still observed. sample -1: the score. */
static double integrate(const brier *b, int64_t sample) {
    double sum = 0, range = 0, last = NAN, last_time = NAN;
    const double *ends = b->ends;
    for (int64_t k = 0; k < GRID; k++) {
        double time = ends[0] + (ends[1] - ends[0]) * (double)k / (GRID - 1);
        if (!(censoring_at(&b->g, time) > 0)) break;
        double now = brier_at(b, sample, time);
        if (k > 0) {
            sum += (time - last_time) * (last + now) / 2;
            range += time - last_time;
        }
        last = now;
        last_time = time;
    }
    return range > 0 ? sum / range : NAN;
}

static pare_status brier_begin(brier *b, judged *t, arena *mem, const predictions *p,
                               pare_error *err) {
    judged train;
    *b = (brier){.t = t, .p = p};
    PASS(judged_take(t, mem, p, p->rows, p->n, err));
    PASS(judged_take(&train, mem, p, p->train, p->n_train, err));
    PASS(censoring_make(&b->g, mem, p->y, p->weight, p->train, p->n_train, err));
    PASS(baseline_make(&b->hazard, mem, &train.y, p->n_train, train.weight, p->F_train, err));
    PASS(grid_ends(b->ends, mem, p, err));
    PASS_MEM(b->before = ARENA_NEW(mem, double, p->n));
    for (int64_t i = 0; i < p->n; i++) b->before[i] = censoring_before(&b->g, t->y.time[i]);
    return PARE_OK;
}

pare_status metric_integrated_brier(double *out, const predictions *p, const pare_ctx *ctx,
                                    pare_error *err) {
    judged t;
    brier b;
    arena mem = arena_of(ctx);
    *out = NAN;
    if (!p->train || !p->F_train) return PARE_OK;
    pare_status status = brier_begin(&b, &t, &mem, p, err);
    if (status == PARE_OK) *out = integrate(&b, -1);
    arena_free(&mem);
    return status;
}

pare_status brier_losses(double *loss, const predictions *p, const pare_ctx *ctx, pare_error *err) {
    judged t;
    brier b;
    arena mem = arena_of(ctx);
    pare_status status = brier_begin(&b, &t, &mem, p, err);
    for (int64_t i = 0; status == PARE_OK && i < p->n; i++) loss[i] = integrate(&b, i);
    arena_free(&mem);
    return status;
}
