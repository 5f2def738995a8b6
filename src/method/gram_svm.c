#include "method/gram_svm.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/svm_dual.h"
#include "solve/ww_dual.h"

static const double AUTO_RIDGE = 1e-6; /* of the mean diagonal of the Gram */

pare_status gram_svm_init(gram_svm *g, arena *mem, const fit_job *job, const char *multiclass,
                          pare_error *err) {
    int64_t n = job->x->n, c = job->y->n_classes == 2 ? 1 : job->y->n_classes;
    *g = (gram_svm){.y = job->y,
                    .weight = job->weight,
                    .n = n,
                    .c = c,
                    .together = c > 1 && choice_is(multiclass, "ww"),
                    .intercept = job->set->common.intercept,
                    .C = INFINITY,
                    .tol_rel = 1e-6,
                    .inseparable = -1};
    g->dual = ARENA_ZERO(mem, double, n *c);
    g->U = ARENA_ZERO(mem, double, n *c);
    g->b = ARENA_ZERO(mem, double, c);
    g->sign = ARENA_NEW(mem, double, n);
    g->cost = ARENA_NEW(mem, double, n *c);
    g->soft = ARENA_NEW(mem, double, n *c);
    g->f = ARENA_NEW(mem, double, n *c);
    bool fine = g->dual && g->U && g->b && g->sign && g->cost && g->soft && g->f;
    return fine ? PARE_OK : error_memory(err);
}

/* C and ridge of sample i in output o, by its weight; no weight: no say. */
static void sample_cost(const gram_svm *g, int64_t o, int64_t i, double *C, double *ridge) {
    double own = g->weight ? g->weight[i] : 1;
    double r = g->ridges ? g->ridges[o * g->n + i] : g->ridge;
    double cost = g->ridges ? INFINITY : g->costs ? g->costs[o * g->n + i] : g->C;
    *C = own == 0 ? 0 : r > 0 ? INFINITY : cost * own;
    *ridge = own == 0 ? 0 : r / own;
}

void gram_svm_costs(const gram_svm *g, int64_t o, double *sign, double *C, double *ridge) {
    int32_t positive = (int32_t)(g->c == 1 ? 1 : o);
    for (int64_t i = 0; i < g->n; i++) {
        sign[i] = g->y->cls[i] == positive ? 1 : -1;
        sample_cost(g, o, i, &C[i], &ridge[i]);
    }
}

static pare_status solve_output(gram_svm *g, const double *K, int64_t o, const pare_ctx *ctx,
                                pare_error *err) {
    int64_t n = g->n;
    gram_svm_costs(g, o, g->sign, g->cost, g->soft);
    svm_problem p = {.n = n,
                     .K = K,
                     .y = g->sign,
                     .C = g->cost,
                     .ridge = g->soft,
                     .intercept = g->intercept,
                     .tol_rel = g->tol_rel,
                     .warm = g->warm};
    svm_solution out = {.alpha = g->dual + o * n, .f = g->f + o * n};
    pare_status status = svm_dual_solve(&out, &p, ctx, err);
    if (status != PARE_OK) return status;
    if (out.inseparable) g->inseparable = o;
    for (int64_t i = 0; i < n; i++) g->U[o * n + i] = out.scale * out.alpha[i] * g->sign[i];
    g->b[o] = out.b;
    g->objective += out.primal;
    g->dual_value += out.dual;
    g->iterations += out.iterations;
    if (out.outcome > g->outcome) g->outcome = out.outcome;
    return PARE_OK;
}

static pare_status solve_together(gram_svm *g, const double *K, const pare_ctx *ctx,
                                  pare_error *err) {
    for (int64_t m = 0; m < g->c; m++)
        for (int64_t i = 0; i < g->n; i++)
            sample_cost(g, m, i, &g->cost[m * g->n + i], &g->soft[m * g->n + i]);
    ww_problem p = {.n = g->n,
                    .c = g->c,
                    .K = K,
                    .cls = g->y->cls,
                    .C = g->cost,
                    .ridge = g->soft,
                    .intercept = g->intercept,
                    .tol_rel = g->tol_rel};
    ww_solution out = {.alpha = g->dual, .B = g->U, .b = g->b};
    pare_status status = ww_dual_solve(&out, &p, ctx, err);
    if (status != PARE_OK) return status;
    if (out.inseparable) g->inseparable = 0;
    g->objective = out.primal;
    g->dual_value = out.dual;
    g->iterations = out.iterations;
    g->outcome = out.outcome;
    return PARE_OK;
}

pare_status gram_svm_solve(gram_svm *g, const double *K, const pare_ctx *ctx, pare_error *err) {
    g->objective = g->dual_value = 0;
    g->iterations = 0;
    g->outcome = PARE_OPTIMAL;
    g->inseparable = -1;
    if (g->together) return solve_together(g, K, ctx, err);
    pare_status status = PARE_OK;
    for (int64_t o = 0; o < g->c && status == PARE_OK && g->inseparable < 0; o++)
        status = solve_output(g, K, o, ctx, err);
    return status;
}

pare_status gram_svm_solve_anyhow(gram_svm *g, fit_result *r, const double *K, const pare_ctx *ctx,
                                  pare_error *err) {
    pare_status status = gram_svm_solve(g, K, ctx, err);
    if (status != PARE_OK || g->inseparable < 0) return status;
    double trace = 0;
    for (int64_t i = 0; i < g->n; i++) trace += K[i * g->n + i];
    g->ridge = AUTO_RIDGE * (trace > 0 ? trace : 1) / (double)g->n;
    status = fit_note(r, err, "hard margins are impossible on these data: ridge %.6g was added",
                      g->ridge);
    bool warm = g->warm;
    g->warm = false; /* the dual is a proof now */
    if (status == PARE_OK) status = gram_svm_solve(g, K, ctx, err);
    g->warm = warm;
    return status;
}
