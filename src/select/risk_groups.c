#include "select/risk_groups.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "select/summary.h"

enum { EVENTS_IN_GROUP = 10 };

/* The predictions of one run for its test samples, all splits together. */
typedef struct held_out {
    int64_t n;
    double *time, *weight, *survival; /* survival: predicted S(T) */
    int32_t *event;
    int32_t *group[RISK_DIVISIONS];
} held_out;

static const fold_result *result_of(const path_round *r, int64_t j, int64_t m) {
    return &r->result[j * r->setup->n_methods + m];
}

/* How many predictions each sample has at most: its weight is divided among them. */
static pare_status count_tests(int32_t **times, arena *mem, const pare_path *p, int64_t m,
                               pare_error *err) {
    PASS_MEM(*times = ARENA_ZERO(mem, int32_t, p->n));
    for (int64_t j = 0; j < p->plan.count; j++)
        for (int64_t i = 0; result_of(&p->round, j, m)->done && i < p->plan.part[j].n_test; i++)
            ++(*times)[p->plan.part[j].test[i]];
    return PARE_OK;
}

static pare_status held_out_alloc(held_out *h, arena *mem, const pare_path *p, pare_error *err) {
    int64_t most = 0;
    for (int64_t j = 0; j < p->plan.count; j++) most += p->plan.part[j].n_test;
    *h = (held_out){0};
    PASS_MEM(ARENA_NEWS(mem, double, most, &h->time, &h->weight, &h->survival));
    PASS_MEM(ARENA_NEWS(mem, int32_t, most, &h->event, &h->group[0], &h->group[1]));
    return PARE_OK;
}

/* Adds the test samples of split j at size s. */
static void add_split(held_out *h, const pare_path *p, const fold_result *r, int64_t j, int64_t s,
                      const int32_t *times) {
    const cv_part *part = &p->plan.part[j];
    const double *F = r->F + s * part->n_test, *hazard, *own = p->setup.data->weight;
    risk_summary kept;
    const risk_summary *of = risk_summary_read(&kept, &hazard, fold_summary(&p->setup, r, s));
    for (int64_t i = 0; of && i < part->n_test; i++) {
        int32_t row = part->test[i], stratum = p->y.stratum ? p->y.stratum[row] : 0;
        h->time[h->n] = p->y.time[row];
        h->event[h->n] = p->y.event[row];
        h->weight[h->n] = (own ? own[row] : 1) / times[row];
        h->survival[h->n] = exp(-hazard[stratum] * exp(F[i]));
        for (int q = 0; q < RISK_DIVISIONS; q++)
            h->group[q][h->n] = risk_group_of(of->cut, q, F[i]);
        h->n++;
    }
}

static pare_status collect(held_out *h, arena *mem, const pare_path *p, int64_t m,
                           pare_error *err) {
    int32_t *times;
    PASS(count_tests(&times, mem, p, m, err));
    PASS(held_out_alloc(h, mem, p, err));
    for (int64_t j = 0; j < p->plan.count; j++) {
        const fold_result *r = result_of(&p->round, j, m);
        bool nested = p->setup.inner.folds > 0;
        int64_t s = nested ? fold_nested_size(&p->setup, r) : p->run[m].chosen;
        if (r->done && s >= 0) add_split(h, p, r, j, s, times);
    }
    return PARE_OK;
}

/* The curve of one group, which lives as long as the path. */
static pare_status fill_group(path_risk_group *out, arena *lasting, arena *mem, const held_out *h,
                              int division, int32_t group, pare_error *err) {
    survival_times own = {0};
    double *time, *weight;
    int32_t *event = ARENA_NEW(mem, int32_t, h->n);
    PASS_MEM(event && ARENA_NEWS(mem, double, h->n, &time, &weight));
    for (int64_t i = 0; i < h->n; i++) {
        if (h->group[division][i] != group) continue;
        time[own.n] = h->time[i];
        event[own.n] = h->event[i];
        weight[own.n++] = h->weight[i];
    }
    own = (survival_times){own.n, time, event, weight};
    *out = (path_risk_group){.division = risk_division_name(division),
                             .group = risk_group_name(division, group),
                             .p = NAN,
                             .least = NAN,
                             .log_rank = NAN};
    PASS(survival_curve_make(&out->curve, lasting, &own, err));
    out->n = out->curve.total;
    out->events = out->curve.events;
    out->median = survival_curve_median(&out->curve);
    return PARE_OK;
}

static pare_status fill_groups(pare_path *p, path_run *run, arena *mem, const held_out *h,
                               pare_error *err) {
    for (int division = 0; division < RISK_DIVISIONS; division++)
        for (int32_t g = 0; g < risk_division_groups(division); g++)
            PASS(fill_group(&run->risk_group[run->n_risk_groups++], &p->mem, mem, h, division, g,
                            err));
    return PARE_OK;
}

/* Groups with enough events each, by their predicted S(T). */
static pare_status fill_calibration(pare_path *p, path_run *run, const held_out *h,
                                    const pare_ctx *ctx, pare_error *err) {
    survival_group group[MAX_SURVIVAL_GROUPS];
    int64_t groups = (int64_t)(p->events / EVENTS_IN_GROUP);
    groups = groups < 2 ? 2 : groups > MAX_SURVIVAL_GROUPS ? MAX_SURVIVAL_GROUPS : groups;
    const survival_times of = {h->n, h->time, h->event, h->weight};
    PASS(survival_groups_at(group, &run->n_survival_groups, groups, &of, h->survival, p->setup.at,
                            ctx, err));
    for (int64_t g = 0; g < run->n_survival_groups; g++)
        run->survival_group[g] = (path_survival_group){.n = group[g].n,
                                                       .events = group[g].events,
                                                       .predicted = group[g].predicted,
                                                       .observed = group[g].observed,
                                                       .low = group[g].low,
                                                       .high = group[g].high};
    return PARE_OK;
}

/* The statistics at size s: sums over the splits, per time that a sample was tested. */
static void apart_at(double *apart, const path_round *r, int64_t m, int64_t s) {
    risk_summary sum = {{0}, {{{0}, {0}}, {{0}, {0}}}}, kept;
    double tests = 0, samples = 0;
    for (int64_t j = 0; j < r->plan->count; j++) {
        const fold_result *result = result_of(r, j, m);
        const risk_summary *of =
            s < 0 || !result->done
                ? NULL
                : risk_summary_read(&kept, NULL, fold_summary(r->setup, result, s));
        if (!of) continue;
        tests += (double)r->plan->part[j].n_test;
        for (int q = 0; q < RISK_DIVISIONS; q++) log_rank_join(&sum.between[q], &of->between[q]);
    }
    samples = fmin(tests, (double)r->setup->data->x.n);
    for (int q = 0; q < RISK_DIVISIONS; q++)
        apart[q] = tests > 0 ? log_rank_statistic(&sum.between[q], risk_division_groups(q)) *
                                   samples / tests
                             : NAN;
}

pare_status risk_groups_apart(double *apart, const path_round *r, const pare_ctx *ctx,
                              pare_error *err) {
    const path_setup *setup = r->setup;
    estimate *e = mem_alloc(ctx_allocator(ctx), setup->n_sizes, sizeof *e);
    if (!e) return error_memory(err);
    for (int64_t m = 0; setup->n_summary > 0 && m < setup->n_methods; m++) {
        round_points(r, m, setup->metric, e);
        int64_t s = choice_make(e, setup->n_sizes, setup->higher, setup->rule, setup->tolerance);
        apart_at(apart + m * RISK_DIVISIONS, r, m, s);
    }
    mem_free(ctx_allocator(ctx), e);
    return PARE_OK;
}

pare_status risk_groups_fill(pare_path *p, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    arena mem = arena_of(ctx);
    for (int64_t m = 0; m < p->setup.n_methods; m++) {
        path_run *run = &p->run[m];
        run->n_risk_groups = run->n_survival_groups = p->setup.n_summary > 0 ? 0 : -1;
        if (p->setup.n_summary == 0 || !p->setup.keeps_scores || run->chosen < 0) continue;
        held_out h;
        double apart[RISK_DIVISIONS];
        arena_free(&mem);
        TRY(collect(&h, &mem, p, m, err));
        if (h.n == 0) continue;
        TRY(fill_groups(p, run, &mem, &h, err));
        TRY(fill_calibration(p, run, &h, ctx, err));
        apart_at(apart, &p->round, m, run->chosen);
        for (int64_t g = 0; g < run->n_risk_groups; g++)
            run->risk_group[g].log_rank = apart[g < risk_division_groups(0) ? 0 : 1];
    }
done:
    arena_free(&mem);
    return status;
}

void risk_groups_test(pare_path *p, const double *apart) {
    int64_t stride = p->setup.n_methods * RISK_DIVISIONS;
    for (int64_t m = 0; p->setup.n_summary > 0 && m < p->setup.n_methods; m++)
        for (int64_t g = 0; g < p->run[m].n_risk_groups; g++) {
            path_risk_group *of = &p->run[m].risk_group[g];
            int division = g < risk_division_groups(0) ? 0 : 1;
            double above = 1, all = 1;
            for (int64_t i = 0; i < p->n_null_done; i++) {
                double x = apart[i * stride + m * RISK_DIVISIONS + division];
                if (isnan(x)) continue;
                all++;
                above += x >= of->log_rank * (1 - 1e-12);
            }
            if (all > 1 && !isnan(of->log_rank)) of->p = above / all, of->least = 1 / all;
        }
}
