/* The separate form of l1_outputs.h: an l1_program per output. */
#include "solve/lp/l1_outputs.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "solve/lp/l1_program.h"

double l1_outputs_slack(const outputs_spec *spec, const double *f, int64_t i, int64_t k) {
    int64_t n = spec->x->n, own = spec->cls[i];
    if (spec->together) return own == k ? 0 : fmax(0, 1 - f[own * n + i] + f[k * n + i]);
    double y = own == (spec->c == 1 ? 1 : k) ? 1 : -1;
    return fmax(0, 1 - y * f[k * n + i]);
}

static pare_status solve_one(outputs_solution *out, const outputs_spec *spec, int64_t k, double *y,
                             const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    int64_t n = spec->x->n, d = spec->x->d;
    l1_program *program = NULL;
    l1_solution found;
    for (int64_t i = 0; i < n; i++) y[i] = spec->cls[i] == (spec->c == 1 ? 1 : k) ? 1 : -1;
    l1_spec one = {.loss = L1_MARGIN,
                   .x = spec->x,
                   .y = y,
                   .cost = spec->cost,
                   .groups = spec->groups,
                   .loss_cost = spec->loss + k * n,
                   .intercept = spec->intercept};
    TRY(l1_create(&program, &one, ctx, err));
    TRY(l1_solve(program, &found, ctx, err));
    out->infeasible = found.infeasible;
    out->culprit = k;
    out->objective += found.objective;
    out->bound += found.bound;
    out->pivots += found.pivots;
    out->b[k] = found.b;
    if (found.outcome > out->outcome) out->outcome = found.outcome;
    for (int64_t j = 0; j < d; j++) out->W[k * d + j] = 0;
    for (int64_t e = 0; e < found.n_weight; e++)
        out->W[k * d + found.weight[e].feature] = found.weight[e].value;
    memcpy(out->dual + k * n, found.dual, sizeof(double) * (size_t)n);
    for (int64_t i = 0; i < n; i++) out->f[k * n + i] = isnan(found.objective) ? 0 : found.f[i];
done:
    l1_free(program);
    return status;
}

pare_status l1_outputs_solve(outputs_solution *out, const outputs_spec *spec, const pare_ctx *ctx,
                             pare_error *err) {
    out->outcome = PARE_OPTIMAL;
    out->infeasible = false;
    out->objective = out->bound = 0;
    out->pivots = 0;
    if (spec->together) return l1_together_solve(out, spec, ctx, err);
    double *y = mem_alloc(ctx_allocator(ctx), spec->x->n, sizeof *y);
    pare_status status = y ? PARE_OK : error_memory(err);
    for (int64_t k = 0; k < spec->c && status == PARE_OK && !out->infeasible; k++)
        status = solve_one(out, spec, k, y, ctx, err);
    mem_free(ctx_allocator(ctx), y);
    return status;
}
