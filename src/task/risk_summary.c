#include "task/risk_summary.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "data/feature/quantile.h"
#include "task/hazard.h"
#include "task/survival_metrics.h"

enum { HEAD = sizeof(risk_summary) / sizeof(double) };
static const double CUT_AT[RISK_CUTS] = {0.5, 1.0 / 3, 2.0 / 3};

const char *risk_division_name(int division) { return division == 0 ? "median" : "tertiles"; }

int risk_division_groups(int division) { return division + 2; }

const char *risk_group_name(int division, int group) {
    static const char *const names[] = {"low", "middle", "high"};
    return names[division == 0 && group == 1 ? 2 : group];
}

int32_t risk_group_of(const double *cut, int division, double risk) {
    return division == 0 ? risk > cut[0] : (risk > cut[1]) + (risk > cut[2]);
}

int64_t risk_summary_size(const target *y) { return HEAD + y->n_strata; }

/* Where the training samples' risks cut, by weight. */
static pare_status find_cuts(double *cut, arena *mem, const predictions *p, const double *weight,
                             pare_error *err) {
    ranked *list = ARENA_NEW(mem, ranked, p->n_train);
    PASS_MEM(list);
    for (int64_t i = 0; i < p->n_train; i++) list[i] = (ranked){p->F_train[i], i};
    sort_least_first(list, p->n_train);
    for (int q = 0; q < RISK_CUTS; q++) cut[q] = quantile_of(list, p->n_train, weight, CUT_AT[q]);
    return PARE_OK;
}

/* How far the groups of the judged samples are apart. */
static pare_status compare(risk_summary *s, arena *mem, const predictions *p, const target *y,
                           const double *weight, const pare_ctx *ctx, pare_error *err) {
    int32_t *group = ARENA_NEW(mem, int32_t, p->n);
    const survival_times of = {p->n, y->time, y->event, weight};
    PASS_MEM(group);
    for (int division = 0; division < RISK_DIVISIONS; division++) {
        for (int64_t i = 0; i < p->n; i++) group[i] = risk_group_of(s->cut, division, p->F[i]);
        s->between[division] = (log_rank){{0}, {0}};
        PASS(log_rank_add(&s->between[division], &of, group, y->stratum, ctx, err));
    }
    return PARE_OK;
}

pare_status risk_summarise(double *out, double *loss, const predictions *p, const pare_ctx *ctx,
                           pare_error *err) {
    arena mem = arena_of(ctx);
    judged test, train;
    risk_summary s;
    baseline hazard;
    pare_status status = PARE_OK;
    if (!p->train || !p->F_train) return PARE_OK;
    TRY(judged_take(&test, &mem, p, p->rows, p->n, err));
    TRY(judged_take(&train, &mem, p, p->train, p->n_train, err));
    TRY(find_cuts(s.cut, &mem, p, train.weight, err));
    TRY(compare(&s, &mem, p, &test.y, test.weight, ctx, err));
    TRY(baseline_make(&hazard, &mem, &train.y, p->n_train, train.weight, p->F_train, err));
    memcpy(out, &s, sizeof s);
    for (int64_t k = 0; k < hazard.n_strata; k++)
        out[HEAD + k] = baseline_hazard(&hazard.stratum[k], p->at) * exp(-hazard.center);
    if (loss) TRY(brier_losses(loss, p, ctx, err));
done:
    arena_free(&mem);
    return status;
}

const risk_summary *risk_summary_read(risk_summary *out, const double **hazard,
                                      const double *from) {
    memcpy(out, from, sizeof *out);
    if (hazard) *hazard = from + HEAD;
    return isnan(out->cut[0]) ? NULL : out;
}
