#include "solve/l1/least_error.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

static const double MIN_PENALTY = 1e-9; /* of the largest s_i: see lp.h */
static const double MARGIN =
    10; /* assumed ratio between the solution without the penalty and this one */

static pare_status by_path(least_error *e, const view *x, const double *y, const double *s,
                           double mu, bool intercept, const pare_ctx *ctx, pare_error *err) {
    l1_segment at = {0};
    pare_status status = l1_path_open(&e->path, x, y, s, intercept, mu, ctx, err);
    while (status == PARE_OK && !at.last) status = l1_path_next(e->path, &at, ctx, err);
    e->objective = e->bound = at.error + mu * at.norm;
    e->weight = at.weight;
    e->n_weight = at.n_weight;
    e->b = at.b;
    e->dual = at.dual;
    e->outcome = at.outcome;
    if (at.outcome != PARE_OPTIMAL) e->bound = 0;
    return status;
}

static pare_status by_program(least_error *e, const view *x, const double *y, const double *s,
                              double mu, bool intercept, const pare_ctx *ctx, pare_error *err) {
    double heaviest = 0, penalty = 0;
    l1_solution found;
    pare_status status = PARE_OK;
    double *cost = mem_alloc(ctx_allocator(ctx), x->d, sizeof *cost);
    TRY_MEM(cost);
    for (int64_t i = 0; i < x->n; i++) heaviest = fmax(heaviest, s[i]);
    double least = fmax(mu, MIN_PENALTY * (heaviest > 0 ? heaviest : 1));
    for (int64_t j = 0; j < x->d; j++) cost[j] = least;
    l1_spec spec = {L1_FIT, x, y, cost, s, intercept, 0, NULL, NULL};
    TRY(l1_create(&e->program, &spec, ctx, err));
    TRY(l1_solve(e->program, &found, ctx, err));
    for (int64_t k = 0; k < found.n_weight; k++)
        penalty += (least - mu) * fabs(found.weight[k].value);
    e->objective = found.objective - penalty;
    e->bound = found.outcome == PARE_OPTIMAL ? fmax(0, e->objective - MARGIN * penalty) : 0;
    e->weight = found.weight;
    e->n_weight = found.n_weight;
    e->b = found.b;
    e->dual = found.dual;
    e->outcome = found.outcome;
    e->pivots = found.pivots;
done:
    mem_free(ctx_allocator(ctx), cost);
    return status;
}

pare_status least_error_solve(least_error *out, const view *x, const double *y, const double *s,
                              double mu, bool intercept, const pare_ctx *ctx, pare_error *err) {
    *out = (least_error){.objective = NAN};
    pare_status status = by_path(out, x, y, s, mu, intercept, ctx, err);
    bool stopped = out->outcome == PARE_TIME_LIMIT || out->outcome == PARE_CANCELLED;
    bool exact = out->dual && out->outcome == PARE_OPTIMAL;
    if (status != PARE_OK || stopped || exact) return status;
    return by_program(out, x, y, s, mu, intercept, ctx, err);
}

void least_error_free(least_error *e) {
    l1_path_free(e->path);
    l1_free(e->program);
}
