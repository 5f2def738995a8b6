#include "select/round_calibrate.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "select/calibrate.h"
#include "select/measure.h"

static probability_kind kind_of(const path_method *m, int64_t g) {
    return fitting_probability(m->m, m->classifier, &m->grid[g]);
}

bool round_calibrates(const path_round *r, const path_method *m) {
    bool wanted = r->number == 0 || r->y->task->metric[r->setup->metric].probable, any = false;
    for (int64_t g = 0; g < m->n_grid; g++) any |= kind_of(m, g) != PROBABILITY_OWN;
    return r->y->task->classes && wanted && any;
}

/* The training samples of a split. */
typedef struct trained {
    target y;
    double *weight; /* or NULL */
    double *prior;
} trained;

static pare_status take_trained(trained *out, arena *mem, const path_round *r, const path_method *m,
                                int64_t j, pare_error *err) {
    const cv_part *part = &r->plan->part[j];
    const double *given = m->data->weight;
    int64_t n = part->n_train;
    int32_t *cls = ARENA_NEW(mem, int32_t, n);
    out->weight = given ? ARENA_NEW(mem, double, n) : NULL;
    out->prior = ARENA_NEW(mem, double, r->y->n_classes);
    if (!cls || (given && !out->weight) || !out->prior) return error_memory(err);
    for (int64_t i = 0; i < n; i++) {
        cls[i] = r->y->cls[part->train[i]];
        if (given) out->weight[i] = given[part->train[i]];
    }
    out->y = *r->y;
    out->y.cls = cls;
    class_proportions(out->prior, &out->y, out->weight, n);
    return PARE_OK;
}

/* Those numbers as a calibration of that kind. */
static probability view_of(double *number, probability_kind kind, int64_t outputs, double *prior) {
    return (probability){.kind = isnan(number[0]) ? PROBABILITY_NONE : kind,
                         .a = number,
                         .b = number + outputs,
                         .temperature = number[0],
                         .prior = prior};
}

/* Fits `number` to the inner folds' values F; NaN where a fold has none. */
static pare_status fit_numbers(double *number, probability_kind kind, const double *F,
                               int64_t outputs, const trained *t, int64_t n, const pare_ctx *ctx,
                               pare_error *err) {
    bool there = kind != PROBABILITY_OWN, flat;
    for (int64_t e = 0; there && e < n * outputs; e++) there = !isnan(F[e]);
    for (int64_t q = 0; q < CALIBRATION_WIDTH * outputs; q++) number[q] = NAN;
    if (!there) return PARE_OK;
    probability how = view_of(number, kind, outputs, t->prior);
    how.kind = kind;
    pare_status status = calibrate_scores(&how, &flat, F, n, outputs, &t->y, t->weight, ctx, err);
    if (kind == PROBABILITY_TEMPERATURE) number[0] = how.temperature;
    return status;
}

pare_status round_keep_open(part_under_way *out, const path_round *r, const path_method *m,
                            int64_t j, arena *mem, pare_error *err) {
    const path_setup *p = r->setup;
    const cv_part *part = &r->plan->part[j];
    int64_t inner = m->n_grid * p->n_sizes * part->n_train * p->outputs,
            outer = p->n_sizes * part->n_test * p->outputs;
    out->F = ARENA_NEW(mem, double, inner);
    out->outer = ARENA_NEW(mem, double, outer);
    if (!out->F || !out->outer) return error_memory(err);
    for (int64_t e = 0; e < inner; e++) out->F[e] = NAN;
    for (int64_t e = 0; e < outer; e++) out->outer[e] = NAN;
    return PARE_OK;
}

static double *inner_values(const path_round *r, const part_under_way *under_way, int64_t j,
                            int64_t g, int64_t s) {
    const path_setup *p = r->setup;
    return under_way->F + (g * p->n_sizes + s) * r->plan->part[j].n_train * p->outputs;
}

/* Copies between the values of all training samples of the split and those of inner fold i's test
 * samples; both lists of samples ascend. */
static void copy_fold(const path_round *r, int64_t j, int64_t i, double *whole, double *fold,
                      bool into_whole) {
    const cv_part *all = &r->plan->part[j], *own = &r->inner[j - r->from].plan.part[i];
    for (int64_t t = 0, at = 0; t < own->n_test; at++) {
        if (all->train[at] != own->test[t]) continue;
        for (int64_t o = 0; o < r->setup->outputs; o++) {
            double *a = whole + o * all->n_train + at, *b = fold + o * own->n_test + t;
            if (into_whole) *a = *b;
            if (!into_whole) *b = *a;
        }
        t++;
    }
}

void round_keep_values(const path_round *r, part_under_way *under_way, int64_t j, int64_t i,
                       int64_t g, double *F) {
    const path_setup *p = r->setup;
    int64_t size = r->inner[j - r->from].plan.part[i].n_test * p->outputs;
    for (int64_t s = 0; s < p->n_sizes; s++)
        copy_fold(r, j, i, inner_values(r, under_way, j, g, s), F + s * size, true);
}

pare_status round_calibrate_inner(const path_round *r, const path_method *m, int64_t j,
                                  part_under_way *under_way, arena *mem, const pare_ctx *ctx,
                                  pare_error *err) {
    const path_setup *p = r->setup;
    const cv_plan *plan = &r->inner[j - r->from].plan;
    int64_t n = r->plan->part[j].n_train, points = m->n_grid * p->n_sizes;
    double *number = ARENA_NEW(mem, double, CALIBRATION_WIDTH * p->outputs);
    double *F = ARENA_NEW(mem, double, n * p->outputs);
    PASS_MEM(number && F);
    for (int64_t q = 0; q < points; q++) {
        int64_t g = q / p->n_sizes, s = q % p->n_sizes;
        trained t;
        probability_kind kind = kind_of(m, g);
        double *values = inner_values(r, under_way, j, g, s);
        PASS(take_trained(&t, mem, r, m, j, err));
        PASS(fit_numbers(number, kind, values, p->outputs, &t, n, ctx, err));
        probability how = view_of(number, kind, p->outputs, t.prior);
        for (int64_t i = 0; how.kind != PROBABILITY_NONE && i < plan->count; i++) {
            const cv_part *fold = &plan->part[i];
            double *metrics =
                under_way->inner + ((g * plan->count + i) * p->n_sizes + s) * p->n_metrics;
            copy_fold(r, j, i, values, F, false);
            predictions of = measure_of(r->y, m->data->weight, fold, F, p->outputs);
            PASS(measure_all(metrics, &of, &how, ctx, err));
        }
    }
    return PARE_OK;
}

pare_status round_calibrate_outer(const path_round *r, const path_method *m, int64_t j,
                                  part_under_way *under_way, fold_result *result, arena *mem,
                                  const pare_ctx *ctx, pare_error *err) {
    const path_setup *p = r->setup;
    const cv_part *part = &r->plan->part[j];
    for (int64_t s = 0; s < p->n_sizes; s++) {
        int64_t g = fold_tuned(p, result, s), classes = r->y->n_classes;
        const double *F =
            (result->F ? result->F : under_way->outer) + s * part->n_test * p->outputs;
        double *number = fold_calibration(p, result, s);
        trained t;
        if (isnan(*F) || kind_of(m, g) == PROBABILITY_OWN) continue;
        PASS(take_trained(&t, mem, r, m, j, err));
        PASS(fit_numbers(number, kind_of(m, g), inner_values(r, under_way, j, g, s), p->outputs, &t,
                         part->n_train, ctx, err));
        probability how = view_of(number, kind_of(m, g), p->outputs, t.prior);
        if (how.kind == PROBABILITY_NONE) continue;
        if (result->P)
            probability_of(result->P + s * part->n_test * classes, &how, F, part->n_test,
                           p->outputs);
        predictions of = measure_of(r->y, m->data->weight, part, F, p->outputs);
        PASS(measure_all(result->score + s * p->n_metrics, &of, &how, ctx, err));
    }
    return PARE_OK;
}

pare_status round_probability(probability *out, arena *mem, const path_round *r,
                              const path_method *m, int64_t j, const fold_result *result, int64_t s,
                              pare_error *err) {
    const path_setup *p = r->setup;
    int64_t g = fold_tuned(p, result, s);
    trained t;
    *out = (probability){.kind = PROBABILITY_NONE};
    if (!r->y->task->classes) return PARE_OK;
    probability_kind kind = kind_of(m, g);
    if (kind == PROBABILITY_OWN) {
        out->kind = kind;
        return PARE_OK;
    }
    pare_status status = take_trained(&t, mem, r, m, j, err);
    if (status == PARE_OK)
        *out = view_of(fold_calibration(p, result, s), kind, p->outputs, t.prior);
    return status;
}
