/* Decision curves (Vickers and Elkin 2006): the net benefit of acting on a prediction of at least t,
 * beside acting on all and on none; and confusion matrices.
 *
 * Net benefit = TP/n - FP/n t/(1 - t). With a given prevalence P: P TPR - (1 - P) FPR t/(1 - t). Of
 * survival the outcome by the time `at` is not known of all: with m of n samples above t and their
 * Kaplan-Meier probability q of an event by then, TP/n = q m/n and FP/n = (1 - q) m/n. */
#include <math.h>

#include "base/error.h"
#include "task/kaplan_meier.h"
#include "validate/validation.h"

enum { THRESHOLDS = 99 };

/* True and false positives as shares of all samples. */
typedef struct positives {
    double right, wrong;
} positives;

static double net_benefit(positives p, double t) { return p.right - p.wrong * t / (1 - t); }

/* By class `of` against the others. */
static positives count_class(const cohort_samples *s, int64_t of, double t) {
    positives p = {0};
    for (int64_t i = 0; i < s->n; i++) {
        if (!(s->P[of * s->n + i] >= t)) continue;
        *(s->y.cls[i] == of ? &p.right : &p.wrong) += 1 / (double)s->n;
    }
    return p;
}

/* The same in a population with another share of the class; NaN where one is absent here. */
static positives at_prevalence(positives p, double share, double prevalence) {
    return (positives){prevalence * p.right / share, (1 - prevalence) * p.wrong / (1 - share)};
}

/* Room for some of the samples. */
typedef struct above {
    double *time, *weight;
    int32_t *event;
} above;

static pare_status count_events(positives *out, const cohort_samples *s, double t,
                                const above *room, arena *mem, pare_error *err) {
    survival_curve curve;
    survival_times of = {0, room->time, room->event, room->weight};
    for (int64_t i = 0; i < s->n; i++) {
        if (!(s->P[i] >= t)) continue;
        room->time[of.n] = s->y.time[i];
        room->event[of.n] = s->y.event[i];
        room->weight[of.n++] = s->weight ? s->weight[i] : 1;
    }
    PASS(survival_curve_make(&curve, mem, &of, err));
    double share = (double)of.n / (double)s->n, left = survival_curve_at(&curve, s->at);
    *out = (positives){(1 - left) * share, left * share};
    return PARE_OK;
}

static pare_status fill_table(pare_decision *out, const cohort_samples *s, int64_t of,
                              double prevalence, arena *mem, pare_error *err) {
    bool timed = s->model->task->timed;
    positives all, p;
    above room = {.event = ARENA_NEW(mem, int32_t, s->n)};
    PASS_MEM(room.event && ARENA_NEWS(mem, double, s->n, &room.time, &room.weight));
    if (timed)
        PASS(count_events(&all, s, 0, &room, mem, err));
    else
        all = count_class(s, of, 0);
    double share = all.right;
    for (int64_t k = 0; k < THRESHOLDS; k++) {
        double t = (double)(k + 1) / (THRESHOLDS + 1);
        if (timed)
            PASS(count_events(&p, s, t, &room, mem, err));
        else
            p = count_class(s, of, t);
        positives every = all;
        if (!isnan(prevalence)) {
            p = at_prevalence(p, share, prevalence);
            every = (positives){prevalence, 1 - prevalence};
        }
        out[k] = (pare_decision){t, net_benefit(p, t), net_benefit(every, t), 0};
    }
    return PARE_OK;
}

pare_status decision_fill(pare_validation *v, pare_cohort *cohort, const cohort_samples *s,
                          pare_error *err) {
    int64_t tables = s->model->task->several ? s->model->n_classes : 1;
    if (!s->P) return PARE_OK;
    pare_decision *d = ARENA_NEW(&v->mem, pare_decision, tables * THRESHOLDS);
    PASS_MEM(d);
    arena scratch = arena_of(v->ctx);
    pare_status status = PARE_OK;
    for (int64_t k = 0; k < tables; k++)
        TRY(fill_table(d + k * THRESHOLDS, s, tables > 1 ? k : 1, v->info.prevalence, &scratch,
                       err));
    cohort->n_thresholds = THRESHOLDS;
    cohort->decision = d;
done:
    arena_free(&scratch);
    return status;
}

static int64_t decide(const cohort_samples *s, int64_t i, double cut) {
    if (isnan(cut)) return pare_model_decide(s->model, s->F + i, s->n);
    return s->P[s->n + i] >= cut;
}

static pare_status one_table(pare_confusion *out, pare_validation *v, const cohort_samples *s,
                             double cut, pare_error *err) {
    int64_t c = s->model->n_classes, *count = ARENA_ZERO(&v->mem, int64_t, c * c);
    PASS_MEM(count);
    for (int64_t i = 0; i < s->n; i++) count[s->y.cls[i] * c + decide(s, i, cut)]++;
    *out = (pare_confusion){cut, count};
    return PARE_OK;
}

pare_status confusion_fill(pare_validation *v, pare_cohort *cohort, const cohort_samples *s,
                           double cut, pare_error *err) {
    if (!s->model->task->classes) return PARE_OK;
    pare_confusion *table = ARENA_NEW(&v->mem, pare_confusion, 2);
    PASS_MEM(table);
    PASS(one_table(&table[0], v, s, NAN, err));
    if (!isnan(cut)) PASS(one_table(&table[1], v, s, cut, err));
    cohort->n_confusions = isnan(cut) ? 1 : 2;
    cohort->confusion = table;
    return PARE_OK;
}
